"""Scorecards in order, as values."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Annotated

from evenhand.named_tuple import NamedTuple

if TYPE_CHECKING:
    from evenhand.core.basics.published import DecidedBy, Json, Letter, Score


class RankedEntry(NamedTuple):
    """One place of a ranking."""

    rank: int
    id: str
    skill: str
    final: Decimal
    grade: Annotated[str, Json(shape=Letter)]
    equivalent_to: tuple[str, ...]
    decided_by: Annotated[str | None, Json(shape=DecidedBy)]
    """The rule that put this entry above the next one; None on the last."""


class Unranked(NamedTuple):
    """A scorecard without a final score has no place."""

    id: str
    skill: str
    reason: str
    at_best: Annotated[Decimal | None, Json(shape=Score)] = None
    """The highest final score it can still have; None when anything is possible."""
    below: int = 0
    """How many ranked entries are certainly better."""
    above: int = 0
    """How many ranked entries are certainly worse."""


class Ranking(NamedTuple):
    """Scorecards in order, best first."""

    entries: tuple[RankedEntry, ...]
    unranked: tuple[Unranked, ...]
    warnings: tuple[str, ...]
