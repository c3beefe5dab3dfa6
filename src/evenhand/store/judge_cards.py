"""Judges' cards in a SQL store: appended, and read newest first. They are not evaluations and belong to no history."""

from __future__ import annotations

from typing import Final

from evenhand.named_tuple import NamedTuple
from evenhand.store.sql_connection import SqlConnection


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


_COLUMNS: Final = ", ".join(StoredCard._fields)


class JudgeCards(SqlConnection):
    """Cards over a connection that runs statements."""

    def add_judge_card(self, card: StoredCard) -> None:
        marks = ", ".join("?" * len(StoredCard._fields))
        self._write(f"INSERT INTO judge_cards ({_COLUMNS}) VALUES ({marks})", [card])

    def judge_cards(self, *, judge: str | None = None, identity: str | None = None, limit: int) -> list[StoredCard]:
        wanted = {"judge": judge, "identity": identity}
        conditions = [f"{column} = ?" for column, value in wanted.items() if value is not None]
        where = f"WHERE {' AND '.join(conditions)}" if conditions else ""
        values = [value for value in wanted.values() if value is not None]
        rows = self._rows(
            f"SELECT {_COLUMNS} FROM judge_cards {where} ORDER BY created DESC, id DESC LIMIT ?", [*values, limit]
        )
        return [StoredCard(*row) for row in rows]

    def newest_judge_cards(self) -> list[StoredCard]:
        """The newest card of every judge, by name."""
        newest = "SELECT max(other.created || ' ' || other.id) FROM judge_cards AS other WHERE other.judge = card.judge"
        columns = ", ".join(f"card.{name}" for name in StoredCard._fields)
        rows = self._rows(
            f"SELECT {columns} FROM judge_cards AS card WHERE card.created || ' ' || card.id = ({newest}) "
            "ORDER BY card.judge"
        )
        return [StoredCard(*row) for row in rows]
