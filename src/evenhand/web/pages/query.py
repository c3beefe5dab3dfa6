"""What the search field understands: words and phrases, and `name:value` for everything that narrows a list. Pure."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from evenhand.core.rules import GRADES
from evenhand.errors import InputError
from evenhand.in_words import listed
from evenhand.store.tables.filter import NOT_GRADED
from evenhand.web.parameters import Parameters

NAMES: Final = {
    "skill": "skill",
    "judge": "judge",
    "rubric": "rubric",
    "version": "version",
    "grade": "grade",
    "flag": "flag",
    "check": "finding",
    "finding": "finding",
    "criterion": "criterion",
    "tag": "tag",
    "state": "state",
    "kind": "kind",
    "suite": "suite",
    "variant": "variant",
    "min": "min",
    "max": "max",
    "from": "from",
    "to": "to",
}
"""Before the colon, and the parameter that it stands for."""

_PART: Final = re.compile(r'(?:([a-z]+):)?("[^"]*"|\S+)')
_GRADE: Final = re.compile(r"(<=|>=|<|>)?(.+)")


class Query(NamedTuple):
    """A search, read."""

    words: str
    """What the texts must hold."""
    values: dict[str, str]
    """Parameters that narrow the list."""
    parts: tuple[str, ...]
    """Each as it was written."""


class Chip(NamedTuple):
    """One thing that narrows a list, and the address of the list without it."""

    words: str
    without: str


def read_query(text: str) -> Query:
    """Read what someone typed. A name that is not known is a word, as in an address; InputError for a bad value."""
    words: list[str] = []
    values: dict[str, str] = {}
    parts: list[str] = []
    for found in _PART.finditer(text):
        name, value = found[1], found[2].strip('"')
        parts.append(found[0])
        if name not in NAMES or not value:
            words.append(found[0])
            continue
        given = _grade(value) if name == "grade" else {NAMES[name]: value}
        twice = [one for one in given if one in values]
        if twice:
            raise InputError(f'"{name}:" is given twice; give it once')
        values |= given
    return Query(" ".join(words), values, tuple(parts))


def _grade(value: str) -> dict[str, str]:
    """`B` and `none` as they are; `<B` as the scores below that grade."""
    found = _GRADE.fullmatch(value)
    sign, letter = (found[1], found[2]) if found else (None, value)
    letters = [grade.letter for grade in GRADES]
    letter = next((one for one in letters if one.lower() == letter.lower()), letter)
    if letter not in letters and (sign or letter != NOT_GRADED):
        raise InputError(f'"grade:" takes {listed([*letters, NOT_GRADED], "or")}, with <, <=, > or >= before a letter')
    if sign is None:
        return {"grade": letter}
    place = letters.index(letter)
    lowest = GRADES[place].lower
    highest = GRADES[place - 1].lower - 1 if place else 1000
    low, high = {
        "<": (None, lowest - 1),
        "<=": (None, highest),
        ">": (highest + 1, None),
        ">=": (lowest, None),
    }[sign]
    if high is not None:
        return {"max": f"{high // 100}.{high % 100:02}"}
    assert low is not None
    return {"min": f"{min(low, 1000) // 100}.{min(low, 1000) % 100:02}"}


def with_query(parameters: Parameters, query: Query) -> Parameters:
    """The parameters of a list with what its search field adds."""
    values = dict(parameters.values)
    for name, value in query.values.items():
        values[name] = (*(given for given in values.get(name, ()) if given), value)
    return parameters._replace(values=values)


def chips_of(parameters: Parameters, query: Query, names: tuple[str, ...]) -> list[Chip]:
    """Everything that narrows the list: the parts of the search, then the fields."""
    chips = []
    for place, part in enumerate(query.parts):
        rest = " ".join(other for number, other in enumerate(query.parts) if number != place)
        chips.append(Chip(part, parameters.address(q=rest or None, before=None)))
    for name in names:
        if value := parameters.text(name):
            chips.append(Chip(f"{name}:{value}", parameters.address(**{name: None, "before": None})))
    return chips
