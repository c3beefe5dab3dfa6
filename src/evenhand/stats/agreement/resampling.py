"""Intervals by resampling items. Pure; seeded.

Items are drawn with replacement, all rows of an item together. The numbers of an item are packed into one large
integer, so that one sum adds them all. The interval is bias-corrected and accelerated (BCa, Efron 1987), at levels
widened for few items as Student's t is wider than the normal (Hesterberg 2015). A share of equal or unequal pairs has
the exact binomial interval where every item is one pair.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import exp, lgamma, log, sqrt
from operator import itemgetter
from random import Random
from statistics import NormalDist
from sys import byteorder
from typing import Annotated, Final, Literal, NamedTuple

from evenhand.files.published import Json
from evenhand.stats.agreement.measure import Measure
from evenhand.stats.student import quantile

RESAMPLES: Final = 2_000
CONFIDENCE: Final = 0.95
FEWEST: Final = 20
"""With fewer items no interval is given: it would contain the truth less often than its name says."""

FEWEST_OF: Final = {"ac2-linear": 60, "ac2-quadratic": 60, "lower-limit": 40, "upper-limit": 40}
"""Coefficients that need more; benchmarks/agreement_coverage.py shows how often each interval contains the truth."""

FEWEST_OF_SEVERAL: Final = dict.fromkeys(("alpha-nominal", "kappa", "kappa-fleiss", "ac1", "exact"), 40)
"""Coefficients that count equal values need more where items have several values: a few items decide them."""

_NORMAL = NormalDist()
_UNDEFINED: Final = 0.05
"""With a larger share of resamples in which the coefficient is not defined, there is no interval."""


class Interval(NamedTuple):
    """A confidence interval, and how it was made."""

    low: Annotated[float, Json(places=17)]
    high: Annotated[float, Json(places=17)]
    method: Annotated[str, Json(shape=Literal["bca", "binomial"])]
    """`bca` or `binomial`."""
    resamples: int
    """How many; 0 for an exact interval."""


class Draws:
    """Resamples that all measures of some items share, drawn once."""

    def __init__(self, seed: int = 0, resamples: int = RESAMPLES) -> None:
        self._seed = seed
        self._resamples = resamples
        self._drawn: dict[int, list[Callable[[Sequence[int]], tuple[int, ...]]]] = {}

    def of(self, items: int) -> list[Callable[[Sequence[int]], tuple[int, ...]]]:
        """For each resample, a function that picks its items."""
        if items not in self._drawn:
            random = Random(self._seed)
            everyone = range(items)
            self._drawn[items] = [itemgetter(*random.choices(everyone, k=items)) for _ in range(self._resamples)]
        return self._drawn[items]


def interval(measure: Measure, estimate: float, draws: Draws, *, confidence: float = CONFIDENCE) -> Interval | str:
    """The interval of a measure, or why there is none. Where items belong to clusters, those are drawn."""
    unit = "clusters" if measure.clusters else "items"
    measure = measure.by_cluster
    if measure.share and all(pairs == 1 for _, pairs in measure.vectors):
        good, size = measure.totals
        return _binomial(good, size, confidence)
    if measure.share and estimate in (0.0, 1.0):  # all items are alike, and so is every resample
        return _binomial(measure.items if estimate else 0, measure.items, confidence)
    if measure.no_interval:
        return measure.no_interval
    fewest = FEWEST_OF.get(measure.name, FEWEST)
    if measure.several:
        fewest = max(fewest, FEWEST_OF_SEVERAL.get(measure.name, 0))
    if measure.items < fewest:
        return f"an interval needs at least {fewest} {unit}, and there are {measure.items}"
    if len(set(measure.vectors)) == 1:
        return "all items have the same values, so that resampling them shows nothing"
    values = [value for total in _resampled(measure, draws) if (value := measure.value(total)) is not None]
    drawn = len(draws.of(measure.items))
    if len(values) < drawn * (1 - _UNDEFINED):
        return f"not defined in {drawn - len(values)} of {drawn} resamples: too few items differ"
    values.sort()
    if values[0] == values[-1]:
        return "the same in every resample: too few items differ for an interval"
    levels = _levels(measure, estimate, values, confidence)
    if levels is None:
        return "almost all resamples lie on one side of the value: too few items differ for an interval"
    low, high = (_at(values, level) for level in levels)
    return Interval(low, high, "bca", drawn)


def _resampled(measure: Measure, draws: Draws) -> list[list[int]]:
    """The sums of every resample."""
    largest = max((max(vector) for vector in measure.vectors), default=0)
    width = max(8, (int(largest * measure.items).bit_length() + 7) // 8)
    slots = len(measure.vectors[0])
    turned = 1 if byteorder == "little" else -1  # the first number is the lowest part of the large one
    packed = [
        int.from_bytes(b"".join(number.to_bytes(width, "little") for number in vector), "little")
        for vector in measure.vectors
    ]
    starts = range(0, slots * width, width)
    sums = []
    for pick in draws.of(measure.items):
        total = sum(pick(packed)).to_bytes(slots * width, byteorder)
        if width == 8:
            sums.append(memoryview(total).cast("Q").tolist()[::turned])
        else:
            sums.append([int.from_bytes(total[start : start + width], byteorder) for start in starts][::turned])
    return sums


def _levels(
    measure: Measure, estimate: float, values: Sequence[float], confidence: float
) -> tuple[float, float] | None:
    """The two shares of resamples between which the interval lies."""
    below = sum(value < estimate for value in values) + sum(value == estimate for value in values) / 2
    share = below / len(values)
    if not 0.01 <= share <= 0.99:
        return None
    bias = _NORMAL.inv_cdf(share)
    acceleration = _acceleration(measure)
    n = measure.items
    reach = quantile((1 - confidence) / 2, n - 1) * sqrt(n / (n - 1))
    levels = []
    for side in (-reach, reach):
        moved = bias + side
        levels.append(_NORMAL.cdf(bias + moved / max(0.1, 1 - acceleration * moved)))
    return levels[0], levels[1]


def _acceleration(measure: Measure) -> float:
    """How the spread changes with the value, from leaving out each item in turn."""
    totals = measure.totals
    counted: dict[tuple[int, ...], int] = {}
    for vector in measure.vectors:
        counted[vector] = counted.get(vector, 0) + 1
    left = []
    for vector, count in counted.items():
        value = measure.value([total - number for total, number in zip(totals, vector, strict=True)])
        if value is not None:
            left.append((value, count))
    size = sum(count for _, count in left)
    if not size:
        return 0.0
    mean = sum(value * count for value, count in left) / size
    squares = sum(count * (mean - value) ** 2 for value, count in left)
    cubes = sum(count * (mean - value) ** 3 for value, count in left)
    return cubes / (6 * squares**1.5) if squares > 0 else 0.0


def _at(values: Sequence[float], level: float) -> float:
    """A quantile of sorted values, between neighbours."""
    place = level * (len(values) + 1) - 1
    if place <= 0:
        return values[0]
    if place >= len(values) - 1:
        return values[-1]
    below = int(place)
    return values[below] + (place - below) * (values[below + 1] - values[below])


def _binomial(good: int, size: int, confidence: float) -> Interval:
    """Clopper and Pearson's exact interval."""
    tail = (1 - confidence) / 2
    low = 0.0 if good == 0 else _solve(lambda share: 1 - _at_most(good - 1, size, share), tail, rising=True)
    high = 1.0 if good == size else _solve(lambda share: _at_most(good, size, share), tail, rising=False)
    return Interval(low, high, "binomial", 0)


def _at_most(good: int, size: int, share: float) -> float:
    """The probability of at most so many among `size`."""
    if share in (0.0, 1.0):
        return 1.0 if share == 0.0 or good >= size else 0.0
    start = lgamma(size + 1)
    up, down = log(share), log(1 - share)
    terms = (exp(start - lgamma(k + 1) - lgamma(size - k + 1) + k * up + (size - k) * down) for k in range(good + 1))
    return min(1.0, sum(terms))


def _solve(function: Callable[[float], float], target: float, *, rising: bool) -> float:
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        if (function(middle) < target) == rising:
            low = middle
        else:
            high = middle
    return (low + high) / 2
