"""Tables whose cells count: how many raters chose a category for an item, or on how many items two raters met.

Counts do not tell who rated. Their raters are anonymous, and coefficients that compare one with another are not
computed; a cross table has two raters, whose names are not known.
"""

from __future__ import annotations

from evenhand.core.agreement.ratings import ANONYMOUS
from evenhand.errors import InputError, Problem
from evenhand.labels.column_doubts import mapping
from evenhand.labels.column_words import names_an_item
from evenhand.labels.rating import BETWEEN, Entry
from evenhand.labels.table_layout import IGNORE, ITEM, Layout, Options
from evenhand.reading.delimited import NAMELESS
from evenhand.reading.tables import Row, Table

MOST = 1_000_000
"""More values than this are refused: cells hold something else."""


def counted_entries(table: Table, options: Options) -> tuple[list[Entry], Layout]:
    """The values behind a table of counts, and what it was read as."""
    if options.counts and options.crosstab:
        raise InputError("`counts` and `crosstab` are two kinds of tables; use one of them")
    first = table.columns[0]
    named = [column for column, role in options.roles.items() if role == ITEM]
    if options.crosstab:
        named = named or [first]
    elif not named and not options.rows and (first == NAMELESS or names_an_item(first)):
        named = [first]
    ignored = [column for column, role in options.roles.items() if role == IGNORE]
    categories = tuple(column for column in table.columns if column not in named and column not in ignored)
    if len(categories) < 2:
        raise InputError(table.problem("has fewer than two columns of categories"))
    counts = _counts(table, categories)
    if options.crosstab:
        entries = _crossed(table, named[0], categories, counts, options.field)
        categories = tuple(dict.fromkeys((*(entry.text for entry in entries), *categories)))
        shape = "one rater's categories in rows, the other's in columns"
    else:
        entries = _chosen(table, named, categories, counts, options.field)
        shape = "items in rows, categories in columns"
    if not entries:
        raise InputError(table.problem("has no values: every count is 0"))
    layout = Layout(shape, tuple(named), options.kind or "id", "", "", (), tuple(ignored), 0, categories)
    return entries, layout


def _counts(table: Table, categories: tuple[str, ...]) -> list[tuple[Row, list[int]]]:
    counts = []
    problems: list[Problem] = []
    wrong: set[str] = set()
    for row in table.rows:
        numbers = []
        for category in categories:
            text = (row.cells[category] or "0").strip()
            if not text.isdigit():
                if category not in wrong:
                    advice = f"leave the column out with {mapping(category, IGNORE)}, or {mapping(category, ITEM)}"
                    problems.append(table.problem(f'"{text}" in the column "{category}" is not a count; {advice}', row))
                wrong.add(category)
                text = "0"
            numbers.append(int(text))
        counts.append((row, numbers))
    if problems:
        raise InputError(problems)
    if sum(sum(numbers) for _, numbers in counts) > MOST:
        raise InputError(table.problem(f"counts more than {MOST:,} values; are cells counts?"))
    return counts


def _chosen(
    table: Table, named: list[str], categories: tuple[str, ...], counts: list[tuple[Row, list[int]]], field: str
) -> list[Entry]:
    """Each item's values, lowest category first, by raters who are numbered only."""
    entries = []
    for number, (row, numbers) in enumerate(counts, start=1):
        item = BETWEEN.join((row.cells[column] or "").strip() for column in named) or str(number)
        values = [category for category, count in zip(categories, numbers, strict=True) for _ in range(count)]
        for place, value in enumerate(values, start=1):
            entries.append(Entry(row.line, item, f"{ANONYMOUS} {place}", field, value))
    return entries


def _crossed(
    table: Table, first: str, categories: tuple[str, ...], counts: list[tuple[Row, list[int]]], field: str
) -> list[Entry]:
    """An item for each that a cell counts: the row's category by one rater, the column's by the other."""
    entries: list[Entry] = []
    for row, numbers in counts:
        row_category = (row.cells[first] or "").strip()
        if not row_category:
            raise InputError(table.problem(f'has no category in the column "{first}"', row))
        for category, count in zip(categories, numbers, strict=True):
            for _ in range(count):
                item = str(len(entries) // 2 + 1)
                entries.append(Entry(row.line, item, "first rater", field, row_category))
                entries.append(Entry(row.line, item, "second rater", field, category))
    return entries
