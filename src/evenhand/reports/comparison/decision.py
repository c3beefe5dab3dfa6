"""A decision's report: the verdict, the work, what to change and what got worse, then what all of it rests on. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from evenhand.core.bounds import NONE_READ
from evenhand.decisions.decision import Contrast, Decision, Detail, Share, VariantFacts
from evenhand.decisions.gate import Ruling
from evenhand.decisions.suite_run import SuiteRun
from evenhand.decisions.table import MeasureName
from evenhand.decisions.what_to_change import Answer, WorseCase
from evenhand.decisions.words import claim_text, interval_text, shown
from evenhand.errors import shortened_line
from evenhand.in_words import counted, dollars
from evenhand.reports.charts import Measured, QualityChart, interval_chart, quality_chart
from evenhand.reports.comparison.what_to_change import LINE, LONGEST, changes_section
from evenhand.reports.gate import ruling_lines, rulings_table
from evenhand.reports.tree import (
    Column,
    Drawing,
    Facts,
    Head,
    Item,
    Items,
    Line,
    Node,
    Report,
    Row,
    Section,
    Span,
    Table,
    Weight,
    Words,
)
from evenhand.work.agent_run import NOT_CONFINED

MORE: Final = "what this rests on: --full, or a page with -o FILE.html"
SHOWN: Final = "What the data show, and what they do not"
MOST_SENTENCES: Final = 2
"""Comparisons that are told in a sentence each; more of them are rows of a table."""
MOST_WORSE: Final = 3
"""Cases that got worse which are shown; the document has more."""
SHOWN_DETAILS: Final = 5
"""Details of each kind that are shown; the document has all."""
SHOWN_REASONS: Final = 5
LABEL: Final = 6
"""More characters in front of "Got worse" and what it cost than in front of other lines."""
FACT_COLUMNS: Final = (
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
CONTRAST_COLUMNS: Final = ("compared", "verdict", "by", "interval", "better", "worse", "equal", "open", "of")
_VERDICTS: Final[dict[str, Weight]] = {"better": "good", "worse": "bad"}
_UNITS: Final[dict[str, MeasureName]] = {
    "dimension": "final score",
    "criterion": "expectations met",
    "finding": "expectations met",
}
"""How a difference of a kind of details is shown: in points, or as a share; those of tags by what is measured."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What any report of a decision shows, whatever was compared."""

    decision: Decision
    says: Sequence[str]
    """A sentence for each comparison, or why there is none."""
    name: str
    """What it is a decision about."""
    kicker: str = ""
    """What a reader needs to find it again."""
    warning: str = ""
    """What has to be known before all else."""
    answer: Answer | None = None
    work: tuple[Node, ...] = ()
    """What was compared, case by case."""
    rulings: Sequence[Ruling] = ()
    paired: Sequence[str] = ()
    """By what cases were found, which is said on a screen too."""
    basis: Sequence[Item] = ()
    more: tuple[Node, ...] = ()


def verdict_report(verdict: Verdict, *, is_brief: bool = False) -> Report:
    """The answer first. When brief it fits on a screen, and ends with how to see what it rests on."""
    decision = verdict.decision
    nodes: list[Node] = [*_head(verdict, is_brief=is_brief)]
    if not is_brief:
        nodes += verdict.work
        if len(decision.contrasts) > MOST_SENTENCES:
            says = Items(tuple(Item(head=_claim(line, verdict.decision)) for line in verdict.says))
            nodes.append(Section(title="Each comparison in a sentence", nodes=(says,)))
    nodes += _answer(verdict, is_brief=is_brief)
    if verdict.rulings and not is_brief:
        nodes.append(Section(title="Gate", nodes=(rulings_table(verdict.rulings),), id="gate"))
    if not is_brief or not decision.contrasts:
        nodes.append(_variants(decision, is_brief=is_brief))
    if is_brief:
        nodes += [ruling_lines(verdict.rulings)] if verdict.rulings else []
        nodes += map(Line, verdict.paired)
        nodes.append(Line(MORE, "quiet"))
    else:
        lines = (*(Item(head=line) for line in verdict.paired), *verdict.basis)
        nodes.append(Section(title=SHOWN, nodes=(*_intervals(decision), Items(lines)), id="shown"))
        nodes += verdict.more
    return Report(verdict.name, tuple(nodes))


def _head(verdict: Verdict, *, is_brief: bool) -> Iterator[Node]:
    decision = verdict.decision
    if verdict.warning:
        yield Line(verdict.warning, "alarm")
    many = len(decision.contrasts) > MOST_SENTENCES
    kicker = "" if is_brief else verdict.kicker
    if not many:
        first, *rest = verdict.says
        yield Head(title=_claim(first, decision), kicker=kicker)
        if rest:
            yield Items(tuple(Item(head=(Span(line, "strong"),)) for line in rest))
        return
    verdicts = [contrast.verdict for contrast in decision.contrasts]
    counts = ", ".join(f"{verdicts.count(word)} {word}" for word in sorted({*verdicts}))
    yield Head(title=f"{verdict.name}: of {counted(len(verdicts), 'comparison')}, {counts}", kicker=kicker)
    rows = tuple(Row(_comparison(contrast, decision)) for contrast in decision.contrasts)
    left = ("compared", "verdict", "interval")
    yield Table(tuple(Column(name, right=name not in left) for name in CONTRAST_COLUMNS), rows)
    doubts = tuple(dict.fromkeys(filter(None, (contrast.doubt for contrast in decision.contrasts))))
    if doubts:
        yield Items(tuple(Item(head=doubt) for doubt in doubts))


def _claim(says: str, decision: Decision) -> Words:
    """A verdict's sentence: what is claimed, and more quietly what limits it. A name may hold the same sign."""
    names = {name for contrast in decision.contrasts for name in (contrast.variant, contrast.reference)}
    after_names = max((says.find(name) + len(name) for name in names if name in says), default=0)
    end = says.find("; ", after_names)
    return says if end < 0 else (says[:end], Span(says[end:], "quiet"))


def _comparison(contrast: Contrast, decision: Decision) -> tuple[Words, ...]:
    counts = (contrast.better, contrast.worse, contrast.equal, contrast.open, contrast.units)
    return (
        f"{contrast.variant} - {contrast.reference}",
        (Span(contrast.verdict, _VERDICTS.get(contrast.verdict, "plain")),),
        "-" if contrast.estimate is None else shown(contrast.estimate, decision.measure),
        interval_text(contrast, decision.measure).strip(" ()") or "-",
        *map(str, counts),
    )


def _answer(verdict: Verdict, *, is_brief: bool) -> Iterator[Node]:
    """What follows from the verdict: what to change, what got worse, the cost."""
    decision, answer = verdict.decision, verdict.answer
    if answer is None:
        return
    if answer.changes is not None:
        of = answer.variant if len(decision.variants) > 1 else ""
        yield changes_section(answer.changes, of=of, of_cases=decision.cases, is_brief=is_brief)
    cost = cost_text(decision)
    worse = [_worse(case, decision.measure) for case in answer.got_worse[:MOST_WORSE]]
    count = len(answer.got_worse) + answer.left_out
    if is_brief:
        facts: list[tuple[str, Words, Weight]] = []
        if worse:
            line = f"{counted(count, 'case')}, most {worse[0]}" if count > 1 else worse[0]
            facts.append(("Got worse", shortened_line(line, LINE - LABEL), "plain"))
        if cost:
            facts.append(("Cost", cost, "plain"))
        if facts:
            yield Facts(tuple(facts))
        return
    if count > len(worse):
        worse.append(f"and {counted(count - len(worse), 'more case')}")
    if worse:
        yield Section(title="Got worse", nodes=(Items(tuple(Item(head=line) for line in worse)),), id="worse")
    if cost:
        yield Section(title="Cost", nodes=(Line(cost),), id="cost")


def cost_text(decision: Decision) -> str:
    """What was spent in all, and on a run of each variant: "$1.31: 16 runs $1.20, judging $0.11; ..."."""
    runs = _sum(facts.cost for facts in decision.variants)
    judging = _sum(facts.judging_cost for facts in decision.variants)
    parts = []
    if runs:
        parts.append(f"{counted(sum(facts.cost_known for facts in decision.variants), 'run')} {dollars(runs)}")
    if judging:
        parts.append(f"judging {dollars(judging)}")
    if not parts:
        return ""
    total = f"{dollars((runs or Decimal(0)) + (judging or Decimal(0)))}: " if len(parts) == 2 else ""
    known = [(facts.name, facts.cost_per_run) for facts in decision.variants if facts.cost_per_run is not None]
    each = "; a run of " + ", of ".join(f"{name} {dollars(cost)}" for name, cost in known) if len(known) > 1 else ""
    return total + ", ".join(parts) + each


def _sum(costs: Iterator[Decimal | None]) -> Decimal | None:
    known = [cost for cost in costs if cost is not None]
    return sum(known, Decimal(0)) if known else None


def _worse(case: WorseCase, measure: MeasureName) -> str:
    """ "empty-diff: 8.10 to 5.20: leaves out the summary “No changes” line 4"."""
    line = f"{case.case}: {' to '.join(shown(value, measure, sign=False) for value in (case.before, case.after))}"
    if case.why:
        line += f": {shortened_line(case.why, LONGEST)}"
    if case.quote is not None and case.quote.text != case.why:
        place = "" if case.quote.line is None else f", line {case.quote.line}"
        line += f" “{shortened_line(case.quote.text, LONGEST)}”{place}"
    return line


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


def _variants(decision: Decision, *, is_brief: bool) -> Node:
    """The variants side by side. A column with nothing in it would only make the others too narrow."""
    rows = fact_rows(decision)
    kept = [place for place in range(len(FACT_COLUMNS)) if any(row[place] != "-" for row in rows)]
    columns = tuple(Column(FACT_COLUMNS[place], right=place > 0) for place in kept)
    table = Table(columns, tuple(Row(tuple(row[place] for place in kept)) for row in rows))
    if is_brief:
        return table
    chart = _quality(decision)
    return Section(
        title="Variants",
        nodes=(table, *([Drawing("quality_chart", chart)] if chart is not None else [])),
        id="variants",
    )


def _quality(decision: Decision) -> QualityChart | None:
    """Quality upward, cost to the right (time where no cost is known); None when there is nothing to place."""
    priced = all(facts.cost_per_run is not None for facts in decision.variants)
    entries = []
    for facts in decision.variants:
        spent = facts.cost_per_run if priced else facts.seconds
        if facts.mean is not None and spent is not None:
            unit = f"${spent:.4f} a run" if priced else f"{spent:.1f} seconds a run"
            text = f"{facts.name}: {shown(facts.mean, decision.measure, sign=False)}, {unit}"
            entries.append((facts.name, float(spent), facts.mean, text))
    most = max((amount for _, amount, _, _ in entries), default=0.0)
    ends = (1.0, 10.0) if decision.measure == "final score" else (0.0, 1.0)
    low, high = (shown(end, decision.measure, sign=False) for end in ends)
    along = "cost of a run" if priced else "seconds of a run"
    return quality_chart(entries, ends, (low, high), along, f"${most:.4f}" if priced else f"{most:.1f} s")


def _intervals(decision: Decision) -> Iterator[Node]:
    measured = [
        Measured(
            f"{contrast.variant} less {contrast.reference}",
            contrast.estimate,
            contrast.low,
            contrast.high,
            claim_text(contrast, decision.measure),
        )
        for contrast in decision.contrasts
        if contrast.low is not None and contrast.high is not None and contrast.estimate is not None
    ]
    if measured:
        chart = interval_chart(measured, reference=0, caption="The difference with its interval")
        yield Drawing("interval_chart", chart)


# --- what it rests on


def conclusion_lines(run: SuiteRun, decision: Decision) -> list[str]:
    """A sentence for each comparison, those that are not to be relied on first; or why nothing is compared.

    Before all of them, that agents could read the answers, where that is so.
    """
    return ([NOT_CONFINED] if NOT_CONFINED in run.notes else []) + run_sentences(run, decision)


def run_sentences(run: SuiteRun, decision: Decision) -> list[str]:
    """The same without the warning."""
    doubtful_first = sorted(decision.contrasts, key=lambda contrast: not contrast.doubt)
    return [contrast.says + _price(contrast, decision) for contrast in doubtful_first] or [
        _nothing_compared(run, decision)
    ]


def basis_items(run: SuiteRun, decision: Decision) -> list[Item]:
    """What the conclusions on a run rest on."""
    read = "final scores" if decision.measure == "final score" else f"the share of expectations met: {NONE_READ}"
    lines = [f"measured by {read}; {counted(decision.cases, 'case')}; the repeats of a case count once, by their mean"]
    if decision.state == "complete":
        part = part_of_suite(run, decision.cases, sum(facts.runs for facts in decision.variants))
        lines += [part] if part else []
    lines += method_lines(decision)
    if run.stops_early:
        looks = ", ".join(map(str, run.looks))
        cases = f"{counted(decision.cases, 'case')} of {run.cases} were run"
        lines.append(f"it was to stop when decided, at looks after {looks} cases; {cases}")
    return [
        *(Item(head=line) for line in lines),
        *(_contrast_item(contrast, decision.measure) for contrast in decision.contrasts),
        *(Item(head=line) for facts in decision.variants for line in _missing_lines(facts)),
        *(item for facts in decision.variants for item in (*_pass_items(facts), *_trigger_items(facts))),
        *(Item(head=f"note: {note}") for note in run.notes if note != NOT_CONFINED),
    ]


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


def part_of_suite(run: SuiteRun, cases: int, runs: int) -> str:
    """That some of a suite's runs are not among these; empty when all are, or when it was to stop early."""
    planned = run.cases * len(run.variants) * run.repeats
    if run.stops_early or runs >= planned:
        return ""
    return (
        f"only {runs:,} of {planned:,} runs are here, of {counted(cases, 'case')} out of {run.cases}: "
        "a shard is missing, or some cases only were chosen"
    )


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


def _price(contrast: Contrast, decision: Decision) -> str:
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


def _below(lines: Sequence[str]) -> tuple[Node, ...]:
    return tuple(Line(line, "quiet") for line in lines)


def _contrast_item(contrast: Contrast, measure: MeasureName) -> Item:
    paired = counted(contrast.cases, "case")
    lines = []
    if contrast.unit == "cluster":
        lines.append(
            f"{paired} of {counted(contrast.units, 'cluster')}; the cases of a cluster are alike and count once, by "
            "their mean"
        )
    for entry in contrast.left_out[:SHOWN_REASONS]:
        what = f"{counted(entry.expectations, 'expectation')} of {contrast.expectations:,}"
        lines.append(f"{what} left out on both sides: {entry.reason}")
    if contrast.mean is not None and contrast.claim == "typical" and contrast.units > 1:
        lines.append(f"mean difference {shown(contrast.mean, measure)}")
    if contrast.p_value is not None:
        kind = {"typical": "exact sign test", "mean": "paired t test"}[contrast.claim or "typical"]
        chance = f"{chance_text(contrast.p_value)} ({kind})"
        lines.append(
            f"chance of a difference this large if there were none: {chance}; shown at {contrast.level:.3g} or less"
        )
    return Item(
        head=f"{contrast.variant} against {contrast.reference}: {paired} of both sides",
        below=(*_below(lines), *_details(contrast.details, measure)),
    )


def _details(details: Sequence[Detail], measure: MeasureName) -> tuple[Node, ...]:
    if not details:
        return ()
    lines = []
    for kind in dict.fromkeys(detail.kind for detail in details):
        some = [detail for detail in details if detail.kind == kind]
        for detail in some[:SHOWN_DETAILS]:
            unit = _UNITS.get(kind, measure)
            mean = shown(detail.mean, unit)
            if kind == "finding":  # more of a fault is not a gain, whatever its sign
                direction = "more" if detail.mean > 0 else "fewer"
                mean = f"in {shown(abs(detail.mean), unit, sign=False)} {direction} of its runs"
            lines.append(f"{kind} {detail.name}: {mean} over {counted(detail.cases, 'case')}")
        if len(some) > SHOWN_DETAILS:
            lines.append(f"and {len(some) - SHOWN_DETAILS} more of this kind")
    title = "where it differs (exploratory: hints where to look, not conclusions):"
    return (Items((Item(head=title, below=_below(lines)),)),)


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


def _pass_items(facts: VariantFacts) -> Iterator[Item]:
    """Where cases were tried repeatedly: how often a single try passes, and some of k."""
    if len(facts.passes) < 2:
        return
    lines = [
        f"of {passes.k} tries: every one {_share(passes.every)} (pass^{passes.k}), at least one "
        f"{_share(passes.at_least_one)} (pass@{passes.k})"
        for passes in facts.passes[1:]
    ]
    yield Item(head=f"{facts.name}: {_share(facts.passes[0].every)} of its runs pass", below=_below(lines))


def _trigger_items(facts: VariantFacts) -> Iterator[Item]:
    """How well a skill is activated, and the prompts at which it was not as it should be."""
    found = facts.triggers
    if found is None:
        return
    parts = [] if found.recall is None else [f"activated at {_share(found.recall)} of the prompts it is for (recall)"]
    if found.precision is not None:
        parts.append(f"{_share(found.precision)} of its activations were wanted (precision)")
    lines = [
        f"{prompt.case}: activated in {prompt.activated} of {counted(prompt.runs, 'run')}"
        for prompt in found.prompts
        if prompt.activated != (prompt.runs if prompt.wanted else 0)
    ]
    yield Item(head=f"{facts.name}: {'; '.join(parts) or 'never activated'}", below=_below(lines))


def _share(share: Share) -> str:
    if share.low is None or share.high is None:
        return f"{share.value:.1%}"
    return f"{share.value:.1%} [{share.low:.1%} to {share.high:.1%}]"
