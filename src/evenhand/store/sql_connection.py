"""What a database has to do for the store's methods: run statements. Every part of the SQL stores builds on it."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any

from evenhand.named_tuple import NamedTuple


class ReadRow(NamedTuple):
    """A row by its number in the table."""

    number: int
    values: tuple[Any, ...] | None
    """None when it cannot be read. Bytes that are not UTF-8 are kept as half surrogates."""
    problem: str = ""


class SqlConnection:
    """A connection that runs statements."""

    @abstractmethod
    def transaction(self) -> AbstractContextManager[None]: ...

    @abstractmethod
    def _rows(self, statement: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Run a statement; its rows, or none where there is no table yet."""

    @abstractmethod
    def _stream(self, statement: str, values: Sequence[Any] = ()) -> Iterator[tuple[Any, ...]]:
        """Run a statement and stream its rows in small batches, without what is appended meanwhile."""

    @abstractmethod
    def _write(self, statement: str, rows: Sequence[Sequence[Any]]) -> None:
        """Run a statement once for each row, inside a transaction."""

    @abstractmethod
    def careful_rows(self, table: str, columns: Sequence[str]) -> Iterator[ReadRow]:
        """Every row of a table, going on past those that cannot be read."""
