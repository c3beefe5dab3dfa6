"""A suite's results as rows of a table, a row for each run, with the columns that `evenhand table` reads. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from evenhand.work.agent_run import CaseResult

ROW_COLUMNS: Final = (
    "id", "skill", "case", "variant", "repeat", "outcome", "reason", "score", "met", "expectations",
    "seconds", "tokens", "cost",
)  # fmt: skip


def result_rows(results: Iterable[CaseResult]) -> Iterable[dict[str, Any]]:
    """A row for each run; hundredths become points, and what is unknown is None."""
    for result in results:
        yield {
            "id": result.evaluation or "/".join(map(str, result.id)),
            "skill": result.id.variant,
            "case": result.id.case,
            "variant": result.id.variant,
            "repeat": result.id.repeat,
            "outcome": result.outcome,
            "reason": result.reason or result.unscored,
            **{name: None if score is None else score / 100 for name, score in result.dimensions},
            "score": None if result.final is None else result.final / 100,
            "met": result.met,
            "expectations": result.expectations,
            "seconds": None if result.seconds is None else float(result.seconds),
            "tokens": result.tokens,
            "cost": None if result.cost is None else float(result.cost),
        }
