"""The arithmetic of a dimension's criteria as lines that a person can follow. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction

from evenhand.core.criteria.value import node_value, score_of
from evenhand.core.values.criterion import Criterion, Group, ScoredCriteria, Span
from evenhand.core.values.opinion import Answer
from evenhand.core.values.scorecard import ScoredDimension


def criteria_lines(name: str, line: ScoredDimension) -> Iterator[str]:
    """Every criterion with its answer and value, every group, and the score they give."""
    if line.criteria is None:
        return
    tree, verdicts, value = line.criteria
    if value is None and any(verdict.votes for verdict in verdicts.values()):
        yield f"{name}: the median of the judges' scores, each by its own answers"
        return
    counted = {id: verdict.answer for id, verdict in verdicts.items()}
    for child in tree.children:
        yield from _node(name, child, line.criteria, counted, 1)
    if value is None:
        yield f"{name}: none of its criteria applies, so it has no score"
        return
    low, high = score_of(value.low), score_of(value.high)
    score = str(low) if low == high else f"{low} to {high}"
    yield f"{name} = {_shown(value)}{_clipping(value)}; 1 + 9 x that = {score}, halves up"


def _node(
    name: str, node: Criterion | Group, scored: ScoredCriteria, counted: Mapping[str, Answer], depth: int
) -> Iterator[str]:
    value = node_value(node, counted, scored.tree.partly)
    indent = "  " * depth
    if isinstance(node, Group):
        yield f"{indent}{node.id} weighs {shown_fraction(node.weight)}: {_shown(value)}"
        for child in node.children:
            yield from _node(name, child, scored, counted, depth + 1)
        return
    verdict = scored.verdicts[node.id]
    why = f" ({verdict.by})" if verdict.by else ""
    yield f"{indent}{node.id} {signed(node.points)} x {_shown(value)}: {verdict.answer}{why}"


def _clipping(value: Span) -> str:
    return ", clipped to 0..1" if value.low < 0 or value.high > 1 else ""


def _shown(value: Span | None) -> str:
    if value is None:
        return "nothing"
    low, high = shown_fraction(value.low), shown_fraction(value.high)
    return low if low == high else f"{low} to {high}"


def shown_fraction(value: Fraction) -> str:
    """A fraction as a person writes it: 2, 3/4, 0.125 where that is shorter."""
    decimal = f"{float(value):g}"
    return decimal if Fraction(decimal) == value and len(decimal) < len(str(value)) else str(value)


def signed(points: Fraction) -> str:
    """Points with their sign: +2, -1."""
    return shown_fraction(points) if points < 0 else f"+{shown_fraction(points)}"
