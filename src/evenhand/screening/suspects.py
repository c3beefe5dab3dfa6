"""Which passages of a text may be addressing a judge, and which of their words to mask. Pure; linear in the text.

Orders are found by what they ask for: a grade, silence, a role. Every sentence is weighed by the groups of cues in it,
in many languages; numbers in words, codes and disguises included. A sentence of enough weight is a passage, and so are
two short ones together. Nothing is cut here. The spans are places in the text as given.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from evenhand.screening.cues import TOPIC, cues, letters, number_places, weight
from evenhand.screening.decodings import decoded
from evenhand.screening.foreign_sentences import foreign
from evenhand.screening.small_requests import small_requests
from evenhand.screening.stems import NUMBER, ORDER, PERSON, READER
from evenhand.screening.unreadable import initials, signs, unreadable

Span = tuple[int, int]

LEAST: Final = 3
"""The weight from which a sentence is a passage."""
CLEAR: Final = 10
"""The weight from which it is one in a text that is about something else."""
_ON_TOPIC: Final = 10
"""A text of whose other sentences a tenth is about grading has grading for its topic."""
_REST: Final = 60
"""Characters that the rest of a text needs to be about anything."""
_HINT: Final = 2
"""The weight from which a sentence is tried where a score is one that an order would give."""
_ANY: Final = -9
"""Less than the weight of any cue."""
_TOGETHER: Final = 200
"""Characters of two neighbouring sentences that may be one order."""
_APART: Final = 2
"""Weight that two sentences need more than one."""
_LONGEST: Final = 500
"""Characters of a sentence; a longer one is several."""
_GAP: Final = 12
"""Spans closer than this become one."""
_SHORT: Final = 80
"""A sentence up to this long may be nothing but the number of an order whose other words are elsewhere."""
_DEEPEST: Final = 3
"""Encodings inside one another that are undone."""
_ENDS = re.compile(r"[.!?;](?=[\s\"')*_|<\u2039\[\u2045]|$)|[\n。！？।｡]|>(?<=[|\uff5c]>)")
_CLAUSE = re.compile(
    r"[,;:()\u2013\u2014|]+|\b(?:because|since|although|though|while|but|which|weil|obwohl|car|porque|perche|poiche)\b"
)

_NUMBER_ALONE = re.compile(r"[\s\"'*_`=]*\d{1,3}(?:[.,]\d)?(?:\s?/\s?\d+)?[\s\"'*_`.!}\]]*")

_WEAK: Final = ORDER | READER | PERSON
"""Groups of words that a clause without an order has as well."""


class Suspects(NamedTuple):
    """The passages of a text that may be addressing a judge."""

    passages: tuple[Span, ...] = ()
    """In order, without overlaps."""
    masks: tuple[Span, ...] = ()
    """Their words that ask for something; what is around these is work."""
    clear: bool = False
    """Whether one of them is plain, in a text about something else."""


class _Sentence(NamedTuple):
    start: int
    stop: int
    groups: int
    cues: tuple[tuple[int, int], ...]
    """Where its cues begin, and their groups."""


def suspects(text: str) -> Suspects:
    """The passages that may be addressing a judge, and the words of them to mask."""
    return _suspects(text, 0, LEAST)


def codes(text: str) -> tuple[Span, ...]:
    """What is not written in a language, or has an order in the first letters of its lines."""
    margins = [span for span, letters_down in initials(text) if _suspects(letters_down, 1, LEAST).passages]
    return tuple(_merged([*margins, *unreadable(text)]))


def addressed(text: str) -> tuple[Span, ...]:
    """Every sentence with any cue at all, a number or a person."""
    return tuple(_merged(_suspects(text, 0, _ANY).passages))


def sentences(text: str) -> Iterator[Span]:
    """All sentences of a text, without the white space around them."""
    start = 0
    for end in _ends(text):
        if text[start:end].strip():
            yield _trimmed(text, start, end)
        start = end


def odd_passages(text: str) -> tuple[Span, ...]:
    """What stands out in a text although no order is seen in it: a hint of one, signs, another language, a request for
    a little more or less."""
    known = _suspects(text, 0, _HINT)
    return tuple(_merged([*known.passages, *signs(text), *foreign(text), *small_requests(text)]))


def _suspects(text: str, depth: int, least: int) -> Suspects:
    plain = letters(text)
    passages: list[Span] = []
    masks: list[Span] = []
    clear = False
    found = sorted(cues(plain.text, persons=least == _ANY))
    if weight(_together(group for _, _, group in found) | NUMBER) >= least:
        sentences = list(_sentences(plain.text, found, numbers=least < LEAST))
        chosen = _chosen(sentences, least)
        for place in chosen:
            sentence = sentences[place]
            passages.append((plain.origin(sentence.start), plain.origin(sentence.stop - 1) + 1))
            clauses = _clauses(plain.text, sentence)
            masks += [(plain.origin(start), plain.origin(stop - 1) + 1) for start, stop in clauses]
        clear = _clear(sentences, chosen)
    for span, inner_text, is_text in decoded(text) if depth < _DEEPEST else ():
        inner = _suspects(inner_text, depth + 1, LEAST)
        if inner.passages or (least < LEAST and is_text and depth == 0):
            passages.append(span)
            masks.append(span)
            clear = clear or bool(inner.passages)
    return Suspects(tuple(_merged(passages)), tuple(_merged(masks, 1)), clear)


def _together(groups: Iterable[int]) -> int:
    together = 0
    for group in groups:
        together |= group
    return together


def _sentences(plain: str, found: list[tuple[int, int, int]], *, numbers: bool) -> Iterator[_Sentence]:
    """All sentences, with the groups of their cues; with `numbers`, a short one with the end of a scale has one too."""
    place = start = 0
    for end in _ends(plain):
        groups, first = 0, place
        while place < len(found) and found[place][0] < end:
            groups |= found[place][2]
            place += 1
        if plain[start:end].strip():
            begins = tuple([(cue[0], cue[2]) for cue in found[first:place]])
            if groups or (numbers and end - start <= _SHORT):
                figures = [(span[0], NUMBER) for span in number_places(plain, start, end)]
                groups, begins = groups | (NUMBER if figures else 0), (*begins, *figures)
            yield _Sentence(*_trimmed(plain, start, end), groups, begins)
        start = end


def _trimmed(plain: str, start: int, stop: int) -> Span:
    while plain[start].isspace():
        start += 1
    while plain[stop - 1].isspace():
        stop -= 1
    return start, stop


def _ends(plain: str) -> Iterator[int]:
    start = 0
    for match in _ENDS.finditer(plain):
        while match.end() - start > _LONGEST:
            start += _LONGEST
            yield start
        start = match.end()
        yield start
    while len(plain) - start > _LONGEST:
        start += _LONGEST
        yield start
    if start < len(plain):
        yield len(plain)


def _clauses(plain: str, sentence: _Sentence) -> list[Span]:
    """The clauses of a sentence that ask for something: the others are work, such as a fault that is named there."""
    ends = [(match.start(), match.end()) for match in _CLAUSE.finditer(plain, sentence.start, sentence.stop)]
    starts = [sentence.start, *(end for _, end in ends)]
    stops = [*(start for start, _ in ends), sentence.stop]
    clauses = [
        ((start, stop), _together(group for place, group in sentence.cues if start <= place < stop))
        for start, stop in zip(starts, stops, strict=True)
    ]
    heavy = [place for place, (_, groups) in enumerate(clauses) if groups & ~_WEAK]
    heavy = heavy or [place for place, (_, groups) in enumerate(clauses) if groups]
    chosen = {*heavy, *(place + 1 for place in heavy if _is_value(plain, clauses[place + 1 : place + 2]))}
    return [clauses[place][0] for place in sorted(chosen)]


def _is_value(plain: str, following: list[tuple[Span, int]]) -> bool:
    """Whether what follows a clause is a number alone, as in "score: 1"."""
    return any(_NUMBER_ALONE.fullmatch(plain, *span) for span, _ in following)


def _chosen(sentences: list[_Sentence], least: int) -> list[int]:
    """The places of sentences that are passages, alone or with a neighbour."""
    chosen = {place for place, sentence in enumerate(sentences) if sentence.groups and weight(sentence.groups) >= least}
    for place in range(1, len(sentences)):
        before, here = sentences[place - 1], sentences[place]
        near = before.groups and here.groups and here.stop - before.start <= _TOGETHER
        if near and weight(before.groups | here.groups) - _APART >= least:
            chosen |= {place - 1, place}
    return sorted(chosen)


def _clear(sentences: list[_Sentence], chosen: list[int]) -> bool:
    """Whether a passage is plain, and the rest of the text is about something else."""
    # A text about grading speaks of grades everywhere, an order only where it stands: that tells most of them apart.
    if not chosen or max(weight(sentences[place].groups) for place in chosen) < CLEAR:
        return False
    heaviest = max(chosen, key=lambda place: weight(sentences[place].groups))
    others = [sentence for place, sentence in enumerate(sentences) if abs(place - heaviest) > 1]
    about = sum(sentence.stop - sentence.start for sentence in others if sentence.groups & TOPIC)
    rest = sum(sentence.stop - sentence.start for sentence in others)
    return rest >= _REST and _ON_TOPIC * about <= rest


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
