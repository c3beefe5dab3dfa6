"""A skill over all of its time, from the index of its history: parts of a span with their scores, never single rows."""

from __future__ import annotations

from evenhand.named_tuple import NamedTuple
from evenhand.store.record import COLUMNS, NEWEST, SUITE, Record
from evenhand.store.sql_connection import SqlConnection
from evenhand.store.tables.browsed_lists import Key
from evenhand.store.tables.filter import Filter, conditions_of

_WHOLE = ", ".join(COLUMNS)
_HISTORY = "FROM evaluations WHERE skill = ? AND in_history = 1"


_CHECKS = '%"name":"checks"%'
"""The judge of work that no one read."""


class Part(NamedTuple):
    """The evaluations of a skill in one part of a span."""

    number: int
    """The first part is 0."""
    evaluations: int
    low: int
    """The lowest final score, in hundredths."""
    high: int
    total: int
    """All final scores added up."""


class OverTime(SqlConnection):
    """Sums over time over a connection that runs statements."""

    def span_of(self, skill: str) -> tuple[int, int] | None:
        """When the first and the last evaluation of a skill were completed; None without any."""
        moments = []
        for part in (0, 1):
            # One statement for each end: an index leads to either, but not to both at once.
            for end in ("min", "max"):
                rows = self._rows(
                    f"SELECT {end}(completed) FROM evaluations WHERE skill = ? AND in_history = {part}", (skill,)
                )
                moments += [moment for (moment,) in rows if moment is not None]
        return (min(moments), max(moments)) if moments else None

    def count_between(self, start: int, end: int, *, most: int) -> int:
        """How many evaluations outside suites were completed from one moment up to another, counted up to `most`."""
        statement = (
            f"SELECT count(*) FROM (SELECT 1 FROM evaluations WHERE in_history < {SUITE} AND completed >= ? "
            "AND completed < ? LIMIT ?) AS counted"
        )
        return int(self._first(statement, (start, end, most)) or 0)

    def scores_in_parts(self, filter: Filter, start: int, width: int, end: int) -> list[Part]:
        """The final scores of a skill's history in each part of a span, in the order of time; empty parts left out."""
        conditions, values = conditions_of(filter)
        clauses = "".join(f" AND {condition}" for condition in conditions)
        rows = self._rows(
            f"SELECT (completed - ?) / ? AS part, count(*), min(final), max(final), sum(final) {_HISTORY} "
            f"AND completed >= ? AND completed < ?{clauses} GROUP BY part ORDER BY part",
            (start, width, filter.skill, start, end, *values),
        )
        return [Part(*map(int, row)) for row in rows]

    def unscored_in_parts(self, skill: str, start: int, width: int, end: int) -> dict[int, tuple[int, int]]:
        """How many evaluations of a skill are not in its history, by the number of the part: those that someone read,
        and those that no one did."""
        rows = self._rows(
            "SELECT (completed - ?) / ? AS part, sum(CASE WHEN judge LIKE ? THEN 0 ELSE 1 END), "
            "sum(CASE WHEN judge LIKE ? THEN 1 ELSE 0 END) FROM evaluations WHERE skill = ? AND in_history = 0 "
            "AND completed >= ? AND completed < ? GROUP BY part",
            (start, width, _CHECKS, _CHECKS, skill, start, end),
        )
        return {int(part): (int(read), int(unread)) for part, read, unread in rows}

    def newest_skills(self, *, limit: int, among: int) -> list[str]:
        """The skills of the newest evaluations, the latest first."""
        rows = self._rows(
            f"SELECT skill, max(completed) FROM (SELECT skill, completed FROM evaluations WHERE in_history < {SUITE} "
            f"{NEWEST}) AS newest GROUP BY skill ORDER BY max(completed) DESC, skill LIMIT ?",
            (among, limit),
        )
        return [skill for skill, _ in rows]

    def all_finals(self, skill: str) -> list[int]:
        """The final scores of a skill's history in the order of time, in hundredths."""
        return [final for (final,) in self._rows(f"SELECT final {_HISTORY} ORDER BY completed, id", (skill,))]

    def place_in_history(self, skill: str, number: int, *, count: int, last: Key) -> Key | None:
        """The place of the evaluation with this number in a skill's history, which has `count` up to the last one.

        The first is 0. It is counted from the nearer end.
        """
        from_end = count - 1 - number
        order, skipped = ("completed DESC, id DESC", from_end) if 0 <= from_end < number else ("completed, id", number)
        rows = self._rows(
            f"SELECT completed, id {_HISTORY} AND (completed, id) <= (?, ?) ORDER BY {order} LIMIT 1 OFFSET ?",
            (skill, *last, skipped),
        )
        return Key(*rows[0]) if rows else None

    def state_of_history(self, skill: str) -> tuple[int, int, str] | None:
        """How many evaluations a skill's history has and the place of the newest; None without any."""
        rows = self._rows(f"SELECT completed, id {_HISTORY} {NEWEST}", (skill, 1))
        if not rows:
            return None
        count = self._first(f"SELECT count(*) {_HISTORY} AND (completed, id) <= (?, ?)", (skill, *rows[0]))
        return (count, *rows[0])  # without what is added meanwhile

    def around(self, skill: str, key: Key, *, count: int) -> tuple[list[Record], list[Record]]:
        """The evaluations in a skill's history right before a place, and those from it on."""
        before = self._rows(f"SELECT {_WHOLE} {_HISTORY} AND (completed, id) < (?, ?) {NEWEST}", (skill, *key, count))
        after = self._rows(
            f"SELECT {_WHOLE} {_HISTORY} AND (completed, id) >= (?, ?) ORDER BY completed, id LIMIT ?",
            (skill, *key, count),
        )
        return [Record(*row) for row in before], [Record(*row) for row in after]
