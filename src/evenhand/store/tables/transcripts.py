"""Transcripts that were asked to be kept, beside the evaluations of them."""

from __future__ import annotations

from collections.abc import Mapping

from evenhand.store.sql_connection import SqlConnection


class Transcripts(SqlConnection):
    """Transcripts over a connection that runs statements."""

    def add_transcripts(self, documents: Mapping[str, str]) -> None:
        """Keep transcripts; one that is there stays. Inside a transaction only."""
        self._write("INSERT INTO transcripts VALUES (?, ?) ON CONFLICT DO NOTHING", list(documents.items()))
