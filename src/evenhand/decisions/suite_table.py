"""Results of a suite's runs -> a table of results. Pure. The order of the results is irrelevant.

What is measured is the final score as soon as one run has one, else the share of expectations met. Expectations that
some run on a case leaves out count for no variant on that case.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Literal

from evenhand.core.bounds import NONE_READ, NOT_READ, says_unread
from evenhand.core.finding import NO_TRANSCRIPT
from evenhand.core.rules import PASS_MARK
from evenhand.decisions.suite_run import SuiteRun
from evenhand.decisions.table import MeasureName, Part, ProposedClusters, ResultsTable, Row
from evenhand.work.agent_run import SEEN, CaseResult

OURS = ("not started",)
"""Outcomes that are not the variant's doing."""

UNDECIDED = "no expectation could be decided"
NOTHING_EXPECTED = f"{NONE_READ} and nothing is expected of them (name a judge)"


def suite_table(run: SuiteRun, results: Iterable[CaseResult]) -> ResultsTable:
    """The variants of a run: each against the reference that the suite names, or every pair of them."""
    kept = list(results)
    measure = measure_of(kept)
    named = run.reference if run.reference_is_named or len(run.variants) < 3 else None
    return ResultsTable(_rows(kept, measure), run.variants, named, measure, proposed=_proposed(run))


def baseline_table(
    run: SuiteRun, results: Iterable[CaseResult], before: SuiteRun, earlier: Iterable[CaseResult], label: str
) -> ResultsTable:
    """Every variant against the variant of the same name in an earlier run, or against that run's reference."""
    kept, measure = list(results), "final score"
    names = {name: name if name in before.variants else before.reference for name in run.variants}
    wanted = set(names.values())
    then = [
        result._replace(id=result.id._replace(variant=f"{label}: {result.id.variant}"))
        for result in earlier
        if result.id.variant in wanted
    ]
    measure = measure_of(kept)
    pairs = tuple((name, f"{label}: {reference}") for name, reference in names.items())
    rows = _rows([*kept, *then], measure)
    return ResultsTable(rows, run.variants, label, measure, pairs, _proposed(run))


def measure_of(results: Iterable[CaseResult]) -> MeasureName:
    """What these results are compared by; the two are never mixed.

    Where there is no value of either kind, the final score if a judge tried: what is missing is then its scores.
    """
    expected = tried = False
    for result in results:
        if result.final is not None:
            return "final score"
        expected = expected or bool(result.expectations and result.outcome == "finished")
        tried = tried or (result.outcome == "finished" and not says_unread(result.unscored))
    return "final score" if tried and not expected else "expectations met"


def most_frequent_reason(results: Iterable[CaseResult]) -> str:
    """Why finished runs that a judge tried have no final score, most often; empty where all have one."""
    reasons = Counter(
        result.unscored
        for result in results
        if result.outcome == "finished" and result.final is None and not says_unread(result.unscored)
    )
    return min(reasons, key=lambda reason: (-reasons[reason], reason), default="")


def _proposed(run: SuiteRun) -> tuple[ProposedClusters, ...]:
    return tuple(
        ProposedClusters(name, dict(of_case), f"declare it with --cluster CASES.csv:{name}, or cluster: in the suite")
        for name, of_case in run.shared
    )


def _rows(results: Sequence[CaseResult], measure: MeasureName) -> list[Row]:
    writers = {result.id.variant for result in results if result.transcript}
    verdicts = [_verdicts(result, writers) for result in results]
    left_out: dict[str, dict[int, str]] = defaultdict(dict)
    most: dict[str, int] = defaultdict(int)
    for result, of_run in zip(results, verdicts, strict=True):
        most[result.id.case] = max(most[result.id.case], len(of_run))
        for place, verdict in enumerate(of_run):
            if verdict not in ("met", "unmet"):
                left_out[result.id.case].setdefault(place, verdict)
    return [
        _row(result, of_run, left_out[result.id.case], most[result.id.case], measure)
        for result, of_run in zip(results, verdicts, strict=True)
    ]


def _verdicts(result: CaseResult, writers: set[str]) -> tuple[str, ...]:
    """A run without a transcript has not met what needs one, where its variant writes them."""
    if result.id.variant not in writers:
        return result.verdicts
    return tuple("unmet" if verdict.startswith(NO_TRANSCRIPT) else verdict for verdict in result.verdicts)


def _row(
    result: CaseResult, verdicts: Sequence[str], left_out: Mapping[int, str], most: int, measure: MeasureName
) -> Row:
    finished = result.outcome == "finished"
    counted = [verdict for place, verdict in enumerate(verdicts) if place not in left_out]
    value, unscored, counts = None, "", True
    if finished and measure == "final score":
        value = None if result.final is None else _hundredths(result.final)
        unscored = "" if value is not None else result.unscored or NOT_READ
    elif finished:
        value = _share(counted.count("met"), len(counted)) if counted else None
        unscored = "" if counted else UNDECIDED
    if measure == "expectations met" and len(left_out) >= most:
        counts, unscored = False, unscored or UNDECIDED
        unscored = unscored if most else NOTHING_EXPECTED
    why = "" if finished else f"{result.outcome}: {result.reason or 'no reason given'}"
    is_ours = result.outcome in OURS
    return Row(
        *result.id,
        value=value,
        lost="" if is_ours else why,
        unscored=why if is_ours else unscored,
        low=None if value is not None or result.low is None else _hundredths(result.low),
        high=None if value is not None or result.high is None else _hundredths(result.high),
        cluster=result.cluster,
        weight=_weight(result.weight),
        tags=result.tags,
        passed=_passed(result),
        met=counted.count("met"),
        expectations=len(counted),
        left_out=tuple(left_out.values()),
        parts=_parts(result) if finished else (),
        faults=result.faults if finished else (),
        seconds=result.seconds,
        tokens=result.tokens,
        cost=result.cost,
        judging_cost=result.judging_cost,
        seen=any(note.startswith(SEEN) for note in result.notes),
        finished=finished,
        counts=counts,
    )


def pass_mark_of(result: CaseResult) -> int:
    """The rubric's, in hundredths."""
    return PASS_MARK if result.pass_mark is None else result.pass_mark


def _passed(result: CaseResult) -> bool | None:
    """Whether a run passes; None where that cannot be told."""
    if result.outcome in OURS:
        return None
    if result.outcome != "finished" or result.met < result.expectations:
        return False
    if result.final is not None:
        return result.final >= pass_mark_of(result)
    return True if says_unread(result.unscored) and result.expectations else None


def _parts(result: CaseResult) -> tuple[Part, ...]:
    scored = [_part("dimension", name, score) for name, score in result.dimensions if score is not None]
    return (*scored, *(_part("criterion", name, met) for name, met in result.criteria))


# In large suites most runs have numbers that others have too; they share one object.
@lru_cache(maxsize=8192)
def _part(kind: Literal["dimension", "criterion"], name: str, hundredths: int) -> Part:
    return Part(kind=kind, name=name, value=_hundredths(hundredths))


@lru_cache(maxsize=4096)
def _hundredths(value: int) -> Fraction:
    return Fraction(value, 100)


@lru_cache(maxsize=4096)
def _weight(weight: Decimal) -> Fraction:
    return Fraction(weight)


@lru_cache(maxsize=4096)
def _share(met: int, expectations: int) -> Fraction:
    return Fraction(met, expectations)
