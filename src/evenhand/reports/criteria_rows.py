"""The criteria behind a dimension's score, in words: missed ones first, the most costly on top. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from evenhand.core.criteria import PREREQUISITE, shown_fraction, signed
from evenhand.core.criteria_results import CriterionCost, State, criteria_costs
from evenhand.core.judgement import Evidence
from evenhand.core.numbers import half_up, points
from evenhand.core.scorecard import ScoredDimension, Span
from evenhand.in_words import counted

STATES: dict[State, str] = {"missed": "missed", "open": "undecided", "met": "met", "out": "does not apply"}
"""What a report calls them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CriterionRow:
    """One criterion as a report shows it."""

    id: str
    sentence: str
    state: State
    answer: str
    points: str
    """What it is worth among its siblings: "+2", "-4"."""
    cost: str
    """What it costs the dimension's score: "-2.25"; "up to -2.25" where it cannot be told; empty for nothing."""
    group: str
    """The groups it is in: "Steps, Checking"; empty outside of groups."""
    says: str
    """The reason, with who decided it and how the votes fell."""
    evidence: tuple[Evidence, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CriteriaReport:
    """The criteria of one dimension as data to show."""

    summary: str
    """ "3 of 7 criteria met, 4 missed; 1 does not apply; worth 13/24"."""
    rows: tuple[CriterionRow, ...]
    """Missed, undecided, met, not applying; the most costly first."""


def criteria_report(line: ScoredDimension) -> CriteriaReport | None:
    """Put the criteria of a dimension into words; None where it has none."""
    if line.criteria is None or not line.criteria.verdicts:
        return None
    costs = criteria_costs(line.criteria)
    return CriteriaReport(summary=_summary(costs, line.criteria.value), rows=tuple(map(_row, costs)))


def votes_words(votes: Mapping[str, int]) -> str:
    """How samples or judges voted: "2 yes, 1 no"; empty when there was one voice, or all agree."""
    return ", ".join(f"{count} {answer}" for answer, count in votes.items()) if len(votes) > 1 else ""


def share_words(votes: Mapping[str, int]) -> str:
    """The share of yes over samples or judges: "yes in 2 of 3"; empty when there was one voice."""
    return f"yes in {votes.get('yes', 0)} of {sum(votes.values())}" if votes else ""


def _summary(costs: list[CriterionCost], value: Span | None) -> str:
    number = {state: sum(cost.state == state for cost in costs) for state in STATES}
    applying = len(costs) - number["out"]
    parts = [f"{number['met']} of {counted(applying, 'criterion', 'criteria')} met"]
    parts += [f"{number[state]} {STATES[state]}" for state in ("missed", "open") if number[state]]
    text = ", ".join(parts)
    if number["out"]:
        text += f"; {counted(number['out'], 'does', 'do')} not apply"
    if value is None:
        return text
    low, high = shown_fraction(value.low), shown_fraction(value.high)
    return f"{text}; worth {low if low == high else f'{low} to {high}'}"


def _row(cost: CriterionCost) -> CriterionRow:
    criterion, verdict = cost.criterion, cost.verdict
    lost = points(half_up((100 * cost.lost).numerator, (100 * cost.lost).denominator))
    by = "" if verdict.by in ("", PREREQUISITE) else f"{verdict.by}: "
    votes = votes_words(verdict.votes)
    return CriterionRow(
        id=criterion.id,
        sentence=criterion.sentence,
        state=cost.state,
        answer=verdict.answer,
        points=signed(criterion.points),
        cost="" if not cost.lost else f"{'up to ' if cost.state == 'open' else ''}-{lost}",
        group=", ".join(group.title or group.id for group in cost.groups),
        says=f"{by}{verdict.reason}" + (f" ({votes})" if votes else ""),
        evidence=verdict.evidence,
    )
