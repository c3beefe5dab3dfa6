"""A table of a SQLite file that may be damaged, read row by row: what cannot be read is passed over and named."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from itertools import count

from evenhand.store.sql_connection import ReadRow

_BEYOND = 1_000
"""So many rows that cannot be read one after another, where nothing tells how many there were, end the search."""


_MOST_ROWS = 100_000_000
"""A row with a higher number is not looked for: the number is damaged."""


def lenient_text(data: bytes) -> str:
    """Text as far as it can be read."""
    return data.decode("utf-8", "surrogateescape")


def damaged_rows(connection: sqlite3.Connection, table: str, columns: Sequence[str]) -> Iterator[ReadRow]:
    """Every row that can be read in one go; after the first that cannot, each row by itself."""
    connection.text_factory = lenient_text
    if not _has_numbers(connection, table):
        yield from _from_both_ends(connection, table, columns)
        return
    select = f"SELECT rowid, {', '.join(columns)} FROM {table}"
    seen: set[int] = set()
    try:
        for number, *values in connection.execute(f"{select} NOT INDEXED ORDER BY rowid"):
            if number not in seen:  # a wrong link may lead to the same page again
                seen.add(number)
                yield ReadRow(number, tuple(values))
    except sqlite3.Error as error:
        yield from _one_by_one(connection, select, table, seen, str(error))
        return
    for number in sorted(_numbers_in_indexes(connection, table) - seen):
        yield ReadRow(number, None, "an index names it, but the row cannot be found")


def _has_numbers(connection: sqlite3.Connection, table: str) -> bool:
    """Whether the rows of a table have numbers, or are found by their key alone."""
    try:
        connection.execute(f"SELECT rowid FROM {table} LIMIT 0")
    except sqlite3.OperationalError as error:
        return "no such column" not in str(error)
    return True


def _from_both_ends(connection: sqlite3.Connection, table: str, columns: Sequence[str]) -> Iterator[ReadRow]:
    """The rows of a table without numbers: up to the first that cannot be read, then from the end back to there."""
    key = connection.execute(f"SELECT name FROM pragma_table_info('{table}') WHERE pk > 0 ORDER BY pk").fetchall()
    seen: set[tuple[object, ...]] = set()
    problem = ""
    for way in ("", " DESC"):
        order = ", ".join(f"{name}{way}" for (name,) in key)
        try:
            for values in connection.execute(f"SELECT {', '.join(columns)} FROM {table} ORDER BY {order}"):
                if values in seen:
                    return
                seen.add(values)
                yield ReadRow(len(seen), tuple(values))
            return
        except sqlite3.Error as error:
            problem = str(error)
    yield ReadRow(0, None, problem)


def _one_by_one(
    connection: sqlite3.Connection, select: str, table: str, seen: set[int], problem: str
) -> Iterator[ReadRow]:
    """The rows that were not seen yet, each by its number; one that an index names but cannot be read is named."""
    named = _numbers_in_indexes(connection, table)
    end = max([*named, *seen, _highest(connection, table)], default=0)
    failures, reported = 0, False
    for number in count(1):
        if number > end and (named or failures >= _BEYOND):
            break
        if number in seen:
            continue
        row = None
        try:
            row = connection.execute(f"{select} WHERE rowid = ?", (number,)).fetchone()
        except sqlite3.Error as error:
            problem = str(error)
        failures = failures + 1 if row is None else 0
        if row is not None:
            yield ReadRow(number, tuple(row[1:]))
        elif number in named:
            reported = True
            yield ReadRow(number, None, problem)
    if not reported:
        yield ReadRow(0, None, problem)


def _highest(connection: sqlite3.Connection, table: str) -> int:
    try:
        (number,) = connection.execute(f"SELECT max(rowid) FROM {table}").fetchone()
    except sqlite3.Error:
        return 0
    return number if isinstance(number, int) and number < _MOST_ROWS else 0


def _numbers_in_indexes(connection: sqlite3.Connection, table: str) -> set[int]:
    """The numbers of all rows that an index over the whole table names, as far as it can be read."""
    numbers: set[int] = set()
    try:
        indexes = connection.execute(f"SELECT name FROM pragma_index_list('{table}') WHERE partial = 0").fetchall()
    except sqlite3.Error:
        return numbers
    for (index,) in indexes:
        try:
            numbers.update(number for (number,) in connection.execute(f"SELECT rowid FROM {table} INDEXED BY {index}"))
        except sqlite3.Error:  # what was read of it so far still counts
            continue
    # Rows are numbered one after another; a number far beyond them is itself damaged.
    return {number for number in numbers if 0 < number <= 10 * len(numbers) + _BEYOND}
