"""Results of suites made in a line, for the tests of decisions, stores and reports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from evenhand.work.agent_run import CaseResult, RunId


def result(case: str, variant: str, repeat: int = 1, final: int | None = None, **more: Any) -> CaseResult:
    """A finished run with a final score in hundredths, or one without a score; its expectations in a row."""
    if "expectations" in more and "verdicts" not in more:
        met = more.get("met", 0)
        more["verdicts"] = ("met",) * met + ("unmet",) * (more["expectations"] - met)
    return CaseResult(RunId(case, variant, repeat), more.pop("outcome", "finished"), final=final, **more)


def failed(case: str, variant: str, repeat: int = 1, reason: str = "exit code 1", **more: Any) -> CaseResult:
    """A run that did not finish."""
    return result(case, variant, repeat, outcome=more.pop("outcome", "failed"), reason=reason, **more)


def scored(scores: Mapping[str, Sequence[Sequence[int]]], **more: Any) -> list[CaseResult]:
    """Variants with the final scores of each case's runs."""
    return [
        result(f"case{number:03}", variant, repeat, final, **more)
        for variant, cases in scores.items()
        for number, runs in enumerate(cases)
        for repeat, final in enumerate(runs, start=1)
    ]


def met(case: str, variant: str, repeat: int, met: int, expectations: int) -> CaseResult:
    """A run that nobody read, with expectations."""
    return result(case, variant, repeat, met=met, expectations=expectations, unscored="no one has read this output")


def weighted(case: str, variant: str, final: int, weight: str) -> CaseResult:
    """A run of a case with a weight."""
    return result(case, variant, 1, final, weight=Decimal(weight))
