"""Gwet's AC1 and AC2 for any number of raters, with missing values: agreement beyond chance that skewed counts
do not pull down as they do kappa.

Gwet, Handbook of Inter-Rater Reliability (4th edition, 2014). AC1 counts equal values; AC2 gives partial credit by
linear or quadratic weights. The number of categories is that of the scale where it is known, and else of those seen.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from math import lcm

from evenhand.stats.agreement.measure import Measure, Totals, measured, without
from evenhand.stats.agreement.ratings import Ratings, Row, present


def gwets(ratings: Ratings) -> list[Measure]:
    """AC1, and AC2 with both kinds of weights where values have an order."""
    names = {"ac1": 0, "ac2-linear": 1, "ac2-quadratic": 2} if ratings.ordered else {"ac1": 0}
    if not ratings.whole_steps:
        return [without(name, ratings.too_many_points) for name in names]
    if len(ratings.points) < 2:
        return [without(name, "only one value occurs, and the scale is not known") for name in names]
    return [_gwet(name, ratings, power) for name, power in names.items()]


def _gwet(name: str, ratings: Ratings, power: int) -> Measure:
    points = ratings.points
    credit, whole = _credit(points, power)
    spread = sum(credit(left, right) for left in points for right in points) / (whole * len(points) * (len(points) - 1))
    return beyond_chance(name, ratings, power, lambda shares: spread * sum(share * (1 - share) for share in shares))


def _credit(points: Sequence[int], power: int) -> tuple[Callable[[int, int], int], int]:
    """What two values count for agreement, and what equal ones do."""
    whole = (points[-1] - points[0]) ** power if power else 1
    return lambda left, right: whole - abs(left - right) ** power if power else int(left == right), whole


def beyond_chance(name: str, ratings: Ratings, power: int, chance: Callable[[Sequence[float]], float]) -> Measure:
    """The agreement of all pairs of an item's values beyond that by chance, which the categories' shares give."""
    points = ratings.points
    credit, whole = _credit(points, power)
    sizes = {len(values) for row in ratings.rows if (values := present(row))}
    shares = lcm(*sizes, 1)
    parts = lcm(*(size * (size - 1) for size in sizes if size > 1), 1)

    def vector(row: Row) -> Sequence[int] | None:
        values = Counter(present(row))
        size = values.total()
        if not size:
            return None
        agreed = 0
        if size > 1:
            every = sum(a * b * credit(left, right) for left, a in values.items() for right, b in values.items())
            agreed = (every - size * whole) * parts // (size * (size - 1))
        return [1, int(size > 1), agreed, *(values[point] * shares // size for point in points)]

    def value(totals: Totals) -> float | None:
        rows, pairable, agreed = totals[:3]
        if not pairable:
            return None
        by_chance = chance([count / (rows * shares) for count in totals[3:]])
        return (agreed / (pairable * parts * whole) - by_chance) / (1 - by_chance) if by_chance < 1 - 1e-12 else None

    return measured(name, ratings, vector, value)
