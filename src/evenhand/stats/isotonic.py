"""Monotone regression by pooling adjacent violators (PAVA). Pure.

The fitted curve never falls. Between two judge scores that have labels it is a straight line; beyond the
first and the last it stays level.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from operator import itemgetter

from evenhand.core.calibration import Knot


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
