"""Whether what a scorecard's document says has the types its fields are declared with. Pure.

The types are those of the published schema: `Field.kind.shape`, and below it the types in `shapes`. So a reader of a
field may take every value inside it for what it should be. Only what is there is looked at: which parts may be missing
depends on when a scorecard was written, and each reader knows that of its own. Bounds are the readers' too.
"""

from __future__ import annotations

import types
from collections.abc import Callable
from functools import lru_cache, partial
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints, is_typeddict

from evenhand.documents.kinds import Field, each, malformed
from evenhand.documents.scorecards import shape as shapes
from evenhand.in_words import listed

_Check = Callable[[Any, str], None]
"""Raises DocumentError for a value that has another type, naming its place."""

_PLAIN: dict[Any, tuple[tuple[str, ...], tuple[type, ...]]] = {
    str: (("text",), (str,)),
    int: (("a whole number",), (int,)),
    float: (("a number",), (int, float)),
    bool: (("true", "false"), (bool,)),
    type(None): (("null",), (type(None),)),
}
"""What a type is called, and the types of Python that a parsed document has for it."""


def check_type(field: Field, value: Any) -> None:
    """DocumentError, with the path of the value, when any value inside a field is of another type than declared."""
    _check(field.kind.shape)(value, field.name)


@lru_cache
def _check(shape: Any) -> _Check:
    """The check of a type, which may be named by text."""
    if isinstance(shape, str):
        shape = eval(shape, vars(shapes))
    if shape is Any or (get_origin(shape) is Annotated and isinstance(get_args(shape)[1], shapes.Described)):
        return lambda value, where: None  # the codec says what is wrong inside
    if is_typeddict(shape):
        return _object_check(shape)
    origin, parts = get_origin(shape), get_args(shape)
    if origin is list:
        return _list_check(_check(parts[0]))
    if origin is dict:
        return _mapping_check(_check(parts[1]))
    return _value_check(shape)


def _object_check(shape: Any) -> _Check:
    checks: dict[str, _Check] = {}

    def check(value: Any, where: str) -> None:
        if type(value) is not dict:
            raise malformed(where, "an object")
        if not checks:  # not before it is needed: a group of criteria holds groups
            checks.update({name: _check(part) for name, part in get_type_hints(shape).items()})
        each((name, partial(checks[name], part, f"{where}.{name}")) for name, part in value.items() if name in checks)

    return check


def _list_check(check_item: _Check) -> _Check:
    def check(value: Any, where: str) -> None:
        if type(value) is not list:
            raise malformed(where, "a list")
        each((str(place), partial(check_item, item, f"{where}.{place}")) for place, item in enumerate(value))

    return check


def _mapping_check(check_item: _Check) -> _Check:
    def check(value: Any, where: str) -> None:
        if type(value) is not dict:
            raise malformed(where, "an object")
        each((name, partial(check_item, item, f"{where}.{name}")) for name, item in value.items())

    return check


def _value_check(shape: Any) -> _Check:
    """The check of a plain value, of some words, or of either of two types."""
    choices = _choices(shape)
    words = [choice for choice in choices if isinstance(choice, str)]
    plain = [_PLAIN[choice] for choice in choices if choice in _PLAIN]
    allowed = {python for _, pythons in plain for python in pythons}
    others = [_check(choice) for choice in choices if choice not in _PLAIN and choice not in words]
    names = [f'"{word}"' for word in words] + [name for called, _ in plain for name in called]
    if float in choices and int in choices:
        names.remove("a whole number")
    valid = listed(names, "or")

    def check(value: Any, where: str) -> None:
        if type(value) in allowed or (type(value) is str and value in words):
            return
        if not others:
            raise malformed(where, valid)
        others[0](value, where)

    return check


def _choices(shape: Any) -> list[Any]:
    """The alternatives in a type: the words of a literal, the members of a union."""
    origin, parts = get_origin(shape), get_args(shape)
    if origin is Literal:
        return [*parts]
    if origin in (types.UnionType, Union):
        return [choice for part in parts for choice in _choices(part)]
    if origin is Annotated:
        return _choices(parts[0])
    return [shape]
