"""What would help an output most, and what each change would be worth. Immutable values; nothing here computes."""

from __future__ import annotations

from decimal import Decimal
from typing import Literal, NamedTuple

from evenhand.core.values.opinion import Evidence


class Effect(NamedTuple):
    """What changes on a scorecard, exactly: with caps, floor, ceiling, and the calibration where that is official."""

    gain: Decimal
    """How much the final score rises; its lower end, when a dimension is unscored."""
    best_gain: Decimal
    """How much its upper end rises; otherwise the same as `gain`."""
    final: Decimal | None
    """The final score reached; None when a dimension is unscored."""
    grade: str | None
    """The grade reached, where it is another one than now; None otherwise."""
    passes: bool
    """Whether this turns an output that does not pass, or might not, into one that passes."""


class Recommendation(NamedTuple):
    """One change: a dimension raised, or a red flag avoided."""

    kind: Literal["dimension", "red_flag"]
    name: str
    """The dimension, or the id of the red flag."""
    score: Decimal | None
    """The dimension's score now; None for a red flag."""
    target: Decimal | None
    """The score to reach; None for a red flag."""
    criterion: str
    """What the rubric asks for at the target, or the description of the red flag; empty where the rubric's text is not
    at hand."""
    found_by: Literal["judge", "check"]
    """Who gave the reason: a fault that a check found can keep a score down whatever the judge says."""
    reason: str
    evidence: Evidence | None
    """A quote behind the reason that is in the output; None without one."""
    worth: Decimal
    """What it adds before the floor and the ceiling, but after the cap of deductions."""
    effect: Effect
    """What this change alone does."""
    clears_flag: bool
    """Whether the dimension is flagged for review now and would not be at the target."""


class Advice(NamedTuple):
    """The changes that would help most, in order."""

    recommendations: tuple[Recommendation, ...]
    together: Effect | None
    """What all of them do together; None with fewer than two."""
    below_floor: Decimal
    """How far the composite less deductions lies below the floor; the final score rises only after that. 0 above it."""
    raw: bool
    """Whether the effects are those on the raw score, because the official one cannot be told."""
