"""Several results of one suite, plugin version and model as one: their runs add up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal

from evenhand.errors import DocumentError
from evenhand.plugin_evals.result import Aggregates, Arms, Case, CaseAggregates, Result, Run
from evenhand.plugin_evals.traces import models_of


def same_subject(results: Sequence[Result]) -> bool:
    """Whether results are of one plugin, in one version, by one model: then they add up instead of being compared."""
    subjects = {(result.plugin.name, result.plugin.version, models_of(result)) for result in results}
    return len(subjects) == 1


def combined(results: Sequence[Result]) -> Result:
    """One result with the runs of all. Refuses those whose cases ask or grade differently."""
    first = results[0]
    if len(results) == 1:
        return first
    cases: dict[str, Case] = {}
    for result in results:
        for case in result.cases:
            cases[case.name] = _joined(cases[case.name], case) if case.name in cases else case
    costs = [result.cost for result in results if result.cost is not None]
    return replace(
        first,
        cases=tuple(cases.values()),
        cost=sum(costs, Decimal(0)) if costs else None,
        partial=any(result.partial for result in results),
        partial_reason=next((result.partial_reason for result in results if result.partial), ""),
        aggregates=Aggregates(),
    )


def _joined(first: Case, second: Case) -> Case:
    if first.prompt != second.prompt or _graded(first) != _graded(second):
        raise DocumentError(
            f'case "{first.name}" has another prompt or other graders in the second result, so the two do not add up; '
            "give results of one suite"
        )
    without = _runs(first.arms.without, second.arms.without)
    arms = Arms(first.arms.with_plugin + second.arms.with_plugin, without)
    return replace(first, arms=arms, aggregates=CaseAggregates())


def _runs(first: tuple[Run, ...] | None, second: tuple[Run, ...] | None) -> tuple[Run, ...] | None:
    return None if first is None and second is None else (first or ()) + (second or ())


def _graded(case: Case) -> list[tuple[str, str, Decimal, str]]:
    return sorted((grader.name, grader.type, grader.weight, repr(grader.config)) for grader in case.graders)
