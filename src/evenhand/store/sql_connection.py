"""What a database has to do for the store's methods: run statements. Every part of the SQL stores builds on it."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any, NamedTuple, TypeVar

_Row = TypeVar("_Row")


class ReadRow(NamedTuple):
    """A row by its number in the table."""

    number: int
    values: tuple[Any, ...] | None
    """None when it cannot be read. Bytes that are not UTF-8 are kept as half surrogates."""
    problem: str = ""


class SqlConnection:
    """A connection that runs statements."""

    @abstractmethod
    def transaction(self) -> AbstractContextManager[None]:
        """All or nothing; no one else can append meanwhile. What was appended is safe once this is left."""

    @abstractmethod
    def snapshot(self) -> AbstractContextManager[None]:
        """Everything read within it is from one moment, whatever others append. Nothing may be written in it."""

    @abstractmethod
    def _rows(self, statement: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Run a statement; its rows, or none where there is no table yet."""

    @abstractmethod
    def _stream(self, statement: str, values: Sequence[Any] = ()) -> Iterator[tuple[Any, ...]]:
        """Run a statement and stream its rows in small batches, without what is appended meanwhile."""

    @abstractmethod
    def _write(self, statement: str, rows: Sequence[Sequence[Any]]) -> None:
        """Run a statement once for each row, inside a transaction."""

    def _select(self, kind: type[_Row], table: str, rest: str = "", values: Sequence[Any] = ()) -> list[_Row]:
        """Rows of a table as tuples whose fields are named like its columns; `rest` follows the name of the table."""
        return [kind(*row) for row in self._rows(f"SELECT {columns_of(kind)} FROM {table} {rest}", values)]

    def _first(self, statement: str, values: Sequence[Any]) -> Any:
        """The first value of the first row; None without one."""
        rows = self._rows(statement, values)
        return rows[0][0] if rows else None

    def _insert(self, kind: type[_Row], table: str, rows: Sequence[_Row]) -> None:
        """Add rows whose fields are named like the table's columns, inside a transaction."""
        tuples: Any = rows
        columns = columns_of(kind)
        marks = ", ".join("?" * (columns.count(",") + 1))
        self._write(f"INSERT INTO {table} ({columns}) VALUES ({marks})", tuples)

    @abstractmethod
    def careful_rows(self, table: str, columns: Sequence[str]) -> Iterator[ReadRow]:
        """Every row of a table, going on past those that cannot be read."""


def columns_of(kind: Any) -> str:
    """The columns of a table, from the fields of the tuple for its rows."""
    return ", ".join(kind._fields)


def where(**wanted: Any) -> tuple[str, list[Any]]:
    """A condition for the columns of which a value is wanted, and the values; empty when none is."""
    values = {column: value for column, value in wanted.items() if value is not None}
    return f"WHERE {' AND '.join(f'{column} = ?' for column in values)}" if values else "", [*values.values()]
