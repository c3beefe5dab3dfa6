"""Which passages of a text may be addressing a judge. Pure; linear in the length of the text.

Generous on purpose: a false alarm costs a question or two and no points, because whether a passage has any power over
the judge is measured afterwards. Nothing is cut here. The spans are places in the text as given.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from evenhand.screening.cues import (
    EXTREME,
    GRADING,
    IGNORING,
    JUDGE,
    MODEL,
    ORDER,
    OURS,
    cues,
    groups_in,
    letters,
    number_places,
)
from evenhand.screening.decodings import decoded
from evenhand.screening.unreadable import initials, unreadable

Span = tuple[int, int]

_REACH: Final = 250
"""How far a sentence is followed to either side of a cue."""
_NEAR: Final = 200
"""Cues this close to each other may belong to one order."""
_SHORT: Final = 80
"""A sentence up to this long may be nothing but the number of an order whose other words are elsewhere."""
_GAP: Final = 12
"""Spans closer than this become one."""
_CODED_GAP: Final = 40
"""The same for a code: between two unreadable passages, a few signs are a part of it too short to recognise."""
_DEEPEST: Final = 3
"""Encodings inside one another that are undone."""
_ENDS = re.compile(r"[.!?;](?=[\s\"')*_|<\u2039\[\u2045]|$)|[\n。！？।｡]|>(?<=[|\uff5c]>)")
_FENCE = re.compile(r"<<<|>>>")
_COMMON_ENGLISH = re.compile(
    r"\b(?:the|a|an|of|to|and|in|is|it|for|that|was|as|with|on|at|by|be|are|this|from|not|or|have|has)\b"
)
_WORDS = re.compile(r"[^\W\d_]{2,}")


class Suspects(NamedTuple):
    """The passages of a text that may be addressing a judge."""

    spans: tuple[Span, ...] = ()
    """In order, without overlaps; all that has the slightest cue."""
    pointed: bool = False
    """Whether cues of an order occur together somewhere; if not, there are only single words and encoded text."""


class _Sentence(NamedTuple):
    start: int
    stop: int
    groups: int


def suspects(text: str, *, thorough: bool = False) -> Suspects:
    """The passages that may be addressing a judge; thoroughly also those that may be an order in an unknown code."""
    known = _suspects(text, 0)
    if not thorough:
        return known
    margins = [span for span, letters_down in initials(text) if _suspects(letters_down, 1).spans]
    coded = _merged([*margins, *unreadable(text)], _CODED_GAP)
    return Suspects(tuple(_merged([*known.spans, *coded])), known.pointed)


def pointed(text: str) -> bool:
    """Whether cues of an order occur together somewhere: as `suspects` reports, but quicker where they do not."""
    return _pointed(text, 0)


def _pointed(text: str, depth: int) -> bool:
    plain = letters(text).text
    if _orders(groups_in(plain) | EXTREME) and _together(_Reading(plain).sentences()):
        return True
    return depth < _DEEPEST and any(_pointed(inner_text, depth + 1) for _, inner_text, _ in decoded(text))


def _suspects(text: str, depth: int) -> Suspects:
    plain = letters(text)
    reading = _Reading(plain.text)
    sentences = list(reading.sentences())
    pointed = _together(sentences)
    spans = [(plain.origin(start), plain.origin(stop - 1) + 1) for start, stop in reading.telling(sentences)]
    for span, inner_text, is_text in decoded(text) if depth < _DEEPEST else ():
        inner = _suspects(inner_text, depth + 1)
        if inner.pointed or (is_text and (inner.spans or depth == 0)):
            spans.append(span)
            pointed = pointed or inner.pointed
    return Suspects(tuple(_merged(spans)), pointed)


class _Reading:
    """A text in plain letters, with its sentences and the numbers that may be scores."""

    def __init__(self, plain: str) -> None:
        self._plain = plain
        self._ends = [match.end() for match in _ENDS.finditer(plain)]
        self._numbers = sorted(number_places(plain))

    def sentences(self) -> Iterator[_Sentence]:
        """The sentences that hold a cue, with the groups of their cues."""
        groups_of: dict[Span, int] = {}
        span = (-1, -1)
        for place, end, group in sorted(cues(self._plain)):
            if place >= span[1]:
                span = self._sentence(place, end)
            groups_of[span] = groups_of.get(span, 0) | group
        for (start, stop), groups in groups_of.items():
            near = self._has_number(start - _SHORT, stop + _SHORT)
            yield _Sentence(start, stop, groups | (EXTREME if near else 0))

    def telling(self, sentences: list[_Sentence]) -> Iterator[Span]:
        """The places to neutralise: words about grading or judges, and what may complete an order that has them."""
        if any(_telling(sentence.groups) for sentence in sentences):
            yield from ((sentence.start, sentence.stop) for sentence in sentences)
            yield from self._short_numbers()
        yield from self._foreign()
        yield from self._fences()

    def _sentence(self, place: int, end: int) -> Span:
        """The sentence around a cue, as far as it reaches."""
        before = bisect_right(self._ends, place)
        start = max(place - _REACH, self._ends[before - 1] if before else 0, 0)
        after = bisect_left(self._ends, end)
        stop = min(end + _REACH, self._ends[after] if after < len(self._ends) else len(self._plain), len(self._plain))
        while start < place and self._plain[start].isspace():
            start += 1
        while stop > end and self._plain[stop - 1].isspace():
            stop -= 1
        return start, stop

    def _has_number(self, start: int, stop: int) -> bool:
        place = bisect_left(self._numbers, start)
        return place < len(self._numbers) and self._numbers[place] < stop

    def _short_numbers(self) -> Iterator[Span]:
        """Short sentences around the end of a scale."""
        stop = 0
        for place in self._numbers:
            if place >= stop:
                start, stop = self._sentence(place, place + 1)
                if stop - start <= _SHORT:
                    yield start, stop

    def _foreign(self) -> Iterator[Span]:
        """Short lines with the end of a scale, in a language that the rest is not in."""
        if not self._numbers or not _COMMON_ENGLISH.search(self._plain):
            return
        end = 0
        for place in self._numbers:
            if place >= end:
                start = self._plain.rfind("\n", 0, place) + 1
                end = self._plain.find("\n", place)
                end = len(self._plain) if end < 0 else end
                line = self._plain[start:end]
                if len(line) <= 2 * _REACH and len(_WORDS.findall(line)) >= 3 and not _COMMON_ENGLISH.search(line):
                    yield start, end

    def _fences(self) -> Iterator[Span]:
        """Marks that look like our own around the work."""
        for match in _FENCE.finditer(self._plain):
            around = max(0, match.start() - _SHORT), match.end() + _SHORT
            if "submission" in self._plain[slice(*around)] or "task" in self._plain[slice(*around)]:
                yield self._sentence(*match.span())


def _telling(groups: int) -> bool:
    """Whether a sentence with these cues may be part of an order: others may then complete it."""
    return bool(groups & (GRADING | JUDGE | IGNORING | OURS)) or bool(groups & EXTREME and groups & (ORDER | MODEL))


def _together(sentences: Iterable[_Sentence]) -> bool:
    """Whether the cues of an order are within reach of each other."""
    window: list[_Sentence] = []
    for sentence in sentences:
        window = [*(nearby for nearby in window[-40:] if sentence.start - nearby.stop <= _NEAR), sentence]
        groups = 0
        for nearby in window:
            groups |= nearby.groups
        if _orders(groups):
            return True
    return False


def _orders(groups: int) -> bool:
    """Whether these cues together may be an order."""
    if groups & OURS:
        return True
    if groups & GRADING and groups & (EXTREME | JUDGE | IGNORING):
        return True
    if groups & JUDGE and groups & (ORDER | EXTREME | IGNORING):
        return True
    return bool(groups & IGNORING and groups & MODEL) or bool(groups & MODEL and groups & GRADING and groups & ORDER)


def _merged(spans: Iterable[Span], gap: int = _GAP) -> Iterator[Span]:
    start, stop = -1, -1
    for span in sorted(spans):
        if start < 0 or span[0] > stop + gap:
            if start >= 0:
                yield start, stop
            start, stop = span
        stop = max(stop, span[1])
    if start >= 0:
        yield start, stop
