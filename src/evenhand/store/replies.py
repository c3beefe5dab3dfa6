"""What models replied, kept under the hash of everything that shaped each reply, so that nothing is paid for twice.

A separate SQLite file: replies are many, private to the user who paid, and only a saving, while
evaluations are the record. Each reply is committed as it comes. WAL with synchronous=NORMAL means
that a killed process loses nothing; after a loss of power the last replies may have to be requested again.
"""

from __future__ import annotations

import sqlite3
import zlib

from evenhand.store.databases.sqlite_file import FileOfTables

LARGE = 2_000
"""Longer replies, those with probabilities for every token, are kept compressed."""

_TABLE = "CREATE TABLE IF NOT EXISTS replies (key TEXT PRIMARY KEY, reply BLOB NOT NULL) WITHOUT ROWID"


class SqliteReplies(FileOfTables):
    """Replies in a file, made on the first write."""

    statements = ("PRAGMA synchronous = NORMAL", _TABLE)
    fails = (
        "replies cannot be kept here: {error}; choose another file as `replies`, or none to pay for every call again"
    )

    def get(self, key: str) -> str | None:
        """The reply kept under a key, if there is one."""
        if self._connection is None and not self._path.exists():
            return None
        try:
            row = self.connection().execute("SELECT reply FROM replies WHERE key = ?", (key,)).fetchone()
        except sqlite3.Error as error:
            raise self.unavailable(error) from None
        if row is None:
            return None
        return row[0] if isinstance(row[0], str) else zlib.decompress(row[0]).decode()

    def put(self, key: str, reply: str) -> None:
        """Keep a reply; it is safe when this returns."""
        kept = reply if len(reply) < LARGE else zlib.compress(reply.encode(), 1)
        try:
            self.connection().execute("INSERT OR REPLACE INTO replies VALUES (?, ?)", (key, kept))
        except sqlite3.Error as error:
            raise self.unavailable(error) from None
