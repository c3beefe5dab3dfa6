"""What follows a verdict, as data to show: what to change, what got worse, the cost. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from evenhand.decisions.gate_words import measured
from evenhand.decisions.sets.set_comparison import SetComparison
from evenhand.decisions.values.answer import Answer, WorseCase
from evenhand.decisions.values.decision import Decision, Measure, VariantFacts
from evenhand.in_words import counted, dollars, shortened_line
from evenhand.reports.comparison.what_to_change import LONGEST, ChangesReport, changes_report

MOST_WORSE = 3
"""Cases that got worse which a text shows; the document has more."""


@dataclass(frozen=True, slots=True)
class AnswerReport:
    """An answer as a report shows it."""

    changes: ChangesReport | None
    worse: tuple[str, ...]
    cost: str
    """Empty when no cost is known."""


def answer_report(answer: Answer, measure: Measure, *, several: bool, cases: int, cost: str = "") -> AnswerReport:
    """`several`: whether there is a choice of what to change; `cases` is how many there are in all."""
    changes = None
    if answer.changes is not None:
        changes = changes_report(answer.changes, of=answer.variant if several else "", of_cases=cases)
    worse = [_worse(case, measure) for case in answer.got_worse[:MOST_WORSE]]
    not_shown = len(answer.got_worse) + answer.left_out - len(worse)
    worse += [f"and {counted(not_shown, 'more case')}"] if not_shown else []
    return AnswerReport(changes, tuple(worse), cost)


def set_answer_report(answer: Answer, comparison: SetComparison) -> AnswerReport:
    """What follows the verdict of two sets."""
    cases = len(comparison.cases) or comparison.sizes[1]
    return answer_report(answer, "final score", several=True, cases=cases)


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
    return total + ", ".join(parts) + _by_run(decision.variants)


def _by_run(variants: Sequence[VariantFacts]) -> str:
    known = [(facts.name, facts.cost_per_run) for facts in variants if facts.cost_per_run is not None]
    if len(known) < 2:
        return ""
    return "; a run of " + ", of ".join(f"{name} {dollars(cost)}" for name, cost in known)


def _sum(costs: Iterator[Decimal | None]) -> Decimal | None:
    known = [cost for cost in costs if cost is not None]
    return sum(known, Decimal(0)) if known else None


def _worse(case: WorseCase, measure: Measure) -> str:
    """ "empty-diff: 8.10 to 5.20: leaves out the summary “No changes” line 4"."""
    line = f"{case.case}: {' to '.join(measured(value, measure, sign=False) for value in (case.before, case.after))}"
    if case.why:
        line += f": {shortened_line(case.why, LONGEST)}"
    if case.quote is not None and case.quote.text != case.why:
        place = "" if case.quote.line is None else f", line {case.quote.line}"
        line += f" “{shortened_line(case.quote.text, LONGEST)}”{place}"
    return line
