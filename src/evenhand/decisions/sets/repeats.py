"""Cases that were run several times: their differences, and what more cases or more runs would be worth. Pure.

A case's runs share what makes it hard, so they count as one difference, of their means. Its variance has two parts:

    variance = between cases + within cases before / runs + within cases after / runs

More runs shrink the second part only; more cases shrink both.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import sqrt
from typing import NamedTuple

from evenhand.decisions.sets.pairs import CONFIDENCE, detectable
from evenhand.files.published import SixPlaces, published


class CaseScores(NamedTuple):
    """The values of one case's runs in two sets, in hundredths: final scores, or shares of expectations met."""

    first: tuple[int | Fraction, ...]
    second: tuple[int | Fraction, ...]

    @property
    def difference(self) -> Fraction:
        """Second minus first, of the means."""
        return self.after - Fraction(sum(self.first), len(self.first))

    @property
    def after(self) -> Fraction:
        """The mean of the second."""
        return Fraction(sum(self.second), len(self.second))


class Scatter(NamedTuple):
    """Where the scatter of differences comes from, as variances in points squared."""

    between: SixPlaces
    """Of the true differences, from case to case."""
    within: SixPlaces
    """Of one run of a case, before and after together."""


class Design(NamedTuple):
    """A comparison that could be made, and what it would show."""

    cases: int
    runs: int
    """Of each case, in each set."""
    detectable: float
    """The smallest difference it would detect four times in five."""

    @property
    @published
    def evaluations(self) -> int:
        """In both sets together."""
        return 2 * self.cases * self.runs


def scatter(cases: Sequence[CaseScores]) -> Scatter | None:
    """The two parts of the variance; None with fewer than two cases, or when no case was run twice in either set."""
    spreads = [_within(case.first for case in cases), _within(case.second for case in cases)]
    if len(cases) < 2 or None in spreads:
        return None
    before, after = spreads
    assert before is not None and after is not None
    differences = [float(case.difference) for case in cases]
    mean = sum(differences) / len(cases)
    total = sum((value - mean) ** 2 for value in differences) / (len(cases) - 1)
    noise = sum(before / len(case.first) + after / len(case.second) for case in cases) / len(cases)
    return Scatter(between=max(0.0, total - noise) / 10_000, within=(before + after) / 10_000)


def designs(parts: Scatter, cases: int) -> list[Design]:
    """What the same cases, twice and four times as many would show, each run one, two, three, five or ten times."""
    rows = []
    for number in (cases, 2 * cases, 4 * cases):
        for runs in (1, 2, 3, 5, 10):
            deviation = sqrt(parts.between + parts.within / runs)
            rows.append(Design(number, runs, detectable(deviation, number, (1 - CONFIDENCE) / 2)))
    return rows


def _within(sets: Iterable[Sequence[int | Fraction]]) -> float | None:
    """The variance of the runs of one case, pooled over cases; None when none was run twice."""
    squares, freedom = 0.0, 0
    for runs in sets:
        mean = float(sum(runs)) / len(runs)
        squares += sum((float(run) - mean) ** 2 for run in runs)
        freedom += len(runs) - 1
    return squares / freedom if freedom else None
