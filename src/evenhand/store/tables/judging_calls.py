"""What judges were asked for evaluations, in a table of its own: summed over time without reading scorecards.

Evaluations from before the table have it on their scorecards only. `read_earlier_calls` takes them into the table, part
by part; until that is done, sums add what is still on scorecards, so that they are never partial.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from typing import Any, Final

from evenhand.named_tuple import NamedTuple
from evenhand.store.record import Record
from evenhand.store.sql_connection import SqlConnection

_INSERT = (
    "INSERT INTO judging_calls (id, skill, completed, asked, input_tokens, output_tokens, cost) "
    "VALUES (?, ?, ?, ?, ?, ?, ?)"
)
_INSERT_EARLIER = f"{_INSERT} ON CONFLICT DO NOTHING"
_PART: Final = 2_000
"""Evaluations whose calls are read in one transaction: for so long no one else can append."""
_EARLIER: Final = (
    "SELECT id, skill, completed, scorecard FROM evaluations "
    """WHERE id > ? AND (substr(judge, 1, 8) <> '{"name":' OR replace(judge, '","', '') <> judge)"""
)
"""Evaluations that may not be in the table. A judge that is asked is known by more than its name: where there is only
a name, as of a person, the scorecard is not even read."""
_SIGN: Final = '"calls":{"asked":'
"""How the calls begin on a scorecard; within a text on it, every quotation mark is escaped."""
_DECODER: Final = json.JSONDecoder(parse_float=Decimal)

_READ_TO: Final = "SELECT read_to FROM earlier_calls"
BILLIONTHS: Final = 1_000_000_000
_SUMS: Final = (
    "count(*), coalesce(sum(asked), 0), coalesce(sum(input_tokens), 0), coalesce(sum(output_tokens), 0), "
    "coalesce(sum(cost), 0), coalesce(sum(CASE WHEN cost IS NULL AND asked > 0 THEN 1 ELSE 0 END), 0)"
)


class _Calls(NamedTuple):
    """A row of the table."""

    id: str
    skill: str
    completed: int
    asked: int
    input_tokens: int
    output_tokens: int
    cost: int | None


class CallSums(NamedTuple):
    """What judges were asked in some span of time."""

    evaluations: int = 0
    """Those that models judged."""
    asked: int = 0
    """Replies that were paid for."""
    input_tokens: int = 0
    output_tokens: int = 0
    billionths: int = 0
    """Of a US dollar, as far as prices are known."""
    unpriced: int = 0
    """Evaluations whose price is unknown."""

    @property
    def cost(self) -> Decimal:
        """US dollars, as far as prices are known."""
        return Decimal(self.billionths) / BILLIONTHS

    @property
    def tokens(self) -> int:
        """Input and output together."""
        return self.input_tokens + self.output_tokens

    def plus(self, calls: _Calls) -> CallSums:
        """With the calls of one more evaluation."""
        return CallSums(
            self.evaluations + 1,
            self.asked + calls.asked,
            self.input_tokens + calls.input_tokens,
            self.output_tokens + calls.output_tokens,
            self.billionths + (calls.cost or 0),
            self.unpriced + (calls.cost is None and calls.asked > 0),
        )


class JudgingCalls(SqlConnection):
    """Sums of calls over a connection that runs statements."""

    def calls_between(self, start: int, end: int, *, skill: str = "") -> CallSums:
        """What judges were asked from one moment up to another, for one skill or for all."""
        of_skill, values = ("skill = ? AND ", [skill]) if skill else ("", [])
        during = f"{of_skill}completed >= ? AND completed < ?"
        statement = f"SELECT 0, {_SUMS} FROM judging_calls WHERE {during}"
        return self._summed(statement, during, (*values, start, end), lambda row: 0).get(0, CallSums())

    def calls_in_parts(self, skill: str, start: int, width: int, end: int) -> dict[int, CallSums]:
        """What was asked for a skill in each of the parts of a span, by the part's number; empty ones are left out."""
        during = "skill = ? AND completed >= ? AND completed < ?"
        statement = (
            f"SELECT (completed - {start:d}) / {width:d} AS part, {_SUMS} FROM judging_calls "
            f"WHERE {during} GROUP BY part"
        )
        return self._summed(statement, during, (skill, start, end), lambda row: (row.completed - start) // width)

    def _summed(
        self, statement: str, during: str, values: tuple[Any, ...], part_of: Callable[[_Calls], int]
    ) -> dict[int, CallSums]:
        """The sums of the table by part, with what is still on scorecards; again, if someone read those meanwhile."""
        while True:
            read_to = self._first(_READ_TO, ())
            sums = {int(part): CallSums(*map(int, row)) for part, *row in self._rows(statement, values)}
            if read_to is None:
                return sums
            for row in self._not_in_table(read_to, during, values):
                part = part_of(row)
                sums[part] = sums.get(part, CallSums()).plus(row)
            if self._first(_READ_TO, ()) == read_to:
                return sums

    def _not_in_table(self, read_to: str, during: str, values: tuple[Any, ...]) -> Iterator[_Calls]:
        missing = "NOT EXISTS (SELECT 1 FROM judging_calls WHERE judging_calls.id = evaluations.id)"
        rows = self._stream(f"{_EARLIER} AND {during} AND {missing}", (read_to, *values))
        return (calls for row in rows if (calls := _earlier(*row)))

    def read_earlier_calls(self) -> bool:
        """Take the calls of some more evaluations from before the table into it; whether any may be left."""
        if self._first(_READ_TO, ()) is None:
            return False
        with self.transaction():
            read_to = self._first(_READ_TO, ())
            if read_to is None:  # another process was quicker
                return False
            rows = self._rows(f"{_EARLIER} ORDER BY id LIMIT {_PART}", (read_to,))
            if found := [calls for row in rows if (calls := _earlier(*row))]:
                self._write(_INSERT_EARLIER, found)
            if len(rows) < _PART:
                self._write("DELETE FROM earlier_calls WHERE read_to = ?", [(read_to,)])
                return False
            self._write("UPDATE earlier_calls SET read_to = ?", [(rows[-1][0],)])
        return True

    def _add_calls(self, records: Sequence[Record]) -> None:
        rows = [_row(record) for record in records if _SIGN in record.scorecard]
        if any(rows):
            self._write(_INSERT, [row for row in rows if row])


def _calls_on(scorecard: str) -> dict[str, Any] | None:
    """The calls on a scorecard; None where it has none of its own, as when it was rescored."""
    if '"rescored_from":' not in scorecard and scorecard.count(_SIGN) == 1:  # nothing else need be read
        calls: dict[str, Any] = _DECODER.raw_decode(scorecard, scorecard.index(_SIGN) + len('"calls":'))[0]
        return calls
    document = json.loads(scorecard, parse_float=Decimal)
    return None if "rescored_from" in document else (document.get("panel") or {}).get("calls")


def _earlier(id: str, skill: str, completed: int, scorecard: str) -> _Calls | None:
    """The row of an evaluation from before the table; None when nothing was asked, or the scorecard is damaged."""
    if _SIGN not in scorecard:
        return None
    try:
        return _calls(id, skill, completed, _calls_on(scorecard))
    except (ValueError, ArithmeticError, RecursionError, AttributeError, TypeError):
        return None  # checking the store reports it


def _row(record: Record) -> _Calls | None:
    try:
        return _calls(record.id, record.skill, record.completed, _calls_on(record.scorecard))
    except (ValueError, ArithmeticError, RecursionError, AttributeError, TypeError):
        raise record.damaged() from None


def _calls(id: str, skill: str, completed: int, calls: dict[str, Any] | None) -> _Calls | None:
    if calls is None:
        return None
    cost = calls.get("cost")
    return _Calls(
        id,
        skill,
        completed,
        _number(calls.get("asked", 0)),
        _number(calls.get("input_tokens", 0)),
        _number(calls.get("output_tokens", 0)),
        None if cost is None else _number(round(Decimal(cost) * BILLIONTHS)),
    )


def _number(value: Any) -> int:
    """A count that fits into a column of the table; one that does not is damage."""
    if type(value) is not int or not 0 <= value < 2**63:
        raise ValueError(value)
    return value
