"""Whether raters order items alike: Spearman's rho with middle ranks, and Kendall's tau-b. Pure.

With more than two raters they are the mean over all pairs of raters. Ranks depend on all items at once, so a resample
does not rank anew: every item has its first-order share in each sum (its Hájek projection), and these are resampled.
The value itself is exact.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from itertools import accumulate, combinations
from math import sqrt

from evenhand.stats.agreement.kappa import not_paired
from evenhand.stats.agreement.measure import Measure, Totals, without
from evenhand.stats.agreement.ratings import Ratings

Sums = list[tuple[int, int, int]]
"""For every row: its share in the sum of products, and in the two sums of squares."""


def rank_correlations(ratings: Ratings) -> list[Measure]:
    """Spearman's rho and Kendall's tau-b."""
    why = not_paired(ratings)
    if why:
        return [without(name, why) for name in ("spearman", "kendall")]
    return [
        _mean_of_pairs(name, ratings, sums, degree)
        for name, sums, degree in (("spearman", _ranked, 3), ("kendall", _compared, 2))
    ]


def _mean_of_pairs(name: str, ratings: Ratings, sums: Callable[[list[int], list[int]], Sums], degree: int) -> Measure:
    vectors: dict[int, list[int]] = {}
    floors: list[tuple[int, int, int]] = []
    rater_pairs = [*combinations(range(len(ratings.raters)), 2)]
    for number, (left, right) in enumerate(rater_pairs):
        rows = [
            (item, row[left], row[right])
            for item, row in zip(ratings.items, ratings.rows, strict=True)
            if row[left] is not None and row[right] is not None
        ]
        shares = sums([row[1] for row in rows], [row[2] for row in rows])  # type: ignore[misc]
        floor = tuple(min((entry[part] for entry in shares), default=0) for part in range(3))
        floors.append(floor)  # type: ignore[arg-type]
        for (item, _, _), entry in zip(rows, shares, strict=True):
            vector = vectors.setdefault(item, [0] * (4 * len(rater_pairs)))
            vector[4 * number] += 1
            for part in range(3):
                vector[4 * number + 1 + part] += entry[part] - floor[part]
    whole = [sum(column) for column in zip(*vectors.values(), strict=True)]

    def value(totals: Totals) -> float | None:
        values = []
        for number, floor in enumerate(floors):
            parts = slice(4 * number, 4 * number + 4)
            result = _correlation(totals[parts], whole[parts], floor, degree)
            if result is not None:
                values.append(result)
        return sum(values) / len(values) if values else None

    clusters = tuple(ratings.clusters[item] for item in vectors) if ratings.clusters else ()
    return Measure(name, tuple(map(tuple, vectors.values())), value, len(vectors), clusters=clusters)


def _correlation(totals: Totals, whole: Totals, floor: tuple[int, int, int], degree: int) -> float | None:
    """A sum over tuples of `degree` items grows as that power of their number; here it is followed to first order."""
    count = whole[0]
    products, first, second = (
        (totals[part + 1] + floor[part] * totals[0]) * count / (totals[0] or 1)
        - (degree - 1) * (whole[part + 1] + floor[part] * count) / degree
        for part in range(3)
    )
    if first <= 0 or second <= 0:
        return None
    return max(-1.0, min(1.0, products / sqrt(first * second)))


def _ranked(first: list[int], second: list[int]) -> Sums:
    """Spearman: middle ranks from the middle, and what one more item like this one would change in others' ranks."""
    x, y = _centred(first), _centred(second)
    y_above, x_above = _above_less_below(first, y), _above_less_below(second, x)
    xx, yy = _above_less_below(first, x), _above_less_below(second, y)
    n = len(first)
    return [
        (n * a * b + n * (ya + xa), n * a * a + 2 * n * xs, n * b * b + 2 * n * ys)
        for a, b, ya, xa, xs, ys in zip(x, y, y_above, x_above, xx, yy, strict=True)
    ]


def _centred(values: list[int]) -> list[int]:
    """How many values are below less how many are above: twice the middle rank from the middle."""
    order = sorted(values)
    return [bisect_left(order, value) - (len(order) - bisect_right(order, value)) for value in values]


def _above_less_below(values: list[int], amounts: list[int]) -> list[int]:
    """For each value, the amounts at higher values less those at lower ones."""
    ordered = sorted(zip(values, amounts, strict=True))
    keys = [value for value, _ in ordered]
    sums = [0, *accumulate(amount for _, amount in ordered)]
    return [sums[-1] - sums[bisect_right(keys, value)] - sums[bisect_left(keys, value)] for value in values]


def _compared(first: list[int], second: list[int]) -> Sums:
    """Kendall: concordant less discordant partners of each item, and partners that are not tied."""
    n = len(first)
    tied_first, tied_second = _ties(first), _ties(second)
    return [
        (2 * score, 2 * (n - left), 2 * (n - right))
        for score, left, right in zip(_concordance(first, second), tied_first, tied_second, strict=True)
    ]


def _ties(values: list[int]) -> list[int]:
    order = sorted(values)
    return [bisect_right(order, value) - bisect_left(order, value) for value in values]


def _concordance(first: list[int], second: list[int]) -> list[int]:
    """Concordant less discordant partners of each item: a sweep upward and one downward over the first values."""
    scores = [0] * len(first)
    rank = {value: place for place, value in enumerate(sorted(set(second)), start=1)}
    order = sorted(range(len(first)), key=lambda place: first[place])
    for sign, sweep in ((1, order), (-1, order[::-1])):
        tree = [0] * (len(rank) + 1)
        seen = start = 0
        while start < len(sweep):
            end = start
            while end < len(sweep) and first[sweep[end]] == first[sweep[start]]:
                end += 1
            for place in sweep[start:end]:
                at = rank[second[place]]
                scores[place] += sign * (_sum_to(tree, at - 1) - (seen - _sum_to(tree, at)))
            for place in sweep[start:end]:
                at = rank[second[place]]
                seen += 1
                while at < len(tree):
                    tree[at] += 1
                    at += at & -at
            start = end
    return scores


def _sum_to(tree: Sequence[int], at: int) -> int:
    total = 0
    while at:
        total += tree[at]
        at &= at - 1
    return total
