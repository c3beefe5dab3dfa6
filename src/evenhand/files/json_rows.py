"""Rows out of JSON: an object a line, a list of objects, or a list inside an object.

An object inside a row becomes columns named by the way to them (`meta.source`); a list of objects becomes columns of
lists (`experts.coherence`: [4, 5, 4]). The keys of `scores`, `ratings`, `labels` and `annotations` need no way.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from evenhand.errors import InputError, Problem
from evenhand.files.json_values import load_json

_TRANSPARENT = ("scores", "ratings", "labels", "annotations")
"""Objects whose keys are columns under their own names."""

OUTER = "outer."
"""Before the columns of an object around the rows, where the rows have columns of the same name."""

Rows = list[tuple[int, Mapping[str, Any]]]


def json_rows(text: str, name: str, each: Sequence[str] = ()) -> tuple[tuple[str, ...], Rows]:
    """The names of columns and the rows of JSON text; of the lists named in `each` every entry is a row."""
    values = []
    for line, value in _values(text, name):
        if not isinstance(value, dict):
            raise InputError(Problem("is not a JSON object; give one object for each row", name, line))
        values.append((line, value))
    return rows_of(values, name, each)


def rows_of(
    values: Iterable[tuple[int, Mapping[str, Any]]], name: str, each: Sequence[str] = ()
) -> tuple[tuple[str, ...], Rows]:
    """Rows from objects with their lines."""
    unfolded = [*values]
    for key in each:
        unfolded = [(line, row) for line, value in unfolded for row in _unfolded(value, key, name, line)]
    rows: Rows = [(line, _flat(value, name, line)) for line, value in unfolded]
    return tuple(dict.fromkeys(column for _, cells in rows for column in cells)), rows


def _values(text: str, name: str) -> Iterator[tuple[int, Any]]:
    if text.lstrip().startswith("["):
        whole = load_json(text, name)
        for place, value in enumerate(whole.value):
            yield whole.find_line((place,)) or 1, value
        return
    first = text.lstrip().partition("\n")[0].rstrip()
    if not first.endswith("}"):  # one object over several lines
        yield 1, load_json(text, name).value
        return
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            yield number, load_json(line, name, line=number).value


def _unfolded(value: Mapping[str, Any], key: str, name: str, line: int) -> Iterator[Mapping[str, Any]]:
    """A row for each entry of the list under a key, with what else the object has."""
    entries = value.get(key)
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        lists = [field for field, inner in value.items() if isinstance(inner, list)]
        known = f"; lists here: {', '.join(lists)}" if lists else ""
        raise InputError(Problem(f'has no list of objects named "{key}" for `each`{known}', name, line))
    outer = {field: inner for field, inner in value.items() if field != key}
    inside = {field for entry in entries for field in entry}
    # A row is an entry, so its own fields keep their names; what the object around it calls the same is set apart.
    around = {(f"{OUTER}{field}" if field in inside else field): inner for field, inner in outer.items()}
    for entry in entries:
        yield around | entry


def _flat(value: Mapping[str, Any], name: str, line: int) -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, cell in value.items():
        for column, inner in _columns(key, cell):
            if column in flat or (key in _TRANSPARENT and column in value and column != key):
                column = f"{key}.{column}"
            if column in flat:
                raise InputError(Problem(f'has two values for "{column}"', name, line))
            flat[column] = inner
    return flat


def _columns(key: str, cell: Any, before: str = "") -> Iterator[tuple[str, Any]]:
    """The columns that one key makes."""
    prefix = before if key in _TRANSPARENT and not before else f"{before}{key}."
    if isinstance(cell, dict) and (key not in _TRANSPARENT or before) and ("score" in cell or "name" in cell):
        yield before + key, cell["score"] if "score" in cell else cell["name"]
    elif isinstance(cell, dict) and cell:
        for inner, value in cell.items():
            yield from _columns(inner, value, prefix)
    elif isinstance(cell, list) and cell and all(isinstance(entry, dict) for entry in cell):
        for inner in dict.fromkeys(field for entry in cell for field in entry):
            yield prefix + inner, [_plain(entry.get(inner)) for entry in cell]
    else:
        yield before + key, cell


def _plain(value: Any) -> Any:
    """The score of an opinion, the name of a rater; other values as they are."""
    if isinstance(value, dict) and ("score" in value or "name" in value):
        return value["score"] if "score" in value else value["name"]
    return value
