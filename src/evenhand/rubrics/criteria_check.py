"""Weaknesses of a rubric's criteria: those that can never count, that say what another says, or that say nothing."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from evenhand.core.rubric import Criterion, Group, Rubric, Tree

_WORDS = re.compile(r"[\W_]+")


def criteria_weaknesses(rubric: Rubric, unfilled: Callable[[str], bool]) -> Iterator[tuple[str, str]]:
    """The id of each weak criterion or group, and what is weak about it."""
    trees = {name: criteria.tree for name, criteria in rubric.dimensions.items() if criteria.tree is not None}
    required = {id for tree in trees.values() for criterion in tree.criteria() for id in criterion.requires}
    said: dict[str, str] = {}
    for name, tree in trees.items():
        if not rubric.weights[name]:
            first = next(tree.criteria())
            yield first.id, f"{name} has criteria and no weight, so they cannot change the final score"
        for criterion in tree.criteria():
            if unfilled(criterion.sentence) or unfilled(criterion.applies_when):
                yield criterion.id, f"{criterion.id} still holds a placeholder: {criterion.sentence}"
            if not criterion.points and criterion.id not in required:
                yield criterion.id, f"{criterion.id} cannot be reached: it has no points, and nothing requires it"
            same = said.setdefault(_folded(criterion), criterion.id)
            if same != criterion.id:
                yield criterion.id, f"{criterion.id} says the same as {same}; what holds counts twice"
        yield from _weightless(tree)


def _folded(criterion: Criterion) -> str:
    """A sentence by which duplicates are known: case, punctuation and white space do not matter."""
    words = f"{criterion.sentence} when {criterion.applies_when}"
    return _WORDS.sub(" ", words.casefold()).strip() or criterion.id


def _weightless(node: Tree | Group) -> Iterator[tuple[str, str]]:
    for child in node.children:
        if isinstance(child, Group) and not child.weight:
            yield child.id, f"nothing in {child.id} can be reached: the group has no weight"
        elif isinstance(child, Group):
            yield from _weightless(child)
