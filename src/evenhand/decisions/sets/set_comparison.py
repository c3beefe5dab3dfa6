"""Two sets of scorecards compared as two variants: the decision, and what it rests on. Nothing here computes."""

from __future__ import annotations

from dataclasses import dataclass

from evenhand.core.values import Change
from evenhand.decisions.decision import Contrast, Decision


@dataclass(frozen=True, slots=True)
class SetComparison:
    """Two sets of scorecards, the second against the first."""

    names: tuple[str, str]
    """What the sets are called."""
    decision: Decision
    """As of a suite with two variants; the names of its cases are those of the evaluations."""
    paired_by: str
    """The key that the cards of a case share: submission, id, file name or task."""
    changes: tuple[Change, ...] = ()
    """What else differs between the sets: rubric, judge, the skill's version."""
    ids: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = ()
    """The evaluations of each case in both sets, in the order of the decision's differences."""

    @property
    def contrast(self) -> Contrast:
        """The second set against the first."""
        return self.decision.contrasts[0]
