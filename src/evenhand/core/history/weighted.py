"""Case differences with weights -> their mean, its interval and a test; corrections for several tests. Pure.

The cases are the sample: the runs of a case have been averaged before they come here. Below thirty cases the test is
the exact sign-flip test of `core.history.pairs`, from thirty on Student's t. With unequal weights the standard error is
that of a weighted mean, and the degrees of freedom are those of the effective number of cases (Kish).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from math import ceil, log2, sqrt

from evenhand.core.history.pairs import EXACT_BELOW, POWER, sign_flip
from evenhand.core.history.student import one_sided, two_sided
from evenhand.core.history.student import quantile as exact_quantile
from evenhand.core.values.decision import CaseDifference, Difference

MOST_FREEDOM = 1000
"""Degrees of freedom beyond this are not counted: the series is long, and the quantile hardly moves (0.1 %)."""

quantile = lru_cache(maxsize=4096)(exact_quantile)
"""A few quantiles are needed again and again: for every tag, dimension, finding and scenario of a decision."""

NOTHING = Difference(0, None, None, None, None, "none", None)


def compare_cases(differences: Sequence[CaseDifference], level: float) -> Difference:
    """Whether the weighted mean difference is zero, two-sided at `level`."""
    n = len(differences)
    if n == 0:
        return NOTHING
    mean = weighted_mean(differences)
    if n == 1:
        return Difference(1, float(mean) / 100, None, None, None, "none", None)
    error, freedom, effective = standard_error(differences, mean)
    centre = float(mean) / 100
    reach = quantile(level / 2, freedom) * error if effective >= 2 else None
    if n < EXACT_BELOW:
        p_value = sign_flip([entry.value * entry.weight for entry in differences])
    else:
        p_value = two_sided(centre / error, freedom) if error else float(centre == 0)
    least = (quantile(level / 2, freedom) + quantile(1 - POWER, freedom)) * error
    return Difference(
        cases=n,
        mean=centre,
        low=None if reach is None else centre - reach,
        high=None if reach is None else centre + reach,
        p_value=p_value,
        test="sign-flip" if n < EXACT_BELOW else "t",
        detectable=least if min(n, round(effective)) >= fewest(level) else None,
        error=error,
    )


def fell_by(differences: Sequence[CaseDifference], margin: Fraction = Fraction(0)) -> float:
    """The one-sided probability of a mean this low if the true mean were `-margin` (in hundredths)."""
    n = len(differences)
    shifted = [entry._replace(value=entry.value + margin) for entry in differences]
    if n < EXACT_BELOW:
        return sign_flip([entry.value * entry.weight for entry in shifted], one_sided=True)
    mean = weighted_mean(shifted)
    error, freedom, _ = standard_error(shifted, mean)
    return one_sided(-float(mean) / 100 / error, freedom) if error else float(mean >= 0)


def mirrored(differences: Sequence[CaseDifference]) -> list[CaseDifference]:
    """The reference against the variant."""
    return [entry._replace(value=-entry.value) for entry in differences]


def fewest(level: float) -> int:
    """The fewest cases with which a two-sided exact test can show anything: all differences going one way."""
    return ceil(log2(2 / level))


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
    weights = sum(entry.weight for entry in differences)
    return sum((entry.value * entry.weight for entry in differences), Fraction(0)) / weights


def others(cases: int, level: float) -> float:
    """The largest share of cases that could differ from the rest where none of these does, with a chance of `level`."""
    return 1 - float(level ** (1 / cases))


def standard_error(differences: Sequence[CaseDifference], mean: Fraction) -> tuple[float, int, float]:
    """The standard error of the weighted mean in points, its degrees of freedom, and the effective number of cases."""
    n = len(differences)
    weights = [float(entry.weight) for entry in differences]
    squares = sum((weight * float(entry.value - mean)) ** 2 for entry, weight in zip(differences, weights, strict=True))
    total = sum(weights)
    effective = total**2 / sum(weight**2 for weight in weights)
    freedom = max(1, min(n - 1, round(effective) - 1, MOST_FREEDOM))
    return sqrt(squares * n / (n - 1)) / total / 100, freedom, effective
