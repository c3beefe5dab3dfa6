"""JSON objects inside a model's reply, with the place of every number. Pure, and quick on hostile text.

Numbers stay text, because a reply may hold one with four hundred digits. A key that stands twice with different values
makes its object contradictory, which is for the reader to say.
"""

from __future__ import annotations

import json
import re
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
    """The objects of a text."""

    found: tuple[Found, ...]
    unfinished: bool
    """Whether one was begun and never ended."""
    given_up: bool
    """Whether so many were begun that not all were looked at."""


def find_objects(text: str) -> Search:
    """The complete objects of a text, outermost only, in order."""
    found: list[Found] = []
    unfinished = False
    end = len(text.rstrip())
    place, tries, work = text.find("{"), 0, 0
    while place >= 0 and tries < _MOST_TRIES and work <= _WORK * len(text):
        tries += 1
        try:
            value, stop = _decoder().raw_decode(text, place)
        except json.JSONDecodeError as error:
            unfinished |= error.pos >= end or error.msg.startswith("Unterminated string")
            stop, work = place + 1, work + error.pos - place
        except (ValueError, RecursionError):
            stop, work = place + 1, work + len(text) - place
        else:
            work += stop - place
            found.append(Found(value, place, stop))
        place = text.find("{", stop)
    return Search(tuple(found), unfinished, given_up=place >= 0)


def number_span(text: str, found: Found, number: Number) -> tuple[int, int] | None:
    """Where a number of an object stands in the text."""
    order = -1
    for match in _TOKEN.finditer(text, found.start, found.stop):
        order += not match[0].startswith('"')
        if order == number.order and not match[0].startswith('"'):
            return match.span()
    return None


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
    made = dict(pairs)
    if len(made) == len(pairs):
        return made
    made = {}
    for key, value in pairs:
        if key not in made:
            made[key] = value
        elif not isinstance(made[key], Twice) and plain(made[key]) != plain(value):
            made[key] = Twice((made[key], value))
    return made


def plain(value: Any) -> Any:
    """A value without the order of its numbers, for comparison."""
    if isinstance(value, Number):
        return ("number", value.text)
    if isinstance(value, Twice):
        return ("twice", [plain(item) for item in value.values])
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return value
