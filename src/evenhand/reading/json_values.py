"""JSON into plain values: decimals from their text, repeated keys refused, lines found on demand.

The lines cost nothing until something is wrong: only then is the text walked again.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from decimal import Decimal
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import Any

from evenhand.errors import InputError, Path, Problem
from evenhand.reading.located import Located

_SPACE = re.compile(r"[ \t\r\n]*")
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


class _Repeated(Exception):
    """A key stands twice in one object."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise _Repeated(next(key for place, (key, _) in enumerate(pairs) if any(key == k for k, _ in pairs[:place])))
    return made


_DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_float=Decimal)


def load_json(text: str, source: str, *, line: int | None = None) -> Located:
    """A JSON document. `line` is given for one line of a JSONL file, and then is every problem's line."""

    def find_line(path: Path) -> int | None:
        return line if line is not None else _line_of(text, path)

    def fail(message: str, at: int | None) -> InputError:
        return InputError(Problem(message, source, at if line is None else line))

    try:
        value = _DECODER.decode(text)
        if "\\u" in text and _LONE_SURROGATE.search(_decoded_strings(value)):
            raise fail("a \\u escape stands for half a character; write the whole pair", find_line(()))
        return Located(value, source, find_line)
    except json.JSONDecodeError as error:
        if not text.strip():
            raise fail("is empty", None) from None
        raise fail(f"not valid JSON: {error.msg} (column {error.colno})", error.lineno) from None
    except _Repeated as error:
        raise fail(f'the key "{error}" stands twice in one object; keep one', _line_of_repeat(text)) from None
    except RecursionError:
        raise fail("nested too deeply", None) from None
    except ValueError as error:  # an integer of thousands of digits
        raise fail(f"not valid JSON: {error}", None) from None


def _decoded_strings(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        return "".join(key + _decoded_strings(item) for key, item in value.items())
    return "".join(map(_decoded_strings, value)) if isinstance(value, list) else ""


def _line_of(text: str, path: Path) -> int | None:
    """The line of the value at a path; of the closest part around it that exists."""
    closest, depth = _SPACE.match(text).end(), 0  # type: ignore[union-attr]
    for here, offset in _places(text, 0, ()):
        if len(here) > depth and here == path[: len(here)]:
            closest, depth = offset, len(here)
    return text.count("\n", 0, closest) + 1


def _line_of_repeat(text: str) -> int | None:
    seen = set()
    for path, offset in _places(text, 0, ()):
        if path in seen:
            return text.count("\n", 0, offset) + 1
        seen.add(path)
    return None


def _places(text: str, at: int, path: Path) -> Iterator[tuple[Path, int]]:
    """Every key and item of a valid document with the offset it starts at."""
    yield from _walk(text, at, path)[1]


def _walk(text: str, at: int, path: Path) -> tuple[int, list[tuple[Path, int]]]:
    """Where the value at an offset ends, and the places inside it."""
    places: list[tuple[Path, int]] = []
    at = _space(text, at)
    opening = text[at]
    if opening not in "{[":
        return _DECODER.raw_decode(text, at)[1], places
    closing = "}" if opening == "{" else "]"
    at = _space(text, at + 1)
    count = 0
    while text[at] != closing:
        begin, key = at, count
        if opening == "{":
            key, at = scanstring(text, at + 1)
            at = _space(text, at) + 1
        places.append(((*path, key), begin))
        at, inside = _walk(text, at, (*path, key))
        places += inside
        count += 1
        at = _space(text, at)
        if text[at] == ",":
            at = _space(text, at + 1)
    return at + 1, places


def _space(text: str, at: int) -> int:
    return _SPACE.match(text, at).end()  # type: ignore[union-attr]
