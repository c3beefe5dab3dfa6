"""Results of `claude plugin eval` as tables, and what is decided from them.

Two questions can be asked of them. Of one result: is the plugin better than none? Its arms are compared case by case.
Of two: is one version better than the other? Their arms with the plugin are compared, and the arms without it are the
anchor: nothing of the plugin is in them, so where they moved, the model or the judge did.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Literal

from evenhand.decisions.decide import decide
from evenhand.decisions.decision import Contrast, Decision
from evenhand.decisions.table import ResultsTable, Row
from evenhand.decisions.words import shown
from evenhand.errors import DocumentError, InputError
from evenhand.in_words import counted, listed, plural
from evenhand.plugin_evals.recount import refuse_miscounted, score_of
from evenhand.plugin_evals.result import NO_PLUGIN, Aggregates, Arms, Case, CaseAggregates, Result, Run, label
from evenhand.plugin_evals.result_files import models_of

MEASURE: Literal["graders passed"] = "graders passed"


@dataclass(frozen=True, slots=True)
class PluginVerdict:
    """What results of a plugin show."""

    results: tuple[Result, ...]
    """One, or the two versions that are compared, the older first."""
    table: ResultsTable
    decision: Decision
    anchor: Decision | None = None
    """For two versions: their arms without the plugin, compared in the same way; None where one has no such arm."""

    @property
    def contrast(self) -> Contrast:
        """The one contrast that is decided."""
        return self.decision.contrasts[0]


def verdict_of(results: Sequence[Result], *, level: float = 0.05) -> PluginVerdict:
    """What results show: those of one version and model add up, and two versions are compared."""
    if len(results) == 1 or same_subject(results):
        return plugin_verdict(combined(results), level=level)
    if len(results) > 2:
        raise InputError(
            "these results are of several versions or models; give two to compare, or those of one version"
        )
    return versions_verdict(*results, level=level)


def plugin_verdict(result: Result, *, level: float = 0.05) -> PluginVerdict:
    """Whether a plugin is better than none. Raises DocumentError where the file contradicts its own graders."""
    refuse_miscounted(result)
    name = label(result)
    rows = [*_rows(result.cases, "with_plugin", name), *_rows(result.cases, "without", result.reference)]
    table = ResultsTable(rows, (result.reference, name), result.reference, MEASURE)
    return PluginVerdict((result,), table, decide(table, level=level))


def versions_verdict(first: Result, second: Result, *, level: float = 0.05) -> PluginVerdict:
    """Whether the second of two results is better than the first."""
    refuse_miscounted(first)
    refuse_miscounted(second)
    names = _labels(first, second)
    table = _both(first, second, names, "with_plugin")
    without = _both(first, second, names, "without")
    anchor = decide(without, level=level) if without.rows else None
    return PluginVerdict((first, second), table, decide(table, level=level), anchor)


def _both(first: Result, second: Result, names: tuple[str, str], arm: str) -> ResultsTable:
    rows = [*_rows(first.cases, arm, names[0]), *_rows(second.cases, arm, names[1])]
    return ResultsTable(rows, names, names[0], MEASURE)


def _rows(cases: Sequence[Case], arm: str, variant: str) -> Iterator[Row]:
    for case in cases:
        for number, run in enumerate(getattr(case.arms, arm) or (), 1):
            yield _row(case, run, variant, number)


def _row(case: Case, run: Run, variant: str, number: int) -> Row:
    unscored = unscored_reason(run)
    value = None if unscored else score_of(run)
    return Row(
        case.name,
        variant,
        number,
        value=value,
        unscored=unscored,
        passed=run.passed if value is not None else None,
        met=sum(grader.passed for grader in run.graders if grader.scored) if value is not None else 0,
        expectations=sum(grader.scored for grader in run.graders) if value is not None else 0,
        seconds=run.seconds,
        cost=None if run.cost is None else run.cost - (run.judge_cost or 0),
        judging_cost=run.judge_cost,
    )


def unscored_reason(run: Run) -> str:
    """Why a run has no score; empty where it has one."""
    return run.unscored or ("" if score_of(run) is not None else "none of its graders is scored")


def _labels(first: Result, second: Result) -> tuple[str, str]:
    """Two names that differ: by version, else by model, else by when they were run."""
    names = label(first), label(second)
    if names[0] != names[1]:
        return names
    models = [", ".join(sorted(models_of(result))) for result in (first, second)]
    if models[0] != models[1] and all(models):
        return f"{names[0]} by {models[0]}", f"{names[1]} by {models[1]}"
    if first.started != second.started and first.started and second.started:
        return f"{names[0]} of {first.started[:16]}", f"{names[1]} of {second.started[:16]}"
    return f"{names[0]} (first)", f"{names[1]} (second)"


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


def moved(verdict: PluginVerdict) -> str:
    """What the anchor says: that something other than the plugin changed; empty where nothing shows that."""
    if verdict.anchor is None or not verdict.anchor.contrasts:
        return ""
    anchor = verdict.anchor.contrasts[0]
    if anchor.verdict not in ("better", "worse") or anchor.mean is None:
        return ""
    way = "rose" if anchor.mean > 0 else "fell"
    by = shown(abs(anchor.mean), MEASURE, sign=False)
    models = [", ".join(sorted(models_of(result))) for result in verdict.results]
    what = f"the model changed from {models[0]} to {models[1]}" if models[0] != models[1] and all(models) else (
        "the model or the judge changed")  # fmt: skip
    reference = verdict.results[0].reference
    where = f"without any {reference.removeprefix('no ')}" if reference.startswith("no ") else f"with {reference}"
    subject = reference.rpartition(" ")[2]
    return f"{where} the score {way} by {by} between the two: {what}, so this is not the {subject}'s doing"


def remarks(verdict: PluginVerdict) -> list[str]:
    """What a reader of the verdict has to know of the runs behind it."""
    named = [(label(result), line) for result in verdict.results for line in _remarks(result)]
    times = Counter(line for _, line in named)
    whole = len(verdict.results)
    return list(dict.fromkeys(line if times[line] == whole else f"{name}: {line}" for name, line in named))


def _remarks(result: Result) -> Iterator[str]:
    if result.partial:
        reason = result.partial_reason.replace("_", " ") or "no reason given"
        yield f"the result is partial ({reason}); what did not run is not counted"
    if result.plugin.problem:
        yield f"the runner says of the plugin: {result.plugin.problem}"
    alone = [case.name for case in result.cases if not case.arms.without]
    if alone and len(alone) == len(result.cases):
        how = "; run it with --ablation with-without" if result.reference == NO_PLUGIN else ""
        yield f"there is no arm to compare with{how}"
    if result.other_arms:
        yield f"not compared: the {plural(len(result.other_arms), 'arm')} {listed(result.other_arms)}"
    runs = [run for case in result.cases for run in (*case.arms.with_plugin, *(case.arms.without or ()))]
    unscored = Counter(filter(None, map(unscored_reason, runs)))
    if unscored:
        yield f"{counted(unscored.total(), 'run')} not scored: {'; '.join(unscored)}"
    ended = [run for run in runs if run.error and run.graders]
    if ended:
        reasons = "; ".join(dict.fromkeys(" ".join((run.error or "").split())[:80] for run in ended))
        yield f"{counted(len(ended), 'run')} ended badly and were graded as they were: {reasons}"
    models = models_of(result)
    if not models:
        yield f"the model is not recorded{': pin it with --model' if result.reference == NO_PLUGIN else ''}"
    elif len(models) > 1:
        yield f"its runs are of several models: {', '.join(sorted(models))}"
