"""What judges were asked for evaluations, in a table of its own: summed over time without reading scorecards."""

from __future__ import annotations

import json
from collections.abc import Sequence
from decimal import Decimal
from typing import Any, Final

from evenhand.named_tuple import NamedTuple
from evenhand.store.record import Record
from evenhand.store.sql_connection import SqlConnection

_INSERT = (
    "INSERT INTO judging_calls (id, skill, completed, asked, input_tokens, output_tokens, cost) "
    "VALUES (?, ?, ?, ?, ?, ?, ?)"
)
_SIGN: Final = '"calls":{"asked":'
"""How the calls begin on a scorecard; within a text on it, every quotation mark is escaped."""
_DECODER: Final = json.JSONDecoder(parse_float=Decimal)

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


class JudgingCalls(SqlConnection):
    """Sums of calls over a connection that runs statements."""

    def calls_between(self, start: int, end: int, *, skill: str = "") -> CallSums:
        """What judges were asked from one moment up to another, for one skill or for all."""
        of_skill, values = ("skill = ? AND ", [skill]) if skill else ("", [])
        statement = f"SELECT {_SUMS} FROM judging_calls WHERE {of_skill}completed >= ? AND completed < ?"
        ((*sums,),) = self._rows(statement, (*values, start, end)) or [CallSums()]
        return CallSums(*map(int, sums))

    def calls_in_parts(self, skill: str, start: int, width: int, end: int) -> dict[int, CallSums]:
        """What was asked for a skill in each of the parts of a span, by the part's number; empty ones are left out."""
        statement = (
            f"SELECT (completed - {start:d}) / {width:d} AS part, {_SUMS} FROM judging_calls "
            "WHERE skill = ? AND completed >= ? AND completed < ? GROUP BY part"
        )
        return {int(part): CallSums(*map(int, sums)) for part, *sums in self._rows(statement, (skill, start, end))}

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
