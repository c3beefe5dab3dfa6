"""Shares of equal and near values, bias, limits of agreement. Pure.

Bland and Altman (1986) for bias and limits. Shares hold for any number of raters: all pairs of values of an item.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from evenhand.stats.agreement.measure import Grid, Measure, columns, ratio, without
from evenhand.stats.arrays import Array

LIMITS = 1.959963984540054
"""Limits of agreement are this many standard deviations from the mean difference: 95 % of normal differences."""


def shares(grid: Grid) -> list[Measure]:
    """Equal values, and values at most one step apart."""
    measures = [_share("exact", grid, lambda left, right: left == right)]
    if grid.ratings.ordered:
        step = grid.ratings.unit
        measures.append(_share("adjacent", grid, lambda left, right: np.abs(left - right) <= step))
    return measures


def _share(name: str, grid: Grid, near: Callable[[Array, Array], Array]) -> Measure:
    pairs = grid.sizes * (grid.sizes - 1) / 2
    vectors = columns(grid.per_pair(near), pairs)
    return grid.measure(name, grid.sizes > 1, vectors, lambda totals: ratio(totals[..., 0], totals[..., 1]), share=True)


def differences(grid: Grid) -> list[Measure]:
    """Bias and limits of agreement: the first rater minus the second, in points."""
    ratings = grid.ratings
    names = ("bias", "lower-limit", "upper-limit")
    if len(ratings.raters) != 2 or not ratings.known_raters:
        why = "bias is of one rater against another; with more, see ICC(2,1) beside ICC(3,1)"
        if not ratings.known_raters:
            why = "the table does not tell who gave which value"
        return [without(name, why) for name in names]
    apart = grid.by_rater[:, 0] - grid.by_rater[:, 1]
    both = ~np.isnan(apart)
    lowest = apart[both].min(initial=0.0)
    above = np.where(both, apart - lowest, 0.0)
    vectors = columns(np.ones(len(above)), above, above**2)

    def at(times: float) -> Callable[[Array], Array]:
        def value(totals: Array) -> Array:
            n, linear, squares = np.moveaxis(totals, -1, 0)
            mean = ratio(linear, n) + lowest
            if times:
                mean = mean + times * np.sqrt(ratio(np.maximum(0.0, n * squares - linear**2), n * (n - 1)))
            return mean / ratings.unit

        return value

    return [
        grid.measure(name, both, vectors, at(times)) for name, times in zip(names, (0, -LIMITS, LIMITS), strict=True)
    ]
