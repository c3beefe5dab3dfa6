"""The beginning of a file, from which its format is detected, never from the name alone.

It is the first 64 KB. If they are not enough, the source reads further (`Source.read_on`).
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import Any

from evenhand.transcripts import limits
from evenhand.transcripts.json_text import CUT, Known, Unreadable, Walked, parse, walk

_MOST_LINES = 100
_MOST_OBJECTS = 100
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_BOM = b"\xef\xbb\xbf"
_DEEP, _SHALLOW = 12, 3
"""How deeply a document that continues after the head is parsed: for the first 64 KB, and for a longer head."""

_OPENS = re.compile(r'\{\s*(?:"(?:[^"\\]|\\.)*"\s*:|\}|$)|\[\s*(?:[\[{]\s*(?:"|[\[{\]}]|$)|\]|$)')
"""The beginning of a JSON object, or of a list of objects or lists."""

_JSON_LINE = re.compile(rb'^(?:\{"|\[\{)', re.MULTILINE)


class Head:
    """The first bytes of a file, after decompression."""

    def __init__(self, data: bytes, *, is_whole: bool = True, shorter: Head | None = None) -> None:
        self.data = data
        self.is_whole = is_whole
        """Whether the file ends here."""
        self.seen = len(shorter.data) if shorter else 0
        """The shorter head before this one; lines it already showed are not shown again."""
        self._known_lines = shorter.is_lines if shorter and shorter.is_json else None
        self._begun: tuple[str, Known] = "", {}

    def forget(self) -> None:
        """Free the values parsed to detect the format, which are large for a large document."""
        is_lines = self.is_lines
        if not is_lines and "_walked" in self.__dict__ and len(self.data) <= limits.HEAD:
            self._begun = self.text.lstrip(), self._walked.known
        for name in ("text", "values", "objects", "is_lines", "is_json", "_walked", "_first_lines"):
            self.__dict__.pop(name, None)
        self._known_lines = is_lines

    def take_known(self, text: str) -> Known:
        """The items of a document that were read to detect its format, if this is its text; they are given once."""
        begun, self._begun = self._begun, ("", {})
        return begun[1] if text.startswith(begun[0]) else {}

    @cached_property
    def text(self) -> str:
        """As text, with undecodable bytes replaced."""
        return self.data.decode(errors="replace").removeprefix("\ufeff").removesuffix("\ufffd")

    @property
    def is_archive(self) -> bool:
        """Whether it is a zip archive."""
        return self.data.startswith((b"PK\x03\x04", b"PK\x05\x06"))

    @property
    def is_utf16(self) -> bool:
        """Whether it is UTF-16 text."""
        return self.data.startswith(_UTF16)

    @cached_property
    def is_binary(self) -> bool:
        """Whether it is binary: it contains NUL or many control characters."""
        if b"\0" in self.data[:8192].rstrip(b"\0"):
            return True
        controls = sum(byte < 32 and byte not in b"\t\n\r\f\b\x1b" for byte in self.data[:8192])
        return controls * 20 > len(self.data[:8192]) or (bool(self.data) and not self.data[:8192].strip(b"\0"))

    @cached_property
    def is_lines(self) -> bool:
        """Whether it is JSON Lines, rather than one JSON document over many lines, or prose."""
        if self._known_lines is not None:
            return self._known_lines
        first, *second = self._first_lines[:2] or [""]
        if first.strip() in ("[", "{"):
            return False
        if _parsed(first) is not None:
            return not second or second[0][:1] in ("{", "[") or self._mostly_json_lines
        if _OPENS.match(first) and not second:
            return True  # the beginning of a long line
        return self._mostly_json_lines and not self._is_one_document

    @cached_property
    def is_json(self) -> bool:
        """Whether it is JSON, even if it is damaged; prose that begins with a bracket is not."""
        if self.is_lines or self._known_lines is not None:
            return True
        begun = self.text.lstrip()
        if begun[:1] not in ("{", "["):
            return False
        if self._walked.fault is not None:
            return _OPENS.match(begun) is not None or (self._walked.fault == CUT and bool(self._walked.value))
        behind = begun[self._walked.end :].lstrip(" \t\r")
        return not behind or (behind[0] == "\n" and behind.lstrip()[:1] in ("{", "[", ""))

    @property
    def shows_a_value(self) -> bool:
        """Whether it contains a complete JSON value: a line, or the whole document."""
        return self.is_whole or (self.is_lines and b"\n" in self.data.strip())

    @cached_property
    def values(self) -> list[Any]:
        """The JSON values it holds, the last perhaps cut off; none when it is not JSON."""
        if self.is_lines:
            lines = self._lines if self.seen else self._first_lines
            values = [value for value in map(_parsed, lines) if value is not None]
            if lines and _parsed(lines[-1]) is None and lines[-1][:1] in ("{", "["):
                values.append(walk(lines[-1], 0, lambda path: len(path) < _DEEP, in_steps=False).value)
            return values
        return [self._walked.value] if self.text.lstrip()[:1] in ("{", "[") else []

    @cached_property
    def objects(self) -> list[dict[str, Any]]:
        """The objects among the values, including those in lists."""
        objects: list[dict[str, Any]] = []
        for value in self.values:
            objects += [item for item in (value if isinstance(value, list) else [value]) if isinstance(item, dict)]
        return objects if self.seen else objects[:_MOST_OBJECTS]

    @cached_property
    def _walked(self) -> Walked:
        depth = _DEEP if not self.seen else _SHALLOW
        text = self.text.lstrip()
        return walk(text, 0, lambda path: len(path) < depth, in_steps=False, is_cut=not self.is_whole)

    @cached_property
    def _first_lines(self) -> list[str]:
        begun = self.data[: limits.HEAD].decode(errors="replace").removeprefix("\ufeff").removesuffix("\ufffd")
        lines = [line for line in begun.split("\n", 2 * _MOST_LINES)[: 2 * _MOST_LINES] if line.strip()]
        if len(lines) < _MOST_LINES:
            lines = [line for line in begun.split("\n") if line.strip()]
        return lines[:_MOST_LINES]

    @property
    def _is_one_document(self) -> bool:
        """Whether the lines only make sense together, as those of a list that is written one item a line."""
        if self._first_lines[0][:1] not in ("{", "["):
            return False
        fault = self._walked.fault
        return fault is None or (fault == CUT and not self.is_whole)

    @property
    def _lines(self) -> list[str]:
        """The lines after the shorter head, starting with the one it cut."""
        start = self.data.rfind(b"\n", 0, self.seen) + 1
        return [line for line in self.data[start:].decode(errors="replace").split("\n") if line.strip()]

    @cached_property
    def _mostly_json_lines(self) -> bool:
        """Whether at least half of the lines look like JSON objects, as in a file with a preamble or broken lines."""
        data = self.data.removeprefix(_BOM)
        objects = len(_JSON_LINE.findall(data))
        return objects > 0 and objects * 2 >= data.count(b"\n") + (not data.endswith(b"\n")) - data.count(b"\n\n")


def _parsed(line: str) -> Any:
    """The list or object on a line."""
    if line[:1] not in ("{", "["):
        return None
    try:
        return parse(line)
    except Unreadable:
        return None
