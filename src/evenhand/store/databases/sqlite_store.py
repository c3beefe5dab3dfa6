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
        last = self._rows(
            "SELECT (SELECT max(rowid) FROM evaluations), completed, id FROM evaluations "
            "ORDER BY completed DESC, id DESC LIMIT 1"
        )
        return file.st_dev, file.st_ino, *last
