"""TOML into plain values: decimals from their text, and the line of each table and key, which `tomllib` lacks."""

from __future__ import annotations

import re
import tomllib
from decimal import Decimal

from evenhand.errors import InputError, Path, Problem
from evenhand.files.located import Located

_WORD = r"""(?:"[^"\n]*"|'[^'\n]*'|[\w-]+)"""
_NAME = rf"{_WORD}(?:\s*\.\s*{_WORD})*"
_HEADER = re.compile(rf"\s*\[(\[?)\s*({_NAME})\s*\]")
_ENTRY = re.compile(rf"\s*({_NAME})\s*=")


_POSITION = re.compile(r" \(at (?:line (\d+), column \d+|end of document)\)$")
"""Where `tomllib` says, at the end of a message, what is wrong."""


def load_toml(text: str, source: str) -> Located:
    """A TOML document. A number keeps its digits: a price of 0.1 is not the nearest binary number."""
    try:
        value = tomllib.loads(text, parse_float=Decimal)
    except tomllib.TOMLDecodeError as error:
        message = str(error)
        position = _POSITION.search(message)
        line = int(position[1]) if position and position[1] else text.count("\n") + 1
        reason = message[: position.start()] if position else message
        raise InputError(Problem(f"not valid TOML: {reason}", source, line)) from None
    except (RecursionError, ArithmeticError):
        raise InputError(Problem("nested too deep, or a number too large, to be read", source)) from None
    lines: dict[Path, int] = {}

    def find_line(path: Path) -> int | None:
        lines.update(lines or _lines(text))
        # The nearest parent that has a line: entries of an inline list have none.
        return next((lines[path[:end]] for end in range(len(path), 0, -1) if path[:end] in lines), None)

    return Located(value, source, find_line)


def _lines(text: str) -> dict[Path, int]:
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


def _path(name: str) -> Path:
    return tuple(word.strip("\"'") for word in re.findall(_WORD, name))
