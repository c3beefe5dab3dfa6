"""What every coefficient is made of: numbers summed over items, and a value computed from the sums. Pure.

Since the sums over all items, over all but one, and over a resample of them are made alike, a coefficient is written
once, and its interval costs no second implementation: resampled sums are one product of arrays. `value` takes any
number of sums at once, in the last axis, and gives NaN where the coefficient is not defined for them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from evenhand.stats.agreement.ratings import Ratings
from evenhand.stats.arrays import Array


class Measure(NamedTuple):
    """A coefficient of some ratings."""

    name: str
    """Its id: `alpha-interval`."""
    vectors: Array
    """A row of numbers for every item; their sums determine the value."""
    value: Callable[[Array], Array]
    items: int
    """Items that count: those with enough values."""
    share: bool = False
    """Whether it is the share of something among all pairs of values."""
    no_interval: str = ""
    """Why there is no interval, though there is a value."""
    several: bool = False
    """Whether items have more than two values, or more than one pair of them."""
    reason: str = ""
    """Why there is no value, where the ratings themselves rule it out."""
    clusters: tuple[int, ...] = ()
    """The cluster of each item; empty where items are independent."""

    @property
    def totals(self) -> Array:
        """The sums over all items."""
        return self.vectors.sum(axis=0)

    @property
    def estimate(self) -> float | None:
        """The value over all items; None where it is not defined."""
        if self.reason or not len(self.vectors):
            return None
        value = float(self.value(self.totals))
        return None if np.isnan(value) else value

    @property
    def by_cluster(self) -> Measure:
        """The measure with clusters in place of items: the same value, from fewer independent parts."""
        if not self.clusters:
            return self
        sums = sums_by(np.array(self.clusters), self.vectors)[1]
        return self._replace(vectors=sums, items=len(sums), several=True)


class Grid:
    """Ratings as arrays."""

    def __init__(self, ratings: Ratings) -> None:
        self.ratings = ratings
        self.items = np.array(ratings.items)
        self.by_rater = np.array(ratings.rows, dtype=np.float64).reshape(len(ratings.rows), len(ratings.raters))
        """A row for each row of the ratings, a column for each rater; NaN where there is no value."""
        self.sizes = (~np.isnan(self.by_rater)).sum(axis=1)
        """How many values each row has."""

    @cached_property
    def values(self) -> Array:
        """The values of each row moved to the left, whoever gave them, so that there are few columns."""
        order = np.argsort(np.isnan(self.by_rater), axis=1, kind="stable")
        return np.take_along_axis(self.by_rater, order, axis=1)[:, : max(1, self.sizes.max(initial=0))]

    def counts(self, points: Sequence[float]) -> Array:
        """How often each row has each of these values."""
        counts = np.zeros((len(self.values), len(points)))
        for column in self.values.T:
            counts += column[:, None] == np.array(points)
        return counts

    def per_pair(self, of_pair: Callable[[Array, Array], Array]) -> Array:
        """The sum of something over all pairs of values of each row."""
        sums = np.zeros(len(self.values))
        for right in range(1, self.values.shape[1]):
            for left in range(right):
                found = of_pair(self.values[:, left], self.values[:, right])
                sums += np.where(self.sizes > right, found, 0.0)
        return sums

    def measure(
        self, name: str, counted: Array, vectors: Array, value: Callable[[Array], Array], *, share: bool = False
    ) -> Measure:
        """A measure from the numbers of each row that counts; rows of an item are added up."""
        items, sums = sums_by(self.items[counted], vectors[counted])
        ratings = self.ratings
        clusters = tuple(ratings.clusters[item] for item in items) if ratings.clusters else ()
        several = len(ratings.raters) > 2 or len(ratings.items) > ratings.item_count
        return Measure(name, sums, value, len(items), share, several=several, clusters=clusters)


def sums_by(groups: Array, vectors: Array) -> tuple[Array, Array]:
    """The different groups, and the vectors of each added up."""
    different, place = np.unique(groups, return_inverse=True)
    if len(different) == len(groups):
        return different, vectors[np.argsort(groups, kind="stable")]
    sums = np.zeros((len(different), vectors.shape[1]))
    np.add.at(sums, place, vectors)
    return different, sums


def columns(*parts: Array) -> Array:
    """Columns and blocks of columns side by side."""
    return np.column_stack(parts).astype(np.float64)


def ratio(part: Array, whole: Array) -> Array:
    """A share; NaN where there is nothing to divide by."""
    part, whole = np.broadcast_arrays(np.asarray(part, dtype=np.float64), np.asarray(whole, dtype=np.float64))
    return np.divide(part, whole, out=np.full(whole.shape, np.nan), where=whole > 0)


def without(name: str, reason: str) -> Measure:
    """A measure that these ratings do not allow."""
    return Measure(name, np.zeros((0, 1)), lambda totals: totals[..., 0], 0, reason=reason)
