"""What follows a verdict, as data to show: what to change, what got worse, the cost. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from evenhand.decisions.decision import Decision, VariantFacts
from evenhand.decisions.table import MeasureName
from evenhand.decisions.values.answer import Answer, WorseCase
from evenhand.decisions.words import shown
from evenhand.errors import shortened_line
from evenhand.in_words import counted, dollars
from evenhand.reports.comparison.what_to_change import LONGEST, MOST, ChangesReport, changes_report

MOST_AT_FIRST = 2
"""Changes that are shown where the answer is to fit on a screen."""

MOST_WORSE = 3
"""Cases that got worse which a text shows; the document has more."""


@dataclass(frozen=True, slots=True)
class AnswerReport:
    """An answer as a report shows it."""

    changes: ChangesReport | None
    worse: tuple[str, ...]
    cost: str
    """Empty when no cost is known."""


def answer_report(
    answer: Answer, measure: MeasureName, *, several: bool, cases: int, cost: str = "", full: bool = True
) -> AnswerReport:
    """`several`: whether there is a choice of what to change; `cases` is how many there are in all. Without `full`, the
    most costly changes and the worst case."""
    changes = None
    if answer.changes is not None:
        name = answer.variant if several else ""
        changes = changes_report(answer.changes, of=name, of_cases=cases, most=MOST if full else MOST_AT_FIRST)
        if not full:
            rows = tuple(replace(row, lines=row.lines[:1]) for row in changes.rows)
            changes = replace(changes, rows=rows, notes=() if rows else changes.notes[:1])
    worse = [_worse(case, measure) for case in answer.got_worse[: MOST_WORSE if full else 1]]
    all_worse = len(answer.got_worse) + answer.left_out
    if not full and all_worse > 1:
        worse = [f"{counted(all_worse, 'case')}, most {line}" for line in worse]
    elif all_worse > len(worse):
        worse.append(f"and {counted(all_worse - len(worse), 'more case')}")
    return AnswerReport(changes, tuple(worse), cost)


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


def _worse(case: WorseCase, measure: MeasureName) -> str:
    """ "empty-diff: 8.10 to 5.20: leaves out the summary “No changes” line 4"."""
    line = f"{case.case}: {' to '.join(shown(value, measure, sign=False) for value in (case.before, case.after))}"
    if case.why:
        line += f": {shortened_line(case.why, LONGEST)}"
    if case.quote is not None and case.quote.text != case.why:
        place = "" if case.quote.line is None else f", line {case.quote.line}"
        line += f" “{shortened_line(case.quote.text, LONGEST)}”{place}"
    return line
