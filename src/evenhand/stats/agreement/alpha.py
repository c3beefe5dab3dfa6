"""Krippendorff's alpha for any number of raters, with missing values: 1 minus observed by expected disagreement.

Krippendorff, Computing Krippendorff's Alpha-Reliability (2011). Items with one value say nothing and are left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from itertools import combinations
from math import lcm

from evenhand.stats.agreement.measure import Measure, Totals, measured, without
from evenhand.stats.agreement.ratings import Ratings, Row, present

SCALED = 10**12
"""Ratios of values are kept to this many parts."""

MOST_RANKED = 40
"""Ordinal alpha counts pairs of values; with more different values than this there would be too many."""


def alphas(ratings: Ratings) -> list[Measure]:
    """Alpha for every level of measurement that the values allow."""
    lowest = min((value for row in ratings.rows for value in present(row)), default=0)
    few = len(ratings.points) <= MOST_RANKED
    levels = [_nominal(ratings) if few else without("alpha-nominal", _MANY)]
    if ratings.ordered:
        levels.append(_ordinal(ratings))
    if ratings.numeric:
        levels.append(_interval(ratings, lowest))
        levels.append(_ratio(ratings) if lowest >= 0 else without("alpha-ratio", "a ratio needs values from zero up"))
    return levels


def _parts(ratings: Ratings) -> int:
    """A number that every count of values less one divides, so that shares of pairs are whole."""
    return lcm(*(len(values) - 1 for row in ratings.rows if len(values := present(row)) > 1), 1)


def _pairs(row: Row, parts: int) -> tuple[Counter[int], list[tuple[int, int, int]]] | None:
    """A row's values with their counts, and its pairs of different values with their weights."""
    values = Counter(present(row))
    size = values.total()
    if size < 2:
        return None
    weight = parts // (size - 1)
    pairs = [(left, right, values[left] * values[right] * weight) for left, right in combinations(values, 2)]
    return values, pairs


def _alpha(observed: float, expected: float, count: int, parts: int) -> float | None:
    return 1 - (count - 1) * observed / (expected * parts) if expected else None


def _nominal(ratings: Ratings) -> Measure:
    parts, points = _parts(ratings), ratings.points

    def vector(row: Row) -> Sequence[int] | None:
        paired = _pairs(row, parts)
        return None if paired is None else [sum(pair[2] for pair in paired[1]), *(paired[0][point] for point in points)]

    def value(totals: Totals) -> float | None:
        counts = totals[1:]
        size = sum(counts)
        return _alpha(totals[0], (size * size - sum(count * count for count in counts)) / 2, size, parts)

    return measured("alpha-nominal", ratings, vector, value)


def _interval(ratings: Ratings, lowest: int) -> Measure:
    parts = _parts(ratings)

    def vector(row: Row) -> Sequence[int] | None:
        paired = _pairs(row, parts)
        if paired is None:
            return None
        values = [value - lowest for value in present(row)]
        apart = sum((left - right) ** 2 * weight for left, right, weight in paired[1])
        return [apart, len(values), sum(values), sum(value * value for value in values)]

    def value(totals: Totals) -> float | None:
        apart, size, linear, squares = totals
        return _alpha(apart, size * squares - linear * linear, size, parts)

    return measured("alpha-interval", ratings, vector, value)


def _ratio(ratings: Ratings) -> Measure:
    @cache
    def apart(left: int, right: int) -> int:
        return SCALED * (left - right) ** 2 // (left + right) ** 2

    return _by_pairs(
        "alpha-ratio", ratings, lambda points, _: lambda left, right: apart(points[left], points[right]), SCALED
    )


def _ordinal(ratings: Ratings) -> Measure:
    def distance(points: Sequence[int], counts: Sequence[int]) -> Callable[[int, int], int]:
        """Values are as far apart as their middle ranks, doubled to be whole."""
        middles, before = [], 0
        for count in counts:
            middles.append(2 * before + count)
            before += count
        return lambda left, right: (middles[left] - middles[right]) ** 2

    return _by_pairs("alpha-ordinal", ratings, distance, 1)


_MANY = f"there are more than {MOST_RANKED} different values; alpha for intervals is the one to read"

Distance = Callable[[Sequence[int], Sequence[int]], Callable[[int, int], int]]


def _by_pairs(name: str, ratings: Ratings, distance: Distance, scaled: int) -> Measure:
    """Alpha from how often each pair of values occurs within items; `distance` may depend on the counts of values."""
    points = sorted({value for row in ratings.rows for value in present(row)})
    if len(points) > MOST_RANKED:
        return _many(name, ratings, distance, scaled)
    parts = _parts(ratings)
    places = [*combinations(range(len(points)), 2)]
    slot = {(points[left], points[right]): number for number, (left, right) in enumerate(places)}

    def vector(row: Row) -> Sequence[int] | None:
        paired = _pairs(row, parts)
        if paired is None:
            return None
        seen = [0] * len(places)
        for left, right, weight in paired[1]:
            seen[slot[min(left, right), max(left, right)]] += weight
        return [*seen, *(paired[0][point] for point in points)]

    def value(totals: Totals) -> float | None:
        seen, counts = totals[: len(places)], totals[len(places) :]
        apart = distance(points, counts)
        observed = expected = 0
        for (left, right), weight in zip(places, seen, strict=True):
            far = apart(left, right)
            observed += weight * far
            expected += counts[left] * counts[right] * far
        return _alpha(observed / scaled, expected / scaled, sum(counts), parts)

    return measured(name, ratings, vector, value)


def _many(name: str, ratings: Ratings, distance: Distance, scaled: int) -> Measure:
    """The value alone, where there are too many different values to resample their pairs."""
    points = sorted({value for row in ratings.rows if len(present(row)) > 1 for value in present(row)})
    place = {point: number for number, point in enumerate(points)}
    counts = Counter(value for row in ratings.rows if len(present(row)) > 1 for value in present(row))
    apart = distance(points, [counts[point] for point in points])
    parts = _parts(ratings)
    expected = sum(
        counts[left] * counts[right] * apart(place[left], place[right]) for left, right in combinations(points, 2)
    )

    def vector(row: Row) -> Sequence[int] | None:
        paired = _pairs(row, parts)
        return (
            None
            if paired is None
            else [sum(apart(place[left], place[right]) * weight for left, right, weight in paired[1])]
        )

    def value(totals: Totals) -> float | None:
        return _alpha(totals[0] / scaled, expected / scaled, counts.total(), parts)

    return measured(name, ratings, vector, value)._replace(no_interval=_MANY)
