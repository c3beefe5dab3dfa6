"""Monotone regression by pooling adjacent violators (PAVA). Pure.

The fitted curve never falls. Between two judge scores that have labels it is a straight line; beyond the
first and the last it stays level.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from itertools import groupby
from operator import itemgetter

Knot = tuple[float, float]
"""A judge's score, and the people's score that belongs to it."""


def fit(pairs: Iterable[Knot]) -> tuple[Knot, ...]:
    """The rising curve with the least squared error, as the knots where it bends. Ties count by number."""
    xs: list[float] = []
    blocks: list[tuple[float, int, int]] = []
    for x, group in groupby(sorted(pairs), key=itemgetter(0)):
        ys = [y for _, y in group]
        xs.append(x)
        block = (sum(ys), len(ys), 1)  # the sum, how many labels, how many different judge scores
        while blocks and blocks[-1][0] * block[1] >= block[0] * blocks[-1][1]:
            before = blocks.pop()
            block = (before[0] + block[0], before[1] + block[1], before[2] + block[2])
        blocks.append(block)
    levels = [total / count for total, count, scores in blocks for _ in range(scores)]
    knots = list(zip(xs, levels, strict=True))
    return tuple(
        knot
        for place, knot in enumerate(knots)
        if place in (0, len(knots) - 1) or not knots[place - 1][1] == knot[1] == knots[place + 1][1]
    )


def at(knots: Sequence[Knot], x: float) -> float:
    """The curve's value at a judge's score."""
    place = bisect_left(knots, x, key=itemgetter(0))
    if place == 0:
        return knots[0][1]
    if place == len(knots):
        return knots[-1][1]
    (left, low), (right, high) = knots[place - 1], knots[place]
    return low + (high - low) * (x - left) / (right - left)
