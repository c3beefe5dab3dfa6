"""How many more cases it takes to a verdict. Pure; a simulation with the rule that decides.

Results like these are continued a hundred times, unit by unit, until there is a verdict of any kind. How often further
units are better, worse or alike is drawn anew for each continuation from what those so far leave open (a Dirichlet
distribution with half a unit of each kind added), and so is how large their differences are (a Bayesian bootstrap). The
range is from the 5th to the 95th of a hundred, and never below the fewest with which a verdict is possible.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import ceil, sqrt
from random import Random
from statistics import NormalDist

from evenhand.decisions.decision import MoreData
from evenhand.stats.paired import LEAST_FOR_MEAN, MOST_SKEW
from evenhand.stats.paired import quantile as student
from evenhand.stats.sign_test import fewest, interval_rank

CONTINUATIONS = 100
ENDS = 0.05
"""The part of them that the range leaves out at either end."""

MOST_CASES = 1000
"""Nobody continues a suite beyond this to settle a question."""

COMPARED_ENOUGH = 20


@dataclass(frozen=True, slots=True)
class Aim:
    """When a continuation has its verdict."""

    level: float
    """The level of this comparison alone."""
    margin: float
    furthest: float
    """The largest difference there can be."""


def more_cases(values: Sequence[float], aim: Aim) -> MoreData:
    """From and to how many more cases bring a verdict; of fewer than two, only the fewest that are needed are known."""
    now = len(values)
    least = max(fewest(aim.level) - now, 1)
    if now < 2:
        return MoreData(least)
    ordered = sorted(values)  # whatever their order, the same range
    draw = Random(now)
    numbers = sorted(_verdict_after(ordered, aim, draw) for _ in range(CONTINUATIONS))
    low = max(numbers[int(ENDS * CONTINUATIONS)] - now, least)
    high = numbers[ceil((1 - ENDS) * CONTINUATIONS) - 1] - now
    is_open = high + now >= MOST_CASES
    return MoreData(_about(low), None if is_open else _about(max(low, high)))


class _Units:
    """The units so far, reduced to the figures that a verdict depends on."""

    def __init__(self, values: Sequence[float]) -> None:
        self.count = 0
        self.total = self.squares = self.cubes = 0.0
        self.differing: list[float] = []
        """In order."""
        for value in values:
            self.add(value)

    def add(self, value: float) -> None:
        self.count += 1
        self.total += value
        self.squares += value * value
        self.cubes += value**3
        if value:
            insort(self.differing, value)

    def is_decided(self, aim: Aim) -> bool:
        """Whether `decide` would have a verdict, with quantiles that are close enough here."""
        n, mean = self.count, self.total / self.count
        size = len(self.differing)
        if size < fewest(aim.level) and n >= COMPARED_ENOUGH:
            return True
        if not size:
            return False
        median = (self.differing[(size - 1) // 2] + self.differing[size // 2]) / 2
        second = max(0.0, self.squares / n - mean**2)
        third = self.cubes / n - 3 * mean * self.squares / n + 2 * mean**3
        if n >= LEAST_FOR_MEAN and second > 1e-12 and abs(third) <= MOST_SKEW * sqrt(n) * second**1.5:
            reach = _quantile(aim.level / 2, n - 1) * sqrt(second / (n - 1))
            low, high = mean - reach, mean + reach
        else:
            rank = interval_rank(size, aim.level)
            if not rank:
                return False
            low, high = self.differing[rank - 1], self.differing[-rank]
        if median * mean < 0:
            low, high = min(low, mean, median), max(high, mean, median)
        return low > 0 or high < 0 or (low >= -aim.margin and high <= aim.margin)


def _verdict_after(values: Sequence[float], aim: Aim, draw: Random) -> int:
    """With how many units one continuation has its verdict; as many as anyone would run when it has none."""
    lowest, highest = bisect_left(values, 0.0), bisect_right(values, 0.0)
    pools = {-1: [-value for value in values[:lowest]], 1: list(values[highest:])}
    chances = [draw.gammavariate(count + 0.5, 1) for count in (len(pools[1]), highest - lowest, len(pools[-1]))]
    sizes = {kind: [draw.expovariate(1) for _ in pool] for kind, pool in pools.items()}
    either = [*pools[1], *pools[-1]] or [aim.margin]
    units = _Units(values)
    while units.count < MOST_CASES:
        for kind in draw.choices((1, 0, -1), chances, k=max(1, units.count // 40)):
            size = draw.choices(pools[kind], sizes[kind])[0] if kind and pools[kind] else draw.choice(either)
            units.add(kind * size)
        if units.is_decided(aim):
            return units.count
    return MOST_CASES


@lru_cache(maxsize=4096)
def _quantile(probability: float, freedom: int) -> float:
    """Student's, exact for few units; for many the normal one with its first correction, within a thousandth."""
    if freedom < LEAST_FOR_MEAN:
        return student(probability, freedom)
    normal = NormalDist().inv_cdf(1 - probability)
    return normal + (normal**3 + normal) / (4 * freedom)


def _about(number: int) -> int:
    """Rounded up to two digits: more would suggest a precision that is not there."""
    unit: int = 10 ** max(0, len(str(number)) - 2)
    return -(-number // unit) * unit
