"""Criteria under a dimension, and what a judge answered to each. Immutable values; nothing here computes.

A dimension's criteria are a tree: leaves are criteria with points, nodes are groups with a weight, nested to any depth.
Few rubrics have any, so nothing on the way of `score` loads this before one does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Final, Literal, NamedTuple

from evenhand.core.values.opinion import Answer, Verdict

YES: Final = "yes"
NO: Final = "no"
PARTLY: Final = "partly"
DOES_NOT_APPLY: Final = "does not apply"
CANNOT_TELL: Final = "cannot tell"
ANSWERS: Final[tuple[Answer, ...]] = (YES, NO, PARTLY, DOES_NOT_APPLY, CANNOT_TELL)

UNANSWERED: Final = "no answer"
"""What stands as the decider of a verdict where no usable answer came: the judge broke, and did not say cannot tell."""

HALF: Final = Fraction(1, 2)


def answer_from(value: object) -> Answer:
    """One of the five answers. ValueError when it is none of them."""
    for answer in ANSWERS:
        if value == answer:
            return answer
    raise ValueError(f"one of {', '.join(ANSWERS)}")


class Criterion(NamedTuple):
    """One concrete statement about the work that a judge answers: yes, no, partly, does not apply, cannot tell."""

    id: str
    """Unique in the whole rubric, groups included."""
    sentence: str
    points: Fraction
    """What it is worth among its siblings; below 0 it takes points away when it is true. 0 counts for nothing."""
    requires: tuple[str, ...] = ()
    """The criteria, of any dimension, that must be met before this one is asked."""
    unmet: Literal["no", "does not apply"] = NO
    """What it counts as when one of those is not met."""
    applies_when: str = ""
    """The condition under which it is asked, in words; empty for always."""
    check: str = ""
    """The check that decides it without a model."""
    expect: Mapping[str, object] | None = None
    """The expectation that decides it without a model, as a suite writes it."""
    notes: Mapping[str, object] = {}
    """What another tool's file says of it and that has no meaning here; kept to be written back."""

    @property
    def asked(self) -> bool:
        """Whether a judge is asked; a program decides the others."""
        return not self.check and self.expect is None


class Group(NamedTuple):
    """Criteria that count together, with one weight among their siblings."""

    id: str
    title: str
    weight: Fraction
    """Not negative: only criteria take points away."""
    children: tuple[Criterion | Group, ...]
    notes: Mapping[str, object] = {}


class Tree(NamedTuple):
    """The criteria of one dimension; they give its score."""

    children: tuple[Criterion | Group, ...]
    partly: Fraction = HALF
    """What `partly` is worth."""

    def criteria(self) -> Iterator[Criterion]:
        """Every criterion in the order of the rubric."""
        return _criteria(self.children)


def _criteria(children: tuple[Criterion | Group, ...]) -> Iterator[Criterion]:
    for child in children:
        if isinstance(child, Group):
            yield from _criteria(child.children)
        else:
            yield child


class Span(NamedTuple):
    """The least and the greatest value; equal unless a verdict is `cannot tell`."""

    low: Fraction
    high: Fraction


class ScoredCriteria(NamedTuple):
    """The criteria behind one line of a scorecard."""

    tree: Tree
    verdicts: Mapping[str, Verdict]
    """By id, one for each criterion: what counted, prerequisites considered."""
    value: Span | None
    """What the tree is worth, not clipped; None when nothing applies, or when several judges answered: each has its
    own value, and the score is the median of theirs."""
