"""Columns that would be misread as raters: refused with the option that settles it, since no value tells."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from evenhand.core.numbers import is_number
from evenhand.files.delimited import NAMELESS
from evenhand.files.tables import Table
from evenhand.labels.column_words import is_one_rater, names_no_rating, names_raters


def refuse_doubtful(table: Table, item: Sequence[str], columns: Sequence[str]) -> None:
    """Refuse a table whose columns do not look like raters of one field. Columns named by --map are not asked about."""
    if not columns:
        raise table.refusal("has no columns of ratings beside the items")
    _refuse_other_numbers(table, columns)
    _refuse_words_among_numbers(table, columns)
    _refuse_groups(table, columns)
    _refuse_turned(table, item, columns)
    _refuse_crossed(table, item, columns)
    _refuse_counts(table, columns)
    _refuse_grid(table, columns)


def mapping(column: str, role: str) -> str:
    """A --map option as it is typed in a shell."""
    return f"`roles` {shlex.quote(f'{column}={role}')}"


def _texts(table: Table, column: str) -> list[str]:
    return [text.strip() for row in table.rows if (text := row.cells[column]) is not None]


def _refuse_other_numbers(table: Table, columns: Sequence[str]) -> None:
    """Refuse a column of means, lengths or confidences among raters, by its name or by values far from the others'."""
    numbers = {
        column: sorted(map(float, texts))
        for column in columns
        if (texts := _texts(table, column)) and all(map(is_number, texts))
    }
    for column, values in numbers.items():
        middle = values[len(values) // 2]
        low = next((name for name, others in numbers.items() if middle > 2 * others[-1] > 0 and len(values) > 2), None)
        if low is not None:
            why = f'is on another scale than "{low}": half of it is {middle:g} or more, and {low} never above '
            why += f"{numbers[low][-1]:g}"
        elif names_no_rating(column):
            why = "does not look like a rater's"
        else:
            continue
        raise table.refusal(
            f'the column "{column}" {why}; leave it out with {mapping(column, "ignore")}, or keep it with '
            f"{mapping(column, f'{column}:rating')}"
        )


def _refuse_words_among_numbers(table: Table, columns: Sequence[str]) -> None:
    """Refuse a column of remarks among numbers: it is not a rater."""
    words = []
    numbers = 0
    for column in columns:
        numeric = [is_number(text) for text in _texts(table, column)]
        numbers += bool(numeric) and all(numeric)
        if numeric and not any(numeric):
            words.append(column)
    if numbers and words:
        raise table.refusal(
            f'the column "{words[0]}" holds words where other raters gave numbers; leave it out with '
            f"{mapping(words[0], 'ignore')}, or name what it holds, as in {mapping(words[0], 'item')}"
        )


def _refuse_groups(table: Table, columns: Sequence[str]) -> None:
    """Refuse a column of words that no other rater gave, where the others share theirs: a group, not a rater."""
    words_in = {column: {text.casefold() for text in _texts(table, column)} for column in columns}
    for column, words in words_in.items():
        others = [others_words for name, others_words in words_in.items() if name != column]
        if len(others) < 2 or not words or any(map(is_number, words)):
            continue
        if words.isdisjoint(set().union(*others)) and len(set().union(*others)) < sum(map(len, others)):
            raise table.refusal(
                f'the column "{column}" has no value in common with the other raters; leave it out with '
                f"{mapping(column, 'ignore')}, or keep it with {mapping(column, f'{column}:rating')}"
            )


def _refuse_turned(table: Table, item: Sequence[str], columns: Sequence[str]) -> None:
    """Refuse columns that are only numbered: they may be items as well as raters."""
    if list(item) == [NAMELESS] and len(columns) > 1 and all(column.isdigit() for column in columns):
        raise table.refusal(
            f"the columns {columns[0]} to {columns[-1]} could be items or raters; use {mapping(NAMELESS, 'rater')} "
            f"if every column is an item, or {mapping(NAMELESS, 'item')} if every column is a rater"
        )


def _refuse_crossed(table: Table, item: Sequence[str], columns: Sequence[str]) -> None:
    """Refuse rows and columns of the same names: how often each value of one rater met each of another."""
    names = [row.cells.get(item[0]) for row in table.rows] if len(item) == 1 else []
    if len(names) > 1 and sorted(map(str, names)) == sorted(columns):
        raise table.refusal(
            "rows and columns have the same names: cells may count items by two raters' values; make it a table with a "
            "row for each rating first"
        )


def _refuse_counts(table: Table, columns: Sequence[str]) -> None:
    """Refuse whole numbers that add up to the same in every row, with zeros among them: cells may count raters."""
    if len(columns) < 3 or len(table.rows) < 4 or any(is_one_rater(column) for column in columns):
        return
    rows = [[row.cells[column] for column in columns] for row in table.rows]
    if not all(text is not None and text.strip().isdigit() for row in rows for text in row):
        return
    numbers = [[int(text or 0) for text in row] for row in rows]
    if len({sum(row) for row in numbers}) == 1 and sum(numbers[0]) > 1 and any(0 in row for row in numbers):
        raise table.refusal(
            f"every row adds up to {sum(numbers[0])}: cells may count the raters who chose a category; make it a table "
            'with a row for each rating first; if every column is a rater, use `roles` "{rater}"'
        )


def _refuse_grid(table: Table, columns: Sequence[str]) -> None:
    """Refuse columns whose names combine two parts in every way: several fields by several raters."""
    for mark in ("_", ".", " ", "-", ":"):
        for split in (str.partition, str.rpartition):
            parts = [split(column, mark) for column in columns]
            first, second = {part[0] for part in parts}, {part[2] for part in parts}
            whole = all(part[0] and part[2] for part in parts) and len(set(parts)) == len(parts)
            if not whole or min(len(first), len(second)) < 2 or len(first) * len(second) != len(columns):
                continue
            rater_first = any(is_one_rater(name) or names_raters(name) for name in first)
            pattern = f"{{rater}}{mark}{{field}}" if rater_first else f"{{field}}{mark}{{rater}}"
            raise table.refusal(
                f"the columns look like several fields by several raters; use `roles` {shlex.quote(pattern)}, or "
                f'`roles` "{{rater}}" if every column is a rater'
            )
