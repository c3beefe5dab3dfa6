"""Paired differences -> one claim with its estimate and interval, of which the verdict can be read off. Pure.

Two claims can be made of differences, one for each independent unit:

- **typical**: the median of the differences that are not zero, with the interval of order statistics that belongs to
  the exact sign test over just these. Nothing is assumed about how large the differences are.
- **mean**: the (weighted) mean of all, with Student's interval; only from `LEAST_FOR_MEAN` units on, effectively too,
  and where their skewness m3 / m2^1.5 is at most `MOST_SKEW` times the root of their number. With rare large
  differences on one side Student's interval would miss its level.

Where mean and median have opposite signs the interval is widened to hold both: rare large differences outweigh the
typical one, and neither side is better.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from math import lcm, sqrt
from typing import Literal

from evenhand.core.history import two_sided
from evenhand.stats.sign_test import two_sided_sign, typical, typical_interval
from evenhand.stats.student import quantile as exact_quantile

LEAST_FOR_MEAN = 30
MOST_SKEW = 0.1
MOST_FREEDOM = 1000
"""Degrees of freedom beyond this are not counted: the series is long, and the quantile hardly moves (0.1 %)."""

PLACES = 6
"""Decimals of an estimate and its interval. Verdicts are read off the rounded ends: what is published decides."""

Claim = Literal["typical", "mean"]

quantile = lru_cache(maxsize=4096)(exact_quantile)


@dataclass(frozen=True, slots=True)
class Estimated:
    """A claim about differences, with its estimate and interval."""

    claim: Claim
    estimate: float | None
    """None where no difference is other than zero."""
    low: float | None
    high: float | None
    """The ends of the interval; None where too few differ for any."""
    p_value: float
    """The p-value of the test that belongs to the interval."""
    mean: float
    is_widened: bool = False
    """Whether mean and median have opposite signs."""


def estimated(
    differences: Sequence[Fraction], level: float, *, weights: Sequence[Fraction] = (), can_be_mean: bool = True
) -> Estimated:
    """The claim about differences of independent units, at this two-sided level; `weights` are for the mean alone."""
    shares = weights or [Fraction(1)] * len(differences)
    mean = _weighted_mean(differences, shares)
    median = typical(differences)
    spread = _spread(differences, shares, mean) if can_be_mean else None
    centre = float(mean)
    if spread is not None and spread.error:
        reach = quantile(level / 2, spread.freedom) * spread.error
        p_value = two_sided(centre / spread.error, spread.freedom)
        found = Estimated("mean", centre, centre - reach, centre + reach, p_value, centre)
    else:
        better, worse = sum(value > 0 for value in differences), sum(value < 0 for value in differences)
        ends = typical_interval(differences, level)
        low, high = (None, None) if ends is None else (float(ends[0]), float(ends[1]))
        estimate = None if median is None else float(median)
        found = Estimated("typical", estimate, low, high, two_sided_sign(better, worse), centre)
    if median is not None and median * mean < 0:
        found = replace(found, is_widened=True, p_value=1.0)
        if found.low is not None and found.high is not None:
            ends_of_both = (float(median), centre)
            found = replace(found, low=min(found.low, *ends_of_both), high=max(found.high, *ends_of_both))
    return _rounded(found)


def held_by_both(first: Estimated, second: Estimated, middle: Estimated) -> Estimated:
    """One claim from two readings of what is not known: its interval holds those of both, and the estimate between."""
    low = high = None
    if None not in (first.low, first.high, second.low, second.high):
        given = [] if middle.estimate is None else [middle.estimate]
        low = min([first.low, second.low, *given])  # type: ignore[type-var]
        high = max([first.high, second.high, *given])  # type: ignore[type-var]
    return replace(
        middle,
        low=low,
        high=high,
        p_value=max(first.p_value, second.p_value),
        is_widened=first.is_widened or second.is_widened,
    )


def _rounded(found: Estimated) -> Estimated:
    def cut(value: float | None) -> float | None:
        return None if value is None else round(value, PLACES) + 0.0  # never minus zero

    return replace(
        found, estimate=cut(found.estimate), low=cut(found.low), high=cut(found.high), mean=round(found.mean, PLACES)
    )


def _weighted_mean(values: Sequence[Fraction], weights: Sequence[Fraction]) -> Fraction:
    # In whole numbers of one unit: adding many fractions one by one would take most of the time of a decision.
    unit = lcm(*(value.denominator * weight.denominator for value, weight in zip(values, weights, strict=True)))
    total = sum(
        weight.numerator * value.numerator * (unit // (weight.denominator * value.denominator))
        for value, weight in zip(values, weights, strict=True)
    )
    return Fraction(total, unit) / sum(weights, Fraction(0))


@dataclass(frozen=True, slots=True)
class _Spread:
    error: float
    freedom: int


def _spread(values: Sequence[Fraction], weights: Sequence[Fraction], mean: Fraction) -> _Spread | None:
    """The standard error of the mean; None where the mean may not be claimed."""
    n = len(values)
    if n < LEAST_FOR_MEAN:
        return None
    shares = [float(weight) for weight in weights]
    total = sum(shares)
    effective = total**2 / sum(share**2 for share in shares)  # Kish
    if effective < LEAST_FOR_MEAN:
        return None
    centre = float(mean)
    moves = [share * (float(value) - centre) for value, share in zip(values, shares, strict=True)]
    second = sum(move**2 for move in moves) / n
    if second <= 0 or abs(sum(move**3 for move in moves) / n / second**1.5) > MOST_SKEW * sqrt(n):
        return None
    return _Spread(sqrt(second * n / (n - 1) * n) / total, max(1, min(n - 1, round(effective) - 1, MOST_FREEDOM)))
