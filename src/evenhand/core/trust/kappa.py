"""Cohen's kappa for two raters, unweighted and weighted, and Fleiss' kappa for any number, with missing values.

Cohen (1960, 1968); Fleiss (1971), for items with different numbers of raters as in Gwet (2014). Weights are by the
distance of the values on their scale: linear or squared.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import lcm

from evenhand.core.trust.measure import Measure, Totals, measured, without
from evenhand.core.trust.ratings import Ratings, Row, present

TWO = "kappa is for two raters; with more, see Fleiss' kappa and alpha"


def kappas(ratings: Ratings) -> list[Measure]:
    """Cohen's kappas of two raters, and Fleiss' kappa of all."""
    if not ratings.whole_steps:
        why = f"the values lie on {len(ratings.points)} points, too many to count as categories; see ICC and alpha"
        every = ("kappa", "kappa-linear", "kappa-quadratic", "kappa-fleiss")
        return [without(name, why) for name in every]
    names = ("kappa", "kappa-linear", "kappa-quadratic") if ratings.ordered else ("kappa",)
    powers = {"kappa": 0, "kappa-linear": 1, "kappa-quadratic": 2}
    two = len(ratings.raters) == 2
    cohen = [_cohen(name, ratings, powers[name]) if two else without(name, TWO) for name in names]
    return [*cohen, _fleiss(ratings)]


def _cohen(name: str, ratings: Ratings, power: int) -> Measure:
    points = ratings.points

    def far(one: int, other: int) -> int:
        return int(one != other) if power == 0 else abs(one - other) ** power

    def vector(row: Row) -> Sequence[int] | None:
        one, other = row
        if one is None or other is None:
            return None
        return [
            1,
            far(one, other),
            *(int(one == point) for point in points),
            *(int(other == point) for point in points),
        ]

    def value(totals: Totals) -> float | None:
        size, observed = totals[0], totals[1]
        expected = EXPECTED[power](points, totals[2 : 2 + len(points)], totals[2 + len(points) :])
        return 1 - observed * size / expected if expected else None

    return measured(name, ratings, vector, value)


def _apart_at_all(_: Sequence[int], first: Totals, second: Totals) -> int:
    """How often two values drawn one from each rater differ, among all ways to draw."""
    return sum(first) * sum(second) - sum(one * other for one, other in zip(first, second, strict=True))


def _apart(points: Sequence[int], first: Totals, second: Totals) -> int:
    """Their distances added up: at each step of the scale, the pairs with one value on either side."""
    total = below = under = 0
    size, other_size = sum(first), sum(second)
    for place in range(len(points) - 1):
        below += first[place]
        under += second[place]
        total += (points[place + 1] - points[place]) * (below * (other_size - under) + under * (size - below))
    return total


def _apart_squared(points: Sequence[int], first: Totals, second: Totals) -> int:
    """Their squared distances added up."""
    sums = []
    for counts in (first, second):
        linear = sum(point * count for point, count in zip(points, counts, strict=True))
        squares = sum(point * point * count for point, count in zip(points, counts, strict=True))
        sums.append((sum(counts), linear, squares))
    (size, linear, squares), (other_size, other_linear, other_squares) = sums
    return other_size * squares + size * other_squares - 2 * linear * other_linear


EXPECTED = (_apart_at_all, _apart, _apart_squared)
"""By the power of the distance: 0 for unweighted kappa, 1 for linear weights, 2 for quadratic ones."""


def _fleiss(ratings: Ratings) -> Measure:
    points = ratings.points
    sizes = {len(values) for row in ratings.rows if (values := present(row))}
    shares = lcm(*sizes, 1)
    parts = lcm(*(size * (size - 1) for size in sizes if size > 1), 1)

    def vector(row: Row) -> Sequence[int] | None:
        values = Counter(present(row))
        size = values.total()
        if not size:
            return None
        agreed = sum(count * (count - 1) for count in values.values()) * parts // (size * (size - 1)) if size > 1 else 0
        return [1, int(size > 1), agreed, *(values[point] * shares // size for point in points)]

    def value(totals: Totals) -> float | None:
        rows, pairable, agreed = totals[:3]
        if not pairable:
            return None
        chance = sum((count / (rows * shares)) ** 2 for count in totals[3:])
        return (agreed / (pairable * parts) - chance) / (1 - chance) if chance < 1 - 1e-12 else None

    return measured("kappa-fleiss", ratings, vector, value)
