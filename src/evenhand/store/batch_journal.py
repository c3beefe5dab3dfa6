"""The batches that were submitted and are not used up yet, beside the replies: so that none is paid for twice or lost.

A batch is entered before it is submitted, and its results are kept before the batch is struck out. Each step is one
transaction, and several processes may use the file.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from evenhand.store.databases.sqlite_file import FileOfTables

_TABLES = (
    "CREATE TABLE IF NOT EXISTS batches (name TEXT PRIMARY KEY, owner TEXT NOT NULL, batch TEXT, "
    "created REAL NOT NULL, process INTEGER NOT NULL)",
    "CREATE TABLE IF NOT EXISTS batched (request TEXT PRIMARY KEY, name TEXT NOT NULL) WITHOUT ROWID",
    "CREATE TABLE IF NOT EXISTS batch_results (request TEXT PRIMARY KEY, result TEXT NOT NULL) WITHOUT ROWID",
)


class OpenBatch(NamedTuple):
    """A batch that was submitted, or may have been, and is not collected."""

    name: str
    batch: str | None
    """The service's id; None when the submission was interrupted."""
    created: float
    requests: int
    process: int
    """Who submits it."""


class BatchJournal(FileOfTables):
    """A journal in a SQLite file. StoreUnavailable when it cannot be written."""

    statements = _TABLES
    fails = "batches cannot be recorded here: {error}; choose another file as `replies`"

    def begin(self, name: str, owner: str, requests: Sequence[str], created: float) -> list[str]:
        """Record a batch that is about to be submitted; returns the requests that no other batch holds."""
        with _Transaction(self) as connection:
            free = [request for request in requests if not self._held(connection, request)]
            if free:
                row = (name, owner, None, created, os.getpid())
                connection.execute("INSERT INTO batches VALUES (?, ?, ?, ?, ?)", row)
                connection.executemany("INSERT INTO batched VALUES (?, ?)", [(request, name) for request in free])
            return free

    def submitted(self, name: str, batch: str) -> None:
        """Note the service's id of a batch."""
        with _Transaction(self) as connection:
            connection.execute("UPDATE batches SET batch = ? WHERE name = ?", (batch, name))

    def drop(self, name: str) -> None:
        """Remove a batch that does not exist, or has no results."""
        with _Transaction(self) as connection:
            _strike_out(connection, name)

    def open_batches(self, owner: str) -> list[OpenBatch]:
        """The batches of a judge that are not collected."""
        with _Transaction(self) as connection:
            rows = connection.execute(
                "SELECT name, batch, created, (SELECT count(*) FROM batched WHERE batched.name = batches.name), "
                "process FROM batches WHERE owner = ? ORDER BY created",
                (owner,),
            ).fetchall()
        return [OpenBatch(*row) for row in rows]

    def requests(self, name: str) -> set[str]:
        """The ids of a batch's requests."""
        with _Transaction(self) as connection:
            rows = connection.execute("SELECT request FROM batched WHERE name = ?", (name,)).fetchall()
        return {request for (request,) in rows}

    def holds(self, request: str) -> bool:
        """Whether a request is in a batch that is not collected."""
        with _Transaction(self) as connection:
            return self._held(connection, request)

    def collect(self, name: str, results: Iterable[tuple[str, str]]) -> None:
        """Keep a batch's results and remove it from the open ones."""
        with _Transaction(self) as connection:
            connection.executemany("INSERT OR REPLACE INTO batch_results VALUES (?, ?)", results)
            _strike_out(connection, name)

    def result(self, request: str) -> str | None:
        """The result of a request, if it was collected."""
        with _Transaction(self) as connection:
            row = connection.execute("SELECT result FROM batch_results WHERE request = ?", (request,)).fetchone()
        return None if row is None else row[0]

    def forget(self, requests: Iterable[str]) -> None:
        """Remove results that are used up."""
        with _Transaction(self) as connection:
            connection.executemany("DELETE FROM batch_results WHERE request = ?", [(request,) for request in requests])

    @staticmethod
    def _held(connection: sqlite3.Connection, request: str) -> bool:
        return connection.execute("SELECT 1 FROM batched WHERE request = ?", (request,)).fetchone() is not None


class _Transaction:
    """One transaction on a journal."""

    def __init__(self, journal: BatchJournal) -> None:
        self._journal = journal

    def __enter__(self) -> sqlite3.Connection:
        try:
            self._connection = self._journal.connection()
            self._connection.execute("BEGIN IMMEDIATE")
        except sqlite3.Error as error:
            raise self._journal.unavailable(error) from None
        return self._connection

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        try:
            self._connection.execute("COMMIT" if error is None else "ROLLBACK")
        except sqlite3.Error as failure:
            raise self._journal.unavailable(failure) from None
        if isinstance(error, sqlite3.Error):
            raise self._journal.unavailable(error) from None


def _strike_out(connection: sqlite3.Connection, name: str) -> None:
    connection.execute("DELETE FROM batched WHERE name = ?", (name,))
    connection.execute("DELETE FROM batches WHERE name = ?", (name,))
