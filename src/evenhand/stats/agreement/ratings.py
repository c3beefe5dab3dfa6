"""Ratings: rows of values by raters, as whole numbers, so that sums over items are exact. Pure.

A row is an item with a value or None for each rater; or a pair of values, where a judge is compared with several
people. All rows of one item belong together: an interval resamples items, never rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import lcm
from typing import NamedTuple

from evenhand.core.judgement import PERSON

ANONYMOUS = "anonymous"
"""With a number after it, a rater who is not known to be the same person from one item to the next."""

Row = tuple[int | None, ...]


class Ratings(NamedTuple):
    """The values that raters gave to items."""

    raters: tuple[str, ...]
    """One for each column."""
    rows: tuple[Row, ...]
    """Values in units of `1/unit`; places in `points` where values are categories."""
    items: tuple[int, ...]
    """The number of the item that each row belongs to, from 0 without a gap."""
    unit: int
    points: tuple[int, ...]
    """Every value that can occur, lowest first: the scale's where it is known, or else those that do occur."""
    names: tuple[str, ...] = ()
    """The categories' names by value; empty for numbers."""
    ordered: bool = True
    """Whether a higher value is more than a lower one."""
    clusters: tuple[int, ...] = ()
    """The number of the cluster of each item, by the item's number; empty where items are independent."""

    @property
    def numeric(self) -> bool:
        """Whether values are numbers, whose differences mean something."""
        return not self.names

    @property
    def whole_steps(self) -> bool:
        """Whether values lie on a scale of few points, so that they can be counted as categories."""
        return bool(self.names) or len(self.points) <= MOST_CATEGORIES

    @property
    def too_many_points(self) -> str:
        """Why values that do not lie on few points have no coefficient that counts categories."""
        return f"the values lie on {len(self.points)} points, too many to count as categories; see ICC and alpha"

    @property
    def known_raters(self) -> bool:
        """Whether a column is the same rater throughout."""
        return sum(name.removeprefix(PERSON).startswith(f"{ANONYMOUS} ") for name in self.raters) < 2

    @property
    def item_count(self) -> int:
        """How many items there are."""
        return len(set(self.items))

    def shown(self, value: int) -> str:
        """A value as a person writes it."""
        return self.names[value] if self.names else f"{value / self.unit:g}"


MOST_CATEGORIES = 24
"""Values on more points than this are measured, not counted: no kappa, no AC, no confusion."""


def numbers(
    raters: Sequence[str],
    rows: Sequence[Sequence[Fraction | None]],
    *,
    items: Sequence[int] | None = None,
    points: Sequence[Fraction] = (),
) -> Ratings:
    """Ratings that are numbers; `points` are the scale's, if it has few."""
    values = [value for row in rows for value in row if value is not None]
    unit = lcm(*(value.denominator for value in (*values, *points)), 1)
    units: dict[Fraction | None, int] = {value: int(value * unit) for value in {*values}}
    whole = tuple(tuple(map(units.get, row)) for row in rows)
    scale = {int(point * unit) for point in points} | {value for row in whole for value in row if value is not None}
    numbered = tuple(range(len(rows)) if items is None else items)
    return Ratings(tuple(raters), whole, numbered, unit, tuple(sorted(scale)))


def categories(
    raters: Sequence[str],
    rows: Sequence[Sequence[str | None]],
    *,
    items: Sequence[int] | None = None,
    order: Sequence[str] = (),
    ordered: bool = True,
) -> Ratings:
    """Ratings that are categories; `order` lists them lowest first, or all of them if they are not `ordered`."""
    names = tuple(order) or tuple(sorted({value for row in rows for value in row if value is not None}))
    place = {name: number for number, name in enumerate(names)}
    whole = tuple(tuple(None if value is None else place[value] for value in row) for row in rows)
    numbered = tuple(range(len(rows)) if items is None else items)
    return Ratings(tuple(raters), whole, numbered, 1, tuple(range(len(names))), names, bool(order) and ordered)


def present(row: Row) -> list[int]:
    """The values of a row that are not missing."""
    return [value for value in row if value is not None]


def against_each(first: Ratings, judge: int) -> Ratings:
    """One rater against every other: a row for each pair of values, all pairs of an item together."""
    pairs: list[Row] = []
    items: list[int] = []
    for item, row in zip(first.items, first.rows, strict=True):
        for place, value in enumerate(row):
            if place != judge and value is not None and row[judge] is not None:
                pairs.append((row[judge], value))
                items.append(item)
    numbered = {item: place for place, item in enumerate(dict.fromkeys(items))}
    others = "each person" if len(first.raters) > 2 else first.raters[1 - judge]
    clusters = [first.clusters[item] for item in numbered] if first.clusters else []
    renumbered = {cluster: place for place, cluster in enumerate(dict.fromkeys(clusters))}
    return first._replace(
        raters=(first.raters[judge], others),
        rows=tuple(pairs),
        items=tuple(numbered[item] for item in items),
        clusters=tuple(renumbered[cluster] for cluster in clusters),
    )
