"""Lenient JSON reader: errors are reported, and everything before an error is kept.

Values are plain: no NaN, no half of a surrogate pair, nothing nested deeper than the limit.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any, NamedTuple

from evenhand.transcripts import limits

_DECODER = json.JSONDecoder(strict=False, parse_constant=str)
_SPACE = re.compile(r"[ \t\r\n]*")
_COMMA = re.compile(r"[ \t\r\n]*,[ \t\r\n]*")
_CONTAINERS = frozenset((dict, list))
_HALF = re.compile("[\ud800-\udfff]")

_LONGEST_WORD = 16
"""More characters than a word, an escape or two halves of a pair have: they are wrong as long as they are cut."""

Key = str | int

CUT = "it ends in the middle; the file may be cut off"


class Unreadable(ValueError):
    """Text that is not JSON, or is beyond our limits; the message says why."""


def parse(text: str) -> Any:
    """A JSON value, or `Unreadable`."""
    try:
        value = _DECODER.decode(text)
    except (ValueError, RecursionError) as error:
        raise Unreadable(_reason(error)) from None
    if text.count("{") + text.count("[") > limits.DEPTH and _too_deep(value):
        raise Unreadable(f"nested more than {limits.DEPTH} levels deep")
    if "\\ud" in text or "\\uD" in text:
        value = scrubbed(value)
    return value


def maybe_json(text: Any) -> Any:
    """The value of JSON text; anything else unchanged."""
    if not isinstance(text, str) or not text or text[:1] not in '{["tfn-0123456789 \n\t':
        return text
    try:
        return parse(text)
    except Unreadable:
        return text


def structured(text: Any) -> Any:
    """The list or object in JSON text; anything else unchanged."""
    if isinstance(text, str) and text.lstrip()[:1] in ("{", "["):
        return maybe_json(text)
    return text


def written(value: Any) -> str:
    """A value for display: text unchanged, anything else as JSON."""
    if isinstance(value, str):
        return value
    return "" if value is None else json.dumps(value, ensure_ascii=False)


class Walked(NamedTuple):
    """A document read step by step."""

    value: Any
    """Everything before the error, if there is one."""
    starts: dict[int, int]
    """The character at which a list or object starts, by its id()."""
    end: int
    """The character after the document."""
    fault: str | None
    """What is wrong at `end`; None when all was read."""


def walk(
    text: str,
    start: int,
    opened: Callable[[tuple[Key, ...]], bool],
    *,
    in_steps: bool = True,
    is_cut: bool = False,
) -> Walked:
    """Read one JSON value. Lists and objects at an `opened` path are entered step by step, others whole.

    The starts of their items are recorded, and an error loses only the item it is in. Without `in_steps`, what can be
    read whole is, many times as fast, and the starts of items are not known. Of a text that `is_cut`, the outermost
    two levels cannot be, and are not tried.
    """
    starts: dict[int, int] = {}
    around: list[tuple[tuple[Key, ...], Any]] = []
    root: Any = None
    value: Any
    path: tuple[Key, ...] = ()
    space, whole_from = _SPACE.match, (2 if is_cut else 0)
    at = _space(text, start)
    try:
        while True:
            enters = text[at] in "{[" and len(around) < limits.DEPTH and opened(path)
            whole = _if_whole(text, at) if enters and not in_steps and len(path) >= whole_from else None
            if whole is not None:
                enters, (value, end) = False, whole
            elif enters:
                value = {} if text[at] == "{" else []
                end = at + 1
            else:
                value, end = _whole(text, at)
            if type(value) in _CONTAINERS:
                starts[id(value)] = at
            if not around:
                root = value
            elif type(container := around[-1][1]) is dict:
                container[path[-1]] = value
            else:
                container.append(value)
            if enters:
                around.append((path, value))
                if type(value) is list and in_steps:
                    end = _items(text, end, path, value, opened, starts)
                    enters = not value
            at = space(text, end).end()  # type: ignore[union-attr]  # it matches nothing too
            path, at = _next(text, at, around, entered=enters)
            if not around:
                return Walked(root, starts, at, None)
    except IndexError:
        return Walked(root, starts, len(text), CUT)
    except (ValueError, RecursionError) as error:
        return Walked(root, starts, getattr(error, "pos", at), _reason(error))


def _items(
    text: str,
    at: int,
    path: tuple[Key, ...],
    items: list[Any],
    opened: Callable[[tuple[Key, ...]], bool],
    starts: dict[int, int],
) -> int:
    """Read the first items of a list that are not entered, most often all of them, and return where they end."""
    end, at = at, _space(text, at)
    while text[at] != "]" and not (text[at] in "{[" and opened((*path, len(items)))):
        value, end = _whole(text, at)
        items.append(value)
        if type(value) in _CONTAINERS:
            starts[id(value)] = at
        comma = _COMMA.match(text, end)
        if comma is None:
            return end
        at = comma.end()
    return end


def _whole(text: str, at: int) -> tuple[Any, int]:
    value, end = _DECODER.raw_decode(text, at)
    if type(value) in _CONTAINERS and end - at > limits.DEPTH:
        opens = text.count("{", at, end) + text.count("[", at, end)
        if opens > limits.DEPTH and _too_deep(value):
            raise Unreadable(f"nested more than {limits.DEPTH} levels deep")
    return value, end


def parse_at(text: str, at: int) -> tuple[Any, int]:
    """The JSON value that starts at a character, and where it ends. `Unreadable` says `CUT` if the text ends in it."""
    try:
        return _whole(text, at)
    except (ValueError, RecursionError) as error:
        is_cut = isinstance(error, json.JSONDecodeError) and len(text) - error.pos < _LONGEST_WORD
        raise Unreadable(CUT if is_cut else _reason(error)) from None


def _if_whole(text: str, at: int) -> tuple[Any, int] | None:
    """A value that can be read to its end; None otherwise."""
    try:
        return _whole(text, at)
    except (ValueError, RecursionError):
        return None


def _next(
    text: str, at: int, around: list[tuple[tuple[Key, ...], Any]], *, entered: bool
) -> tuple[tuple[Key, ...], int]:
    """Close what ends here, and find the path and start of the value that comes next."""
    first = entered
    while around:
        path, container = around[-1]
        closing = "}" if type(container) is dict else "]"
        here = text[at]
        if here == closing:
            around.pop()
            at = _space(text, at + 1)
            first = False
            continue
        if not first:
            if here != ",":
                raise json.JSONDecodeError("Expecting ',' delimiter", text, at)
            at = _space(text, at + 1)
        if closing == "]":
            return (*path, len(container)), at
        if text[at] != '"':
            raise json.JSONDecodeError("Expecting property name enclosed in double quotes", text, at)
        key, at = _DECODER.raw_decode(text, at)
        at = _space(text, at)
        if text[at] != ":":
            raise json.JSONDecodeError("Expecting ':' delimiter", text, at)
        return (*path, key), _space(text, at + 1)
    return (), at


def _space(text: str, at: int) -> int:
    return _SPACE.match(text, at).end()  # type: ignore[union-attr]


def _reason(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        if _space(error.doc, error.pos) == len(error.doc) or error.msg.startswith("Unterminated string"):
            return CUT
        return f"not valid JSON: {error.msg} (column {error.colno})"
    if isinstance(error, Unreadable):
        return str(error)
    if isinstance(error, RecursionError):
        return f"nested more than {limits.DEPTH} levels deep"
    return "a number has too many digits to be read"


def _too_deep(value: object) -> bool:
    level = [value] if type(value) in _CONTAINERS else []
    for _ in range(limits.DEPTH + 1):
        level = [
            item
            for container in level
            for item in (container.values() if type(container) is dict else container)  # type: ignore[attr-defined]
            if type(item) in _CONTAINERS
        ]
        if not level:
            return False
    return True


def clean(text: str) -> str:
    """Text with lone surrogates replaced."""
    return _HALF.sub("\ufffd", text)


def scrubbed(value: Any) -> Any:
    """A value with clean texts; lists and objects are changed in place, so that they keep their id()."""
    if isinstance(value, str):
        return clean(value)
    waiting = [value]
    while waiting:
        container = waiting.pop()
        if isinstance(container, list):
            container[:] = [clean(item) if isinstance(item, str) else item for item in container]
            waiting += container
        elif isinstance(container, dict):
            pairs = [(clean(key), clean(item) if isinstance(item, str) else item) for key, item in container.items()]
            container.clear()
            container.update(pairs)
            waiting += container.values()
    return value
