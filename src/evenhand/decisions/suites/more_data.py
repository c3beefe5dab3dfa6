"""How many more cases it takes to a verdict, or more runs of each. Pure; a simulation with the test that decides.

Suites like this one are continued a hundred times, case by case, until the test gives a verdict of any kind. How often
further cases are better, worse or alike is drawn anew for each from what the cases so far leave open (a Dirichlet
distribution with half a case of each kind added), and so is how large their differences are (a Bayesian bootstrap). The
range is from the 5th to the 95th of a hundred, and never below the fewest cases with which a verdict is possible.

More runs of each case shrink only the part of the scatter that comes from run to run; see `core.history.repeats`.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, sqrt
from random import Random
from statistics import NormalDist
from typing import NamedTuple

from evenhand.decisions.sets.repeats import CaseScores, scatter
from evenhand.decisions.sets.weighted import CHANCE_SKEW, MOST_SKEW, SIGN_REACH, others, quantile
from evenhand.decisions.values.decision import CaseDifference, Difference, MoreData
from evenhand.stats.sign_test import EXACT_BELOW, POWER, fewest, interval_rank

SUITES = 100
"""Simulated continuations."""

ENDS = 0.05
"""The part of them that the range leaves out at either end."""

MOST_CASES = 1000
"""Nobody continues a suite beyond this to settle a question."""

MOST_REPEATS = 50
"""Nobody runs a case more often than this to settle a question."""


class Aim(NamedTuple):
    """When a continuation has its verdict."""

    level: float
    """Of this comparison alone."""
    relevant: float
    furthest: float
    """The largest mean difference there can be."""


def more_data(
    difference: Difference, differences: Sequence[CaseDifference], cases: Sequence[CaseScores], aim: Aim
) -> MoreData:
    """From and to how many more cases bring a verdict, and how many repeats of these would show a relevant difference.

    With fewer than two cases only the fewest that are needed are known.
    """
    now = len(differences)
    least = max(fewest(aim.level) - now, 1)
    if now < 2:
        return MoreData(least, None)
    values = sorted(float(entry.value) / 100 for entry in differences)  # whatever their order, the same range
    draw = Random(now)
    numbers = sorted(_verdict_after(values, aim, draw) for _ in range(SUITES))
    low = max(numbers[int(ENDS * SUITES)] - now, least)
    high = numbers[ceil((1 - ENDS) * SUITES) - 1] - now
    is_open = high + now >= MOST_CASES
    return MoreData(_about(low), _repeats_needed(difference, cases, aim), None if is_open else _about(max(low, high)))


class _Sums:
    """Cases so far, as far as a verdict depends on them."""

    def __init__(self) -> None:
        self.cases = self.better = self.worse = 0
        self.total = self.squares = self.cubes = 0.0

    def add(self, values: Sequence[float]) -> None:
        self.cases += len(values)
        self.better += sum(value > 0 for value in values)
        self.worse += sum(value < 0 for value in values)
        self.total += sum(values)
        self.squares += sum(value * value for value in values)
        self.cubes += sum(value**3 for value in values)

    def is_decided(self, aim: Aim) -> bool:
        """What `compare_within` and `verdict_on` say, from sums and with quantiles that are close enough here."""
        n, mean = self.cases, self.total / self.cases
        second = max(0.0, self.squares / n - mean**2)
        error = sqrt(second / (n - 1))
        third = self.cubes / n - 3 * mean * self.squares / n + 2 * mean**3
        can_scatter, skew = n >= EXACT_BELOW and second > 1e-12, abs(third)
        is_mean = can_scatter and skew <= MOST_SKEW * sqrt(n) * second**1.5
        is_shown = True
        if not is_mean:
            is_shown = min(self.better, self.worse) < interval_rank(self.better + self.worse, aim.level)
        if is_mean or (can_scatter and skew <= CHANCE_SKEW / sqrt(n) * second**1.5):
            is_shown = is_shown and abs(mean) >= _quantile(aim.level / 2, n - 1) * error
        if is_shown:
            return (mean if is_mean else self.better - self.worse) * mean > 0
        if n < fewest(aim.level):
            return False
        if error < 1e-9:
            return others(n, aim.level) * aim.furthest <= aim.relevant
        reach = _quantile(aim.level / 2, n - 1) * error
        least = (reach + _quantile(1 - POWER, n - 1) * error) * (1 if is_mean else SIGN_REACH)
        return least <= aim.relevant or abs(mean) + reach <= aim.relevant


def _verdict_after(values: Sequence[float], aim: Aim, draw: Random) -> int:
    """With how many cases one continuation has its verdict; as many as anyone would run when it has none."""
    sizes = {kind: [draw.expovariate(1) for _ in values] for kind in (1, -1)}
    kinds = [(value > 0) - (value < 0) for value in values]
    chances = [draw.gammavariate(kinds.count(kind) + 0.5, 1) for kind in (1, 0, -1)]
    pools = {kind: [abs(value) for value in values if value * kind > 0] for kind in (1, -1)}
    either = [abs(value) for value in values if value] or [aim.relevant]
    sums = _Sums()
    sums.add(values)
    while sums.cases < MOST_CASES:
        step = max(1, sums.cases // 40)
        drawn = []
        for kind in draw.choices((1, 0, -1), chances, k=step):
            pool = pools.get(kind) or either
            drawn.append(kind * draw.choices(pool, sizes[kind][: len(pool)])[0] if kind else 0.0)
        sums.add(drawn)
        if sums.is_decided(aim):
            return sums.cases
    return MOST_CASES


def _quantile(probability: float, freedom: int) -> float:
    """Student's, exact for few cases; for many the normal one with its first correction, within a thousandth."""
    if freedom < EXACT_BELOW:
        return quantile(probability, freedom)
    normal = NormalDist().inv_cdf(1 - probability)
    return normal + (normal**3 + normal) / (4 * freedom)


def _repeats_needed(difference: Difference, cases: Sequence[CaseScores], aim: Aim) -> int | None:
    """How many runs of each of these cases would show a relevant difference of the mean four times in five."""
    parts = scatter(cases)
    if parts is None or not difference.error or difference.claim != "mean" or difference.clusters is not None:
        return None
    # Unequal numbers of runs count by their harmonic mean: that is what the variance of a mean depends on.
    now = 2 * len(cases) / sum(1 / len(case.first) + 1 / len(case.second) for case in cases)
    variance = parts.between + parts.within / now
    if variance == 0:
        return None
    reach = quantile(aim.level / 2, difference.cases - 1) + quantile(1 - POWER, difference.cases - 1)
    for repeats in range(int(now) + 1, MOST_REPEATS + 1):
        if reach * difference.error * sqrt((parts.between + parts.within / repeats) / variance) <= aim.relevant:
            return repeats
    return None


def _about(number: int) -> int:
    """Rounded up to two digits: more would pretend to know."""
    unit: int = 10 ** max(0, len(str(number)) - 2)
    return -(-number // unit) * unit
