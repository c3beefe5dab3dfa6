"""A whole store in a SQLite file."""

from __future__ import annotations

from collections.abc import Hashable

from evenhand.store.databases.sqlite import SqliteEvaluations
from evenhand.store.protocol import Store


class SqliteStore(SqliteEvaluations, Store):
    """A store in a file."""

    def state(self) -> Hashable:
        """The file and the number of its last row: rows are only ever added, each with a higher number."""
        try:
            file = self._path.stat()
        except OSError:  # there is none yet
            return None
        return file.st_dev, file.st_ino, self._first("SELECT max(rowid) FROM evaluations", ()), self.newest()
