"""The arithmetic of a dimension's criteria as lines that a person can follow. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from evenhand.core.criteria.value import node_value, score_of, tree_value
from evenhand.core.values.criterion import Criterion, Group, Span, Tree
from evenhand.core.values.opinion import Answer
from evenhand.core.values.panel import Member
from evenhand.core.values.scorecard import ScoredDimension


def criteria_lines(name: str, line: ScoredDimension, members: Sequence[Member] = ()) -> Iterator[str]:
    """Every criterion with its answer and value, every group, and the score they give; of a panel, for each judge."""
    if line.criteria is None:
        return
    tree, verdicts, value = line.criteria
    if len(members) > 1:
        yield from _of_judges(name, tree, members)
        return
    answers = {id: verdict.answer for id, verdict in verdicts.items()}
    yield from _of_tree(name, tree, answers, {id: verdict.by for id, verdict in verdicts.items() if verdict.by}, value)


def _of_judges(name: str, tree: Tree, members: Sequence[Member]) -> Iterator[str]:
    """Each judge's answers and what they give; then how the panel's score follows."""
    for member in members:
        if name not in member.scores:
            continue
        answers = {node.id: member.verdicts[node.id] for node in tree.criteria() if node.id in member.verdicts}
        yield f"{name} by {member.judge['name']}:"
        if len(answers) < sum(1 for _ in tree.criteria()):
            yield "  no answers to its criteria"
            continue
        yield from _of_tree(name, tree, answers, {}, tree_value(tree, answers))
    yield f"{name}: the median of the judges' scores, of low and of high ends by themselves"


def _of_tree(
    name: str, tree: Tree, answers: Mapping[str, Answer], decided: Mapping[str, str], value: Span | None
) -> Iterator[str]:
    for child in tree.children:
        yield from _node(child, tree.partly, answers, decided, 1)
    if value is None:
        yield f"{name}: none of its criteria applies, so it has no score"
        return
    low, high = score_of(value.low), score_of(value.high)
    score = str(low) if low == high else f"{low} to {high}"
    yield f"{name} = {_shown(value)}{_clipping(value)}; 1 + 9 x that = {score}, halves up"


def _node(
    node: Criterion | Group, partly: Fraction, answers: Mapping[str, Answer], decided: Mapping[str, str], depth: int
) -> Iterator[str]:
    value = node_value(node, answers, partly)
    indent = "  " * depth
    if isinstance(node, Group):
        yield f"{indent}{node.id} weighs {shown_fraction(node.weight)}: {_shown(value)}"
        for child in node.children:
            yield from _node(child, partly, answers, decided, depth + 1)
        return
    why = f" ({decided[node.id]})" if node.id in decided else ""
    yield f"{indent}{node.id} {signed(node.points)} x {_shown(value)}: {answers[node.id]}{why}"


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
