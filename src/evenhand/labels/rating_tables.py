"""The values in a table of ratings, as entries: one value of one field that one rater gave one item."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from evenhand.errors import InputError, Problem, unknown
from evenhand.files.delimited import NAMELESS
from evenhand.files.tables import Row, Table
from evenhand.in_words import shortened
from evenhand.labels.column_doubts import mapping
from evenhand.labels.column_words import names_an_item
from evenhand.labels.rankings import ranked_entries
from evenhand.labels.rating import BETWEEN, REASON, Entry
from evenhand.labels.table_layout import IGNORE, ITEM, ROWS, Layout, Options, layout_of
from evenhand.labels.value_lists import entries_of, list_in
from evenhand.stats.agreement.ratings import ANONYMOUS

# Tables whose cells count: how many raters chose a category for an item, or on how many items two raters met.
#
# Counts do not tell who rated. Their raters are anonymous, and coefficients that compare one with another are not
# computed; a cross table has two raters, whose names are not known.

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
        raise table.refusal("has fewer than two columns of categories")
    counts = _counts(table, categories)
    if options.crosstab:
        entries = _crossed(table, named[0], categories, counts, options.field)
        categories = tuple(dict.fromkeys((*(entry.text for entry in entries), *categories)))
        shape = "one rater's categories in rows, the other's in columns"
    else:
        entries = _count_columns(named, categories, counts, options.field)
        shape = "items in rows, categories in columns"
    if not entries:
        raise table.refusal("has no values: every count is 0")
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
        raise table.refusal(f"counts more than {MOST:,} values; are cells counts?")
    return counts


def _count_columns(
    named: list[str], categories: tuple[str, ...], counts: list[tuple[Row, list[int]]], field: str
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


def read_entries(table: Table, options: Options) -> tuple[list[Entry], Layout]:
    """The values of a table and what it was read as. Missing values are left out. InputError lists every problem."""
    table = _chosen(table, options)
    if options.counts or options.crosstab:
        return counted_entries(table, options)
    if options.ranking is not None:
        return ranked_entries(table, options)
    layout = layout_of(table, options)
    entries: list[Entry] = []
    missing = 0
    problems: list[Problem] = []
    unnamed: Counter[tuple[str, str]] = Counter()
    for number, row in enumerate(table.rows, start=1):
        item, rater = _item(row, layout, number), row.cells.get(layout.raters)
        if layout.raters == ROWS:
            rater = f"{options.unnamed or 'rater'} {number}"
        wrong = _unnamed(row, layout, item, rater)
        if wrong:
            problems.append(table.problem(wrong, row))
            continue
        for column, column_rater, field in layout.values:
            named = field if field == REASON else (row.cells.get(layout.fields) or "").strip().lower() or field
            for who, text in _ratings_in_cell(table, row, column, column_rater, rater or options.rater or ""):
                if text is None:
                    missing += named != REASON
                    continue
                if options.unnamed and not column_rater and layout.raters != ROWS:
                    unnamed[item or column, named] += 1
                    who = f"{options.unnamed} {unnamed[item or column, named]}"
                entries.append(Entry(row.line, item or column, who.strip(), named, text.strip()))
    problems += _alike(table, "item", ((entry.item, entry.line) for entry in entries))
    if layout.raters and layout.raters != ROWS:
        raters = ((row.cells[layout.raters] or "", row.line) for row in table.rows)
        problems += _alike(table, "rater", raters)
    if problems:
        raise InputError(sorted(problems, key=lambda problem: problem.line or 0))
    if not entries:
        raise table.refusal("has no values: every cell is empty or missing")
    return _recoded(table, entries, options.recode), layout._replace(missing=missing)


def _recoded(table: Table, entries: list[Entry], recode: Mapping[str, str]) -> list[Entry]:
    """The values under their other names. A name that no value has is refused: it would change nothing."""
    values = dict.fromkeys(entry.text for entry in entries if entry.field != REASON)
    unused = recode.keys() - values.keys()
    if unused:
        known = ", ".join([*values][:8])
        raise table.refusal(f'`recode`: no value is "{min(unused)}"; values: {known}')
    return [
        entry if entry.field == REASON else entry._replace(text=recode.get(entry.text, entry.text)) for entry in entries
    ]


def clusters_by_item(table: Table, options: Options, layout: Layout, column: str) -> dict[str, str]:
    """The cluster of each item, by a column. InputError for a row without one, and for an item in two of them."""
    needed_column(table, column)
    clusters: dict[str, str] = {}
    if options.ranking is not None:
        raise InputError("`cluster` does not go with `ranking`: what is ranked together is one cluster")
    for number, row in enumerate(_chosen(table, options).rows, start=1):
        item, cluster = _item(row, layout, number), row.cells[column]
        if item is None:
            continue
        if cluster is None:
            raise table.refusal(f'has no cluster in the column "{column}"', row)
        if clusters.setdefault(item, cluster.strip()) != cluster.strip():
            raise table.refusal(f'the item "{item}" is in two clusters: {clusters[item]} and {cluster}', row)
    return clusters


def needed_column(table: Table, column: str) -> None:
    """Refuse a table that lacks a column."""
    if column not in table.columns:
        raise table.refusal(unknown("column", column, table.columns))


def _chosen(table: Table, options: Options) -> Table:
    """The rows that labels.where asks for."""
    for column, wanted in options.where.items():
        if column not in table.columns:
            raise table.refusal(f"`where`: {unknown('column', column, table.columns)}")
        rows = tuple(row for row in table.rows if (row.cells[column] or "").strip() == wanted)
        if not rows:
            known = dict.fromkeys(text.strip() for row in table.rows if (text := row.cells[column]) is not None)
            some = ", ".join([*known][:8])
            raise table.refusal(f'no row has "{wanted}" in the column "{column}"; it has {some}')
        table = table._replace(rows=rows)
    return table


def _item(row: Row, layout: Layout, number: int) -> str | None:
    """The name of a row's item; None where it has none, or a column is the item."""
    if layout.items == (ROWS,):
        return str(number)
    parts = [row.cells.get(column) for column in layout.items]
    if len(parts) == 1:
        return parts[0]
    named = [part.strip() for part in parts if part is not None]
    return BETWEEN.join(named) if parts and len(named) == len(parts) else None


def _ratings_in_cell(
    table: Table, row: Row, column: str, by_column: str, rater: str
) -> Iterator[tuple[str, str | None]]:
    """The values in a cell, each with its rater: one, or those of a list, in its order."""
    text = row.cells[column]
    values = None if list_in(text) is None else entries_of(table, text or "")
    if values is None:
        yield by_column or rater, text
        return
    names = list_in(rater)
    for place, value in enumerate(values, start=1):
        if names is not None and place <= len(names) and not by_column:
            yield str(names[place - 1]), value
        else:
            yield f"{by_column or rater if names is None else by_column} {place}", value


def _unnamed(row: Row, layout: Layout, item: str | None, rater: str | None) -> str | None:
    empty = all(row.cells[column] is None for column, _, field in layout.values if field != REASON)
    if layout.items and item is None and not empty:
        return f'has values but no item in the column "{layout.item}"'
    if layout.raters and rater is None and not empty:
        return f'has values but no rater in the column "{layout.raters}"'
    return None


def _alike(table: Table, what: str, names: Iterable[tuple[str, int]]) -> list[Problem]:
    """Report names that differ only in white space: they may or may not be the same."""
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
    return repr(shortened(text, 60))
