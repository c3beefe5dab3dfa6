"""JSON objects inside a model's reply, with the position of every number. Pure, and fast on hostile text.

Numbers stay text, because a reply may hold one with four hundred digits. A key that stands twice is marked as such,
since no one can say which of its values was meant; the caller decides what to do about that.
"""

from __future__ import annotations

import json
import re
from typing import Any, Final, NamedTuple

_MOST_TRIES: Final = 2000
_WORK: Final = 16
"""How many times over a reply may be read before the search gives up."""

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*+"|-?(?:\d+)(?:\.\d+)?(?:[eE][+-]?\d+)?', re.S)


class Number(NamedTuple):
    """A number as it was written."""

    text: str
    order: int
    """How many numbers precede it in its object."""


class Twice(NamedTuple):
    """The values of a key that is given more than once."""

    values: tuple[Any, ...]


class JsonObject(NamedTuple):
    """An object and its position in the text."""

    value: dict[str, Any]
    start: int
    stop: int


class Search(NamedTuple):
    """The objects in a text."""

    objects: tuple[JsonObject, ...]
    unfinished: bool
    """Whether one was opened and never closed."""
    given_up: bool
    """Whether there were too many to look at them all."""


def find_objects(text: str) -> Search:
    """The complete objects in a text, outermost only, in order."""
    objects: list[JsonObject] = []
    unfinished = False
    end = len(text.rstrip())
    place, work = text.find("{"), 0
    for _ in range(_MOST_TRIES):
        if place < 0 or work > _WORK * len(text):
            break
        stop = place + 1
        try:
            value, stop = _decoder().raw_decode(text, place)
        except json.JSONDecodeError as error:
            unfinished |= error.pos >= end or error.msg.startswith("Unterminated string")
            work += error.pos - place
        except (ValueError, RecursionError):
            work += len(text) - place
        else:
            work += stop - place
            objects.append(JsonObject(value, place, stop))
        place = text.find("{", stop)
    return Search(tuple(objects), unfinished, given_up=place >= 0)


def number_span(text: str, json_object: JsonObject, number: Number) -> tuple[int, int] | None:
    """The position in the text of a number of an object."""
    order = -1
    for match in _TOKEN.finditer(text, json_object.start, json_object.stop):
        order += not match[0].startswith('"')
        if order == number.order and not match[0].startswith('"'):
            return match.span()
    return None


def _decoder() -> json.JSONDecoder:
    """A decoder that numbers the numbers it reads."""
    count = -1

    def number(text: str) -> Number:
        nonlocal count
        count += 1
        return Number(text, count)

    def refuse(text: str) -> Any:
        raise ValueError(f"{text} is not a number")

    return json.JSONDecoder(object_pairs_hook=_object, parse_int=number, parse_float=number, parse_constant=refuse)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) == len(pairs):
        return members
    members = {}
    for key, value in pairs:
        if key not in members:
            members[key] = value
        elif not isinstance(members[key], Twice):
            members[key] = Twice((members[key], value))
    return members
