"""A file that is one long JSON document, read item by item: never more than a few of its values are in memory.

Only plain files are read like this, once for what stands beside the lists and once for the items.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Collection, Iterator
from typing import IO, Any, NamedTuple

from evenhand.core.finding import Place
from evenhand.errors import Problem
from evenhand.files.text import readable
from evenhand.transcripts import limits
from evenhand.transcripts.json_text import CUT, Unreadable, parse_at, scrubbed
from evenhand.transcripts.sources import Source

_PIECE = 1024 * 1024
_SPACE = re.compile(r"[ \t\r\n]*")


class Item(NamedTuple):
    """A value of the document: an item of a list, or what is under a key."""

    key: str
    """The key it is under; empty in a document that is a list."""
    value: Any
    place: Place
    is_listed: bool
    """Whether it is one item of the list under the key."""


def is_long_document(source: Source) -> bool:
    """Whether a file is one JSON document that is better not read whole."""
    head = source.head
    if source.plain_size <= limits.LONG_DOCUMENT or head.text.lstrip()[:1] not in ("{", "["):
        return False
    return not (head.is_lines and b"\n" in head.data.strip()) and not source.holds(rb"\n[{\[]")


def items(source: Source, lists: Collection[str]) -> Iterator[Item]:
    """The items of the lists under some keys, and the other values whole; damage ends them, and is a problem."""
    assert source.path is not None
    with readable(source.name), source.path.open("rb") as file:
        window = _Window(source.name, file)
        try:
            yield from _items(window, lists)
        except (Unreadable, UnicodeDecodeError) as error:
            fault = str(error) if isinstance(error, Unreadable) else "it is not UTF-8"
            source.note(Problem(f"could not be read to its end: {fault}", source.name, window.place().line))


def _items(window: _Window, lists: Collection[str]) -> Iterator[Item]:
    opening = window.take()
    if opening == "[":
        yield from _listed(window, "")
    else:
        while window.see() != "}":
            place = window.place()
            key = window.value()
            window.expect(":")
            if key in lists and window.see() == "[":
                window.take()
                yield from _listed(window, key)
            else:
                yield Item(key, window.value(), place, False)
            if window.see() != "}":
                window.expect(",")
        window.take()
    if window.see(""):
        raise Unreadable("not valid JSON: there is more after the end of the document")


def _listed(window: _Window, key: str) -> Iterator[Item]:
    while window.see() != "]":
        place = window.place()
        yield Item(key, window.value(), place, True)
        if window.see() != "]":
            window.expect(",")
    window.take()


class _Window:
    """The part of a file that is being read."""

    def __init__(self, name: str, file: IO[bytes]) -> None:
        self._name = name
        self._file = file
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")()
        self._text = ""
        self._at = self._counted = 0
        self._line, self._byte = 1, 0
        self._is_over = False

    def place(self) -> Place:
        """Where the next value starts."""
        self.see("")
        self._count()
        return Place(self._name, self._line, self._byte)

    def see(self, at_the_end: str | None = None) -> str:
        """The next character that is not a space."""
        while True:
            self._at = _SPACE.match(self._text, self._at).end()  # type: ignore[union-attr]
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._more(_PIECE):
                if at_the_end is None:
                    raise Unreadable(CUT)
                return at_the_end

    def take(self) -> str:
        """The next character, which is passed."""
        character = self.see()
        self._at += 1
        return character

    def expect(self, character: str) -> None:
        if self.take() != character:
            raise Unreadable(f"not valid JSON: Expecting {character!r}")

    def value(self) -> Any:
        """The next value, however many pieces it takes."""
        self.see()
        while True:
            try:
                value, end = parse_at(self._text, self._at)
                if end < len(self._text) or self._is_over:  # a number could go on in the next piece
                    break
            except Unreadable as error:
                if self._is_over or str(error) != CUT:
                    raise
            if len(self._text) - self._at > limits.LINE:
                raise Unreadable(f"a value in it is longer than {limits.LINE // limits.MIB} MiB")
            self._more(max(_PIECE, len(self._text) - self._at))
        text, start, self._at = self._text, self._at, end
        halves = text.find("\\ud", start, end) >= 0 or text.find("\\uD", start, end) >= 0
        return scrubbed(value) if halves else value

    def _more(self, size: int) -> bool:
        """Read on, and let go of what was read."""
        if self._is_over:
            return False
        piece = self._file.read(size)
        self._is_over = not piece
        if self._file.tell() > limits.TOTAL:
            raise Unreadable(f"only the first {limits.TOTAL // limits.MIB} MiB are read")
        self._count()
        self._text = self._text[self._at :] + self._decoder.decode(piece, not piece)
        self._at = self._counted = 0
        return True

    def _count(self) -> None:
        """Count the lines and bytes up to here."""
        passed = self._text[self._counted : self._at]
        self._line += passed.count("\n")
        self._byte += len(passed.encode())
        self._counted = self._at
