"""Verdicts to the value of a tree of criteria, and to a score. Pure; rational numbers throughout.

A criterion is worth 1 (yes), 0 (no), 1/2 (partly, unless the rubric states another fraction), nothing (does not apply)
or anything from 0 to 1 (cannot tell). A node is worth the sum of weight times value of its positive children that
apply, less the points of its negative ones, over the sum of those positive weights; with only negative children that
apply, 1 less the share of the points lost. It is clipped to 0..1 once, at the dimension. Where nothing applies there is
no value, and so no score.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction

from evenhand.core.basics.methodology import HIGHEST, LOWEST
from evenhand.core.basics.numbers import half_up, points
from evenhand.core.values.criterion import CANNOT_TELL, DOES_NOT_APPLY, NO, PARTLY, YES, Criterion, Group, Span, Tree
from evenhand.core.values.opinion import Answer

_ZERO, _ONE = Fraction(0), Fraction(1)


def counted_answers(criteria: Iterable[Criterion], answers: Mapping[str, Answer]) -> dict[str, Answer]:
    """What each criterion counts as once its prerequisites are known; `criteria` are those of the whole rubric.

    One whose prerequisite failed counts as `no`, or does not apply, as its rubric says. A prerequisite that is met
    partly, or that itself does not apply, has not failed. If it cannot be told, neither can what requires it. A
    criterion without an answer cannot be told.
    """
    by_id = {criterion.id: criterion for criterion in criteria}
    counted: dict[str, Answer] = {}
    failed: set[str] = set()
    for id in in_order_of_requirement(by_id.values()):
        criterion = by_id[id]
        known = [required for required in criterion.requires if required in counted]
        if any(required in failed for required in known):
            counted[id] = criterion.unmet
            failed.add(id)
        elif any(counted[required] == CANNOT_TELL for required in known):
            counted[id] = CANNOT_TELL
        else:
            counted[id] = answers.get(id, CANNOT_TELL)
            if counted[id] == NO:
                failed.add(id)
    return {id: counted[id] for id in by_id}


def in_order_of_requirement(criteria: Iterable[Criterion]) -> list[str]:
    """The ids, each after those it requires. Whatever requires itself, directly or not, is refused with the rubric."""
    by_id = {criterion.id: criterion for criterion in criteria}
    ordered: dict[str, None] = {}
    opened: set[str] = set()
    for start in by_id:
        waiting = [start]
        while waiting:  # a stack, not recursion: a chain may be as long as the list
            id = waiting[-1]
            if id in opened:
                ordered.setdefault(waiting.pop())
            else:
                opened.add(id)
                waiting += [required for required in by_id[id].requires if required in by_id and required not in opened]
    return list(ordered)


def tree_value(tree: Tree, counted: Mapping[str, Answer]) -> Span | None:
    """What the criteria of a dimension are worth together, not yet clipped; None when none applies."""
    return _sum(tree.children, counted, tree.partly)


def node_value(node: Criterion | Group, counted: Mapping[str, Answer], partly: Fraction) -> Span | None:
    """What a node is worth; None when it does not apply."""
    if isinstance(node, Group):
        return _sum(node.children, counted, partly)
    answer = counted[node.id]
    if answer == DOES_NOT_APPLY:
        return None
    if answer == CANNOT_TELL:
        return Span(_ZERO, _ONE)
    value = {YES: _ONE, NO: _ZERO, PARTLY: partly}[answer]
    return Span(value, value)


def _sum(children: Sequence[Criterion | Group], counted: Mapping[str, Answer], partly: Fraction) -> Span | None:
    low = high = whole = lost_low = lost_high = lost_whole = _ZERO
    for child in children:
        value = node_value(child, counted, partly)
        if value is None:
            continue
        weight = child.weight if isinstance(child, Group) else child.points
        if weight > 0:
            low += weight * value.low
            high += weight * value.high
            whole += weight
        else:
            lost_low -= weight * value.low
            lost_high -= weight * value.high
            lost_whole -= weight
    if whole:
        return Span((low - lost_high) / whole, (high - lost_low) / whole)
    return Span(1 - lost_high / lost_whole, 1 - lost_low / lost_whole) if lost_whole else None


def score_of(value: Fraction) -> Decimal:
    """The score of a value: 1 + 9 * value, clipped to 0..1 first, half up to two decimals."""
    clipped = min(max(value, _ZERO), _ONE)
    hundredths = LOWEST + (HIGHEST - LOWEST) * clipped
    return points(half_up(hundredths.numerator, hundredths.denominator))
