"""One value of one field that one rater gave one item, as a table has it; and cells that hold a list of values."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

from evenhand.core.numbers import is_number
from evenhand.files.json_rows import OUTER
from evenhand.files.tables import Table, cell_text

BETWEEN = " / "
"""Separates the parts of an item's name that come from several columns."""


REASON = "#reason"
"""In place of a field's name: what a rater wrote about an item, not a value."""


class Entry(NamedTuple):
    """One value in a table."""

    line: int
    item: str
    rater: str
    field: str
    text: str
    written: str = ""
    """The value as written in the table, where `text` has only the number of it."""


def list_in(text: str | None) -> list[Any] | None:
    """The list that a cell holds, or None."""
    if text is None or not text.lstrip().startswith("["):
        return None
    try:
        parsed = json.loads(text)
    except ValueError:
        return None
    return parsed if isinstance(parsed, list) else None


def entries_of(table: Table, text: str) -> list[str | None]:
    """The values in a cell that holds a list, None where one is missing; the cell's one value otherwise."""
    entries = list_in(text)
    return [text.strip()] if entries is None else [cell_text(entry, table.missing) for entry in entries]


def value_lists(table: Table, columns: Sequence[str]) -> list[str]:
    """The columns whose cells are all lists, of numbers or of words: the values of several raters."""
    return [
        column
        for column in columns
        if (texts := [text for row in table.rows if (text := row.cells[column]) is not None])
        and all(list_in(text) is not None for text in texts)
    ]


def number_lists(table: Table, columns: Sequence[str]) -> list[str]:
    """The columns in which every cell is a list of numbers; not those of the object around the rows: the ends of a
    scale are nobody's ratings."""
    return [column for column in columns if not column.startswith(OUTER) and _holds_lists(table, column)]


def _holds_lists(table: Table, column: str) -> bool:
    texts = [row.cells[column] for row in table.rows if row.cells[column] is not None]
    if not texts or not all((text or "").lstrip().startswith("[") for text in texts):
        return False
    entries = [entry for text in texts for entry in entries_of(table, text or "") if entry is not None]
    return bool(entries) and all(map(is_number, entries))
