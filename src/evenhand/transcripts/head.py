"""The first bytes of a file, and what they look like. Formats are told apart by this, never by a name alone."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from evenhand.transcripts.json_text import Unreadable, parse, walk

_MOST_LINES = 100
_UTF16 = (b"\xff\xfe", b"\xfe\xff")


class Head:
    """The first 64 KB, after compression is undone."""

    def __init__(self, data: bytes) -> None:
        self.data = data

    @cached_property
    def text(self) -> str:
        """As text, whatever it is."""
        return self.data.decode(errors="replace").removeprefix("\ufeff").removesuffix("\ufffd")

    @property
    def is_archive(self) -> bool:
        """Whether it is a zip archive."""
        return self.data.startswith((b"PK\x03\x04", b"PK\x05\x06"))

    @property
    def is_utf16(self) -> bool:
        """Whether it is text, but in two bytes a character."""
        return self.data.startswith(_UTF16)

    @cached_property
    def is_binary(self) -> bool:
        """Whether it is no text at all: it holds NUL, or a good part of it is neither UTF-8 nor any one-byte text."""
        if b"\0" in self.data[:8192].rstrip(b"\0"):
            return True
        controls = sum(byte < 32 and byte not in b"\t\n\r\f\b\x1b" for byte in self.data[:8192])
        return controls * 20 > len(self.data[:8192]) or (bool(self.data) and not self.data[:8192].strip(b"\0"))

    @cached_property
    def is_lines(self) -> bool:
        """Whether it is JSON a line, rather than one JSON document over many lines."""
        lines = self._lines
        if not lines or lines[0].strip() in ("[", "{"):
            return False
        if any(_object(line) is not None for line in lines[:_MOST_LINES]):
            return True
        return len(lines) == 1 and lines[0][:1] in ("{", "[")  # a long one, of which this is the beginning

    @cached_property
    def values(self) -> list[Any]:
        """The JSON values it holds, the last perhaps cut off; none when it is not JSON."""
        if self.is_lines:
            lines = self._lines[:_MOST_LINES]
            found = [value for value in map(_object, lines) if value is not None]
            if lines and _object(lines[-1]) is None and lines[-1][:1] in ("{", "["):
                found.append(_part(lines[-1]))
            return found
        begun = self.text.lstrip()
        return [_part(begun)] if begun[:1] in ("{", "[") else []

    @cached_property
    def objects(self) -> list[dict[str, Any]]:
        """The objects among the values, those in a list among them."""
        found: list[dict[str, Any]] = []
        for value in self.values:
            found += [each for each in (value if isinstance(value, list) else [value]) if isinstance(each, dict)]
        return found[:_MOST_LINES]

    @cached_property
    def _lines(self) -> list[str]:
        return [line for line in self.text.split("\n") if line.strip()]


def _object(line: str) -> Any:
    """The list or object that a line is."""
    if line[:1] not in ("{", "["):
        return None
    try:
        return parse(line)
    except Unreadable:
        return None


def _part(text: str) -> Any:
    return walk(text, 0, lambda path: len(path) < 12).value
