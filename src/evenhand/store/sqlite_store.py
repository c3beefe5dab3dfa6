"""A whole store in a SQLite file."""

from __future__ import annotations

from evenhand.store.protocol import Store
from evenhand.store.sqlite import SqliteEvaluations


class SqliteStore(SqliteEvaluations, Store):
    """A store in a file."""
