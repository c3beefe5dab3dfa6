"""Which of two outputs is better: what judges said in either order, and what came of it. Nothing here computes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple

from evenhand.core.values.opinion import Evidence
from evenhand.core.values.panel import Calls

Verdict = Literal["first", "second", "tie"]
"""What a judge answers about two outputs, by the order in which they were shown."""

Outcome = Literal["a", "b", "tie", "inconsistent", "undecided"]
"""What came of a pair: a preference that survived the swap, a tie in both orders, neither, or no verdict."""


class PairReading(NamedTuple):
    """One judge's answer about a pair in one order."""

    shown_first: Literal["a", "b"]
    verdict: Verdict | None
    reason: str = ""
    """Why there is no verdict; empty when there is one."""
    justification: str = ""
    evidence: Mapping[Literal["a", "b"], tuple[Evidence, ...]] = {}
    """The quotes from each side, checked against that side."""


class JudgePreference(NamedTuple):
    """One judge's answers about a pair in both orders."""

    judge: str
    outcome: Outcome
    readings: tuple[PairReading, ...]
    reread: tuple[PairReading, ...] = ()
    """The readings without passages that may address the judge; where there are any, they decide."""


class PairResult(NamedTuple):
    """One item's outputs by two systems, compared."""

    item: str
    a: str
    b: str
    outcome: Outcome
    judges: tuple[JudgePreference, ...] = ()
    warnings: tuple[str, ...] = ()
    calls: Calls = Calls()


class Interval(NamedTuple):
    """A share with its 95 % interval."""

    share: float
    low: float
    high: float


class Tally(NamedTuple):
    """How often the first of two systems, or one system against all others, was preferred."""

    wins: int = 0
    losses: int = 0
    ties: int = 0
    inconsistent: int = 0
    undecided: int = 0

    @property
    def decided(self) -> int:
        """Pairs with a verdict in both orders, consistent or not."""
        return self.wins + self.losses + self.ties + self.inconsistent


class Preferences(NamedTuple):
    """A whole comparison of systems."""

    systems: tuple[str, ...]
    results: tuple[PairResult, ...]
    judges: tuple[Mapping[str, str], ...]
    """Everything about each judge that affects a verdict."""
    rubrics: Mapping[str, str]
    """The rubrics that were judged by, each with its hash."""
    unmatched: tuple[tuple[str, str], ...] = ()
    """Systems with items that not all systems have."""
    failures: tuple[str, ...] = ()
    """What could not be read or compared."""
    left_out: int = 0
    """Pairs that were not compared because the run stopped."""


class Strength(NamedTuple):
    """A system's strength in a Bradley-Terry model."""

    system: str
    value: float
    """The logarithm of its odds against an average system of this comparison."""
    error: float
    """The standard error of that."""
