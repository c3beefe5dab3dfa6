"""In how many cases is one side better: the exact sign test and the interval that belongs to it. Pure.

The claim is about the typical case: among the cases that differ, better and worse are not equally frequent. Nothing is
assumed about how large the differences are, so it holds for skewed ones too. Ties say nothing and are not counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from math import ceil, exp, lcm, lgamma, log, log2

EXACT_BELOW = 30
"""With fewer cases than this, nothing is claimed of their mean."""

POWER = 0.80
"""How often the smallest detectable difference would be detected."""


def two_sided_sign(better: int, worse: int) -> float:
    """The chance of a count as uneven as this if better and worse were equally likely."""
    return min(1.0, 2 * at_most(min(better, worse), better + worse))


@lru_cache(maxsize=4096)
def at_most(count: int, cases: int) -> float:
    """The chance of at most this many heads in as many coin throws as cases differ."""
    ways = term = 1
    for heads in range(count):
        term = term * (cases - heads) // (heads + 1)
        ways += term
    return float(Fraction(ways, 2**cases)) if count >= 0 else 0.0


def fewest(level: float) -> int:
    """The fewest cases with which a two-sided sign test can show anything: all of them differ, all one way."""
    return ceil(log2(2 / level))


def typical(values: Sequence[Fraction]) -> Fraction | None:
    """The median of the differences that are not ties; None when all are."""
    differing = _differing(values)
    if not differing:
        return None
    middle = len(differing) // 2
    return differing[middle] if len(differing) % 2 else (differing[middle - 1] + differing[middle]) / 2


def _differing(values: Sequence[Fraction]) -> list[Fraction]:
    """The differences that are not ties, in order."""
    # Sorted as whole numbers of one unit: comparing fractions would take much of the time of a decision.
    differing = [value for value in values if value]
    unit = lcm(*(value.denominator for value in differing))
    return sorted(differing, key=lambda value: value.numerator * (unit // value.denominator))


def typical_interval(values: Sequence[Fraction], level: float) -> tuple[Fraction, Fraction] | None:
    """Where that median lies: the interval leaves out zero exactly when the sign test at `level` rejects.

    None with too few differing cases for any interval.
    """
    differing = _differing(values)
    rank = interval_rank(len(differing), level)
    return (differing[rank - 1], differing[-rank]) if rank else None


@lru_cache(maxsize=4096)
def interval_rank(cases: int, level: float) -> int:
    """The place of the difference, from either end, with which the interval begins: as far in as the level allows.

    The test rejects when fewer than that many cases are on the smaller side; 0 when it cannot reject.
    """
    if cases < fewest(level):
        return 0
    low, high = 1, cases // 2 + 1  # the test rejects with `low` - 1 on the smaller side, and not with `high` - 1
    while high - low > 1:
        middle = (low + high) // 2
        if two_sided_sign(middle - 1, cases - middle + 1) <= level:
            low = middle
        else:
            high = middle
    return low


def share_interval(better: int, worse: int, level: float) -> tuple[float, float]:
    """The share of better cases among those that differ: Clopper and Pearson's exact interval.

    It leaves out one half exactly when the sign test at `level` rejects.
    """
    low = _share_at(better, better + worse, level / 2) if better else 0.0
    high = 1 - _share_at(worse, better + worse, level / 2) if worse else 1.0
    return low, high


def _share_at(count: int, cases: int, chance: float) -> float:
    """The share at which this many cases or more come up with a given chance."""
    ways = [lgamma(cases + 1) - lgamma(k + 1) - lgamma(cases - k + 1) for k in range(count, cases + 1)]
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        yes, no = log(middle), log(1 - middle)
        tail = sum(exp(way + k * yes + (cases - k) * no) for k, way in enumerate(ways, start=count))
        low, high = (middle, high) if tail < chance else (low, middle)
    return low
