"""Numbers that contradict each other: the same named quantity with two values. Pure.

Four shapes are certain enough to be reported: a count announced before a list that has another number of items; a count
given once and taken up again with another number ("takes 3 steps" ... "the 4 steps"); a total stated twice; and a
measure at the top ("The outage lasted 45 minutes") repeated below in the same words with another number.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from evenhand.checks.finding import Finding, check
from evenhand.checks.subject import Subject
from evenhand.core.basics.lazy_pattern import late_pattern

if TYPE_CHECKING:
    from markdown_it.token import Token

_WORDS = "two three four five six seven eight nine ten eleven twelve".split()
_SMALL = rf"(?P<number>\d{{1,2}}|{'|'.join(_WORDS)})"
_ROUGH = late_pattern(
    r"\b(?:about|around|roughly|approximately|at least|at most|up to|more than|less than|over|under|each|every|per|or"
    r"|another|first|last|next|other|additional|between|of the|out of|some|further|main|key|top)\b|[~\u2248]",
    re.I,
)
_ANNOUNCED = late_pattern(
    r"(?:^|\b(?:(?:there|here|these) are|has|have|following|these|takes|requires|needs)\s+)(?:the |these |all )*"
    rf"{_SMALL}\s+(?:(?!and )\w+\s+){{0,2}}?(?P<noun>(?!(?:has|is|this|was|does|as|its) )[a-z]+s)\b"
    r"(?:(?!\band\b)[^.!?,;]){0,40}:$",
    re.I,
)
_MEASURE = late_pattern(r"hours|days|minutes|weeks|months|years|seconds|times|points|percents|users|levels|bytes", re.I)
_PARTS = "steps|phases|stages|parts|sections|rounds|weeks|sprints|layers|modules|chapters|endpoints|services|options"
_GIVEN = late_pattern(
    r"\b(?:takes|requires|involves|consists of|comprises|has|is (?:split|divided) into|works in|runs in|in)\s+"
    rf"{_SMALL}\s+(?:\w+ )?(?P<noun>{_PARTS})\b(?!\s+(?:that|which|of))",
    re.I,
)
_TAKEN_UP = late_pattern(
    rf"\b(?:(?:all|these|those)(?: of)?(?: the| these)?|the)\s+{_SMALL}\s+(?P<noun>{_PARTS})"
    r"(?=\s*(?:[.,;:!?)]|$)|\s+(?:are|is|were|have|above|below|together|in total|in order)\b)",
    re.I | re.M,
)
_TOTAL = late_pattern(
    r"\b(?P<noun>grand total|overall total|total (?:cost|price|budget|time|duration|amount|effort))\b"
    r"(?:\s+(?:is|are|was|of|comes to|will be)|\s*[:=])\s*\**\s*"
    r"(?P<value>[$\u20ac\u00a3]\s?\d[\d,]*(?:\.\d+)?[km]?"
    r"|\d[\d,]*(?:\.\d+)?\s?(?:hours?|days?|weeks?|months?|minutes?|EUR|USD|GBP|%))",
    re.I,
)
_OTHER_CASE = late_pattern(
    r"\b(?:option|plan|scenario|alternative|before|after|old|new|previous|year|month|tier|version|case|instead|current|per"
    r"|estimate[ds]?|worst|best|if|without|excluding|including)\b",
    re.I,
)

_MEASURED = late_pattern(
    r"(?:^|(?<=[.!?]\s))(?P<noun>The (?:[a-z-]+ ){1,4}(?:lasted|took|cost|affected|weighs|contains|contained"
    r"|covers|covered|processed|returned|found|was|is)) (?P<value>\d[\d,.]*) (?P<unit>[a-z]+)\b",
    re.M,
)


def _number(text: str) -> int:
    return int(text) if text.isdigit() else _WORDS.index(text.lower()) + 2


def _items(tokens: Sequence[Token], start: int) -> int:
    """How many items the list has that starts there; 0 when it goes on after something else."""
    items, lists = 0, 0
    for token in islice(tokens, start, None):
        if token.type == "heading_open":
            break
        lists += token.level == 0 and token.type.endswith("list_open")
        items += token.level == 1 and token.type == "list_item_open"
    return items if lists == 1 else 0


def _announced(subject: Subject) -> Iterator[Finding]:
    """A count before a list, against the items of the list."""
    tokens = subject.tokens
    for place, token in enumerate(tokens[:-2]):
        if token.type != "inline" or token.level != 1 or not tokens[place + 2].type.endswith("list_open"):
            continue
        last = re.split(r"(?<=[.!?])\s+", token.content.replace("*", "").strip())[-1]
        match = _ANNOUNCED.search(last) if last.endswith(":") else None
        if not match or _MEASURE.fullmatch(match["noun"]) or _ROUGH.search(last) or len(re.findall(r"\d+", last)) > 1:
            continue
        items = _items(tokens, place + 2)
        if items and items != _number(match["number"]):
            number = match["number"].lower()
            message = f"The text announces {number} {match['noun']}, but the list that follows has {items}."
            quote = token.content.splitlines()[-1].strip()[:200]
            yield _finding(message, quote, subject.on_line(quote, token.map[1] if token.map else 1))


def _matches(subject: Subject, pattern: re.Pattern[str]) -> Iterator[tuple[re.Match[str], str, int | None]]:
    """Where a pattern matches the prose, with the first line of its sentence and the place of that in the output.

    Not within code or quotation, nor where the number is rough.
    """
    prose = subject.prose
    for match in pattern.finditer(prose):
        start = max(prose.rfind(mark, 0, match.start()) for mark in (". ", "! ", "? ", "\n")) + 1
        ends = (prose.find(mark, match.end()) + 1 for mark in (". ", "! ", "? ", "\n"))
        sentence, before = prose[start : min(filter(None, ends), default=len(prose))], prose[start : match.start()]
        if not _ROUGH.search(sentence) and before.count("`") % 2 == 0 and before.count('"') % 2 == 0:
            start += len(sentence) - len(sentence.lstrip())
            quote = sentence.strip().splitlines()[0][:200]
            yield match, quote, subject.in_prose(quote, start)


def _taken_up(subject: Subject) -> Iterator[Finding]:
    """A count that is given once, compared with the places that refer back to it."""
    counts: dict[str, set[int]] = {}
    for match, _, _ in _matches(subject, _GIVEN):
        counts.setdefault(match["noun"].lower(), set()).add(_number(match["number"]))
    once = {
        noun: values.pop() for noun, values in counts.items() if len(values) == 1
    }  # else several things are counted
    for match, sentence, offset in _matches(subject, _TAKEN_UP) if once else ():
        noun, value = match["noun"].lower(), _number(match["number"])
        if once.get(noun, value) != value:
            yield _finding(
                f"The text gives {once.pop(noun)} {noun} in one place and {value} in another.", sentence, offset
            )


def _totals(subject: Subject) -> Iterator[Finding]:
    """A named total that is stated twice."""
    stated: dict[tuple[str, str], list[tuple[str, str, int | None]]] = {}
    for match, sentence, offset in _matches(subject, _TOTAL):
        unit = re.sub(r"[\d.,\s]", "", match["value"]).rstrip("s")
        stated.setdefault((match["noun"].lower(), unit), []).append((match["value"], sentence, offset))
    for (name, _), places in stated.items():
        if len(places) != 2 or any(_OTHER_CASE.search(sentence) for _, sentence, _ in places):
            continue
        first, second = (re.sub(r"[,\s]", "", value).rstrip("s") for value, _, _ in places)
        if first != second:
            message = f"The {name} is {places[0][0]} in one place and {places[1][0]} in another."
            yield _finding(message, places[1][1], places[1][2])


def _restated(subject: Subject) -> Iterator[Finding]:
    """A measure before the first section, against the one sentence below that says it in the same words.

    Two sections may be about different cases.
    """
    inlines = [token for token in subject.tokens if token.type == "inline"]
    sections = [n for n, token in enumerate(subject.tokens) if token.type == "heading_open" and token.tag != "h1"]
    if not sections or len(inlines) < 2:
        return
    top = "\n\n".join(token.content for token in subject.tokens[: sections[0]] if token.type == "inline")
    measures: dict[tuple[str, str], list[tuple[str, str, int | None]]] = {}
    for match, sentence, offset in _matches(subject, _MEASURED):
        measures.setdefault((match["noun"], match["unit"].rstrip("s")), []).append(
            (match["value"].rstrip(".,"), sentence, offset)
        )
    for (noun, _), places in measures.items():
        values = [value.replace(",", "") for value, _, _ in places]
        if len(places) != 2 or values[0] == values[1] or any(_OTHER_CASE.search(sentence) for _, sentence, _ in places):
            continue
        if places[0][1] in top and places[1][1] not in top:
            message = f"“{noun} …” is given as {places[0][0]} in one place and {places[1][0]} in another."
            yield _finding(message, places[1][1], places[1][2])


def _finding(message: str, quote: str, offset: int | None) -> Finding:
    return Finding("contradicting-numbers", "consistency", "major", message, quote, offset=offset)


@check(
    "contradicting-numbers",
    "consistency",
    sees="A count, total or measure given with two values: before a list, later in the text, or stated twice.",
    severity="Major, three at most: the reader cannot tell which number is right.",
    most=3,
    example='"The setup takes 3 steps. ... Once the 4 steps are done"',
)
def _contradictions(subject: Subject) -> Iterator[Finding]:
    for look in (_announced, _taken_up, _totals, _restated):
        yield from look(subject)


CHECKS = (_contradictions,)
