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


_DEEPEST: Final = 40
_MOST_LOOSE_TRIES: Final = 200

_SPACE = re.compile(r"(?:\s+|//[^\n]{0,400}(?=\n|$)|#[^\n]{0,400}(?=\n|$)|/\*.{0,400}?\*/)*+", re.S)
"""White space and comments, of limited length: a row of their beginnings would else take quadratic time."""
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?=[\s,\uff0c}\]/#]|$)")
_WORD = re.compile(r"[A-Za-z_][\w-]*")
_WORDS: Final = {"true": True, "True": True, "false": False, "False": False, "null": None, "None": None}
_CLOSES: Final = {
    '"': '"', "'": "'", "\u201c": "\u201d\u201e\u201c", "\u201e": "\u201c\u201d", "\u201d": "\u201d",
    "\u00ab": "\u00bb", "\u2018": "\u2019", "\u2019": "\u2019",
}  # fmt: skip
"""What may end a text, by what begins it."""
_COLONS: Final = ":\uff1a"
_COMMAS: Final = ",\uff0c"
_QUOTES: Final = "".join(_CLOSES)
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.S)
_ESCAPED: Final = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_KEY_AHEAD = re.compile(rf"(?:[{_QUOTES}][\w .-]{{1,80}}[{_QUOTES}]|[A-Za-z_][\w-]*)\s*[:\uff1a]")
_VALUE_AHEAD = re.compile(rf"[{_QUOTES}{{\[\-\d]|true\b|false\b|null\b|True\b|False\b|None\b")
_VERDICT_INSIDE = re.compile(rf"[{_QUOTES}](?:score|verdict|present|answer|band)\\*[{_QUOTES}]\s*[:\uff1a]")
"""A key of an answer within a text: then it is not sure where that text ends."""


class _Cut(Exception):
    """The text ends inside a value."""


class _NotJson(Exception):
    """Something stands here that is not a value."""


def find_loose(text: str) -> Search:
    """The complete objects in a text, outermost only, in order."""
    objects: list[JsonObject] = []
    unfinished = False
    place, work = text.find("{"), 0
    for _ in range(_MOST_LOOSE_TRIES):
        if place < 0 or work > _WORK * len(text):
            break
        reader = _Reader(text)
        try:
            value, stop = reader.object(place, 0)
        except _Cut:
            unfinished, stop = True, place + 1
        except _NotJson:
            stop = place + 1
        else:
            objects.append(JsonObject(value, place, stop))
        work += max(reader.furthest, stop) - place
        place = text.find("{", stop)
    return Search(tuple(objects), unfinished, given_up=place >= 0)


class _Reader:
    """Reads one value from a place in a text."""

    def __init__(self, text: str) -> None:
        self._text = text
        self.furthest = 0
        """How far it has looked."""

    def object(self, at: int, depth: int) -> tuple[dict[str, Any], int]:
        """The object that begins here, and where it ends."""
        members: dict[str, Any] = {}
        at = self._skip(at + 1)
        while self._sign(at) != "}":
            key, at = self._key(at)
            at = self._skip(at)
            if self._sign(at) not in _COLONS:
                raise _NotJson
            value, at = self._value(self._skip(at + 1), depth, in_object=True)
            members[key] = Twice((members[key], value)) if key in members else value
            at = self._next(at, "}")
        return members, at + 1

    def _list(self, at: int, depth: int) -> tuple[list[Any], int]:
        items = []
        at = self._skip(at + 1)
        while self._sign(at) != "]":
            item, at = self._value(at, depth, in_object=False)
            items.append(item)
            at = self._next(at, "]")
        return items, at + 1

    def _next(self, at: int, end: str) -> int:
        """After a value: past one comma, or at the end of what it is in."""
        at = self._skip(at)
        sign = self._sign(at)
        if sign in _COMMAS:
            return self._skip(at + 1)
        if sign != end:
            raise _NotJson
        return at

    def _value(self, at: int, depth: int, *, in_object: bool) -> tuple[Any, int]:
        sign = self._sign(at)
        if sign in "{[":
            if depth >= _DEEPEST:
                raise _NotJson
            return self.object(at, depth + 1) if sign == "{" else self._list(at, depth + 1)
        if sign in _CLOSES:
            return self._string(at, in_object=in_object)
        number = _NUMBER.match(self._text, at)
        if number is not None:
            if number.end() == len(self._text):
                raise _Cut
            return Number(number[0], 0), number.end()
        word = _WORD.match(self._text, at)
        if word is None or word[0] not in _WORDS:
            raise _NotJson
        return _WORDS[word[0]], word.end()

    def _key(self, at: int) -> tuple[str, int]:
        opening = self._sign(at)
        if opening in _CLOSES:
            stop = at + 1
            while self._sign(stop) not in _CLOSES[opening]:
                if self._text[stop] in "\n{}[]" or stop - at > 200:
                    raise _NotJson
                stop += 2 if self._text[stop] == "\\" else 1
            return _unescaped(self._text[at + 1 : stop]), stop + 1
        word = _WORD.match(self._text, at)
        if word is None:
            raise _NotJson
        return word[0], word.end()

    def _string(self, at: int, *, in_object: bool) -> tuple[str, int]:
        """A text up to the first quotation mark after which something of the object or list around it follows."""
        closing, inner, stop = _CLOSES[self._text[at]], False, at + 1
        while True:
            sign = self._sign(stop)
            if sign == "\\":
                stop += 2
            elif sign not in closing:
                stop += 1
            elif self._ends(stop + 1, in_object):
                break
            else:
                inner, stop = True, stop + 1
        written = self._text[at + 1 : stop]
        if inner and _VERDICT_INSIDE.search(written):
            raise _NotJson
        return _unescaped(written), stop + 1

    def _ends(self, at: int, in_object: bool) -> bool:
        at = self._skip(at)
        sign = self._sign(at)
        if sign == ("}" if in_object else "]"):
            return True
        if sign not in _COMMAS:
            return False
        at = self._skip(at + 1)
        if self._sign(at) == ("}" if in_object else "]"):
            return True
        return bool((_KEY_AHEAD if in_object else _VALUE_AHEAD).match(self._text, at))

    def _skip(self, at: int) -> int:
        match = _SPACE.match(self._text, at)
        return at if match is None else match.end()

    def _sign(self, at: int) -> str:
        self.furthest = max(self.furthest, at)
        if at >= len(self._text):
            raise _Cut
        return self._text[at]


def _unescaped(written: str) -> str:
    return _ESCAPE.sub(_sign_of, written) if "\\" in written else written


def _sign_of(match: re.Match[str]) -> str:
    return chr(int(match[1], 16)) if match[1] else _ESCAPED.get(match[2], match[2])
