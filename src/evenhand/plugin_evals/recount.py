"""Every number of a result counted again from its graders, exactly.

A run's score is the weighted share of its scored graders that passed. A case's score is the mean of its runs with the
plugin, its delta that mean less the mean without. Where the file says otherwise, nothing is decided on it: either it
was changed, or the runner counts in a way that is not known here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from decimal import Decimal
from fractions import Fraction

from evenhand.errors import DocumentError, Problem
from evenhand.plugin_evals.result import Case, Result, Run, label

_MOST_SHOWN = 5
_NEAR = Fraction(1, 10**6)
"""The runner writes binary floats; a real difference of counts is far larger."""


def score_of(run: Run) -> Fraction | None:
    """The weighted share of a run's scored graders that passed; None where none was scored."""
    scored = [grader for grader in run.graders if grader.scored]
    whole = sum((Fraction(grader.weight) for grader in scored), Fraction(0))
    if not whole:
        return None
    return sum((Fraction(grader.weight) for grader in scored if grader.passed), Fraction(0)) / whole


def differences(result: Result) -> list[str]:
    """What the file counts otherwise than its graders do, a sentence each; empty where all is equal."""
    return [*_of_runs(result), *_of_cases(result), *_of_the_whole(result)]


def refuse_miscounted(result: Result) -> None:
    """Raise DocumentError, with the first few contradictions, where a file contradicts its own graders."""
    found = differences(result)
    if not found:
        return
    listed = "; ".join(found[:_MOST_SHOWN]) + (
        f"; and {len(found) - _MOST_SHOWN} more" if len(found) > _MOST_SHOWN else ""
    )
    raise DocumentError(
        Problem(f"{label(result)}: the file contradicts its own graders, so nothing is decided from it: {listed}")
    )


def _of_runs(result: Result) -> Iterator[str]:
    for case in result.cases:
        for arm, runs in (("with", case.arms.with_plugin), ("without", case.arms.without or ())):
            for number, run in enumerate(runs, 1):
                expected = score_of(run) if run.graders else Fraction(0)
                if expected is not None and _differ(run.score, expected):
                    yield f"{case.name}, run {number} {arm} the plugin: {_said(run.score, expected)}"


def _of_cases(result: Result) -> Iterator[str]:
    for case in result.cases:
        said = case.aggregates
        with_plugin, without = _mean(case.arms.with_plugin), _mean(case.arms.without or ())
        delta = None if with_plugin is None or without is None else with_plugin - without
        counts = (
            ("score", said.score, with_plugin),
            ("score without the plugin", said.score_without, without),
            ("pass rate", said.pass_rate, _pass_rate(case.arms.with_plugin)),
            ("pass rate without the plugin", said.pass_rate_without, _pass_rate(case.arms.without or ())),
            ("delta", said.delta, delta),
        )
        for name, value, expected in counts:
            if value is not None and expected is not None and _differ(value, expected):
                yield f"{case.name}: {name} {_said(value, expected)}"


def _of_the_whole(result: Result) -> Iterator[str]:
    said = result.aggregates
    scores = {case.name: mean for case in result.cases if (mean := _mean(case.arms.with_plugin)) is not None}
    deltas = [delta for case in result.cases if (delta := delta_of(case)) is not None]
    if said.cases_total is not None and said.cases_total != len(result.cases):
        yield f"the file counts {said.cases_total} cases and has {len(result.cases)}"
    if len(scores) < len(result.cases):
        return  # a case without runs: how the runner counts it in its means is not told
    passed = sum(score >= Fraction(result.suite.threshold) for score in scores.values())
    if said.cases_passed is not None and said.cases_passed != passed:
        yield f"the file says that {said.cases_passed} cases passed; by its graders {passed} did"
    rates = [_pass_rate(case.arms.with_plugin) or Fraction(0) for case in result.cases]
    for name, value, numbers in (
        ("overall score", said.overall_score, [*scores.values()]),
        ("overall pass rate", said.overall_pass_rate, rates),
        ("mean delta", said.mean_delta, deltas),
    ):
        if value is not None and numbers and _differ(value, _mean_of(numbers)):
            yield f"{name} {_said(value, _mean_of(numbers))}"


def delta_of(case: Case) -> Fraction | None:
    """A case's mean with the plugin less that without, as the runner counts; None where an arm has no run."""
    with_plugin, without = _mean(case.arms.with_plugin), _mean(case.arms.without or ())
    return None if with_plugin is None or without is None else with_plugin - without


def _mean(runs: Iterable[Run]) -> Fraction | None:
    """The mean as the runner counts it: a run that was not graded is a 0 in it."""
    scores = [Fraction(run.score) if score_of(run) is None else score_of(run) or Fraction(0) for run in runs]
    return _mean_of(scores) if scores else None


def _pass_rate(runs: Iterable[Run]) -> Fraction | None:
    passed = [Fraction(run.passed) for run in runs]
    return _mean_of(passed) if passed else None


def _mean_of(numbers: list[Fraction]) -> Fraction:
    return sum(numbers, Fraction(0)) / len(numbers)


def _differ(said: Decimal, expected: Fraction) -> bool:
    return abs(Fraction(said) - expected) > _NEAR


def _said(said: Decimal, expected: Fraction) -> str:
    return f"is {float(said):.4g} in the file and {float(expected):.4g} by its graders"
