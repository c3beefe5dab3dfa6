"""What every coefficient is made of: whole numbers summed over items, and a value computed from the sums. Pure.

Since the sums over all items, over all but one, and over a resample of them are made alike, a coefficient is written
once, and its interval costs no second implementation. `None` from `value` means that it is not defined for such sums.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from evenhand.stats.agreement.ratings import Ratings, Row

Totals = Sequence[int]


class Measure(NamedTuple):
    """A coefficient of some ratings."""

    name: str
    """Its id: `alpha-interval`."""
    vectors: tuple[tuple[int, ...], ...]
    """Whole numbers, none below zero, for every item; their sums determine the value."""
    value: Callable[[Totals], float | None]
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
    def totals(self) -> tuple[int, ...]:
        """The sums over all items."""
        return tuple(map(sum, zip(*self.vectors, strict=True)))

    @property
    def by_cluster(self) -> Measure:
        """The measure with clusters in place of items: the same value, from fewer independent parts."""
        if not self.clusters:
            return self
        sums: dict[int, tuple[int, ...]] = {}
        for vector, cluster in zip(self.vectors, self.clusters, strict=True):
            known = sums.get(cluster)
            sums[cluster] = vector if known is None else tuple(map(sum, zip(known, vector, strict=True)))
        return self._replace(vectors=tuple(sums.values()), items=len(sums), several=True)


def measured(
    name: str,
    ratings: Ratings,
    vector: Callable[[Row], Sequence[int] | None],
    value: Callable[[Totals], float | None],
    *,
    share: bool = False,
) -> Measure:
    """A measure from a vector for each row, or None for a row that does not count; rows of an item are added up."""
    by_item: dict[int, tuple[int, ...]] = {}
    several = len(ratings.raters) > 2 or len(ratings.items) > ratings.item_count
    for item, row in zip(ratings.items, ratings.rows, strict=True):
        numbers = vector(row)
        if numbers is not None:
            known = by_item.get(item)
            by_item[item] = tuple(numbers) if known is None else tuple(map(sum, zip(known, numbers, strict=True)))
    clusters = tuple(ratings.clusters[item] for item in by_item) if ratings.clusters else ()
    return Measure(name, tuple(by_item.values()), value, len(by_item), share, several=several, clusters=clusters)


def without(name: str, reason: str) -> Measure:
    """A measure that these ratings do not allow."""
    return Measure(name, (), lambda _: None, 0, reason=reason)
