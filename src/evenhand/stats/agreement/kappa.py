"""Cohen's kappa for two raters, unweighted and weighted, and Fleiss' kappa for any number, with missing values.

Cohen (1960, 1968), with more than two raters the mean over pairs of them, as in Light (1971); Fleiss (1971), for items
with different numbers of raters as in Gwet (2014). Weights are by the distance of the values on their scale: linear or
squared.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np

from evenhand.stats.agreement.gwet import beyond_chance, credits_of
from evenhand.stats.agreement.measure import Grid, Measure, columns, ratio, without
from evenhand.stats.agreement.ratings import Ratings
from evenhand.stats.arrays import Array

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
