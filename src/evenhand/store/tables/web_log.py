"""The log of what was written through the dashboard, by whom: only ever appended to."""

from __future__ import annotations

from typing import NamedTuple

from evenhand.store.sql_connection import SqlConnection, columns_of


class LogEntry(NamedTuple):
    """One thing that someone did."""

    moment: str
    """RFC 3339, in UTC."""
    person: str
    address: str
    """Where the request came from."""
    action: str
    """`signed in`, `judged`, ..."""
    subject: str
    """What it was done to: an evaluation's id, or empty."""


class WebLog(SqlConnection):
    """The log over a connection that runs statements."""

    def add_log(self, entry: LogEntry) -> None:
        """Note what someone did through the dashboard. Inside a transaction only."""
        marks = ", ".join("?" * len(entry))
        self._write(
            f"INSERT INTO web_log (id, {columns_of(LogEntry)}) SELECT coalesce(max(id), 0) + 1, {marks} FROM web_log",
            [entry],
        )

    def log_entries(self, *, before: int | None = None, limit: int) -> list[tuple[int, LogEntry]]:
        """What was done through the dashboard, newest first, each with its number; only those before a number."""
        where, values = ("WHERE id < ?", (before,)) if before is not None else ("", ())
        rows = self._rows(
            f"SELECT id, {columns_of(LogEntry)} FROM web_log {where} ORDER BY id DESC LIMIT ?",
            (*values, limit),
        )
        return [(row[0], LogEntry(*row[1:])) for row in rows]
