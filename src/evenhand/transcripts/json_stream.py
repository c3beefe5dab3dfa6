"""JSON a line, or JSON documents over many lines, as a stream of values with their places."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from evenhand.core.finding import Place
from evenhand.errors import Problem
from evenhand.transcripts import limits
from evenhand.transcripts.json_text import Key, has_halves, scrubbed, walk
from evenhand.transcripts.sources import Source

Opened = Callable[[tuple[Key, ...]], bool]
"""Which paths of a document are entered step by step, so that the places of their items are known."""


def within(*keys: str, items: bool = False) -> Opened:
    """Enters the document and what is under these keys; with `items`, also the items of a document that is a list."""
    return lambda path: not path or path[-1] in keys or (items and len(path) == 1 and isinstance(path[0], int))


class Document(NamedTuple):
    """A JSON value of a file."""

    value: Any
    place: Callable[[object], Place]
    """Where a list or object inside it starts; where the value itself starts when that is not known."""
    is_line: bool = False
    """Whether it is one line of a JSON Lines file."""


def documents(source: Source, opened: Opened) -> Iterator[Document]:
    """Every value of a file, streamed when it is one per line. `opened` selects the parts whose places are needed."""
    if not source.head.is_lines:
        yield from whole_documents(source, source.data(limits.DOCUMENT), opened)
        return
    for value, place in source.json_lines():
        yield Document(value, lambda part, place=place: place, is_line=True)  # type: ignore[misc]
    if source.only_line:
        source.take_problems()
        yield from whole_documents(source, source.only_line, opened)


def whole_documents(source: Source, data: bytes, opened: Opened, *, name: str = "") -> Iterator[Document]:
    """Every value of some bytes, one after another. After an error, reading continues at the next line that starts one.

    `name` is given for a member of an archive.
    """
    valid = True
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        valid = False
        text = data.decode(errors="surrogateescape")
        line = data.count(b"\n", 0, error.start) + 1
        source.note(Problem("is not UTF-8; what could not be read is shown as \ufffd", name or source.name, line))
    positions = _Positions(name or source.name, text)
    halves = not valid or has_halves(text)
    known = source.head.take_known(text)
    at = 1 if text.startswith("\ufeff") else 0
    faults = 0
    while text[at : at + 64].strip() or text[at:].strip():
        walked = walk(text, at, opened, known=known)
        if halves:
            scrubbed(walked.value)
        begin, at = positions.place(at), walked.end
        if walked.fault is not None:
            fault = Problem(
                f"could not be read to its end: {walked.fault}", name or source.name, positions.place(at).line
            )
            source.note(fault)
        if walked.value is not None:
            yield Document(walked.value, _finder(walked.starts, positions, begin))
        if walked.fault is not None:
            faults += 1
            after = text.find("\n{", at)
            if after < 0 or faults >= limits.FAULTS:
                return
            at = after + 1


def _finder(starts: dict[int, int], positions: _Positions, begin: Place) -> Callable[[object], Place]:
    def find(part: object) -> Place:
        start = starts.get(id(part))
        return begin if start is None else positions.place(start)

    return find


class _Positions:
    """Line and byte offsets of characters. Fast when looked up in order."""

    def __init__(self, name: str, text: str) -> None:
        self._name = name
        self._text = text
        self._plain = text.isascii()
        self._at, self._line, self._byte = 0, 1, 0

    def place(self, at: int) -> Place:
        if at < self._at:
            self._at, self._line, self._byte = 0, 1, 0
        self._line += self._text.count("\n", self._at, at)
        self._byte += at - self._at if self._plain else len(self._text[self._at : at].encode(errors="surrogateescape"))
        self._at = at
        return Place(self._name, self._line, self._byte)
