"""A page as data: what it is called, what it shows, and the same as JSON and as a table. Nothing here renders."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

Cell = str | int | float | None


class Sheet(NamedTuple):
    """The rows of a page for a spreadsheet."""

    head: Sequence[str]
    rows: Iterable[Sequence[Cell]]
    """Gone through once, and only when a spreadsheet is asked for."""


class Page(NamedTuple):
    """One page of the dashboard."""

    name: str
    """What its downloads are called."""
    title: str
    template: str
    document: Mapping[str, Any]
    """The JSON version."""
    sheet: Sheet
    """The CSV version."""
    shown: Mapping[str, Any] = {}
    """What only the HTML version needs."""
    live: bool = False
    """Whether it changes when an evaluation is added."""
    status: int = 200
    texts: dict[Hashable, str] | None = None
    """For a page that is cached: its HTML, by what surrounds it."""
