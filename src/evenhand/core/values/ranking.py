"""Scorecards in order, as values."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, ClassVar

from evenhand.core.basics.methodology import TIE_BREAKS
from evenhand.core.basics.published import LETTERS, SCORE


@dataclass(frozen=True, slots=True)
class RankedEntry:
    """One place of a ranking."""

    rank: int
    """From 1; equal ones share a rank."""
    id: str
    """Of the scorecard, or the name of its file."""
    skill: str
    """What made the output."""
    final: Annotated[Decimal, SCORE]
    """The final score."""
    grade: Annotated[str, LETTERS]
    """The letter of the final score."""
    equivalent_to: tuple[str, ...]
    """The others on the same rank."""
    decided_by: Annotated[str | None, {"enum": ("final", *TIE_BREAKS, "red_flags", "bonuses", "equivalent")}]
    """The rule that put this entry above the next one; null on the last."""


@dataclass(frozen=True, slots=True)
class Unranked:
    """A scorecard without a final score has no place."""

    id: str
    """Of the scorecard, or the name of its file."""
    skill: str
    """What made the output."""
    reason: str
    """Why there is no final score."""
    at_best: Annotated[Decimal | None, SCORE, {"always": True}] = None
    """The highest final score it can still have; null when anything is possible."""
    below: Annotated[int, {"always": True}] = 0
    """How many ranked entries are certainly better."""
    above: Annotated[int, {"always": True}] = 0
    """How many ranked entries are certainly worse."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """Scorecards in order, best first."""

    SCHEMA: ClassVar = "evenhand/ranking/v1"

    entries: tuple[RankedEntry, ...]
    """Those with a final score, best first."""
    unranked: tuple[Unranked, ...]
    """Those without, by id."""
    warnings: tuple[str, ...]
    """Such as that the scorecards follow different rubrics."""
