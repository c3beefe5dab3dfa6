"""Sets of scorecards compared as variants: the decision, and what it rests on. Nothing here computes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from evenhand.core.comparison import Change
from evenhand.decisions.decision import Contrast, Decision


@dataclass(frozen=True, slots=True)
class SetComparison:
    """Sets of scorecards: two, or more of which every pair is compared."""

    names: tuple[str, ...]
    """What the sets are called."""
    decision: Decision
    """As of a suite with these variants; the names of its cases are those of the evaluations."""
    paired_by: str
    """The key that the cards of a case share: submission, id, file name or task."""
    changes: tuple[Change, ...] = ()
    """What else differs between the sets: rubric, judge, the skill's version."""
    ids: Mapping[str, tuple[tuple[str, ...], ...]] = field(default_factory=dict)
    """The evaluations of each case in every set."""

    @property
    def contrast(self) -> Contrast:
        """The second set against the first."""
        return self.decision.contrasts[0]
