"""What a judge says in its own words, taken from the justification on a scorecard. Pure.

A model's justification ends with what it observed, "(The task is addressed: yes; Sources are named: no.)", and that of
a panel has a paragraph for each judge, after its name and score. Both are alike in all cases, whatever is wrong with
them.
"""

from __future__ import annotations

import re
from decimal import Decimal
from itertools import accumulate

_VOICE = re.compile(r"^\S+ (\d+(?:\.\d+)?)(?:: |$)", re.MULTILINE)
_NO_SCORE = re.compile(r"^\S+ no score: .*$", re.MULTILINE)
_ANSWERS = (": yes", ": no", ": not answered")
_END = ".)"


def reason_of(justification: str, *, is_panel: bool) -> str:
    """The words of the one judge, or of the panel's strictest that gave a reason."""
    if not is_panel:
        return _own_words(justification)
    said = _NO_SCORE.sub("", justification)
    places = list(_VOICE.finditer(said))
    ends = [*(place.start() for place in places[1:]), len(said)]
    voices = [
        (Decimal(place[1]), words)
        for place, end in zip(places, ends, strict=True)
        if (words := _own_words(said[place.end() : end]))
    ]
    return min(voices, key=lambda voice: voice[0])[1] if voices else _own_words(justification)


def _own_words(text: str) -> str:
    """A text without the observations at its end; of one that is nothing else, those that do not hold."""
    text = text.strip()
    if not text.endswith(_END):
        return text
    for start in (place for place, letter in enumerate(text) if letter == "("):
        inside = text[start + 1 : -len(_END)]
        parts = inside.split("; ")
        if _is_nested(inside) and all(part.endswith(_ANSWERS) for part in parts):
            return text[:start].strip() or "; ".join(part for part in parts if part.endswith(": no"))
    return text


def _is_nested(text: str) -> bool:
    """Whether every bracket in a text is closed after it was opened."""
    depths = list(accumulate((letter == "(") - (letter == ")") for letter in text))
    return not depths or (depths[-1] == 0 and min(depths) == 0)
