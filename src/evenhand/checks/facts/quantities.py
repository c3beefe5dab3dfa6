"""How much of something a task asks for: "at least 300 words", "3 to 5 bullet points". Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from evenhand.lazy_pattern import late_pattern

MANY = 10**9
"""No upper bound."""


class Constraint(NamedTuple):
    """One thing the answer must be or hold."""

    kind: str
    wants: str
    """In words, to follow "the task asks for"."""
    low: int = 0
    high: int = MANY
    text: str = ""
    """The word, the phrase, the language or the divider it is about."""


_WORDS = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen".split()
_NUMBERS = {**{word: value for value, word in enumerate(_WORDS)}, "twenty": 20, "once": 1, "twice": 2}
NUMBER = r"(?:\d{1,3}(?:,\d{3})+|\d+|" + "|".join(_WORDS[1:]) + r"|twenty)"
LEAST = "at least|at minimum|no fewer than|no less than|not less than|(?:a )?minimum of|more than|over"
MOST = "at most|not? more than|not exceed(?:ing)?|up to|(?:a )?maximum of|under|below|less than|fewer than|within"
_COUNT = (
    rf"(?:(?P<before>{LEAST}|{MOST}|exactly|precisely|only|just|about|around|approximately|roughly|between)\s+)?"
    rf"(?<!or )(?P<number>{NUMBER})(?P<plus>\s?\+)?(?:\s*(?:to|-|\u2013|and)\s*(?P<upto>{NUMBER}))?"
    r"(?P<after>\s+or\s+(?:more|fewer|less))?"
)
_UNITS = {
    "words": r"words?(?! in all cap)",
    "sentences": r"(?:(?:very )?(?:short|long|complete|full) )?sentences?",
    "paragraphs": r"(?:short )?paragraphs?",
    "bullets": r"(?:(?:very )?(?:short|concise|key|main|brief|different) )?bullet(?:ed)?(?: points?| items?)?s?",
    "placeholders": r"placeholders?",
    "highlights": r"(?:text )?sections?(?=.*\*(?:highlight|italic))",
}
_UNIT = "|".join(f"(?P<{kind}>{unit})" for kind, unit in _UNITS.items())
_QUANTITY = late_pattern(rf"(?<![\w.]){_COUNT}[\s-]+(?:{_UNIT})\b(?P<trail> or (?:more|fewer|less)\b)?", re.I)
_PLAIN = late_pattern(r"\b(?:in|into|of|an?|with|using|write|give|provide|has|have|contains?|be|to|is)\s*$", re.I)
"""What precedes a bare number that says how long a text should be; "the 3 words" are words that are already there."""

_ABOUT_PART = late_pattern(
    r"\b(?:each|every|per|first|second|third|last|title|headline|subject|heading|abstract|introduction|conclusion|caption"
    r"|tagline|comments?|docstring|commit|my|I(?:'ve| have)? (?:wrote|written))\b",
    re.I,
)


def number(text: str) -> int:
    """A number in digits or in words."""
    return _NUMBERS[text.lower()] if text.lower() in _NUMBERS else int(text.replace(",", ""))


def bounds(match: re.Match[str], roughly: bool = False) -> tuple[int, int]:
    """The least and the most that a match allows."""
    count, before = number(match["number"]), (match["before"] or "").lower()
    after = (match["after"] or match.groupdict().get("trail") or "").lower()
    if match["upto"]:
        return count, number(match["upto"])
    if match["plus"] or "more" in after:
        return count, MANY
    if before in ("more than", "over"):
        return count + 1, MANY
    if re.fullmatch(LEAST, before):
        return count, MANY
    if before in ("less than", "fewer than", "under", "below"):
        return 0, count - 1
    if after or re.fullmatch(MOST, before):
        return 0, count
    if roughly or before in ("about", "around", "approximately", "roughly"):
        return count * 7 // 10, -(-count * 13 // 10)
    return count, count


def quantities(sentence: str) -> Iterator[Constraint]:
    """The lengths and numbers a sentence asks for, where it is about the answer as a whole."""
    for match in _QUANTITY.finditer(sentence):
        kind = next(kind for kind in _UNITS if match[kind])
        before = re.split(r"[,;:(]|\band\b", sentence[: match.start()])[-1][-35:]
        after = re.split(r"[,;:.(]", sentence[match.end() :])[0][:35]
        plain = not (match["before"] or match["plus"] or match["after"] or match["trail"] or match["upto"])
        listed = match["upto"] and "and" in match[0] and (match["before"] or "").lower() != "between"
        if listed or _ABOUT_PART.search(f"{before} {after}") or (plain and not _PLAIN.search(before)):
            continue
        low, high = bounds(match, roughly=plain and kind == "words" and number(match["number"]) > 20)
        yield Constraint(kind, match[0].strip(), low, high)
