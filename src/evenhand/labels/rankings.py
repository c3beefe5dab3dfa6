"""Rankings in a table: each cell lists what one rater ranked, best first; each entry becomes an item with its place."""

from __future__ import annotations

import re

from evenhand.errors import InputError, Problem, unknown
from evenhand.files.tables import Row, Table
from evenhand.labels.column_words import names_an_item, names_raters
from evenhand.labels.rating import BETWEEN, Entry
from evenhand.labels.table_layout import ITEM, RATER, Layout, Options
from evenhand.labels.value_lists import list_in
from evenhand.stats.agreement.ratings import ANONYMOUS

PLACE = "place"
"""The field of a place in a ranking; 1 is the best."""


def ranked_entries(table: Table, options: Options) -> tuple[list[Entry], Layout]:
    """A place for each entry of each list, from 1. What is tied, as in `A > B = C`, shares the mean of its places."""
    column = str(options.ranking)
    if column not in table.columns:
        raise table.refusal(f"`ranking`: {unknown('column', column, table.columns)}")
    named = [name for name, role in options.roles.items() if role == ITEM]
    free = [name for name in table.columns if name != column and name not in options.roles]
    items = named or [name for name in free if names_an_item(name)][:1]
    raters = [name for name, role in options.roles.items() if role == RATER] or [n for n in free if names_raters(n)]
    if not raters and options.rater is None and not options.unnamed:
        raise table.refusal(
            "no column says who ranked; name it, as in `roles` COLUMN=rater, or use `rater` NAME for one"
        )
    entries, problems = [], list[Problem]()
    missing = 0
    for number, row in enumerate(table.rows, start=1):
        if row.cells[column] is None:
            missing += 1
            continue
        who = (row.cells[raters[0]] if raters else options.rater) or f"{options.unnamed or ANONYMOUS} {number}"
        group = BETWEEN.join((row.cells[name] or "").strip() for name in items)
        places = _places(row.cells[column] or "")
        if not places:
            problems.append(_wrong(table, row, column))
        for name, place in places.items():
            item = f"{group}{BETWEEN}{name}" if group else name
            entries.append(Entry(row.line, item, who.strip(), PLACE, place))
    if problems:
        raise InputError(problems)
    if not entries:
        raise table.refusal("has no values: every ranking is empty or missing")
    used = (column, *items, *raters[:1])
    ignored = tuple(name for name in table.columns if name not in used)
    return entries, Layout("rankings, best first", tuple(items), "id", "", "", (), ignored, missing)


def _places(text: str) -> dict[str, str]:
    """The place of each name; empty where the text is not a ranking of at least two names that differ."""
    listed = list_in(text)
    if listed is not None:
        groups = [[str(name).strip()] for name in listed if isinstance(name, str | int)]
    else:
        groups = [[name.strip() for name in group.split("=")] for group in re.split(r">|,|;", text)]
    places: dict[str, str] = {}
    before = 0
    for group in groups:
        for name in group:
            if not name or name in places:
                return {}
            places[name] = f"{before + (len(group) + 1) / 2:g}"
        before += len(group)
    return places if len(places) > 1 else {}


def _wrong(table: Table, row: Row, column: str) -> Problem:
    form = 'a list or a line of different names, best first: ["B", "A", "C"], or B > A = C'
    return table.problem(f'"{row.cells[column]}" in the column "{column}" is not a ranking: {form}', row)
