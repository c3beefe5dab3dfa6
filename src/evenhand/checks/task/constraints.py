"""Whether the output keeps the constraints that the task states. Pure.

Where a count can be taken in two ways (is a heading a sentence?), a constraint is broken only when it is broken both
ways, and kept only when it is kept both ways; between them the check says nothing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Final, NamedTuple

from evenhand.checks.facts.actions.files_written import files_written
from evenhand.checks.finding import Finding, check
from evenhand.checks.subject import Subject, outside_quotes
from evenhand.lazy_pattern import late_pattern

if TYPE_CHECKING:
    from evenhand.checks.facts.quantities import Constraint

_LETTER = late_pattern(r"[^\W\d_]")
_SPACELESS = late_pattern("[\u3040-\u30ff\u4e00-\u9fff\u0e00-\u0e7f]")
_ABBREVIATION = late_pattern(r"\b(?:Mr|Mrs|Ms|Dr|Prof|St|vs|etc|e\.g|i\.e|No|Inc|Ltd|Jr|Sr|[A-Z])\.", re.I)


# What gives a language away: its script, or the words that occur often in every longer text. Pure.

LATIN: Final = "A-Za-z\u00c0-\u024f\u1e00-\u1eff"
SCRIPTS: Final = {
    **dict.fromkeys(("Russian", "Bulgarian", "Ukrainian"), "\u0400-\u052f"),
    **dict.fromkeys(("Arabic", "Persian", "Farsi", "Urdu"), "\u0600-\u06ff\u0750-\u077f\ufb50-\ufdff"),
    **dict.fromkeys(("Hindi", "Marathi", "Nepali"), "\u0900-\u097f"),
    "Chinese": "\u3400-\u4dbf\u4e00-\u9fff",
    "Japanese": "\u3040-\u30ff\u4e00-\u9fff",
    "Korean": "\uac00-\ud7af\u1100-\u11ff",
    "Hebrew": "\u0590-\u05ff",
    "Greek": "\u0370-\u03ff\u1f00-\u1fff",
    "Thai": "\u0e00-\u0e7f",
    "Bengali": "\u0980-\u09ff",
    "Punjabi": "\u0a00-\u0a7f",
    "Gujarati": "\u0a80-\u0aff",
    "Tamil": "\u0b80-\u0bff",
    "Telugu": "\u0c00-\u0c7f",
    "Kannada": "\u0c80-\u0cff",
}
"""The characters that give a language away; the others are written in Latin letters."""
_COMMONEST: Final = {
    "English": frozenset("the and of to is in that it for with are as this on by be was not from so".split()),
    "German": frozenset(
        "der die das und ist nicht ein eine zu mit auf für von den dem sich auch es werden wird".split()
    ),
    "French": frozenset("le la les et est des une un du que pour dans qui pas sur avec ce il sont au".split()),
    "Spanish": frozenset("el la los las y es de que en un una por con para se del no su como al".split()),
    "Italian": frozenset("il la di e che è un una per non con sono del della le i si da come gli".split()),
    "Portuguese": frozenset("o a os as e de que em um uma para com não por do da se mais como é".split()),
    "Dutch": frozenset("de het een en van is dat niet op te met voor zijn er aan door ook worden die wordt".split()),
}
"""The words every longer text of a language is full of."""


def other_language(wanted: str, words: list[str]) -> str:
    """The language whose commonest words fill a text that has hardly any of the wanted language's."""
    if wanted not in _COMMONEST or len(words) < 15:
        return ""
    shares = {name: sum(word in common for word in words) * 100 // len(words) for name, common in _COMMONEST.items()}
    most = max(shares, key=lambda name: shares[name])
    return most if shares[most] >= 20 and shares[wanted] <= 4 else ""


class Verdict(NamedTuple):
    """True kept, False broken, None when it could be either; and what the output has instead."""

    kept: bool | None
    observed: str
    quote: str = ""
    offset: int | None = None
    """Where the quote starts in the output."""


def _between(constraint: Constraint, least: int, most: int) -> Verdict:
    """Judge a count that lies somewhere from `least` to `most`."""
    if most < constraint.low or least > constraint.high:
        return Verdict(
            False, f"it has {least}" if least == most else f"it has {least} to {most}, depending on how one counts"
        )
    return Verdict(True if constraint.low <= least and most <= constraint.high else None, "")


def _words(constraint: Constraint, subject: Subject) -> Verdict:
    if len(_SPACELESS.findall(subject.output)) * 5 > len(subject.output):
        return Verdict(None, "")
    counts = len(subject.output.split()), len(re.findall(r"\w+", subject.output)), len(subject.words)
    if constraint.low and len(" ".join(dict.fromkeys(subject.output.splitlines())).split()) < constraint.low <= max(
        counts
    ):
        return Verdict(None, "")  # long enough only because lines are repeated
    return _between(constraint, min(counts[:2]) if not subject.words else min(counts), max(counts))


def _sentences(constraint: Constraint, subject: Subject) -> Verdict:
    prose = _ABBREVIATION.sub("", subject.prose)
    least = len(re.findall(r"[^\W_][\"'\u201d)*_]*[.!?]+[\"'\u201d)*_]*(?=\s|$)", prose))
    most = sum(1 for part in re.split(r"[.!?:;]+|\n", subject.output) if _LETTER.search(part))
    return _between(constraint, min(least, most), most)


def _paragraphs(constraint: Constraint, subject: Subject) -> Verdict:
    if constraint.text:
        parts = [
            part
            for part in re.split(r"^[ \t]*\*\*\*\s*$|\n[ \t]*\*\*\*\s*\n| \*\*\* ", subject.output, flags=re.M)
            if part
        ]
        return _between(constraint, len([part for part in parts if part.strip()]), len(parts))
    chunks = [chunk for chunk in re.split(r"\n\s*\n", subject.output.strip()) if _LETTER.search(chunk)]
    full = [
        chunk for chunk in chunks if len(chunk.split()) > 12 and not re.match(r"\s*(?:[#>*+-]|\d+[.)]|```|\|)", chunk)
    ]
    return _between(constraint, len(full), len(chunks))


def _bullets(constraint: Constraint, subject: Subject) -> Verdict:
    kinds = [token.type for token in subject.tokens]
    top = sum(token.type == "list_item_open" and token.level == 1 for token in subject.tokens)
    every = max(
        kinds.count("list_item_open"), len(re.findall(r"^[ \t]*(?:[*+\u2022-]|\d+[.)])\s", subject.output, re.M))
    )
    return _between(constraint, min(top, every), every)


def _keyword(constraint: Constraint, subject: Subject) -> Verdict:
    word = re.escape(constraint.text.lower()).replace(r"\ ", r"\s+")
    text = subject.output.lower()
    if constraint.kind == "letter":
        count = text.count(constraint.text.lower())
        return _between(constraint, count, count)
    alone, anywhere = re.findall(rf"(?<!\w){word}(?!\w)", text), re.findall(word, text)
    verdict = _between(constraint, len(alone), len(anywhere))
    if constraint.high >= len(alone):
        return verdict
    extra = list(re.finditer(rf"(?<!\w){word}(?!\w)", subject.output, re.I))[constraint.high :]
    return verdict._replace(quote=extra[0][0], offset=extra[0].start()) if extra else verdict


def _json(constraint: Constraint, subject: Subject) -> Verdict:
    whole = re.sub(r"^```\w*\s*\n(.*?)\n?```$", r"\1", subject.output.strip(), flags=re.S)
    inside = [block.code for block in subject.blocks] if constraint.kind == "json" else []
    kept = any(map(_parses, [whole, *inside]))
    return Verdict(kept, "it is not valid JSON" if constraint.kind == "only json" else "no part of it is valid JSON")


def _parses(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict | list)
    except (ValueError, RecursionError):
        return False


def _language(constraint: Constraint, subject: Subject) -> Verdict:
    letters = _LETTER.findall(subject.prose)
    if len(letters) < 20:
        return Verdict(None, "")
    script = SCRIPTS.get(constraint.text, LATIN)
    explained = "translat" in subject.task.lower()  # a translation may be part of an explanation
    share = len(re.findall(f"[{script}]", subject.prose)) * 100 // len(letters)
    if script == LATIN:
        detected = other_language(constraint.text, subject.words) if not explained else ""
        return Verdict(False if share < 30 or detected else None, f"it is written in {detected or 'another script'}")
    broken = share < (3 if explained else 20)
    return Verdict(False if broken else True if share > 60 else None, "nearly all of it is in another script")


def _line_with(subject: Subject, text: str, match: re.Match[str] | None) -> tuple[str, int | None]:
    """The line around a match in the output or in its prose, and where it is in the output."""
    if match is None:
        return "", None
    start, end = text.rfind("\n", 0, match.start()) + 1, text.find("\n", match.end())
    line = text[start : end if end >= 0 else len(text)]
    start += len(line) - len(line.lstrip())
    quote = line.strip()[:200]
    return quote, start if text == subject.output else subject.in_prose(quote, start)


def _case(constraint: Constraint, subject: Subject) -> Verdict:
    text = subject.prose if subject.blocks else subject.output
    wrong = re.search(r"[^\W\d_a-z]" if constraint.kind == "lower case" else r"[a-z]", text) if text.isascii() else None
    same = text.lower() if constraint.kind == "lower case" else text.upper()
    return Verdict(text == same, "it has letters of the other kind", *_line_with(subject, text, wrong))


def _edge(constraint: Constraint, subject: Subject) -> Verdict:
    plain = re.sub(r"[\s\"'\u201c\u201d*_.!>#`]", "", subject.output.lower())
    phrase = re.sub(r"[\s\"'\u201c\u201d*_.!>#`]", "", constraint.text.lower())
    kept = plain.endswith(phrase) if constraint.kind == "ends" else plain.startswith(phrase)
    text = subject.output.strip()
    start = subject.output.find(text[:1])
    if constraint.kind == "ends":
        quote = text[text.rfind("\n") + 1 :].strip()[-200:]
        return Verdict(kept, "it does not", quote, start + len(text) - len(quote))
    return Verdict(kept, "it does not", text.partition("\n")[0].strip()[:200], start)


def _form(constraint: Constraint, subject: Subject) -> Verdict:
    """Tables and lists."""
    tokens = {"table": "table_open", "bullet list": "bullet_list_open", "numbered list": "ordered_list_open"}
    written = {
        "table": r"<table|^[ \t]*\|.*\|",
        "bullet list": r"^[ \t]*[\u2022*+-]\s",
        "numbered list": r"^[^\w\n]*\d+[.):]",
    }
    kept = any(token.type == tokens[constraint.kind] for token in subject.tokens)
    return Verdict(kept or bool(re.search(written[constraint.kind], subject.output, re.M)), "it has none")


def _commas(constraint: Constraint, subject: Subject) -> Verdict:
    text = subject.prose if subject.blocks else subject.output
    return Verdict("," not in text, f"it has {text.count(',')}", *_line_with(subject, text, re.search(",", text)))


def _pattern(pattern: str) -> Callable[[Constraint, Subject], Verdict]:
    def test(constraint: Constraint, subject: Subject) -> Verdict:
        match = re.search(pattern.replace("TEXT", re.escape(constraint.text)), subject.output.strip(), re.S | re.I)
        return Verdict(bool(match), "it has none" if constraint.kind != "quoted" else "they are not there")

    return test


def _sections(constraint: Constraint, subject: Subject) -> Verdict:
    count = len(set(re.findall(rf"\b{constraint.text}\s+(\d+|[IVX]+)\b", subject.output, re.I)))
    return _between(constraint, count, count)


def _count(pattern: str) -> Callable[[Constraint, Subject], Verdict]:
    def test(constraint: Constraint, subject: Subject) -> Verdict:
        count = len(re.findall(pattern, subject.output))
        return _between(constraint, count, count)

    return test


TESTS: dict[str, Callable[[Constraint, Subject], Verdict]] = {
    "words": _words,
    "sentences": _sentences,
    "paragraphs": _paragraphs,
    "bullets": _bullets,
    "placeholders": _count(r"\[[^\[\]\n]+\](?!\()"),
    "highlights": _count(r"(?<!\*)\*+[^\s*][^*\n]*\*+|__[^_\n]+__"),
    "keyword": _keyword,
    "letter": _keyword,
    "only json": _json,
    "json": _json,
    "table": _form,
    "bullet list": _form,
    "numbered list": _form,
    "language": _language,
    "lower case": _case,
    "upper case": _case,
    "ends": _edge,
    "starts": _edge,
    "no commas": _commas,
    "quoted": _pattern(r"^[\"\u201c].*[\"\u201d]$"),
    "title": _pattern(r"<<[^>\n]+>>"),
    "holds": _pattern("TEXT"),
    "sections": _sections,
    "two answers": _pattern(r"\A\S.*(?<!\*)\*{6}(?!\*).*\S\Z"),
}


@check(
    "constraint-broken",
    "adherence",
    sees="Constraints of the task on length, form, words, language, case or phrases that the output breaks.",
    severity="Major, three at most: the task said so in words.",
    example='Task: "Answer in at most 50 words." Output: 143 words',
    whole=True,
    most=3,
)
def _broken(subject: Subject) -> Iterator[Finding]:
    later = [event for event in subject.events if event.role == "user" and event.kind == "message" and not event.agent]
    if len(later) > 1 or not subject.task or not subject.output.strip() or files_written(subject):
        return  # the task may have changed on the way, or the answer is in the files
    from evenhand.checks.facts.task_constraints import constraints  # many patterns; not every output has a task

    task = "\n".join(token.content for token in outside_quotes(subject.task_tokens))
    verdicts = [(constraint, TESTS[constraint.kind](constraint, subject)) for constraint in constraints(task)]
    broken = [(constraint, verdict) for constraint, verdict in verdicts if verdict.kept is False]
    for constraint, verdict in broken:
        message = f"The task asks for {constraint.wants}; {verdict.observed}."
        yield Finding("constraint-broken", "adherence", "major", message, verdict.quote, offset=verdict.offset)
    kept = [constraint.wants for constraint, verdict in verdicts if verdict.kept]
    if kept and not broken:
        message = f"The output keeps what the task asks for: {'; '.join(kept[:4])}."
        yield Finding("constraint-broken", "adherence", None, message)


CHECKS = (_broken,)
