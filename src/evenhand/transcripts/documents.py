"""JSON a line, or one JSON document over many lines: either way a value after another, each with its places."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from evenhand.core.model import Place
from evenhand.transcripts import limits
from evenhand.transcripts.json_text import Key, scrubbed, walk
from evenhand.transcripts.sources import Source


class Document(NamedTuple):
    """A JSON value of a file."""

    value: Any
    place: Callable[[object], Place]
    """Where a list or object inside it starts; where the value itself starts when that is not known."""


def documents(source: Source, opened: Callable[[tuple[Key, ...]], bool]) -> Iterator[Document]:
    """Every value of a file, streamed when it is one a line. `opened` says which parts' places are needed."""
    if source.head.is_lines:
        for value, place in source.json_lines():
            yield Document(value, lambda part, place=place: place)  # type: ignore[misc]
    else:
        yield from whole_documents(source, source.data(limits.DOCUMENT), opened)


def whole_documents(source: Source, data: bytes, opened: Callable[[tuple[Key, ...]], bool]) -> Iterator[Document]:
    """Every value of some bytes, one behind another. Behind a fault reading goes on at the next line that opens one."""
    text = data.decode(errors="surrogateescape")
    if not (valid := _is_utf8(text)):
        source.problem("is not UTF-8; what could not be read is shown as \ufffd")
    positions = _Positions(source.name, text)
    at = 1 if text.startswith("\ufeff") else 0
    while text[at : at + 64].strip() or text[at:].strip():
        walked = walk(text, at, opened)
        if not valid or "\\ud" in text or "\\uD" in text:
            scrubbed(walked.value)
        if walked.value is not None:
            yield Document(walked.value, _finder(walked.starts, positions, positions.place(at)))
        at = walked.end
        if walked.fault is not None:
            source.problem(f"could not be read to its end: {walked.fault}", positions.place(at).line)
            after = text.find("\n{", at)
            if after < 0:
                return
            at = after + 1


def _finder(starts: dict[int, int], positions: _Positions, begin: Place) -> Callable[[object], Place]:
    def find(part: object) -> Place:
        start = starts.get(id(part))
        return begin if start is None else positions.place(start)

    return find


class _Positions:
    """Characters of a text as lines and bytes. Quick when asked in the order of the text."""

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


def _is_utf8(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
