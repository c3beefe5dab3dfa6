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
        rows = self._rows(
            f"SELECT {_SUMS} FROM judging_calls WHERE {of_skill}completed >= ? AND completed < ?", (*values, start, end)
        )
        return CallSums(*map(int, rows[0])) if rows else CallSums()

    def calls_by_skill(self, start: int, end: int, skills: Sequence[str]) -> dict[str, CallSums]:
        """The sums of each of some skills; one that asked nothing is left out."""
        sums = {skill: self.calls_between(start, end, skill=skill) for skill in skills}
        return {skill: one for skill, one in sums.items() if one.evaluations}

    def calls_in_parts(self, skill: str, start: int, width: int, end: int) -> dict[int, CallSums]:
        """What was asked for a skill in each of the parts of a span, by the part's number; empty ones are left out."""
        rows = self._rows(
            f"SELECT (completed - ?) / ? AS part, {_SUMS} FROM judging_calls "
            "WHERE skill = ? AND completed >= ? AND completed < ? GROUP BY part",
            (start, width, skill, start, end),
        )
        return {int(part): CallSums(*map(int, sums)) for part, *sums in rows}

    def _add_calls(self, records: Sequence[Record]) -> None:
        rows = [_row(record) for record in records if _SIGN in record.scorecard]
        if any(rows):
            self._write(_INSERT, [row for row in rows if row])


def _calls_on(record: Record) -> dict[str, Any] | None:
    """The calls on a scorecard; None where it has none of its own, as when it was rescored."""
    text = record.scorecard
    if '"rescored_from":' not in text and text.count(_SIGN) == 1:  # nothing else need be read
        calls: dict[str, Any] = _DECODER.raw_decode(text, text.index(_SIGN) + len('"calls":'))[0]
        return calls
    document = record.document
    return None if "rescored_from" in document else (document.get("panel") or {}).get("calls")


def _row(record: Record) -> tuple[Any, ...]:
    calls = _calls_on(record)
    if calls is None:
        return ()
    cost = calls.get("cost")
    return (
        record.id,
        record.skill,
        record.completed,
        calls.get("asked", 0),
        calls.get("input_tokens", 0),
        calls.get("output_tokens", 0),
        None if cost is None else round(Decimal(cost) * BILLIONTHS),
    )
