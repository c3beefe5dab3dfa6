"""The values in a table of ratings, as entries: one value of one field that one rater gave one item."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, Final

from evenhand.errors import InputError, Problem, shortened, unknown
from evenhand.files.tables import Row, Table, read_table
from evenhand.stats.agreement.ratings import ANONYMOUS
from evenhand.trust.labels.rating import BETWEEN, REASON, Entry, entries_of, list_in
from evenhand.trust.labels.table_layout import ROWS, Layout, Options, layout_of
from evenhand.trust.labels.value_scales import plain_numbers
from evenhand.work.label import RATING, ItemKind


def read_entries(table: Table, options: Options) -> tuple[list[Entry], Layout]:
    """The values of a table and what it was read as. Missing values are left out. InputError lists every problem."""
    layout = layout_of(table, options)
    entries: list[Entry] = []
    missing = 0
    problems: list[Problem] = []
    unnamed: Counter[tuple[str, str]] = Counter()
    for number, row in enumerate(table.rows, start=1):
        item, rater = _item(row, layout, number), row.cells.get(layout.raters)
        wrong = _repeats_names(row) or _unnamed(row, layout, item, rater) or _summary(item)
        if wrong:
            problems.append(table.problem(wrong, row))
            continue
        for column, column_rater, field in layout.values:
            named = field if field == REASON else (row.cells.get(layout.fields) or "").strip().lower() or field
            for who, text in _ratings_in_cell(table, row, column, column_rater, rater or options.rater or ""):
                if text is None:
                    missing += named != REASON
                    continue
                if options.unnamed and not column_rater:
                    unnamed[item or column, named] += 1
                    who = f"{options.unnamed} {unnamed[item or column, named]}"
                entries.append(Entry(row.line, item or column, who.strip(), named, text.strip()))
    entries, alike = _one_spelling(table, entries, layout, fold=options.fold_ids)
    problems += alike
    if problems:
        raise InputError(sorted(problems, key=lambda problem: problem.line or 0))
    if not entries:
        raise table.refusal("has no values: every cell is empty or missing")
    entries, out_of = plain_numbers(table, entries)
    return entries, layout._replace(missing=missing, out_of=out_of)


def clusters_by_item(table: Table, options: Options, layout: Layout, column: str) -> dict[str, str]:
    """The cluster of each item, by a column. InputError for a row without one, and for an item in two of them."""
    needed_column(table, column)
    clusters: dict[str, str] = {}
    for number, row in enumerate(table.rows, start=1):
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
        return f'has values but no item in the column "{layout.item}"; where its cells were merged, fill the name down'
    if layout.raters and rater is None and not empty:
        return f'has values but no rater in the column "{layout.raters}"'
    return None


def _repeats_names(row: Row) -> str | None:
    """Why a row is not that of an item: pages that were pasted together each have the names of the columns."""
    names = [text for column, text in row.cells.items() if text == column]
    return "repeats the names of the columns; leave it out" if 1 < len(names) == len(row.cells) else None


_SUMMARIES = frozenset("mean average avg median sum total totals stdev std min max count overall".split())


def _summary(item: str | None) -> str | None:
    """Why a row is not that of an item: spreadsheets end with means and totals."""
    if item is None or item.strip().casefold() not in _SUMMARIES:
        return None
    return f'"{item.strip()}" seems to sum up the other rows and is not an item; leave it out, or give it another name'


def _one_spelling(
    table: Table, entries: list[Entry], layout: Layout, *, fold: bool
) -> tuple[list[Entry], list[Problem]]:
    """The entries with each item and rater in the spelling that came first; a problem for every other one, unless those
    are to be folded. Names that differ so may or may not be the same."""
    items, raters = dict[str, tuple[str, int]](), dict[str, tuple[str, int]]()
    names = {name for entry in entries for name in (entry.item, entry.rater)}
    keys = {name: name_key(name) for name in names}
    told: dict[str, Problem] = {}
    spelled = []
    for entry in entries:
        by_text = layout.kind in ("text", "submission")
        item = items.setdefault(folded(entry.item) if by_text else keys[entry.item], (entry.item, entry.line))
        rater = raters.setdefault(keys[entry.rater], (entry.rater, entry.line))
        for what, name, (known, at) in (("item", entry.item, item), ("rater", entry.rater, rater)):
            if known != name and not (fold and not (by_text and what == "item")) and name not in told:
                told[name] = table.problem(
                    f"the {what} {_quoted(name)} differs from {_quoted(known)} of line {at} in "
                    f"{_difference(name, known)} only; make them the same, tell them apart, or use `fold_ids`=true"
                )._replace(line=entry.line)
        one = (entry.item, entry.rater) == (item[0], rater[0])
        spelled.append(entry if one else entry._replace(item=item[0], rater=rater[0]))
    return spelled, [*told.values()]


_SUFFIX = re.compile(r"\.(?:md|txt|jsonl?|ya?ml|html?|csv|pdf|docx|py)$")


def name_key(name: str) -> str:
    """What names have in common that differ in case, white space, a file's suffix or leading zeros only."""
    key = _SUFFIX.sub("", folded(name).casefold())
    whole = re.fullmatch(r"0*([0-9]+)(?:\.0)?", key)
    return key if whole is None else whole[1]


def _difference(name: str, known: str) -> str:
    if folded(name) == folded(known):
        return "white space"
    if folded(name).casefold() == folded(known).casefold():
        return "case"
    return "its suffix, case or leading zeros"


def folded(text: str) -> str:
    """A text with its white space folded, for finding what differs in nothing else."""
    return " ".join(text.split())


def _quoted(text: str) -> str:
    return repr(shortened(text, 60))


_OF_FILE: Final = ("encoding", "missing", "decimal_comma", "each", "skip")
_OF_TABLE: Final = ("rows", "fold_ids")
_UNNAMED: Final = {"by_place": "rater", "anonymous": ANONYMOUS}
READING: Final = (*_OF_FILE, *_OF_TABLE, *_UNNAMED, "separator", "no_header", "no_quotes")
"""The settings that say how a file is read."""

_SEPARATORS: Final = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";", "pipe": "|", "space": " "}


def read_ratings(
    file: str,
    reading: Mapping[str, Any],
    *,
    roles: Mapping[str, str],
    rater: str | None = None,
    field: str = RATING,
    kind: ItemKind | None = None,
) -> tuple[Table, Options]:
    """The table in a file, and how its columns are to be understood."""
    unnamed = [word for name, word in _UNNAMED.items() if reading.get(name)]
    if len(unnamed) > 1:
        raise InputError("`by_place` says whose each value is, `anonymous` that this is not known; use one of them")
    table = read_table(
        file,
        **{name: reading[name] for name in _OF_FILE if name in reading},
        separator=_separator(reading.get("separator")),
        header=not reading.get("no_header"),
        quotes=not reading.get("no_quotes"),
    )
    of_table = {name: reading[name] for name in _OF_TABLE if name in reading}
    return table, Options(roles, rater, field, kind, unnamed="".join(unnamed), **of_table)


def _separator(text: str | None) -> str | None:
    """The character that is meant by a name or a character."""
    if text is None:
        return None
    mark = _SEPARATORS.get(text.lower(), text)
    if len(mark) != 1:
        raise InputError(
            f'labels.separator "{text}" is not one character; valid: {", ".join(_SEPARATORS)}, or a character'
        )
    return mark
