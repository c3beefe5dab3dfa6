"""Agreement beyond chance, with missing values and any number of raters: Cohen, Fleiss and Gwet.

Cohen (1960, 1968), with more than two raters the mean over pairs of them, as in Light (1971); Fleiss (1971), for items
with different numbers of raters as in Gwet, Handbook of Inter-Rater Reliability (4th edition, 2014). AC1 counts equal
values and is not pulled down by skewed counts as kappa is; AC2 and weighted kappa give partial credit by linear or
quadratic weights. The number of categories is that of the scale where it is known, and else of those seen.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations

import numpy as np

from evenhand.stats.agreement.measure import Grid, Measure, columns, ratio, without
from evenhand.stats.agreement.ratings import Ratings
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


MOST_PAIRED = 12
"""With more raters than this there are too many pairs of them to compare each."""

PAIRS = f"there are more than {MOST_PAIRED} raters, too many to compare each with each; see Fleiss' kappa and alpha"
MOST_RESAMPLED = 6
"""With more pairs of raters than this, so with more than 4 raters, the mean over pairs has no interval."""

ONLY_VALUE = "the mean over pairs of more than 4 raters has none; see Fleiss' kappa and alpha"
NOT_NAMED = "the table does not tell who gave which value; see Fleiss' kappa and alpha"


def kappas(grid: Grid) -> list[Measure]:
    """Cohen's kappas of two raters, and Fleiss' kappa of all."""
    ratings = grid.ratings
    if not ratings.whole_steps:
        every = ("kappa", "kappa-linear", "kappa-quadratic", "kappa-fleiss")
        return [without(name, ratings.too_many_points) for name in every]
    powers = {"kappa": 0, "kappa-linear": 1, "kappa-quadratic": 2} if ratings.ordered else {"kappa": 0}
    why = not_paired(ratings)
    cohen = [without(name, why) if why else _cohen(name, grid, power) for name, power in powers.items()]
    fleiss = beyond_chance("kappa-fleiss", grid, 0, lambda shares: (shares**2).sum(axis=-1))
    return [*cohen, fleiss]


def not_paired(ratings: Ratings) -> str:
    """Why raters cannot be compared one with another; empty where they can."""
    if not ratings.known_raters:
        return NOT_NAMED
    return PAIRS if len(ratings.raters) > MOST_PAIRED else ""


def _cohen(name: str, grid: Grid, power: int) -> Measure:
    points = np.array(grid.ratings.points, dtype=np.float64)
    rater_pairs = [*combinations(range(len(grid.ratings.raters)), 2)]
    width = 2 + 2 * len(points)
    distances = 1 - credits_of(grid.ratings.points, power if len(points) > 1 else 0)
    parts = [_of_pair(grid, left, right, points, power) for left, right in rater_pairs]
    both = [np.isnan(grid.by_rater[:, pair]).sum(axis=1) == 0 for pair in rater_pairs]

    def value(totals: Array) -> Array:
        blocks = totals.reshape(*totals.shape[:-1], len(rater_pairs), width)
        first, second = blocks[..., 2 : 2 + len(points)], blocks[..., 2 + len(points) :]
        expected = ((first @ distances) * second).sum(axis=-1)
        of_pairs = 1 - ratio(blocks[..., 1] * blocks[..., 0], expected)
        known = ~np.isnan(of_pairs)
        return ratio(np.where(known, of_pairs, 0.0).sum(axis=-1), known.sum(axis=-1))

    measure = grid.measure(name, np.any(both, axis=0), columns(*parts), value)
    return measure if len(rater_pairs) <= MOST_RESAMPLED else measure._replace(no_interval=ONLY_VALUE)


def _of_pair(grid: Grid, left: int, right: int, points: Array, power: int) -> Array:
    """For every row: whether both gave a value, how far those are apart, and which value each gave."""
    first, second = grid.by_rater[:, left], grid.by_rater[:, right]
    both = ~np.isnan(first) & ~np.isnan(second)
    width = max(1.0, points[-1] - points[0])
    far = (np.abs(first - second) / width) ** power if power else first != second
    given = (np.where(both[:, None], side[:, None] == points, 0.0) for side in (first, second))
    return columns(both, np.where(both, far, 0.0), *given)
