"""JSON into plain values: decimals from their text, repeated keys refused, lines found on demand.

Line numbers cost nothing until something is wrong: only then is the text walked again, once.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from decimal import Decimal
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import Any

from evenhand.errors import InputError, Path, Problem
from evenhand.files.located import Located
from evenhand.files.text import DEPTH_LIMIT

_SPACE = r"[ \t\r\n]*"
_LONE_SURROGATE = "[\ud800-\udfff]"


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("a key appears twice")
    return members


_DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_float=Decimal)


def load_json(text: str, source: str, *, line: int | None = None) -> Located:
    """A JSON document. For one line of a JSONL file, `line` is its number, and every problem is reported there."""
    lines: dict[Path, int] = {}

    def find_line(path: Path) -> int | None:
        if line is not None:
            return line
        if not lines:
            lines.update((here, at) for here, at, _ in _places(text))
        while path not in lines:
            path = path[:-1]
        return lines[path]

    def fail(message: str, at: int | None) -> InputError:
        return InputError(Problem(message, source, at if line is None else line))

    try:
        value = _DECODER.decode(text)
    except json.JSONDecodeError as error:
        if not text.strip():
            raise fail("is empty", None) from None
        hint = "; a file of many documents, one on each line, is named .jsonl" if error.msg == "Extra data" else ""
        raise fail(f"not valid JSON: {error.msg} (column {error.colno}){hint}", error.lineno) from None
    except (ValueError, ArithmeticError, RecursionError):
        raise fail(*_fault(text)) from None
    # Few documents have enough brackets to be too deep, so the depth is rarely counted.
    if text.count("[") + text.count("{") > DEPTH_LIMIT and _depth(value) > DEPTH_LIMIT:
        raise fail(*_fault(text))
    if "\\u" in text and (half := _half_character(value, ())) is not None:
        raise fail("a \\u escape is half a character; write the whole pair", find_line(half))
    return Located(value, source, find_line)


def _depth(value: object) -> int:
    """How deeply lists and objects are nested; stops counting just above the limit."""
    depth, level = 0, [value]
    while depth <= DEPTH_LIMIT:
        level = [item for item in level if isinstance(item, dict | list)]
        if not level:
            break
        depth += 1
        level = [item for part in level for item in (part.values() if isinstance(part, dict) else part)]  # type: ignore[attr-defined]
    return depth


def _half_character(value: object, path: Path) -> Path | None:
    """Where a string holds half of a surrogate pair."""
    if isinstance(value, str):
        return path if _is_half(value) else None
    items: Any = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        inside = (*path, key)
        place = inside if isinstance(key, str) and _is_half(key) else _half_character(item, inside)
        if place is not None:
            return place
    return None


def _is_half(text: str) -> bool:
    return not text.isascii() and re.search(_LONE_SURROGATE, text) is not None


def _fault(text: str) -> tuple[str, int]:
    """Why the decoder refused valid JSON, and the line."""
    seen: set[Path] = set()
    line = 1
    try:
        for path, line, opens in _places(text):
            if opens and len(path) >= DEPTH_LIMIT:
                return f"nested more than {DEPTH_LIMIT} levels deep", line
            if path in seen:
                return f'the key "{path[-1]}" appears twice in one object; keep one', line
            seen.add(path)
    except (ValueError, ArithmeticError):  # Python limits the digits and the exponent of a number
        pass
    return "a number has too many digits, or too large an exponent, to be read", line


def _places(text: str) -> Iterator[tuple[Path, int, bool]]:
    """The document, then every key and item of it, in order: path, line, and whether a list or object opens there."""
    around: list[Path] = []
    counts: list[int] = []  # the number of items so far in each enclosing list; -1 for an object
    at = _space(text, 0)
    path: Path = ()
    line, counted = 1, 0
    begin = at
    while True:
        line += text.count("\n", counted, begin)
        counted = begin
        opens = text[at] in "{["
        yield path, line, opens
        if opens:
            around.append(path)
            counts.append(0 if text[at] == "[" else -1)
            at = _space(text, at + 1)
        else:
            at = _space(text, _DECODER.raw_decode(text, at)[1])
        while around and text[at] in "}]":
            around.pop()
            counts.pop()
            at = _space(text, at + 1)
        if not around:
            return
        if text[at] == ",":
            at = _space(text, at + 1)
        begin = at
        key: str | int = counts[-1]
        if counts[-1] < 0:
            key, at = scanstring(text, at + 1)
            at = _space(text, _space(text, at) + 1)
        else:
            counts[-1] += 1
        path = (*around[-1], key)


def _space(text: str, at: int) -> int:
    return re.compile(_SPACE).match(text, at).end()  # type: ignore[union-attr]
