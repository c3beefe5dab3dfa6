"""Judges' cards in a SQL store: appended, and read newest first. They are not evaluations and belong to no history."""

from __future__ import annotations

from typing import NamedTuple

from evenhand.store.sql_connection import SqlConnection, where


class StoredCard(NamedTuple):
    """One row, in the order of the table's columns."""

    id: str
    created: str
    judge: str
    """The judge's name."""
    identity: str
    """Everything about the judge that affects a score, as canonical text."""
    document: str
    """The published card, one line of JSON."""


class JudgeCards(SqlConnection):
    """Cards over a connection that runs statements."""

    def add_judge_card(self, card: StoredCard) -> None:
        """Append what a judge's self-test found. Inside a transaction only."""
        self._insert(StoredCard, "judge_cards", [card])

    def judge_cards(self, *, judge: str | None = None, identity: str | None = None, limit: int) -> list[StoredCard]:
        """Judges' cards, newest first; only those of a judge's name, or of an identity."""
        condition, values = where(judge=judge, identity=identity)
        order = f"{condition} ORDER BY created DESC, id DESC LIMIT ?"
        return self._select(StoredCard, "judge_cards", order, [*values, limit])

    def newest_judge_cards(self) -> list[StoredCard]:
        """The newest card of every judge, by name."""
        newest = "SELECT max(other.created || ' ' || other.id) FROM judge_cards AS other WHERE other.judge = card.judge"
        wanted = f"AS card WHERE created || ' ' || id = ({newest}) ORDER BY judge"
        return self._select(StoredCard, "judge_cards", wanted)
