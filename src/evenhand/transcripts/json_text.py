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
_scan = _DECODER.scan_once  # type: ignore[attr-defined]
_SPACE = re.compile(r"[ \t\r\n]*")
_COMMA = re.compile(r"[ \t\r\n]*,[ \t\r\n]*")
_CONTAINERS = frozenset((dict, list))
_HALF = re.compile("[\ud800-\udfff]")
_SPELLED_HALF = re.compile(r"\\u[dD]")

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
    if len(text) > limits.DEPTH and type(value) in _CONTAINERS and _is_deeper(value, limits.DEPTH):
        raise Unreadable(f"nested more than {limits.DEPTH} levels deep")
    if has_halves(text):
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


Known = dict[int, tuple[Any, int]]
"""Values by the character at which they start, each with its end."""


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
    known: Known
    """Lists and objects that were read whole, for whoever reads the same text step by step."""


def walk(
    text: str,
    start: int,
    opened: Callable[[tuple[Key, ...]], bool],
    *,
    in_steps: bool = True,
    is_cut: bool = False,
    known: Known | None = None,
) -> Walked:
    """Read one JSON value. Lists and objects at an `opened` path are entered step by step, others whole.

    The starts of their items are recorded, and an error loses only the item it is in. Without `in_steps`, what can be
    read whole is, many times as fast, and the starts of items are not known. Of a text that `is_cut`, the outermost
    two levels cannot be, and are not tried. Items that are `known` are taken from there, not read again.
    """
    known = {} if known is None else known
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
                if type(value) is list and (in_steps or len(path) + 1 >= whole_from):
                    end = _items(text, end, path, value, opened if in_steps else None, starts, known)
                    enters = not value
            at = space(text, end).end()  # type: ignore[union-attr]  # it matches nothing too
            path, at = _next(text, at, around, entered=enters)
            if not around:
                return Walked(root, starts, at, None, known)
    except IndexError:
        return Walked(root, starts, len(text), CUT, known)
    except (ValueError, RecursionError) as error:
        return Walked(root, starts, getattr(error, "pos", at), _reason(error), known)


def _items(
    text: str,
    at: int,
    path: tuple[Key, ...],
    items: list[Any],
    opened: Callable[[tuple[Key, ...]], bool] | None,
    starts: dict[int, int],
    known: Known,
) -> int:
    """Read the first items of a list that are not entered, most often all of them, and return where they end.

    Without `opened`, the first items that are whole, which become `known`.
    """
    end, at = at, _space(text, at)
    while text[at] != "]" and not (opened and text[at] in "{[" and opened((*path, len(items)))):
        if opened:
            value, end = known.pop(at) if at in known else _whole(text, at)
        else:
            try:
                value, end = _whole(text, at)
            except (ValueError, RecursionError):
                return end
        items.append(value)
        if type(value) in _CONTAINERS:  # a number may be cut, and look whole
            starts[id(value)] = at
            if not opened:
                known[at] = value, end
        comma = _COMMA.match(text, end)
        if comma is None:
            return end
        at = comma.end()
    return end


def _whole(text: str, at: int) -> tuple[Any, int]:
    try:
        value, end = _scan(text, at)
    except StopIteration as error:  # as `raw_decode` does, which costs a call for every item of a list
        raise json.JSONDecodeError("Expecting value", text, error.value) from None
    if type(value) in _CONTAINERS and _may_be_deeper(text, at, end) and _is_deeper(value, limits.DEPTH):
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
        character = text[at]
        if character == closing:
            around.pop()
            at = _space(text, at + 1)
            first = False
            continue
        if not first:
            if character != ",":
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


def _may_be_deeper(text: str, at: int, end: int) -> bool:
    """Whether a value has brackets enough to be nested too deep; most have not, which is seen many times as fast."""
    return end - at > limits.DEPTH and text.count("{", at, end) + text.count("[", at, end) > limits.DEPTH


def _is_deeper(container: Any, levels: int) -> bool:
    """Whether lists and objects are nested deeper than a limit."""
    for item in container.values() if type(container) is dict else container:
        if type(item) in _CONTAINERS and (not levels or _is_deeper(item, levels - 1)):
            return True
    return False


def has_halves(text: str) -> bool:
    """Whether JSON text may spell half of a surrogate pair."""
    return _SPELLED_HALF.search(text) is not None


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
