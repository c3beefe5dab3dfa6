"""Krippendorff's alpha for any number of raters, with missing values: 1 minus observed by expected disagreement.

Krippendorff, Computing Krippendorff's Alpha-Reliability (2011). Items with one value say nothing and are left out.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from evenhand.stats.agreement.measure import Grid, Measure, columns, ratio, without
from evenhand.stats.arrays import Array

MOST_RANKED = 40
"""Ordinal alpha counts pairs of values; with more different values than this there would be too many."""

_MANY = f"there are more than {MOST_RANKED} different values; alpha for intervals is the one to read"


def alphas(grid: Grid) -> list[Measure]:
    """Alpha for every level of measurement that the values allow."""
    ratings = grid.ratings
    lowest = np.nanmin(grid.values, initial=np.inf)
    few = len(ratings.points) <= MOST_RANKED
    levels = [_nominal(grid) if few else without("alpha-nominal", _MANY)]
    if ratings.ordered:
        levels.append(_by_distance("alpha-ordinal", grid, _ranks_apart))
    if ratings.numeric:
        levels.append(_interval(grid, lowest))
        enough = lowest >= 0
        levels.append(
            _by_distance("alpha-ratio", grid, _ratios_apart)
            if enough
            else without("alpha-ratio", "a ratio needs values from zero up")
        )
    return levels


def _alpha(observed: Array, expected: Array, count: Array) -> Array:
    return 1 - ratio((count - 1) * observed, expected)


def _partners(grid: Grid) -> Array:
    """How many other values each value of a row meets: what its pairs are divided by."""
    return np.maximum(grid.sizes - 1, 1)


def _nominal(grid: Grid) -> Measure:
    counts = grid.counts(grid.ratings.points)
    apart = (grid.sizes**2 - (counts**2).sum(axis=1)) / 2 / _partners(grid)

    def value(totals: Array) -> Array:
        of_points = totals[..., 1:]
        size = of_points.sum(axis=-1)
        return _alpha(totals[..., 0], (size**2 - (of_points**2).sum(axis=-1)) / 2, size)

    return grid.measure("alpha-nominal", grid.sizes > 1, columns(apart, counts), value)


def _interval(grid: Grid, lowest: float) -> Measure:
    values = np.nan_to_num(grid.values - lowest)
    linear, squares = values.sum(axis=1), (values**2).sum(axis=1)
    apart = (grid.sizes * squares - linear**2) / _partners(grid)

    def value(totals: Array) -> Array:
        observed, size, total, total_squares = np.moveaxis(totals, -1, 0)
        return _alpha(observed, size * total_squares - total**2, size)

    return grid.measure("alpha-interval", grid.sizes > 1, columns(apart, grid.sizes, linear, squares), value)


Distance = Callable[["Array", "Array"], Callable[["Array", "Array"], "Array"]]
"""From the points and how often each occurs, a function of two places in them: how far apart they are."""


def _ranks_apart(points: Array, counts: Array) -> Callable[[Array, Array], Array]:
    """Values are as far apart as their middle ranks, doubled; squared."""
    middles = 2 * np.cumsum(counts, axis=-1) - counts
    return lambda left, right: (middles[..., left] - middles[..., right]) ** 2


def _ratios_apart(points: Array, counts: Array) -> Callable[[Array, Array], Array]:
    """Values are as far apart as their difference by their sum, squared; zeros are equal."""
    return lambda left, right: np.nan_to_num(
        ratio((points[left] - points[right]) ** 2, (points[left] + points[right]) ** 2)
    )


def _by_distance(name: str, grid: Grid, distance: Distance) -> Measure:
    """Alpha from how often each pair of values occurs within items; `distance` may depend on the counts of values."""
    present = grid.values[grid.sizes > 1]
    points, occurrences = np.unique(present[~np.isnan(present)], return_counts=True)
    if len(points) > MOST_RANKED:
        return _of_many(name, grid, points, occurrences.astype(np.float64), distance)
    counts = grid.counts(points.tolist())
    left, right = np.triu_indices(len(points), 1)
    seen = counts[:, left] * counts[:, right] / _partners(grid)[:, None]

    def value(totals: Array) -> Array:
        met, of_points = totals[..., : len(left)], totals[..., len(left) :]
        apart = distance(points, of_points)(left, right)
        expected = (of_points[..., left] * of_points[..., right] * apart).sum(axis=-1)
        return _alpha((met * apart).sum(axis=-1), expected, of_points.sum(axis=-1))

    return grid.measure(name, grid.sizes > 1, columns(seen, counts), value)


def _of_many(name: str, grid: Grid, points: Array, counts: Array, distance: Distance) -> Measure:
    """The value alone, where there are too many different values to resample their pairs."""
    apart = distance(points, counts)
    everywhere = np.arange(len(points))
    expected = sum(
        float((counts[left] * counts * apart(np.array(left), everywhere)).sum()) for left in range(len(points))
    )

    def of_pair(left: Array, right: Array) -> Array:
        places = (np.searchsorted(points, np.nan_to_num(side)).clip(max=len(points) - 1) for side in (left, right))
        return apart(*places)

    observed = grid.per_pair(of_pair) / _partners(grid)
    made = grid.measure(
        name,
        grid.sizes > 1,
        columns(observed),
        lambda totals: _alpha(totals[..., 0], np.array(expected / 2), counts.sum()),
    )
    return made._replace(no_interval=_MANY)
