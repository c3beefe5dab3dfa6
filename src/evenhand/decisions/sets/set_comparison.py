"""Two sets of scorecards compared: their sizes and means, the test of the difference, the score of every case."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import repeat
from typing import NamedTuple

from evenhand.core.numbers import half_up, points
from evenhand.core.values import Change
from evenhand.decisions.sets.pairs import PairedComparison
from evenhand.decisions.sets.repeats import CaseScores
from evenhand.decisions.values.decision import Contrast


class PairedScores(NamedTuple):
    """A case's final score in two sets."""

    name: str
    before: Decimal
    after: Decimal
    ids: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())
    """The evaluations behind the two, where they are known."""


class SetComparison(NamedTuple):
    """Two sets of scorecards, B against A."""

    names: tuple[str, str]
    sizes: tuple[int, int]
    """How many have a final score."""
    means: tuple[float, float]
    paired_by: str | None
    """The key the cards of a pair share: submission, id, file name or task; None when nothing could be paired."""
    left_out: int
    """How many scorecards have no final score."""
    result: PairedComparison
    cases: tuple[CaseScores, ...] = ()
    """The final scores of each case in both sets; empty when nothing could be paired."""
    case_names: tuple[str, ...] = ()
    changes: tuple[Change, ...] = ()
    """What else differs between the sets: rubric, judge, the skill's version."""
    contrast: Contrast | None = None
    """B against A as a suite would compare them; None when nothing could be paired."""
    case_ids: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = ()
    """The evaluations of each case in both sets, by id; empty where they are not known."""

    @property
    def pairs(self) -> list[PairedScores]:
        """Every case with its final score in each set: the mean of its runs."""
        return [
            PairedScores(name, _mean(case.first), _mean(case.second), ids)
            for name, case, ids in zip(
                self.case_names, self.cases, self.case_ids or repeat(((), ()), len(self.cases)), strict=True
            )
        ]


def _mean(finals: Sequence[int | Fraction]) -> Decimal:
    return points(half_up(int(sum(finals)), len(finals)))
