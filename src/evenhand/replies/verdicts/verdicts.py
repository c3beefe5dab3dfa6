"""Read which of two outputs a judge prefers, or explain why that is unclear. Pure; none is better than a wrong one.

Brackets as judges are asked for them (`[[A]]`, `[[B>>A]]`, `[[C]]` for a tie), labels (`Winner: B`, JSON), and
sentences (`Output (a) is better`). The strongest kind decides; within it, what is marked as the conclusion. Two
different verdicts are a contradiction and give none.
"""

from __future__ import annotations

import re
from typing import Literal, cast

from evenhand.core.values.opinion import Unscored
from evenhand.replies.prose.folded_text import folded
from evenhand.replies.prose.markup import plain
from evenhand.replies.prose.prose_lines import line_before
from evenhand.replies.prose.quoted import GAP, MARK, own_words
from evenhand.replies.prose.refusals import refuses
from evenhand.replies.verdicts.verdict_marks import Choice, bracketed, labelled, options, untagged, value_side
from evenhand.replies.verdicts.verdict_phrases import phrased
from evenhand.replies.verdicts.verdict_sides import OTHER, SIDE
from evenhand.replies.verdicts.verdict_words import CONCLUDING, LABELS

__all__ = ["read_verdict"]

LONGEST = 100_000
"""Characters of the longest text that is read."""

_CAPITAL = re.compile(r"(?<=\w )A(?=['’]s|[^\w'’]|$)")
_NAMES_A_SIDE = re.compile(SIDE)
_BRACKETS = re.compile(r"\[\[|>>")
_STATES = re.compile(rf"(?:{LABELS})\s?(?:[:=]|is\b)|\b[ab12] (?:is|wins|beats)\b")
_REASON = re.compile(
    r"\"(reason|reasoning|justification|explanation|rationale|analysis|why)\"\s*:\s*\"((?:[^\"\\]|\\.)*)\"", re.I
)
"""The judge's own words in an object: the quotation marks are JSON's."""
_LEADS = re.compile(
    r"(?:[:=]|\b(?:is|verdict|decision|winner|choice|choose|pick|select|answer|output|conclude with|prefer)"
    rf"|{CONCLUDING},?)[\s*_]*[\[({{]*\s*$"
)
_DECORATION = " *_`\"'.#-"
_NOTE = re.compile(r"\([^()\n]{0,80}\)")
_LAST_JSON = re.compile(r"\n```(?:json)?[ ]*\n(\s*\{[^`{}]{1,2000}\}\s*)\n```\s*$")
"""A fenced object that ends the text: the judge's own reply in the form it was asked for."""
_BRACKET_ONLY = re.compile(r"\s*\[\[[^\[\]\n]{1,40}\]\]\s*")
_REPORTS = re.compile(
    r"\b(?:said|says|wrote|writes|claims?|ends with|contains|includes|printed|states|asks|instruct\w+"
    r"|(?:last|final) (?:line|sentence|words?))\b[^.]{0,40}$"
)

_ANOTHER_SAYS = re.compile(
    r"\b(?:prompt|instructions?|rubric|task|question|user|message|response|output|assistant|answer|model)\b[^.\n]{0,30}"
    r"\b(?:said|says?|wrote|writes?|claims?|states?|asks?|reads?)\b\s?:?\s*[\"'“«*_`]*$"
)


def read_verdict(text: str) -> Literal["A", "B", "tie"] | Unscored:
    """The one of two outputs that a judge's text prefers: `A` (also 1 or the first), `B` or `tie`.

    If it states no single verdict, `Unscored` with the reason.
    Anything quoted, conditional, denied or about one aspect only is ignored. The conclusion decides; a text that states
    two different verdicts has none.

    >>> read_verdict("Both are correct, but the first is vague. My final verdict is: [[B>A]]")
    'B'
    >>> read_verdict("Output (a) follows the instruction. Therefore, Output (a) is better.")
    'A'
    >>> read_verdict("[[A]] ... On reflection: [[B]]")
    Unscored(reason='two different verdicts are stated: A, B')
    """
    if not text or not text.strip():
        return Unscored("the reply is empty")
    if len(text) > LONGEST:
        return Unscored(f"the text is longer than {LONGEST:,} characters, too long for a verdict in prose")
    words = _plain_words(text)
    whole = value_side(words.strip(" .*\n[](){}" + GAP + MARK))
    if whole in ("A", "B", "tie"):
        return cast(Literal["A", "B", "tie"], whole)
    brackets, labels = (
        tuple(choice._replace(place=choice.place - words.count(MARK, 0, choice.place)) for choice in choices)
        for choices in (bracketed(words), labelled(words))
    )
    words = words.replace(MARK, "")  # a sentence reads on through quotation marks
    phrases = tuple(phrased(words))
    listed = options(words, brackets)
    if listed:
        stated = tuple(_outside(listed, choices) for choices in (brackets, labels, phrases))
        if not any(stated):
            return _agreed({choice.side for choice in brackets})
        brackets, labels, phrases = stated
    return _decide(brackets, labels, phrases, words)


def _outside(spans: list[tuple[int, int]], choices: tuple[Choice, ...]) -> tuple[Choice, ...]:
    return tuple(choice for choice in choices if not any(choice.place in range(*span) for span in spans))


def _plain_words(text: str) -> str:
    """The judge's own words in one spelling, with a capital A that names an output marked as such."""
    text = _REASON.sub(r"\1:\n\2\n", _CAPITAL.sub("(A)", text))
    return plain(untagged(own_words(_LAST_JSON.sub(r"\n\1", folded(text)), _kept)))


def _kept(text: str, start: int, inside: str) -> str:
    """What to keep of a quotation: all that names no output, and a short verdict that the judge leads up to."""
    names = _NAMES_A_SIDE.search(inside) or _BRACKETS.search(inside) or _STATES.search(inside)
    if not names and len(inside.strip()) > 2:
        return inside
    before = text[max(0, start - 80) : start]
    if len(inside) < 40 and _LEADS.search(before) and not _REPORTS.search(before):
        return f"{MARK}{inside}{MARK}"
    alone = _BRACKET_ONLY.fullmatch(inside) and _has_its_line(text, start, inside)
    return inside if alone and not _ANOTHER_SAYS.search(line_before(text, start)) else GAP


def _has_its_line(text: str, start: int, inside: str) -> bool:
    """Whether a line holds nothing but a quotation, with decoration or a note, or the text ends with it alone."""
    before = line_before(text, start).strip(_DECORATION)
    after = _NOTE.sub("", text[start:].replace(inside, "", 1))
    rest = after.partition("\n")[0].strip(_DECORATION)
    return not rest and (not before or (not after.strip(_DECORATION + "\n") and text[:start].rstrip()[-1:] in ".!?:"))


def _decide(
    brackets: tuple[Choice, ...], labels: tuple[Choice, ...], phrases: tuple[Choice, ...], words: str
) -> Literal["A", "B", "tie"] | Unscored:
    if brackets or labels:
        phrases = tuple(choice for choice in phrases if choice.kind != "ending")
    strongest = brackets or labels or phrases
    if not strongest:
        return Unscored("the judge refuses or cannot decide" if refuses(words) else "no verdict is stated")
    if any(choice.kind in ("correction", "ending") for choice in phrases):
        return _agreed({choice.side for choice in (*brackets, *labels, *phrases)})
    ruling = [choice for choice in strongest if choice.concluding] or list(strongest)
    last = ruling[-1].place
    sides = {choice.side for choice in ruling} | {choice.side for choice in strongest if choice.place > last}
    sides |= {choice.side for choice in phrases if choice.kind == "preference"}  # `I prefer` is never about one aspect
    if strongest is not phrases:
        sides |= {choice.side for choice in (*labels, *phrases) if choice.concluding or choice.place > last}
        spoken = {choice.side for choice in phrases}
        sides |= spoken if spoken.isdisjoint(sides) else set()
    return _agreed(sides)


def _agreed(sides: set[str]) -> Literal["A", "B", "tie"] | Unscored:
    if OTHER in sides:
        return Unscored("an output beyond the two is preferred")
    if len(sides) > 1:
        return Unscored(f"two different verdicts are stated: {', '.join(sorted(sides, key=str.casefold))}")
    return cast(Literal["A", "B", "tie"], sides.pop())
