"""What each criterion costs the score of its dimension, and which were met. Pure; rational numbers throughout.

A node is worth a weighted mean, so a criterion moves its dimension's value by its share: its points over those of its
siblings that apply, times the same of every group above it. What is lost is that share of what it is short of its best
answer, `no` for one that takes points away. Not clipped: below 0 the value of a dimension counts as 0.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Literal, NamedTuple

from evenhand.core.basics.methodology import HIGHEST, LOWEST
from evenhand.core.criteria.value import node_value, score_of
from evenhand.core.values.criterion import CANNOT_TELL, DOES_NOT_APPLY, Criterion, Group, ScoredCriteria
from evenhand.core.values.opinion import Answer, Verdict

State = Literal["missed", "open", "met", "out"]
"""Missed, also in part; open: cannot be told; met; out: does not apply, or counts for nothing."""

_ORDER: tuple[State, ...] = ("missed", "open", "met", "out")
_ZERO, _ONE = Fraction(0), Fraction(1)


class CriterionCost(NamedTuple):
    """One criterion of a scorecard, and what it costs."""

    criterion: Criterion
    verdict: Verdict
    groups: tuple[Group, ...]
    """The groups it is in, from the outermost."""
    state: State
    lost: Fraction
    """What it costs in points of its dimension's score; of one that cannot be told, what it costs at most."""


def criteria_costs(scored: ScoredCriteria) -> list[CriterionCost]:
    """The criteria behind a score, missed ones first, the most costly on top; otherwise in the order of the rubric."""
    counted = {id: verdict.answer for id, verdict in scored.verdicts.items()}
    costs = list(_costs(scored.tree.children, scored, counted, _ONE, ()))
    return sorted(costs, key=lambda cost: (_ORDER.index(cost.state), -cost.lost))


def score_without(scored: ScoredCriteria, costs: Sequence[CriterionCost]) -> int | None:
    """The score, in hundredths, if these criteria had their best answer; None where there is no single score now."""
    value = scored.value
    if value is None or value.low != value.high:
        return None
    lost = sum((cost.lost for cost in costs), _ZERO) * 100 / (HIGHEST - LOWEST)
    return int(score_of(value.low + lost) * 100)


def is_met(criterion: Criterion, answer: Answer) -> bool | None:
    """Whether an answer is the best one; None where it cannot be told, or where the criterion does not apply."""
    if answer in (CANNOT_TELL, DOES_NOT_APPLY):
        return None
    return answer == ("no" if criterion.points < 0 else "yes")


def _costs(
    children: Sequence[Criterion | Group],
    scored: ScoredCriteria,
    counted: Mapping[str, Answer],
    share: Fraction,
    groups: tuple[Group, ...],
) -> Iterator[CriterionCost]:
    partly = scored.tree.partly
    weights = [child.weight if isinstance(child, Group) else child.points for child in children]
    applying = [node_value(child, counted, partly) is not None for child in children]
    positive = sum((weight for weight, applies in zip(weights, applying, strict=True) if applies and weight > 0), _ZERO)
    negative = sum((weight for weight, applies in zip(weights, applying, strict=True) if applies and weight < 0), _ZERO)
    whole = positive or -negative
    for child, weight, applies in zip(children, weights, applying, strict=True):
        part = share * abs(weight) / whole if applies and whole else _ZERO
        if isinstance(child, Group):
            yield from _costs(child.children, scored, counted, part, (*groups, child))
            continue
        value = node_value(child, counted, partly)
        short = _ZERO if value is None else value.high if weight < 0 else 1 - value.low
        lost = part * short * (HIGHEST - LOWEST) / 100
        yield CriterionCost(child, scored.verdicts[child.id], groups, _state(child, counted[child.id], short), lost)


def _state(criterion: Criterion, answer: Answer, short: Fraction) -> State:
    if answer == DOES_NOT_APPLY or not criterion.points:
        return "out"
    if answer == CANNOT_TELL:
        return "open"
    return "missed" if short else "met"
