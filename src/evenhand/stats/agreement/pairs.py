"""How near the values of an item are, and whether raters order items alike. Pure.

Shares of equal and of near values hold for any number of raters: all pairs of values of an item. Bias and limits of
agreement are those of Bland and Altman (1986). Spearman's rho has middle ranks, Kendall's tau is tau-b; with more than
two raters they are the mean over all pairs of raters. Ranks depend on all items at once, so a resample
does not rank anew: every item has its first-order share in each sum (its Hájek projection), and these are resampled.
The value itself is exact.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

import numpy as np

from evenhand.stats.agreement.kappa import not_paired
from evenhand.stats.agreement.measure import Grid, Measure, columns, ratio, without
from evenhand.stats.arrays import Array

_AT_ONCE = 256
"""Rows compared with all others at a time, so that memory stays small."""


def rank_correlations(grid: Grid) -> list[Measure]:
    """Spearman's rho and Kendall's tau-b."""
    why = not_paired(grid.ratings)
    if why:
        return [without(name, why) for name in ("spearman", "kendall")]
    return [_mean_of_pairs("spearman", grid, _ranked, 3), _mean_of_pairs("kendall", grid, _compared, 2)]


def _mean_of_pairs(name: str, grid: Grid, shares: Callable[[Array, Array], Array], degree: int) -> Measure:
    blocks = []
    rater_pairs = [*combinations(range(len(grid.ratings.raters)), 2)]
    for pair in rater_pairs:
        given = grid.by_rater[:, pair]
        both = ~np.isnan(given).any(axis=1)
        block = np.zeros((len(given), 4))
        if both.any():
            block[both] = columns(np.ones(both.sum()), shares(given[both, 0], given[both, 1]))
        blocks.append(block)
    vectors = columns(*blocks) if blocks else np.zeros((len(grid.by_rater), 4))
    whole = vectors.sum(axis=0).reshape(-1, 4)

    def value(totals: Array) -> Array:
        of_pairs = _correlation(totals.reshape(*totals.shape[:-1], -1, 4), whole, degree)
        known = ~np.isnan(of_pairs)
        return ratio(np.where(known, of_pairs, 0.0).sum(axis=-1), known.sum(axis=-1))

    made = grid.measure(name, vectors[:, 0::4].any(axis=1), vectors, value)
    return made._replace(several=False)


def _correlation(totals: Array, whole: Array, degree: int) -> Array:
    """A sum over tuples of `degree` items grows as that power of their number; here it is followed to first order."""
    scale = ratio(whole[..., 0], totals[..., 0])
    products, first, second = (
        totals[..., part] * scale - (degree - 1) * whole[..., part] / degree for part in (1, 2, 3)
    )
    spread = np.where((first > 0) & (second > 0), first * second, 0.0)
    return np.clip(ratio(products, np.sqrt(spread)), -1.0, 1.0)


def _ranked(first: Array, second: Array) -> Array:
    """Spearman: middle ranks from the middle, and what one more item like this one would change in others' ranks."""
    x, y = (-above_less_below(side, np.ones(len(side))) for side in (first, second))
    n = len(first)
    return columns(
        n * x * y + n * (above_less_below(first, y) + above_less_below(second, x)),
        n * x**2 + 2 * n * above_less_below(first, x),
        n * y**2 + 2 * n * above_less_below(second, y),
    )


def above_less_below(values: Array, amounts: Array) -> Array:
    """For each value, the amounts at higher values less those at lower ones."""
    different, place = np.unique(values, return_inverse=True)
    at_value = np.bincount(place, weights=amounts, minlength=len(different))
    up_to = np.cumsum(at_value)
    return (up_to[-1] - up_to - (up_to - at_value))[place]


def _compared(first: Array, second: Array) -> Array:
    """Kendall: concordant less discordant partners of each item, and partners that are not tied."""
    n = len(first)
    return columns(2 * concordance(first, second), 2 * (n - ties(first)), 2 * (n - ties(second)))


def ties(values: Array) -> Array:
    """How many items have each item's value, itself among them."""
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    return counts[place].astype(np.float64)


def concordance(first: Array, second: Array) -> Array:
    """Concordant less discordant partners of each item, from the different pairs of values that there are."""
    pairs, place, counts = np.unique(columns(first, second), axis=0, return_inverse=True, return_counts=True)
    scores = np.zeros(len(pairs))
    for start in range(0, len(pairs), _AT_ONCE):
        here = pairs[start : start + _AT_ONCE]
        signs = [
            (here[:, side, None] > pairs[:, side]).astype(np.int8) - (here[:, side, None] < pairs[:, side])
            for side in (0, 1)
        ]
        scores[start : start + _AT_ONCE] = (signs[0] * signs[1]) @ counts.astype(np.float64)
    return scores[place.ravel()]


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
