"""A whole store in a SQLite file."""

from __future__ import annotations

from evenhand.store.databases.sqlite import SqliteEvaluations
from evenhand.store.protocol import Store


class SqliteStore(SqliteEvaluations, Store):
    """A store in a file."""
