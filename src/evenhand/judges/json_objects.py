"""JSON objects inside a model's reply, with the place of every number. Pure; hostile text costs no more than its length.

Numbers stay text, because a reply may hold one with four hundred digits. A key that stands twice with different values
makes its object contradictory, which is for the reader to say.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

_MOST_TRIES: Final = 2000
_WORK: Final = 16
"""How many times over a reply may be read before the search is given up."""

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*+"|-?(?:\d+)(?:\.\d+)?(?:[eE][+-]?\d+)?', re.S)


class Number(NamedTuple):
    """A number as it was written."""

    text: str
    order: int
    """How many numbers stand before it in its object."""


class Twice(NamedTuple):
    """The values of a key that stands more than once and does not agree with itself."""

    values: tuple[Any, ...]


class Found(NamedTuple):
    """An object, and where it stands."""

    value: dict[str, Any]
    start: int
    stop: int


class Search(NamedTuple):
    """The objects of a text, and whether one was begun and never ended."""

    found: tuple[Found, ...]
    unfinished: bool


def find_objects(text: str, hidden: tuple[tuple[int, int], ...] = ()) -> Search:
    """The complete objects of a text, outermost only, in order; those inside hidden spans are passed over."""
    found: list[Found] = []
    unfinished = False
    place, tries, work = 0, 0, 0
    while tries < _MOST_TRIES and work <= _WORK * len(text):
        place = _next_brace(text, place, hidden)
        if place < 0:
            break
        tries += 1
        try:
            value, stop = _decoder().raw_decode(text, place)
        except json.JSONDecodeError as error:
            work += error.pos - place
            unfinished |= error.pos >= len(text.rstrip())
            place += 1
            continue
        except (ValueError, RecursionError):
            work += len(text) - place
            place += 1
            continue
        work += stop - place
        found.append(Found(value, place, stop))
        place = stop
    return Search(tuple(found), unfinished)


def number_span(text: str, found: Found, number: Number) -> tuple[int, int] | None:
    """Where a number of an object stands in the text."""
    order = -1
    for match in _TOKEN.finditer(text, found.start, found.stop):
        order += not match[0].startswith('"')
        if order == number.order and not match[0].startswith('"'):
            return match.span()
    return None


def _next_brace(text: str, place: int, hidden: tuple[tuple[int, int], ...]) -> int:
    place = text.find("{", place)
    for start, stop in hidden:
        if start <= place < stop:
            return _next_brace(text, stop, hidden)
    return place


def _decoder() -> json.JSONDecoder:
    """A decoder that counts the numbers it meets."""
    count = -1

    def number(text: str) -> Number:
        nonlocal count
        count += 1
        return Number(text, count)

    def refuse(text: str) -> Any:
        raise ValueError(f"{text} is not a number")

    return json.JSONDecoder(object_pairs_hook=_object, parse_int=number, parse_float=number, parse_constant=refuse)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for key, value in pairs:
        if key in made and _plain(made[key]) != _plain(value):
            earlier = made[key].values if isinstance(made[key], Twice) else (made[key],)
            made[key] = Twice((*earlier, value))
        elif key not in made:
            made[key] = value
    return made


def _plain(value: Any) -> Any:
    """A value without the order of its numbers, for comparison."""
    if isinstance(value, Number):
        return ("number", value.text)
    if isinstance(value, Twice):
        return ("twice", *map(_plain, value.values))
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return value
