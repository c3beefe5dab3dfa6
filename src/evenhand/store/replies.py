"""What models replied, kept under the hash of everything that shaped each reply, so that nothing is paid for twice.

A separate SQLite file: replies are many, private to the user who paid, and only a saving, while
evaluations are the record. Each reply is committed as it comes. WAL with synchronous=NORMAL means
that a killed process loses nothing; after a loss of power the last replies may have to be requested again.
"""

from __future__ import annotations

import sqlite3
import zlib
from pathlib import Path

from evenhand.errors import StoreUnavailable
from evenhand.store.sqlite_file import open_tables

LARGE = 2_000
"""Longer replies, those with probabilities for every token, are kept compressed."""

_TABLE = "CREATE TABLE IF NOT EXISTS replies (key TEXT PRIMARY KEY, reply BLOB NOT NULL) WITHOUT ROWID"


class SqliteReplies:
    """Replies in a file, made on the first write."""

    def __init__(self, path: str | Path) -> None:
        self._path = Path(path)
        self._connection: sqlite3.Connection | None = None

    def get(self, key: str) -> str | None:
        """The reply kept under a key, if there is one."""
        if self._connection is None and not self._path.exists():
            return None
        try:
            row = self._open().execute("SELECT reply FROM replies WHERE key = ?", (key,)).fetchone()
        except sqlite3.Error as error:
            raise self._unavailable(error) from None
        if row is None:
            return None
        return row[0] if isinstance(row[0], str) else zlib.decompress(row[0]).decode()

    def put(self, key: str, reply: str) -> None:
        """Keep a reply; it is safe when this returns."""
        kept = reply if len(reply) < LARGE else zlib.compress(reply.encode(), 1)
        try:
            self._open().execute("INSERT OR REPLACE INTO replies VALUES (?, ?)", (key, kept))
        except sqlite3.Error as error:
            raise self._unavailable(error) from None

    def close(self) -> None:
        """Let go of the file."""
        if self._connection is not None:
            self._connection.close()
        self._connection = None

    def _open(self) -> sqlite3.Connection:
        if self._connection is None:
            self._connection = open_tables(self._path, "PRAGMA synchronous = NORMAL", _TABLE)
        return self._connection

    def _unavailable(self, error: sqlite3.Error) -> StoreUnavailable:
        return StoreUnavailable(
            f"{self._path}: replies cannot be kept here: {error}; "
            "choose another file as `replies`, or none to pay for every call again"
        )
