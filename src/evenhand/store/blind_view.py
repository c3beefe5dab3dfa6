"""A store as a reviewer sees it: without the evaluations that are blind for them, in every list, sum and search.

What a person is asked to review, and has not decided, is left out wherever evaluations are read: sorted by score or
narrowed by grade, a list would otherwise tell what it does not show. Every evaluation of the same work is left out, by
whichever judge, and what other people said of it.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any, Final

from evenhand.errors import InputError
from evenhand.store.protocol import Store
from evenhand.store.record import Record
from evenhand.store.sql_connection import ReadRow
from evenhand.store.tables.over_time import Bill, CallSums

_TABLE: Final = re.compile(r"\bFROM evaluations\b")

_PERSON: Final = {
    "sqlite": "lower(hex(reviews.person))",
    "postgresql": "encode(convert_to(reviews.person, 'UTF8'), 'hex')",
}
"""A name as hexadecimal digits: it stands in statements whose values are counted, and may hold any character."""


class Blind(Exception):
    """An evaluation that its reader is asked to review first."""

    def __init__(self, round: str, place: int) -> None:
        super().__init__("it waits for a review")
        self.round = round
        self.place = place


class BlindView(Store):
    """What a reviewer may read. Nothing can be written."""

    def __init__(self, store: Store, person: str) -> None:
        self._store = store
        self.dialect, self.url = store.dialect, f"{store.url} as {person} sees it"
        self.sound_rows = store.sound_rows
        self._transaction_begins()
        mine = f"{_PERSON[self.dialect]} = '{person.encode().hex()}'"
        decided = f"SELECT item.evaluation FROM review_items AS item JOIN reviews USING (round, place) WHERE {mine}"
        self._asked = f"SELECT evaluation FROM review_items WHERE evaluation NOT IN ({decided})"
        hidden = (
            f"{self._asked} UNION SELECT other.evaluation FROM review_works AS work JOIN review_works AS other "
            f"USING (submission) WHERE work.evaluation IN ({self._asked})"
        )
        self._hidden = hidden
        self._visible = f"FROM (SELECT * FROM evaluations WHERE id NOT IN ({hidden})) AS evaluations"

    def hidden(self) -> int:
        """How many evaluations are left out."""
        return int(self._store._first(f"SELECT count(*) FROM ({self._hidden}) AS hidden", ()) or 0)

    def state(self) -> Hashable:
        return self._store.state(), frozenset(id for (id,) in self._store._rows(self._hidden))

    def get(self, id: str) -> Record | None:
        record = super().get(id)
        if record is not None:
            return record
        try:
            hidden = self._store.get(id)
        except InputError:  # several begin so, none of which may be seen
            return None
        if hidden is not None:
            raise Blind(*self._item_of(hidden.id))
        return None

    def _item_of(self, id: str) -> tuple[str, int]:
        """The round and the place of the item through which an evaluation is blind."""
        same = (
            "SELECT work.evaluation FROM review_works AS work JOIN review_works AS other USING (submission) "
            "WHERE other.evaluation = ? UNION SELECT ?"
        )
        rows = self._store._rows(
            f"SELECT round, place FROM review_items WHERE evaluation IN ({self._asked}) AND evaluation IN ({same}) "
            "ORDER BY round, place LIMIT 1",
            (id, id),
        )
        return rows[0]

    def _rows(self, statement: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        return self._store._rows(self._narrowed(statement), values)

    def _stream(self, statement: str, values: Sequence[Any] = ()) -> Iterator[tuple[Any, ...]]:
        return self._store._stream(self._narrowed(statement), values)

    def _narrowed(self, statement: str) -> str:
        return _TABLE.sub(self._visible, statement)

    def _damaged(self, what: str) -> Any:
        return self._store._damaged(what)

    def transaction(self) -> AbstractContextManager[None]:
        raise TypeError("a view is only read")

    def snapshot(self) -> AbstractContextManager[None]:
        return self._store.snapshot()

    def _write(self, statement: str, rows: Sequence[Sequence[Any]]) -> None:
        raise TypeError("a view is only read")

    def careful_rows(self, table: str, columns: Sequence[str]) -> Iterator[ReadRow]:
        raise TypeError("a view is only read")

    def create(self) -> bool:
        raise TypeError("a view is only read")

    def calls_between(self, start: int, end: int, *, skill: str = "") -> CallSums:
        return self._store.calls_between(start, end, skill=skill)  # of all: what was paid tells no score

    def calls_in_parts(self, skill: str, start: int, width: int, end: int) -> dict[int, CallSums]:
        return self._store.calls_in_parts(skill, start, width, end)

    def bills(self, since: int | None = None) -> list[Bill]:
        return self._store.bills(since)

    def check(self) -> list[str]:
        return self._store.check()

    def close(self) -> None:
        self._store.close()
