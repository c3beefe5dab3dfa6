"""A decision on results, in sentences, as rows of a table, and as a document. What is shown is computed elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from evenhand.core.scoring import NONE_READ
from evenhand.decisions.decision import Contrast, Decision, Detail, Share, VariantFacts
from evenhand.decisions.gate import Ruling
from evenhand.decisions.table import MeasureName
from evenhand.decisions.values.answer import Answer
from evenhand.decisions.values.suite_run import SuiteRun
from evenhand.decisions.words import shown
from evenhand.files import codec
from evenhand.files.codec import document
from evenhand.in_words import counted, dollars
from evenhand.reports.comparison.verdict_answer import AnswerReport, answer_report, cost_text
from evenhand.work.agent_run import NOT_CONFINED, CaseResult

SHOWN_DETAILS = 5
"""Details of each kind that a text shows; the document has all."""

SHOWN_REASONS = 5

ROW_COLUMNS = (
    "id", "skill", "case", "variant", "repeat", "outcome", "reason", "score", "met", "expectations",
    "seconds", "tokens", "cost",
)  # fmt: skip

FACT_COLUMNS = (
    "variant",
    "runs",
    "lost",
    "unscored",
    "mean",
    "expectations met",
    "faults",
    "seconds",
    "tokens",
    "cost",
    "judging",
)


def run_answer_report(answer: Answer, decision: Decision, *, full: bool = True) -> AnswerReport:
    """What follows the verdict of a run; without `full`, the first of it."""
    several = len(decision.variants) > 1
    cost = cost_text(decision)
    return answer_report(answer, decision.measure, several=several, cases=decision.cases, cost=cost, full=full)


def basis_lines(run: SuiteRun, decision: Decision) -> list[str]:
    """What the conclusions rest on."""
    lines = []
    read = "final scores" if decision.measure == "final score" else f"the share of expectations met: {NONE_READ}"
    lines.append(
        f"measured by {read}; {counted(decision.cases, 'case')}; the repeats of a case count once, by their mean"
    )
    if decision.state == "complete":
        part = part_of_suite(run, decision.cases, sum(facts.runs for facts in decision.variants))
        lines += [part] if part else []
    lines += method_lines(decision)
    if run.stops_early:
        looks = ", ".join(map(str, run.looks))
        cases = f"{counted(decision.cases, 'case')} of {run.cases} were run"
        lines.append(f"it was to stop when decided, at looks after {looks} cases; {cases}")
    for contrast in decision.contrasts:
        lines += ["", *_contrast_lines(contrast, decision.measure)]
    lines += [line for facts in decision.variants for line in _missing_lines(facts)]
    lines += [line for facts in decision.variants for line in (*_pass_lines(facts), *_trigger_lines(facts))]
    return lines + [f"note: {note}" for note in run.notes if note != NOT_CONFINED]


def method_lines(decision: Decision) -> list[str]:
    """How often such verdicts are wrong, and under which conditions."""
    if not decision.contrasts:
        return []
    several = len(decision.contrasts)
    parts = f", 1/{several} of it for each of {several} comparisons" if several > 1 else ""
    lines = [f'the chance of a false "better" or "worse" is at most {decision.level:.0%}{parts}, of independent cases']
    if any(contrast.claim == "typical" for contrast in decision.contrasts):
        lines.append(
            "the typical case: the median of the cases that differ, by an exact sign test; the mean is claimed from 30 "
            "cases on, with no score missing and little skew"
        )
    return lines


def conclusion_lines(run: SuiteRun, decision: Decision) -> list[str]:
    """A sentence for each comparison, those that are not to be relied on first; or why nothing is compared.

    Before all of them, that agents could read the answers, where that is so.
    """
    first = [NOT_CONFINED] if NOT_CONFINED in run.notes else []
    doubtful_first = sorted(decision.contrasts, key=lambda contrast: not contrast.doubt)
    return first + (
        [contrast.says + price(contrast, decision) for contrast in doubtful_first] or [_nothing_compared(run, decision)]
    )


def part_of_suite(run: SuiteRun, cases: int, runs: int) -> str:
    """That some of a suite's runs are not among these; empty when all are, or when it was to stop early."""
    planned = run.cases * len(run.variants) * run.repeats
    if run.stops_early or runs >= planned:
        return ""
    return (
        f"only {runs:,} of {planned:,} runs are here, of {counted(cases, 'case')} out of {run.cases}: "
        "a shard is missing, or some cases only were chosen"
    )


def fact_rows(decision: Decision) -> list[tuple[str, ...]]:
    """Quality beside time and cost, a row for each variant."""
    return [
        (
            facts.name,
            str(facts.runs),
            str(facts.lost),
            str(facts.unscored),
            "-" if facts.mean is None else shown(facts.mean, decision.measure, sign=False),
            f"{facts.met} of {facts.expectations}" if facts.expectations else "-",
            f"{sum(facts.faults.values()):,}",
            "-" if facts.seconds is None else f"{facts.seconds:.1f}",
            "-" if facts.tokens is None else f"{facts.tokens:,.0f}",
            "-" if facts.cost is None else dollars(facts.cost),
            "-" if facts.judging_cost is None else dollars(facts.judging_cost),
        )
        for facts in decision.variants
    ]


def decision_document(
    decision: Decision, head: dict[str, Any], rulings: Sequence[Ruling] = (), answer: Answer | None = None
) -> dict[str, Any]:
    """A decision as JSON; `head` is the run's own document, whose pairs are beside the contrasts here."""
    pairs = {"pairs": head["pairs"]} if "pairs" in head else {}
    return {
        **document(decision),
        "run": {name: value for name, value in head.items() if name != "pairs"},
        "rulings": [*map(codec.document, rulings)],
        **({} if answer is None else {"answer": codec.document(answer)}),
        **pairs,
    }


def result_rows(results: Iterable[CaseResult]) -> Iterable[dict[str, Any]]:
    """A row for each run, with the columns that `evenhand table` reads."""
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


def _nothing_compared(run: SuiteRun, decision: Decision) -> str:
    runs = counted(sum(facts.runs for facts in decision.variants), "run")
    alone = f"{run.suite}: one variant, so there is nothing to compare it with"
    return {
        "complete": alone + _expectations_met(run, decision),
        "interrupted": f"{run.suite} was interrupted after {runs}: nothing is decided",
        "stopped": f"{run.suite} stopped before every run was made and judged, after {runs}: nothing is decided",
        "shard": f"{run.suite}, a shard with {runs}: evenhand run import puts shards together and compares",
    }[decision.state]


def _expectations_met(run: SuiteRun, decision: Decision) -> str:
    """What one variant did, and whether anything follows from it."""
    facts = decision.variants[0]
    unmet = facts.expectations - facts.met
    if not facts.expectations:
        return ""
    met = f"; {facts.met:,} of {counted(facts.expectations, 'expectation')} met"
    return met if not unmet or run.gate is not None else f"{met}, which fails nothing: the suite has no gate"


def price(contrast: Contrast, decision: Decision) -> str:
    """What a variant takes beside its reference: ", at 3.0 times the tokens"; the cost where no tokens are known."""
    by_name = {facts.name: facts for facts in decision.variants}
    if contrast.reference not in by_name:  # an earlier run, whose facts are not here
        return ""
    now, before = by_name[contrast.variant], by_name[contrast.reference]
    if now.tokens is not None and before.tokens:
        times, what = f"{now.tokens / before.tokens:.1f}", "tokens"
    elif now.cost_per_run is not None and before.cost_per_run:
        times, what = f"{now.cost_per_run / before.cost_per_run:.1f}", "cost"
    else:
        return ""
    return "" if times == "1.0" else f"; at {times} times the {what}"


def _contrast_lines(contrast: Contrast, measure: MeasureName) -> list[str]:
    paired = counted(contrast.cases, "case")
    lines = [f"{contrast.variant} against {contrast.reference}: {paired} of both sides"]
    if contrast.unit == "cluster":
        lines.append(
            f"  {paired} of {counted(contrast.units, 'cluster')}; the cases of a cluster are alike and count once, by "
            "their mean"
        )
    for entry in contrast.left_out[:SHOWN_REASONS]:
        what = f"{counted(entry.expectations, 'expectation')} of {contrast.expectations:,}"
        lines.append(f"  {what} left out on both sides: {entry.reason}")
    if contrast.mean is not None and contrast.claim == "typical" and contrast.units > 1:
        lines.append(f"  mean difference {shown(contrast.mean, measure)}")
    if contrast.p_value is not None:
        kind = {"typical": "exact sign test", "mean": "paired t test"}[contrast.claim or "typical"]
        chance = f"{chance_text(contrast.p_value)} ({kind})"
        lines.append(
            f"  chance of a difference this large if there were none: {chance}; shown at {contrast.level:.3g} or less"
        )
    return lines + _detail_lines(contrast.details, measure)


def _detail_lines(details: Sequence[Detail], measure: MeasureName) -> list[str]:
    if not details:
        return []
    lines = ["  where it differs (exploratory: hints where to look, not conclusions):"]
    for kind in dict.fromkeys(detail.kind for detail in details):
        some = [detail for detail in details if detail.kind == kind]
        for detail in some[:SHOWN_DETAILS]:
            unit = _UNITS.get(kind, measure)
            mean = shown(detail.mean, unit)
            if kind == "finding":  # more of a fault is not a gain, whatever its sign
                direction = "more" if detail.mean > 0 else "fewer"
                mean = f"in {shown(abs(detail.mean), unit, sign=False)} {direction} of its runs"
            lines.append(f"    {kind} {detail.name}: {mean} over {counted(detail.cases, 'case')}")
        if len(some) > SHOWN_DETAILS:
            lines.append(f"    and {len(some) - SHOWN_DETAILS} more of this kind")
    return lines


_UNITS: dict[str, MeasureName] = {
    "dimension": "final score",
    "criterion": "expectations met",
    "finding": "expectations met",
}
"""How a difference of a kind of details is shown: in points, or as a share; those of tags by what is measured."""


def chance_text(p_value: float | None) -> str:
    """A probability, never shown as zero."""
    return "-" if p_value is None else f"{p_value:.3f}" if p_value >= 0.0005 else "below 0.001"


def _missing_lines(facts: VariantFacts) -> list[str]:
    lines = [
        f"{facts.name}: {counted(entry.runs, 'run')} {entry.kind}: {entry.reason}"
        for entry in facts.missing[:SHOWN_REASONS]
    ]
    rest = sum(entry.runs for entry in facts.missing[SHOWN_REASONS:])
    return lines + ([f"{facts.name}: {counted(rest, 'more run')} without a value, for other reasons"] if rest else [])


def _pass_lines(facts: VariantFacts) -> list[str]:
    """Where cases were tried repeatedly: how often a single try passes, and some of k."""
    if len(facts.passes) < 2:
        return []
    lines = [f"{facts.name}: {_share(facts.passes[0].every)} of its runs pass"]
    for passes in facts.passes[1:]:
        k, every, one = passes.k, _share(passes.every), _share(passes.at_least_one)
        lines.append(f"  of {k} tries: every one {every} (pass^{k}), at least one {one} (pass@{k})")
    return lines


def _trigger_lines(facts: VariantFacts) -> list[str]:
    """How well a skill is activated, and the prompts at which it was not as it should be."""
    found = facts.triggers
    if found is None:
        return []
    parts = [] if found.recall is None else [f"activated at {_share(found.recall)} of the prompts it is for (recall)"]
    if found.precision is not None:
        parts.append(f"{_share(found.precision)} of its activations were wanted (precision)")
    lines = [f"{facts.name}: {'; '.join(parts) or 'never activated'}"]
    for prompt in found.prompts:
        if prompt.activated != (prompt.runs if prompt.wanted else 0):
            lines.append(f"  {prompt.case}: activated in {prompt.activated} of {counted(prompt.runs, 'run')}")
    return lines


def _share(share: Share) -> str:
    if share.low is None or share.high is None:
        return f"{share.value:.1%}"
    return f"{share.value:.1%} [{share.low:.1%} to {share.high:.1%}]"
