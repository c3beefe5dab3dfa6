"""Gwet's AC1 and AC2 for any number of raters, with missing values: agreement beyond chance that skewed counts
do not pull down as they do kappa.

Gwet, Handbook of Inter-Rater Reliability (4th edition, 2014). AC1 counts equal values; AC2 gives partial credit by
linear or quadratic weights. The number of categories is that of the scale where it is known, and else of those seen.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from evenhand.stats.agreement.measure import Grid, Measure, columns, ratio, without
from evenhand.stats.arrays import Array


def gwets(grid: Grid) -> list[Measure]:
    """AC1, and AC2 with both kinds of weights where values have an order."""
    ratings = grid.ratings
    names = {"ac1": 0, "ac2-linear": 1, "ac2-quadratic": 2} if ratings.ordered else {"ac1": 0}
    if not ratings.whole_steps:
        return [without(name, ratings.too_many_points) for name in names]
    if len(ratings.points) < 2:
        return [without(name, "only one value occurs, and the scale is not known") for name in names]
    return [_gwet(name, grid, power) for name, power in names.items()]


def _gwet(name: str, grid: Grid, power: int) -> Measure:
    points = grid.ratings.points
    spread = float(credits_of(points, power).sum()) / (len(points) * (len(points) - 1))
    return beyond_chance(name, grid, power, lambda shares: spread * (shares * (1 - shares)).sum(axis=-1))


def credits_of(points: Sequence[int], power: int) -> Array:
    """What two values count for agreement: 1 if they are equal, 0 if they are the ends of the scale."""
    apart = np.abs(np.subtract.outer(np.array(points, dtype=np.float64), np.array(points, dtype=np.float64)))
    return 1 - (apart / (points[-1] - points[0])) ** power if power else (apart == 0).astype(np.float64)


def beyond_chance(name: str, grid: Grid, power: int, chance: Callable[[Array], Array]) -> Measure:
    """The agreement of all pairs of an item's values beyond that by chance, which the categories' shares give."""
    points = grid.ratings.points
    counts, size = grid.counts(points), grid.sizes
    every = ((counts @ credits_of(points, power)) * counts).sum(axis=1)
    agreed = np.where(size > 1, (every - size) / np.maximum(1, size * (size - 1)), 0.0)
    shares = counts / np.maximum(1, size)[:, None]

    def value(totals: Array) -> Array:
        rows, pairable, agreement = totals[..., 0], totals[..., 1], totals[..., 2]
        by_chance = chance(totals[..., 3:] / rows[..., None])
        left = np.where(by_chance < 1 - 1e-12, 1 - by_chance, 0.0)
        return ratio(ratio(agreement, pairable) - by_chance, left)

    return grid.measure(name, size > 0, columns(np.ones(len(size)), size > 1, agreed, shares), value)
