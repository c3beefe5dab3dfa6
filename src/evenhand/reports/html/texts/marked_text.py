"""A text with passages marked in it: lines, cut into pieces where a passage starts or ends. Pure."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import Literal, NamedTuple

Kind = Literal["score", "flag", "bonus", "fault", "other"]
"""What a passage is evidence for; it decides its colour."""


class Note(NamedTuple):
    """A finding, shown under the line its passage starts on."""

    number: int
    severity: str
    message: str


class Passage(NamedTuple):
    """A quoted passage of a text."""

    start: int
    end: int
    number: int
    """The quote's number on the page: the passage and the place that quotes it link to each other by it."""
    kind: Kind
    label: str
    """What quotes it, in words: "correctness"."""
    note: Note | None = None


class Reference(NamedTuple):
    """The start of a passage: a link back to what quotes it."""

    number: int
    kind: Kind
    label: str


class Piece(NamedTuple):
    """Part of a line."""

    text: str
    kind: Kind | None = None
    """None outside all passages."""
    references: tuple[Reference, ...] = ()
    """The passages that start here."""


class MarkedLine(NamedTuple):
    """A line with a passage in it."""

    pieces: tuple[Piece, ...]
    notes: tuple[Note, ...]


_LOUDEST: tuple[Kind, ...] = ("flag", "fault", "bonus", "score", "other")
"""Where passages overlap, the first of these colours them."""


def marked_lines(text: str, passages: Sequence[Passage]) -> list[str | MarkedLine]:
    """The lines of a text; one without a passage is just its text. Passages may overlap and cross lines."""
    plain = text.removesuffix("\n").split("\n")
    lines: list[str | MarkedLine] = [line.removesuffix("\r") for line in plain]
    if not passages:
        return lines
    starts = [0]
    for line in plain:
        starts.append(starts[-1] + len(line) + 1)
    by_line: dict[int, list[Passage]] = {}
    for passage in sorted(passages, key=lambda passage: (passage.start, passage.number)):
        first = bisect_right(starts, passage.start) - 1
        last = bisect_right(starts, max(passage.start, passage.end - 1)) - 1
        for number in range(first, min(last, len(plain) - 1) + 1):
            by_line.setdefault(number, []).append(passage)
    for number, inside in by_line.items():
        lines[number] = _marked(plain[number].removesuffix("\r"), starts[number], inside)
    return lines


def _marked(line: str, begin: int, passages: Sequence[Passage]) -> MarkedLine:
    """One line, cut where a passage starts or ends."""
    end = begin + len(line)
    inside = [
        passage._replace(start=min(max(passage.start, begin), end), end=min(passage.end, end)) for passage in passages
    ]
    begun = [here for here, passage in zip(inside, passages, strict=True) if passage.start >= begin]
    cuts = sorted({begin, end} | {place for passage in inside for place in (passage.start, passage.end)})
    pieces = []
    for start, stop in zip(cuts, [*cuts[1:], end], strict=True):
        kinds = [passage.kind for passage in inside if passage.start <= start and stop <= passage.end]
        references = tuple(Reference(p.number, p.kind, p.label) for p in begun if p.start == start)
        if start < stop or references:
            kind = min(kinds, key=_LOUDEST.index, default=None)
            pieces.append(Piece(line[start - begin : stop - begin], kind, references))
    return MarkedLine(tuple(pieces), tuple(passage.note for passage in begun if passage.note is not None))
