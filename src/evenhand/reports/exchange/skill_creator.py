"""Scorecards and runs of a suite as skill-creator reads them: its `grading.json` and its `benchmark.json`. Pure.

That format has only passed and failed. Undecided expectations are listed under uncertainties.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean, stdev
from typing import Any, Final

from evenhand.core.finding import Expected
from evenhand.core.scorecard import Scorecard
from evenhand.decisions.suite_run import SuiteRun
from evenhand.work.agent_run import CaseResult


def grading_document(card: Scorecard) -> dict[str, Any]:
    """The expectations with their results, and a summary."""
    expectations = () if card.checked is None else card.checked.expectations
    decided = [expected for expected in expectations if expected.result != "undecided"]
    passed = sum(expected.result == "met" for expected in decided)
    return {
        "generator": "evenhand",
        "expectations": [
            {"text": expected.words, "passed": expected.result == "met", "evidence": _evidence(expected)}
            for expected in decided
        ],
        "summary": {
            "passed": passed,
            "failed": len(decided) - passed,
            "total": len(decided),
            "pass_rate": round(passed / len(decided), 4) if decided else 0.0,
        },
        "user_notes_summary": {
            "uncertainties": [e.line for e in expectations if e.result == "undecided"],
            "needs_review": list(card.warnings),
            "workarounds": [],
        },
    }


def _evidence(expected: Expected) -> str:
    return f'{expected.message}: "{expected.quote}"' if expected.quote else expected.message


_METRICS: Final = ("pass_rate", "time_seconds", "tokens")
_PLACES: Final = {"pass_rate": 2, "time_seconds": 1, "tokens": 0}


def suite_benchmark(run: SuiteRun, rows: Sequence[Mapping[str, Any]], notes: Sequence[str]) -> dict[str, Any]:
    """A run of a suite as a benchmark; `rows` are from `suite_row`."""
    return {
        "metadata": {
            "generator": "evenhand",
            "skill_name": run.skill or run.suite,
            "skill_path": "",
            "executor_model": "",
            "analyzer_model": ", ".join(run.judges),
            "timestamp": run.created,
            "evals_run": list(dict.fromkeys(row["eval_id"] for row in rows)),
            "runs_per_configuration": run.repeats,
        },
        "runs": list(rows),
        "run_summary": run_summary(rows),
        "notes": [*run.notes, *notes],
    }


def suite_row(result: CaseResult, card: Scorecard, number: int) -> dict[str, Any] | None:
    """A judged run with its expectations; None when none of them could be decided."""
    grading = grading_document(card)
    if not grading["summary"]["total"]:
        return None
    return {
        "eval_id": number,
        "eval_name": result.id.case,
        "configuration": result.id.variant,
        "run_number": result.id.repeat,
        "result": {
            **grading["summary"],
            "time_seconds": None if result.seconds is None else float(result.seconds),
            "tokens": result.tokens,
            "tool_calls": None,
            "errors": None,
        },
        "expectations": grading["expectations"],
        "notes": grading["user_notes_summary"]["uncertainties"],
    }


def run_summary(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Each configuration's statistics, and the difference of the first two; a metric nobody recorded is left out."""
    summary: dict[str, Any] = {}
    for configuration in sorted({row["configuration"] for row in rows}):
        results = [row["result"] for row in rows if row["configuration"] == configuration]
        values = {name: [result[name] for result in results if result[name] is not None] for name in _METRICS}
        summary[configuration] = {name: _statistics(numbers) for name, numbers in values.items() if numbers}
    if len(summary) >= 2:
        first, second = list(summary.values())[:2]
        summary["delta"] = {
            name: f"{first[name]['mean'] - second[name]['mean']:+.{_PLACES[name]}f}"
            for name in _METRICS
            if name in first and name in second
        }
    return summary


def _statistics(values: Sequence[float]) -> dict[str, float]:
    spread = stdev(values) if len(values) > 1 else 0.0
    return {
        "mean": round(fmean(values), 4),
        "stddev": round(spread, 4),
        "min": round(min(values), 4),
        "max": round(max(values), 4),
    }
