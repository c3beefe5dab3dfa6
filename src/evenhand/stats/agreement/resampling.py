"""Intervals by resampling items. Pure; seeded.

Items are drawn with replacement, all rows of an item together. How often each kind of item is drawn, times the numbers
of that kind, is one product of arrays for all coefficients. The interval is bias-corrected and accelerated (BCa, Efron
1987), at levels widened for few items as Student's t is wider than the normal (Hesterberg 2015). A share of equal or
unequal pairs has the exact binomial interval where every item is one pair.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import sqrt
from typing import Final

import numpy as np
from scipy.special import betaincinv, ndtr, ndtri, stdtrit  # scipy.stats takes seconds to load

from evenhand.stats.agreement.interval import CONFIDENCE, RESAMPLES, Interval
from evenhand.stats.agreement.measure import Measure
from evenhand.stats.arrays import Array

FEWEST: Final = 20
"""With fewer items no interval is given: it would contain the truth less often than its name says."""

FEWEST_OF: Final = {"ac2-linear": 60, "ac2-quadratic": 60, "lower-limit": 40, "upper-limit": 40}
"""Coefficients that need more; benchmarks/agreement_coverage.py shows how often each interval contains the truth."""

FEWEST_OF_SEVERAL: Final = dict.fromkeys(("alpha-nominal", "kappa", "kappa-fleiss", "ac1", "exact"), 40)
"""Coefficients that count equal values need more where items have several values: a few items decide them."""

_UNDEFINED: Final = 0.05
"""With a larger share of resamples in which the coefficient is not defined, there is no interval."""
_EQUAL: Final = 1e-12
"""Values nearer to each other than this are equal: they are sums in another order."""
_DRAWN_AT_ONCE: Final = 2_000_000


class Draws:
    """Resamples that all measures of as many items share."""

    def __init__(self, seed: int = 0, resamples: int = RESAMPLES) -> None:
        self._seed = seed
        self.resamples = resamples

    def of(self, places: Array) -> Iterator[Array]:
        """How often each resample has each kind of item, some resamples at a time; `places` has the kind of each."""
        random = np.random.default_rng(self._seed)
        kinds = int(places.max()) + 1
        step = max(1, _DRAWN_AT_ONCE // len(places))
        for start in range(0, self.resamples, step):
            rows = min(step, self.resamples - start)
            drawn = places[random.integers(0, len(places), size=(rows, len(places)))]
            drawn += np.arange(rows)[:, None] * kinds
            yield np.bincount(drawn.ravel(), minlength=rows * kinds).reshape(rows, kinds).astype(np.float64)

    def sums(self, vectors: Sequence[Array]) -> list[Array]:
        """The sums of every resample, of each of some arrays that have a row for each item."""
        side_by_side = np.hstack(vectors)
        kinds: dict[bytes, int] = {}
        places = np.array([kinds.setdefault(row.tobytes(), len(kinds)) for row in side_by_side])
        distinct = side_by_side[np.unique(places, return_index=True)[1]]
        sums = np.concatenate([counts @ distinct for counts in self.of(places)])
        return np.split(sums, np.cumsum([entry.shape[1] for entry in vectors])[:-1], axis=1)


def interval(measure: Measure, estimate: float, draws: Draws, *, confidence: float = CONFIDENCE) -> Interval | str:
    """The interval of a measure, or why there is none. Where items belong to clusters, those are drawn."""
    return intervals([(measure, estimate)], draws, confidence=confidence)[0]


def intervals(
    measured: Sequence[tuple[Measure, float]], draws: Draws, *, confidence: float = CONFIDENCE
) -> list[Interval | str]:
    """The interval of each measure with its value, or why it has none; all from the same resamples."""
    found: list[Interval | str | None] = [_without_draws(measure, value, confidence) for measure, value in measured]
    by_size: dict[int, list[int]] = {}
    for place, entry in enumerate(found):
        if entry is None:
            by_size.setdefault(measured[place][0].by_cluster.items, []).append(place)
    for places in by_size.values():
        parts = [measured[place][0].by_cluster for place in places]
        for place, measure, sums in zip(places, parts, draws.sums([part.vectors for part in parts]), strict=True):
            found[place] = _resampled(measure, measured[place][1], sums, confidence)
    return [entry for entry in found if entry is not None]


def _without_draws(measure: Measure, estimate: float, confidence: float) -> Interval | str | None:
    """An exact interval, or why there can be none; None where resamples are to tell."""
    unit = "clusters" if measure.clusters else "items"
    measure = measure.by_cluster
    if measure.share and (measure.vectors[:, 1] == 1).all():
        good, size = measure.totals
        return _binomial(int(good), int(size), confidence)
    if measure.share and estimate in (0.0, 1.0):  # all items are alike, and so is every resample
        return _binomial(measure.items if estimate else 0, measure.items, confidence)
    if measure.no_interval:
        return measure.no_interval
    fewest = FEWEST_OF.get(measure.name, FEWEST)
    if measure.several:
        fewest = max(fewest, FEWEST_OF_SEVERAL.get(measure.name, 0))
    if measure.items < fewest:
        return f"an interval needs at least {fewest} {unit}, and there are {measure.items}"
    if (measure.vectors == measure.vectors[0]).all():
        return "all items have the same values, so that resampling them shows nothing"
    return None


def _resampled(measure: Measure, estimate: float, sums: Array, confidence: float) -> Interval | str:
    values = measure.value(sums)
    drawn = len(values)
    values = np.sort(values[~np.isnan(values)])
    if len(values) < drawn * (1 - _UNDEFINED):
        return f"not defined in {drawn - len(values)} of {drawn} resamples: too few items differ"
    close = _EQUAL * max(1.0, abs(estimate))
    if values[-1] - values[0] <= close:
        return "the same in every resample: too few items differ for an interval"
    below, same = (values < estimate - close).sum(), (np.abs(values - estimate) <= close).sum()
    share = (below + same / 2) / len(values)
    if not 0.01 <= share <= 0.99:
        return "almost all resamples lie on one side of the value: too few items differ for an interval"
    bias, acceleration, n = ndtri(share), acceleration_of(measure), measure.items
    reach = stdtrit(n - 1, 1 - (1 - confidence) / 2) * sqrt(n / (n - 1))
    moved = bias + np.array([-reach, reach])
    levels = ndtr(bias + moved / np.maximum(0.1, 1 - acceleration * moved))
    low, high = np.quantile(values, levels, method="weibull").tolist()  # a level times n + 1 is the place
    return Interval(low, high, "bca", drawn)


def acceleration_of(measure: Measure) -> float:
    """How the spread changes with the value, from leaving out each item in turn."""
    left = measure.value(measure.totals - measure.vectors)
    left = left[~np.isnan(left)]
    moves = left.mean() - left if len(left) else left
    squares = float((moves**2).sum())
    return float((moves**3).sum()) / (6 * squares**1.5) if squares > _EQUAL**2 * len(left) else 0.0


def _binomial(good: int, size: int, confidence: float) -> Interval:
    """Clopper and Pearson's exact interval."""
    tail = (1 - confidence) / 2
    low = 0.0 if good == 0 else float(betaincinv(good, size - good + 1, tail))
    high = 1.0 if good == size else float(betaincinv(good + 1, size - good, 1 - tail))
    return Interval(low, high, "binomial", 0)
