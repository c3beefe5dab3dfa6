"""A skill over all of its time, from the index of its history: parts of a span with their scores, never single rows."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from decimal import Decimal
from typing import Any, NamedTuple

from evenhand.errors import StoreUnavailable
from evenhand.store.in_list import BILLIONTHS
from evenhand.store.record import COLUMNS, NEWEST, Record
from evenhand.store.sql_connection import SqlConnection
from evenhand.store.tables.browsed_lists import Key
from evenhand.store.tables.filter import Filter, conditions_of

_WHOLE = ", ".join(COLUMNS)
_HISTORY = "FROM evaluations WHERE skill = ? AND in_history = 1"


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


class CallSums(NamedTuple):
    """What was paid for in some span of time, for judges and for the agents of suites."""

    evaluations: int = 0
    """Those that models judged."""
    asked: int = 0
    """Replies that were paid for."""
    input_tokens: int = 0
    output_tokens: int = 0
    billionths: int = 0
    """What judges cost, in billionths of a US dollar, as far as prices are known."""
    agents: int = 0
    """Billionths of a US dollar for agents, as far as they state them."""
    unpriced: int = 0
    """Evaluations, and runs of agents, whose price is unknown."""
    failed: int = 0
    """Attempts in which nothing was scored, and runs of agents that gave nothing to judge."""

    @property
    def cost(self) -> Decimal:
        """US dollars in all, as far as prices are known."""
        return Decimal(self.billionths + self.agents) / BILLIONTHS

    @property
    def tokens(self) -> int:
        """Input and output together."""
        return self.input_tokens + self.output_tokens


class Bill(NamedTuple):
    """What was paid for the rows of one skill, judge and run of a suite."""

    skill: str
    judge: str
    """Its name; empty where no model was asked."""
    suite_run: str | None
    rows: int
    sums: CallSums


_SUMS = (
    "count(asked), coalesce(sum(asked), 0), coalesce(sum(input_tokens), 0), coalesce(sum(output_tokens), 0), "
    "coalesce(sum(cost), 0), coalesce(sum(agent_cost), 0), "
    "coalesce(sum(CASE WHEN cost IS NULL AND asked > 0 THEN 1 ELSE 0 END), 0) "
    "+ coalesce(sum(CASE WHEN agent_cost IS NULL AND agent_tokens IS NOT NULL THEN 1 ELSE 0 END), 0), "
    "coalesce(sum(CASE WHEN state IN ('failed', 'lost') THEN 1 ELSE 0 END), 0)"
)


class OverTime(SqlConnection):
    """Sums over time over a connection that runs statements."""

    dialect: str

    @abstractmethod
    def record(self, row: Sequence[Any]) -> Record:
        """A row as an evaluation."""

    def calls_between(self, start: int, end: int, *, skill: str = "") -> CallSums:
        """What was paid for from one moment up to another, for one skill or for all."""
        of_skill, values = ("skill = ? AND ", [skill]) if skill else ("", [])
        statement = f"SELECT {_SUMS} FROM evaluations WHERE {of_skill}completed >= ? AND completed < ?"
        ((*sums,),) = self._rows(statement, (*values, start, end)) or [CallSums()]
        return CallSums(*map(int, sums))

    def calls_in_parts(self, skill: str, start: int, width: int, end: int) -> dict[int, CallSums]:
        """What was paid for a skill in each of the parts of a span, by the part's number; empty ones are left out."""
        statement = (
            f"SELECT (completed - {start:d}) / {width:d} AS part, {_SUMS} FROM evaluations "
            "WHERE skill = ? AND completed >= ? AND completed < ? GROUP BY part"
        )
        parts = {int(part): CallSums(*map(int, sums)) for part, *sums in self._rows(statement, (skill, start, end))}
        return {part: sums for part, sums in parts.items() if sums != CallSums()}

    def bills(self, since: int | None = None) -> list[Bill]:
        """What was paid for all that is kept, or was made from a moment on: by skill, judge and run of a suite."""
        rows = self._rows(
            "SELECT skill, CASE WHEN asked IS NULL THEN '' ELSE judge_name END AS asked_judge, suite_run, count(*), "
            f"{_SUMS} FROM evaluations WHERE completed >= ? GROUP BY skill, asked_judge, suite_run",
            (-(2**63) if since is None else since,),
        )
        if not all(isinstance(skill, str) for skill, *_ in rows):
            raise StoreUnavailable("the name of a skill holds bytes; see: evenhand store check")
        return [
            Bill(skill, judge, run, int(count), CallSums(*map(int, sums))) for skill, judge, run, count, *sums in rows
        ]

    def span_of(self, skill: str) -> tuple[int, int] | None:
        """When the first and the last evaluation of a skill were completed; None without any."""
        # One statement for each end: an index leads to either, but not to both at once.
        ends = [
            self._first(f"SELECT {end}(completed) FROM evaluations WHERE skill = ?", (skill,)) for end in ("min", "max")
        ]
        return None if None in ends else (ends[0], ends[1])

    def count_between(self, start: int, end: int, *, most: int) -> int:
        """How much was kept from one moment up to another, counted up to `most`."""
        statement = (
            "SELECT count(*) FROM (SELECT 1 FROM evaluations WHERE completed >= ? AND completed < ? LIMIT ?) AS counted"
        )
        return int(self._first(statement, (start, end, most)) or 0)

    def scores_in_parts(self, filter: Filter, start: int, width: int, end: int) -> list[Part]:
        """The final scores of a skill's history in each part of a span, in the order of time; empty parts left out."""
        conditions, values = conditions_of(filter, self.dialect)
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
            "SELECT (completed - ?) / ? AS part, sum(CASE WHEN state = 'unread' THEN 0 ELSE 1 END), "
            "sum(CASE WHEN state = 'unread' THEN 1 ELSE 0 END) FROM evaluations WHERE skill = ? AND in_history = 0 "
            "AND completed >= ? AND completed < ? GROUP BY part",
            (start, width, skill, start, end),
        )
        return {int(part): (int(read), int(unread)) for part, read, unread in rows}

    def newest_skills(self, *, limit: int, among: int) -> list[str]:
        """The skills of the newest evaluations, the latest first."""
        rows = self._rows(
            f"SELECT skill, max(completed) FROM (SELECT skill, completed FROM evaluations WHERE skill <> '' "
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
        return [self.record(row) for row in before], [self.record(row) for row in after]
