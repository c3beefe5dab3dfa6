"""Cohen's kappa for two raters, unweighted and weighted, and Fleiss' kappa for any number, with missing values.

Cohen (1960, 1968), with more than two raters the mean over pairs of them, as in Light (1971); Fleiss (1971), for items
with different numbers of raters as in Gwet (2014). Weights are by the distance of the values on their scale: linear or
squared.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations

from evenhand.stats.agreement.gwet import beyond_chance
from evenhand.stats.agreement.measure import Measure, Totals, measured, without
from evenhand.stats.agreement.ratings import Ratings, Row, present

MOST_PAIRED = 12
"""With more raters than this there are too many pairs of them to compare each."""

PAIRS = f"there are more than {MOST_PAIRED} raters, too many to compare each with each; see Fleiss' kappa and alpha"
MOST_RESAMPLED = 6
"""With more pairs of raters than this, so with more than 4 raters, the mean over pairs has no interval."""

ONLY_VALUE = "the mean over pairs of more than 4 raters has none; see Fleiss' kappa and alpha"
NOT_NAMED = "the table does not tell who gave which value; see Fleiss' kappa and alpha"


def kappas(ratings: Ratings) -> list[Measure]:
    """Cohen's kappas of two raters, and Fleiss' kappa of all."""
    if not ratings.whole_steps:
        every = ("kappa", "kappa-linear", "kappa-quadratic", "kappa-fleiss")
        return [without(name, ratings.too_many_points) for name in every]
    names = ("kappa", "kappa-linear", "kappa-quadratic") if ratings.ordered else ("kappa",)
    powers = {"kappa": 0, "kappa-linear": 1, "kappa-quadratic": 2}
    why = not_paired(ratings)
    cohen = [without(name, why) if why else _cohen(name, ratings, powers[name]) for name in names]
    fleiss = beyond_chance("kappa-fleiss", ratings, 0, lambda shares: sum(share**2 for share in shares))
    return [*cohen, fleiss]


def not_paired(ratings: Ratings) -> str:
    """Why raters cannot be compared one with another; empty where they can."""
    if not ratings.known_raters:
        return NOT_NAMED
    return PAIRS if len(ratings.raters) > MOST_PAIRED else ""


def _cohen(name: str, ratings: Ratings, power: int) -> Measure:
    points = ratings.points
    rater_pairs = [*combinations(range(len(ratings.raters)), 2)]
    width = 2 + 2 * len(points)

    def far(left: int, right: int) -> int:
        return int(left != right) if power == 0 else abs(left - right) ** power

    def vector(row: Row) -> Sequence[int] | None:
        parts: list[int] = []
        for first, second in rater_pairs:
            left, right = row[first], row[second]
            if left is None or right is None:
                parts += [0] * width
                continue
            parts += [1, far(left, right)]
            parts += [int(left == point) for point in points]
            parts += [int(right == point) for point in points]
        return parts if any(parts) else None

    def of_two(totals: Totals) -> float | None:
        size, observed = totals[0], totals[1]
        expected = EXPECTED[power](points, totals[2 : 2 + len(points)], totals[2 + len(points) :])
        return 1 - observed * size / expected if expected else None

    def value(totals: Totals) -> float | None:
        values = [of_two(totals[start : start + width]) for start in range(0, len(rater_pairs) * width, width)]
        defined = [left for left in values if left is not None]
        return sum(defined) / len(defined) if defined else None

    if len(rater_pairs) <= MOST_RESAMPLED:
        return measured(name, ratings, vector, value)
    sums = [0] * (len(rater_pairs) * width)
    for row, count in Counter(ratings.rows).items():
        for place, part in enumerate(vector(row) or ()):
            sums[place] += count * part
    items = {item for item, row in zip(ratings.items, ratings.rows, strict=True) if len(present(row)) > 1}
    return Measure(name, (tuple(sums),), value, len(items), no_interval=ONLY_VALUE)


def _apart_at_all(_: Sequence[int], first: Totals, second: Totals) -> int:
    """How often two values drawn one from each rater differ, among all ways to draw."""
    return sum(first) * sum(second) - sum(left * right for left, right in zip(first, second, strict=True))


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
