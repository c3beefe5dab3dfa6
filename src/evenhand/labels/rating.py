"""One value of one field that one rater gave one item, as a table has it."""

from __future__ import annotations

from typing import NamedTuple

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
