"""The line of each table and key in a TOML file, which the standard library's reader does not report."""

from __future__ import annotations

import re

from evenhand.errors import Path

_WORD = r"""(?:"[^"\n]*"|'[^'\n]*'|[\w-]+)"""
_NAME = rf"{_WORD}(?:\s*\.\s*{_WORD})*"
_HEADER = re.compile(rf"\s*\[(\[?)\s*({_NAME})\s*\]")
_ENTRY = re.compile(rf"\s*({_NAME})\s*=")


def toml_lines(text: str) -> dict[Path, int]:
    """The line of every table and key that starts a line, by its path."""
    lines: dict[Path, int] = {}
    table: Path = ()
    counts: dict[Path, int] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        if header := _HEADER.match(line):
            table = _path(header[2])
            lines.setdefault(table, number)
            if header[1]:  # one more of a list of tables
                counts[table] = counts.get(table, -1) + 1
                table = (*table, counts[table])
                lines[table] = number
        elif entry := _ENTRY.match(line):
            lines.setdefault((*table, *_path(entry[1])), number)
    return lines


def nearest_line(lines: dict[Path, int], path: Path) -> int | None:
    """The line of a value, or of its nearest parent."""
    for end in range(len(path), 0, -1):
        if path[:end] in lines:
            return lines[path[:end]]
    return None


def _path(name: str) -> Path:
    return tuple(word.strip("\"'") for word in re.findall(_WORD, name))
