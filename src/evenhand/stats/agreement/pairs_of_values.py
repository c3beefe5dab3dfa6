"""Two raters, or a judge against people: shares of equal and near values, bias, limits of agreement, confusion. Pure.

Bland and Altman (1986) for bias and limits. Shares hold for any number of raters: all pairs of values of an item.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from math import sqrt
from typing import NamedTuple

from evenhand.stats.agreement.measure import Measure, Totals, measured, without
from evenhand.stats.agreement.ratings import Ratings, Row, present

LIMITS = 1.959963984540054
"""Limits of agreement are this many standard deviations from the mean difference: 95 % of normal differences."""


class Confusion(NamedTuple):
    """How often each value of the first rater met each of the second."""

    labels: tuple[str, ...]
    counts: tuple[tuple[int, ...], ...]
    """A row for each value of the first rater."""


def shares(ratings: Ratings) -> list[Measure]:
    """Equal values, and values at most one step apart."""
    measures = [_share("exact", ratings, lambda left, right: left == right)]
    if ratings.ordered:
        step = ratings.unit
        measures.append(_share("adjacent", ratings, lambda left, right: abs(left - right) <= step))
    return measures


def _share(name: str, ratings: Ratings, near: Callable[[int, int], bool]) -> Measure:
    def vector(row: Row) -> Sequence[int] | None:
        values = present(row)
        if len(values) < 2:
            return None
        pairs = [*combinations(values, 2)]
        return [sum(near(left, right) for left, right in pairs), len(pairs)]

    return measured(name, ratings, vector, lambda totals: totals[0] / totals[1] if totals[1] else None, share=True)


def differences(ratings: Ratings) -> list[Measure]:
    """Bias and limits of agreement: the first rater minus the second, in points."""
    names = ("bias", "lower-limit", "upper-limit")
    if len(ratings.raters) != 2 or not ratings.known_raters:
        why = "bias is of one rater against another; with more, see ICC(2,1) beside ICC(3,1)"
        if not ratings.known_raters:
            why = "the table does not tell who gave which value"
        return [without(name, why) for name in names]
    lowest = min((left - right for left, right in ratings.rows if left is not None and right is not None), default=0)

    def vector(row: Row) -> Sequence[int] | None:
        left, right = row
        if left is None or right is None:
            return None
        difference = left - right - lowest
        return [1, difference, difference * difference]

    def at(times: float) -> Callable[[Totals], float | None]:
        def value(totals: Totals) -> float | None:
            n, linear, squares = totals
            if n < (2 if times else 1):
                return None
            spread = sqrt((n * squares - linear * linear) / (n * (n - 1))) if times else 0.0
            return (linear / n + lowest + times * spread) / ratings.unit

        return value

    return [measured(name, ratings, vector, at(times)) for name, times in zip(names, (0, -LIMITS, LIMITS), strict=True)]


def confusion(ratings: Ratings) -> Confusion | None:
    """The table of two raters; None with more of them, or too many values."""
    if len(ratings.raters) != 2 or not ratings.known_raters or not ratings.whole_steps:
        return None
    place = {point: number for number, point in enumerate(ratings.points)}
    counts = [[0] * len(place) for _ in place]
    for left, right in ratings.rows:
        if left is not None and right is not None:
            counts[place[left]][place[right]] += 1
    return Confusion(tuple(map(ratings.shown, ratings.points)), tuple(map(tuple, counts)))
