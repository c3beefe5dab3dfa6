"""Find fence markers, and objects that imitate our replies and scorecards, inside a judged text. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from evenhand.judges.screening.suspect_lines import Span

_OPENING = re.compile(r"<<<\s{0,3}(?:submission|task)\b[^\n]{0,80}", re.I)
_CLOSING = re.compile(r"\b(?:submission|task)\b[ \t]{0,3}[^\s>]{0,64}[ \t]{0,3}>>>", re.I)
_BAND = re.compile(r"[\"']band[\"']\s{0,3}:\s{0,3}[\"']\d{1,2}\s?-\s?\d{1,2}[\"']")
_BRACE = re.compile(r'"(?:[^"\\\n]|\\.)*+"|[{}]')
_LONGEST: Final = 20_000
"""Characters of the longest object masked as a whole."""
_MOST: Final = 200
"""Objects per text masked as a whole; beyond that, only the giveaway lines are."""
_DEEPEST: Final = 10


def fake_replies(text: str) -> Iterator[Span]:
    """The positions of fake fence markers, replies and scorecards."""
    for place in _places(text, "<<<"):
        if match := _OPENING.match(text, place):
            yield match.span()
    for place in _places(text, ">>>"):
        if match := _CLOSING.search(text, max(0, place - 90), place + 3):
            yield match.span()
    done = 0
    for count, place in enumerate(sorted(_telling(text))):
        if place >= done:
            line = text.rfind("\n", 0, place) + 1, _line_end(text, place)
            span = (count < _MOST and _object_around(text, place)) or line
            done = span[1]
            yield span


def object_end(text: str, begin: int) -> int:
    """Where the object opened at a position ends; the search limit if it does not."""
    limit = min(len(text), begin + _LONGEST)
    depth = 0
    for match in _BRACE.finditer(text, begin, limit):
        depth += {"{": 1, "}": -1}.get(match[0], 0)
        if depth == 0 and match[0] == "}":
            return match.end()
    return limit


def _telling(text: str) -> Iterator[int]:
    yield from _places(text, "reply_to")
    yield from _places(text, "evenhand/scorecard/")
    yield from _places(text, "evenhand/judgement/")
    yield from (place for mark in ('"band"', "'band'") for place in _places(text, mark) if _BAND.match(text, place))


def _places(text: str, words: str) -> Iterator[int]:
    place = text.find(words)
    while place >= 0:
        yield place
        place = text.find(words, place + len(words))


def _line_end(text: str, place: int) -> int:
    end = text.find("\n", place)
    return len(text) if end < 0 else end


def _object_around(text: str, place: int) -> Span | None:
    """The outermost braces around a position; None if there are none."""
    opened: list[int] = []
    for match in _BRACE.finditer(text, max(0, place - _LONGEST), place):
        if match[0] == "{":
            opened.append(match.start())
        elif match[0] == "}" and opened:
            opened.pop()
    ends = ((begin, object_end(text, begin)) for begin in opened[:_DEEPEST])
    return next((span for span in ends if span[1] > place), None)
