"""Case differences with weights -> what can be claimed of them, and a test; corrections for several tests. Pure.

The cases are the sample: the runs of a case have been averaged before they come here. Two claims can be made. "Better
in k of n cases" is about the typical case and tested by the exact sign test, in which every case counts once, whatever
its weight. It is the claim with fewer than thirty cases, and where differences are skewed. The mean is claimed with
thirty cases or more that pass a check for skew, by Student's t: with rare large differences on one side, chance alone
would make a t test reject far too often. With unequal weights the standard error is that of a weighted mean, and the
degrees of freedom are those of the effective number of cases (Kish).

Which test is made depends on the data, and that choice has its own error: symmetric differences that look skewed by
chance have uneven counts more often than a sign test supposes. Where the skewness may be chance, both tests must agree.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from math import lcm, pi, sqrt
from typing import NamedTuple

from evenhand.core.history import two_sided
from evenhand.decisions.values.decision import CaseDifference, Claim, Difference
from evenhand.stats.sign_test import EXACT_BELOW, POWER, at_most, fewest, two_sided_sign, typical, typical_interval
from evenhand.stats.student import one_sided
from evenhand.stats.student import quantile as exact_quantile

MOST_FREEDOM = 1000
"""Degrees of freedom beyond this are not counted: the series is long, and the quantile hardly moves (0.1 %)."""

MOST_SKEW = 0.1
"""The mean is claimed while the skewness of the differences is at most this times the root of the number of cases: the
two tails of a t test at 5 % then have 3.4 % and 1.6 %, which is 5 % together."""

CHANCE_SKEW = 2.326 * sqrt(6)
"""Normal differences have a skewness beyond this, divided by the root of the number of cases, in 2 of 100 samples. From
57 cases on it is less than what the check for skew allows."""

SIGN_REACH = sqrt(pi / 2)
"""The sign test detects normal differences so many times larger than a t test does; heavier tails favour it."""

quantile = lru_cache(maxsize=4096)(exact_quantile)
"""A few quantiles are needed again and again: for every tag, dimension, finding and scenario of a decision."""

NOTHING = Difference(0, None, None, None, None, "none", None)


def compare_cases(differences: Sequence[CaseDifference], level: float) -> Difference:
    """Whether one side is better, two-sided at `level`: in most cases, or in the weighted mean.

    Cases of one cluster count as one.
    """
    units = by_cluster(differences)
    result = _compare(units, level)
    if len(units) == len(differences):
        return result
    return result._replace(cases=len(differences), clusters=len(units))


def by_cluster(differences: Sequence[CaseDifference]) -> Sequence[CaseDifference]:
    """The cases of one cluster as one: their weighted mean, with the sum of their weights, so that the mean stays."""
    if not any(entry.cluster for entry in differences):
        return differences
    parts: dict[tuple[str, int], list[CaseDifference]] = {}
    for place, entry in enumerate(differences):
        parts.setdefault((entry.cluster, -1 if entry.cluster else place), []).append(entry)
    return [_as_one(part) if len(part) > 1 else part[0] for part in parts.values()]


def _as_one(part: Sequence[CaseDifference]) -> CaseDifference:
    after = weighted_mean([entry._replace(value=entry.after) for entry in part])
    weight = sum((entry.weight for entry in part), Fraction(0))
    return CaseDifference(part[0].cluster, weighted_mean(part), weight, after, part[0].cluster)


def _compare(differences: Sequence[CaseDifference], level: float) -> Difference:
    n = len(differences)
    if n == 0:
        return NOTHING
    mean = weighted_mean(differences)
    better, worse = _counts(differences)
    middle = typical([entry.value for entry in differences])
    median = None if middle is None else float(middle) / 100
    if n == 1:
        return Difference(1, float(mean) / 100, None, None, None, "none", None, None, better, worse, median)
    error, freedom, effective = standard_error(differences, mean)
    centre = float(mean) / 100
    shape, slack = _shape_of(differences), _continuity(differences)
    reach = quantile(level / 2, freedom) * error + slack if effective >= 2 else None
    least = (quantile(level / 2, freedom) + quantile(1 - POWER, freedom)) * error
    result = Difference(
        cases=n,
        mean=centre,
        low=None if reach is None else centre - reach,
        high=None if reach is None else centre + reach,
        p_value=None,
        test="t",
        detectable=least if min(n, round(effective)) >= fewest(level) else None,
        error=error,
        better=better,
        worse=worse,
        typical=median,
        claim=shape.claim,
    )
    result = result._replace(mean_low=result.low, mean_high=result.high)
    of_mean = two_sided(max(0.0, abs(centre) - slack) / error, freedom) if error else 1.0
    if shape.claim == "mean":
        return result._replace(p_value=of_mean)
    ends = typical_interval([entry.value for entry in differences], level)
    low, high = (None, None) if ends is None else (float(end) / 100 for end in ends)
    result = result._replace(
        test="sign",
        p_value=two_sided_sign(better, worse),
        low=low,
        high=high,
        detectable=None if result.detectable is None else SIGN_REACH * result.detectable,
    )
    return _agreed(result, of_mean) if shape.by_chance else result


def _agreed(counted: Difference, of_mean: float) -> Difference:
    """What the sign test says, as far as the test of the mean agrees; the interval spans both."""
    low, high = counted.low, counted.high
    if low is not None and high is not None and counted.mean_low is not None and counted.mean_high is not None:
        low, high = min(low, counted.mean_low), max(high, counted.mean_high)
    return counted._replace(test="sign-and-t", p_value=max(counted.p_value or 0.0, of_mean), low=low, high=high)


class _Shape(NamedTuple):
    """What can be claimed of differences that look like these."""

    claim: Claim
    by_chance: bool = False
    """Whether cases are counted only because of a skewness that chance may have given to symmetric differences."""


def _shape_of(differences: Sequence[CaseDifference]) -> _Shape:
    """The mean with thirty cases or more, effectively too, whose differences scatter and are not skewed."""
    n = len(differences)
    if n < EXACT_BELOW:
        return _Shape("cases")
    weights = [float(entry.weight) for entry in differences]
    if sum(weights) ** 2 < EXACT_BELOW * sum(weight**2 for weight in weights):
        return _Shape("cases")
    moves = _moves(differences, weighted_mean(differences))
    second = sum(move**2 for move in moves) / n
    if not second:
        return _Shape("cases")
    skewness = abs(sum(move**3 for move in moves) / n / second**1.5)
    if skewness <= MOST_SKEW * sqrt(n):
        return _Shape("mean")
    return _Shape("cases", by_chance=skewness <= CHANCE_SKEW / sqrt(n))


def _continuity(differences: Sequence[CaseDifference]) -> float:
    """Half a step of the mean, in points, where it moves in steps: all cases that differ differ by the same amount, as
    verdicts do. Student's t knows no steps, and would reject a little too often."""
    sizes = {abs(entry.value) for entry in differences if entry.value}
    if len(differences) < EXACT_BELOW or len(sizes) != 1 or len({entry.weight for entry in differences}) > 1:
        return 0.0
    return float(sizes.pop()) / 200 / len(differences)


def fell_by(differences: Sequence[CaseDifference], margin: Fraction = Fraction(0)) -> float:
    """The one-sided probability of differences this low if the typical one, or the mean, were `-margin`."""
    units = by_cluster(differences)
    shifted = [entry._replace(value=entry.value + margin) for entry in units]
    better, worse = _counts(shifted)
    counted, shape = at_most(better, better + worse), _shape_of(units)
    if shape.claim == "cases" and not shape.by_chance:
        return counted
    mean = weighted_mean(shifted)
    error, freedom, _ = standard_error(shifted, mean)
    of_mean = one_sided((-float(mean) / 100 - _continuity(units)) / error, freedom)
    return max(counted, of_mean) if shape.by_chance else of_mean


def _counts(differences: Sequence[CaseDifference]) -> tuple[int, int]:
    """In how many cases it is better, and in how many worse."""
    return sum(entry.value > 0 for entry in differences), sum(entry.value < 0 for entry in differences)


def mirrored(differences: Sequence[CaseDifference]) -> list[CaseDifference]:
    """The reference against the variant."""
    return [entry._replace(value=-entry.value) for entry in differences]


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """P-values after Holm's step-down correction; the chance of any false one among them stays at the level.

    None is a test that could not be made. It counts: the family is what was asked, not what could be answered.
    """
    tests = len(p_values)
    adjusted: list[float | None] = [None] * tests
    highest = 0.0
    order = sorted((value, place) for place, value in enumerate(p_values) if value is not None)
    for rank, (value, place) in enumerate(order):
        highest = max(highest, min(1.0, value * (tests - rank)))
        adjusted[place] = highest
    return adjusted


def weighted_mean(differences: Sequence[CaseDifference]) -> Fraction:
    """In hundredths, exact."""
    # In whole numbers of one unit: adding many fractions one by one would take most of the time of a decision.
    unit = lcm(*(entry.value.denominator * entry.weight.denominator for entry in differences))
    parts = [
        (entry.weight.numerator * (unit // entry.weight.denominator), entry.value.numerator, entry.value.denominator)
        for entry in differences
    ]
    return Fraction(
        sum(weight * numerator // denominator for weight, numerator, denominator in parts),
        sum(weight for weight, _, _ in parts),
    )


def others(cases: int, level: float) -> float:
    """The largest share of cases that could differ from the rest where none of these does, with a chance of `level`."""
    return 1 - float(level ** (1 / cases))


def standard_error(differences: Sequence[CaseDifference], mean: Fraction) -> tuple[float, int, float]:
    """The standard error of the weighted mean in points, its degrees of freedom, and the effective number of cases."""
    n = len(differences)
    weights = [float(entry.weight) for entry in differences]
    squares = sum(move**2 for move in _moves(differences, mean))
    total = sum(weights)
    effective = total**2 / sum(weight**2 for weight in weights)
    freedom = max(1, min(n - 1, round(effective) - 1, MOST_FREEDOM))
    return sqrt(squares * n / (n - 1)) / total / 100, freedom, effective


def _moves(differences: Sequence[CaseDifference], mean: Fraction) -> list[float]:
    """How far each case is from the mean, in hundredths times its weight."""
    centre = float(mean)
    return [float(entry.weight) * (entry.value.numerator / entry.value.denominator - centre) for entry in differences]
