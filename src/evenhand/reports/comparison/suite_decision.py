"""A suite's decision in sentences, as rows of a table, and as a document. What is shown is computed elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from evenhand.core.scoring import NONE_READ
from evenhand.decisions.gate import Ruling, doubt_of
from evenhand.decisions.gate_words import measured
from evenhand.decisions.sets.weighted import others
from evenhand.decisions.values.answer import Answer
from evenhand.decisions.values.decision import Contrast, Decision, Detail, Measure, Share, VariantFacts
from evenhand.decisions.values.suite_run import SuiteRun
from evenhand.files.records import document_of
from evenhand.in_words import counted, dollars
from evenhand.reports.comparison.conclusion import cluster_note, conclusion
from evenhand.reports.comparison.verdict_answer import AnswerReport, answer_report, cost_text
from evenhand.stats.sign_test import EXACT_BELOW, POWER
from evenhand.work.agent_run import CaseResult

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
    "with a value",
    "failed",
    "mean",
    "expectations met",
    "faults",
    "seconds",
    "tokens",
    "cost",
    "judging",
)


def run_answer_report(answer: Answer, decision: Decision) -> AnswerReport:
    """What follows the verdict of a run."""
    several = len(decision.variants) > 1
    return answer_report(answer, decision.measure, several=several, cases=decision.cases, cost=cost_text(decision))


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
    if decision.contrasts:
        lines.append(
            f'the chance of a false "better" or "worse" is at most {decision.level:.0%}'
            + (" for all comparisons together (Holm)" if len(decision.contrasts) > 1 else "")
        )
        if any(contrast.difference.claim == "cases" for contrast in decision.contrasts):
            lines.append(
                f'"better in k of n cases" is about the typical case; the mean is claimed from {EXACT_BELOW} cases on, '
                "where differences are not skewed"
            )
    if run.stops_early:
        looks = ", ".join(map(str, run.looks))
        cases = f"{counted(decision.cases, 'case')} of {run.cases} were run"
        lines.append(f"it was to stop when decided, at looks after {looks} cases; {cases}")
    for contrast in decision.contrasts:
        lines += ["", *_contrast_lines(contrast, decision)]
    lines += [line for facts in decision.variants for line in _missing_lines(facts)]
    lines += [line for facts in decision.variants for line in (*_pass_lines(facts), *_trigger_lines(facts))]
    return lines + [f"note: {note}" for note in run.notes]


def conclusion_lines(run: SuiteRun, decision: Decision) -> list[str]:
    """A sentence for each comparison, those that are not to be relied on first; or why nothing is compared."""
    doubtful_first = sorted(decision.contrasts, key=lambda contrast: not doubt_of(contrast, decision.measure))
    return [conclusion(contrast, decision.measure) + _price(contrast, decision) for contrast in doubtful_first] or [
        _nothing_compared(run, decision)
    ]


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
            str(facts.valued),
            str(facts.failed),
            "-" if facts.mean is None else measured(facts.mean, decision.measure, sign=False),
            f"{facts.met} of {facts.expectations}" if facts.expectations else "-",
            f"{sum(count for _, count in facts.faults):,}",
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
        "schema": "evenhand/suite-decision/v1",
        "run": {name: value for name, value in head.items() if name != "pairs"},
        **document_of(decision),
        "rulings": [*map(document_of, rulings)],
        **({} if answer is None else {"answer": document_of(answer)}),
        **pairs,
    }


def result_rows(results: Iterable[CaseResult]) -> Iterable[dict[str, Any]]:
    """A row for each run, with the columns that `evenhand batch` reads."""
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
    return {
        "complete": f"{run.suite}: one variant, so there is nothing to compare it with",
        "interrupted": f"{run.suite} was interrupted after {runs}: nothing is decided",
        "stopped": f"{run.suite} stopped before every run was made and judged, after {runs}: nothing is decided",
        "shard": f"{run.suite}, a shard with {runs}: evenhand suite merge puts shards together and compares",
    }[decision.state]


def _price(contrast: Contrast, decision: Decision) -> str:
    """What a variant takes beside its reference: ", at 3.0 times the tokens"; the cost where no tokens are known."""
    by_name = {facts.name: facts for facts in decision.variants}
    if contrast.reference not in by_name:  # an earlier run, whose facts are not here
        return ""
    now, before = by_name[contrast.variant], by_name[contrast.reference]
    for what, spent, was in (("tokens", now.tokens, before.tokens), ("cost", now.cost_per_run, before.cost_per_run)):
        if spent is not None and was:
            times = f"{spent / was:.1f}"
            return "" if times == "1.0" else f", at {times} times the {what}"
    return ""


def _contrast_lines(contrast: Contrast, decision: Decision) -> list[str]:
    difference, measure = contrast.difference, decision.measure
    paired = counted(difference.cases, "case")
    lines = [f"{contrast.variant} against {contrast.reference}: {paired} with a value on both sides"]
    if difference.clusters is not None:
        lines.append(f"  {cluster_note(difference)}")
    if contrast.unpaired:
        lines.append(f"  {counted(contrast.unpaired, 'case')} left out: no value on one side")
    for entry in contrast.left_out[:SHOWN_REASONS]:
        what = f"{counted(entry.expectations, 'expectation')} of {contrast.expectations:,}"
        lines.append(f"  {what} left out on both sides: {entry.reason}")
    if difference.mean is not None and difference.claim == "cases" and difference.units > 1:
        lines.append(f"  mean difference {measured(difference.mean, measure)}")
    if difference.p_value is not None:
        kind = {
            "sign": "exact sign test",
            "sign-and-t": "the larger of an exact sign test's and a paired t test's",
            "t": "paired t test",
        }[difference.test]
        corrected = f", {chance_text(contrast.adjusted)} corrected" if contrast.adjusted != difference.p_value else ""
        chance = f"{chance_text(difference.p_value)}{corrected} ({kind})"
        lines.append(f"  chance of a difference this large if there were none: {chance}")
    if difference.detectable is not None and difference.error == 0:
        share = others(difference.units, decision.level / len(decision.contrasts))
        lines.append(
            f"  all these {difference.unit}s agree; that up to {share:.0%} of others would not cannot be ruled out"
        )
    elif difference.claim and difference.detectable is None and difference.units >= contrast.needed:
        lines.append(f"  a few of the {difference.unit}s have nearly all the weight, so these are too few to tell")
    elif difference.detectable is not None:
        least = measured(difference.detectable, measure, sign=False)
        lines.append(f"  with this much data, a difference of {least} would be detected {POWER:.0%} of the time")
    for scenario in contrast.what_if:
        mean = "" if scenario.difference.mean is None else f" ({measured(scenario.difference.mean, measure)})"
        same = "the same" if scenario.verdict == contrast.verdict else scenario.verdict
        lines.append(f"  if {scenario.losses} runs without a value were losses: {same}{mean}")
    return lines + _detail_lines(contrast.details, measure)


def _detail_lines(details: Sequence[Detail], measure: Measure) -> list[str]:
    differing = [detail for detail in details if detail.difference.mean]
    if not differing:
        return []
    lines = [
        "  where it differs (exploratory: hints where to look, not conclusions; p-values corrected within a kind):"
    ]
    for kind in dict.fromkeys(detail.kind for detail in differing):
        some = [detail for detail in differing if detail.kind == kind]
        for detail in some[:SHOWN_DETAILS]:
            unit: Measure = _UNITS.get(kind, measure)
            mean = "-" if detail.difference.mean is None else measured(detail.difference.mean, unit)
            if kind == "finding" and detail.difference.mean:  # more of a fault is not a gain, whatever its sign
                direction = "more" if detail.difference.mean > 0 else "fewer"
                mean = f"in {measured(abs(detail.difference.mean), unit, sign=False)} {direction} of its runs"
            chance = "" if detail.adjusted is None else f", p {chance_text(detail.adjusted)}"
            lines.append(f"    {kind} {detail.name}: {mean} over {counted(detail.difference.cases, 'case')}{chance}")
        if len(some) > SHOWN_DETAILS:
            lines.append(f"    and {len(some) - SHOWN_DETAILS} more of this kind")
    return lines


_UNITS: dict[str, Measure] = {
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
        f"{facts.name}: {counted(entry.runs, 'run')} {entry.outcome}: {entry.reason}"
        for entry in facts.missing[:SHOWN_REASONS]
    ]
    rest = sum(entry.runs for entry in facts.missing[SHOWN_REASONS:])
    return lines + ([f"{facts.name}: {counted(rest, 'more run')} without a value, for other reasons"] if rest else [])


def _pass_lines(facts: VariantFacts) -> list[str]:
    """Where cases were tried repeatedly: how often a single try passes, and some of k."""
    if len(facts.passes) < 2:
        return []
    lines = [f"{facts.name}: {_share(facts.passes[0].every)} of its runs pass"]
    for k, at_least_one, every in facts.passes[1:]:
        lines.append(
            f"  of {k} tries: every one {_share(every)} (pass^{k}), at least one {_share(at_least_one)} (pass@{k})"
        )
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
    for case, wanted, activated, runs in found.prompts:
        if activated != (runs if wanted else 0):
            lines.append(f"  {case}: activated in {activated} of {counted(runs, 'run')}")
    return lines


def _share(share: Share) -> str:
    if share.low is None or share.high is None:
        return f"{share.value:.1%}"
    return f"{share.value:.1%} [{share.low:.1%} to {share.high:.1%}]"
