"""The values in a table of ratings, as entries: one value of one field that one rater gave one item."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from evenhand.errors import InputError, Problem
from evenhand.pipeline.table_layout import ROWS, Layout, Options, layout_of
from evenhand.reading.tables import Row, Table


class Entry(NamedTuple):
    """One value in a table."""

    line: int
    item: str
    rater: str
    field: str
    text: str


def read_entries(table: Table, options: Options) -> tuple[list[Entry], Layout]:
    """The values of a table and what it was read as. Missing values are left out. InputError lists every problem."""
    layout = layout_of(table, options)
    entries: list[Entry] = []
    missing = 0
    problems: list[Problem] = []
    for number, row in enumerate(table.rows, start=1):
        item, rater = row.cells.get(layout.item), row.cells.get(layout.raters)
        if layout.item == ROWS:
            item = str(number)
        wrong = _unnamed(row, layout, item, rater)
        if wrong:
            problems.append(table.problem(wrong, row))
            continue
        for column, column_rater, field in layout.values:
            text = row.cells[column]
            if text is None:
                missing += 1
                continue
            who = column_rater or rater or options.rater or ""
            named = (row.cells.get(layout.fields) or "").strip().lower()
            entries.append(Entry(row.line, item or column, who.strip(), named or field, text.strip()))
    problems += _alike(table, "item", ((entry.item, entry.line) for entry in entries))
    if layout.raters:
        raters = ((row.cells[layout.raters] or "", row.line) for row in table.rows)
        problems += _alike(table, "rater", raters)
    if problems:
        raise InputError(sorted(problems, key=lambda problem: problem.line or 0))
    if not entries:
        raise InputError(table.problem("has no values: every cell is empty or missing"))
    return entries, layout._replace(missing=missing)


def _unnamed(row: Row, layout: Layout, item: str | None, rater: str | None) -> str | None:
    empty = all(row.cells[column] is None for column, _, _ in layout.values)
    if layout.item and item is None and not empty:
        return f'has values but no item in the column "{layout.item}"'
    if layout.raters and rater is None and not empty:
        return f'has values but no rater in the column "{layout.raters}"'
    return None


def _alike(table: Table, what: str, names: Iterable[tuple[str, int]]) -> list[Problem]:
    """Names that differ in white space only: nobody can tell whether they are one."""
    first: dict[str, tuple[str, int]] = {}
    problems = []
    reported: set[str] = set()
    for name, line in names:
        known, at = first.setdefault(folded(name), (name, line))
        if known != name and name not in reported:
            reported.add(name)
            problems.append(
                Problem(
                    f"the {what} {_quoted(name)} differs from {_quoted(known)} of line {at} in white space only; "
                    "make them the same, or tell them apart",
                    table.source,
                    line,
                )
            )
    return problems


def folded(text: str) -> str:
    """A text with its white space folded, for finding what differs in nothing else."""
    return " ".join(text.split())


def _quoted(text: str) -> str:
    return repr(text if len(text) <= 60 else text[:57] + "...")
