"""Two sets of scores that cannot be paired: which one has the higher scores, and is it shown? Pure; seeded.

The mean is claimed by Welch's test, with thirty scores or more whose difference of means is not skewed. Otherwise the
claim is about single scores: one of B is higher than one of A more often than lower. It is tested by Brunner and
Munzel's statistic, which does not assume that both sets scatter alike. In small sets its distribution is that over all
ways to divide the scores into two such sets (where these are too many, a seeded sample), in large ones Student's t.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate, combinations, groupby, pairwise
from math import comb, inf, sqrt
from random import Random
from typing import NamedTuple

from evenhand.core.history import two_sided
from evenhand.decisions.sets.weighted import MOST_FREEDOM, MOST_SKEW
from evenhand.stats.sign_test import EXACT_BELOW

DIVISIONS = 4_000
"""The most ways to divide the scores that are all counted."""

SAMPLED = 2_000
"""How many are drawn when there are more; at p = 0.05 they are off by 0.005."""

LARGE = 500
"""From so many scores in each set on, Student's t is near enough, even where most scores are equal."""


class Higher(NamedTuple):
    """How single scores of B compare with single scores of A."""

    better: int
    """In how many pairs of a score of B and one of A that of B is higher."""
    worse: int
    p_value: float


def is_mean_claimed(first: Sequence[float], second: Sequence[float], freedom: float) -> bool:
    """Whether there are thirty scores or more, effectively too, and the difference of the means is not skewed.

    In sets of unequal size a tail that both have does not cancel out, and a small set may show nothing of it. So the
    check is made twice: with what each set shows, and with what both show together.
    """
    if freedom + 2 < EXACT_BELOW:
        return False
    sizes = len(first), len(second)
    moves = [_moves(first), _moves(second)]
    squares = [_power_mean(values, 2) for values in moves]
    error = squares[0] / sizes[0] + squares[1] / sizes[1]
    if not error:
        return False
    both = [*moves[0], *moves[1]]
    spread = _power_mean(both, 2)
    own = _power_mean(moves[1], 3) / sizes[1] ** 2 - _power_mean(moves[0], 3) / sizes[0] ** 2
    shared = _power_mean(both, 3) / spread**1.5 * (1 / sizes[1] ** 2 - 1 / sizes[0] ** 2)
    alike: float = (1 / sizes[0] + 1 / sizes[1]) ** 1.5
    return bool(abs(own) <= MOST_SKEW * error**1.5 and abs(shared) <= MOST_SKEW * alike)


def higher(first: Sequence[float], second: Sequence[float]) -> Higher:
    """Whether a score of the second set is higher than one of the first more often than lower, two-sided."""
    pooled = sorted([*((value, 0) for value in first), *((value, 1) for value in second)])
    ties = [len(list(group)) for _, group in groupby(value for value, _ in pooled)]
    sides = [side for _, side in pooled]
    found = _compared(sides, ties)
    fewest = 2 / comb(len(sides), len(first))
    if min(len(first), len(second)) >= LARGE:
        p_value = two_sided(found.statistic, found.freedom) if found.statistic not in (inf, -inf) else 0.0
        return Higher(found.better, found.worse, max(p_value, fewest))
    return Higher(found.better, found.worse, _share_as_extreme(found.statistic, sides, ties))


class _Compared(NamedTuple):
    better: int
    worse: int
    statistic: float
    freedom: int


def _share_as_extreme(statistic: float, sides: Sequence[int], ties: Sequence[int]) -> float:
    """Of the ways to divide the scores into two sets of these sizes, the share whose statistic is as far from 0."""
    least = abs(statistic) * (1 - 1e-9)
    if comb(len(sides), sum(sides)) <= DIVISIONS:
        ways = [_compared(division, ties).statistic for division in _divisions(len(sides), sum(sides))]
        return sum(abs(way) >= least for way in ways) / len(ways)
    draw, shuffled, extreme = Random(0), list(sides), 1  # what was observed is one of them, so it is never zero
    for _ in range(SAMPLED):
        draw.shuffle(shuffled)
        extreme += abs(_compared(shuffled, ties).statistic) >= least
    return extreme / (SAMPLED + 1)


def _divisions(size: int, chosen: int) -> Iterator[list[int]]:
    for places in combinations(range(size), chosen):
        sides = [0] * size
        for place in places:
            sides[place] = 1
        yield sides


def _compared(sides: Sequence[int], ties: Sequence[int]) -> _Compared:
    """Brunner and Munzel's statistic of sorted scores, each given by its side; equal ones are next to each other."""
    # A score's placement is how many of the other side it beats, a tie counting half; all are doubled, to be whole.
    counts: tuple[list[int], list[int]] = ([], [])
    ends = [0, *accumulate(ties)]
    of_second = [0, *accumulate(sides)]
    for start, stop in pairwise(ends):
        before = of_second[start]
        here = of_second[stop] - before
        counts[0].extend([2 * before + here] * (stop - start - here))
        counts[1].extend([2 * (start - before) + (stop - start - here)] * here)
    sizes = len(counts[0]), len(counts[1])
    won = sum(counts[1])  # twice what the second side beats, ties half
    equal = sum(
        (of_second[stop] - of_second[start]) * (stop - start - of_second[stop] + of_second[start])
        for start, stop in pairwise(ends)
    )
    better = (won - equal) // 2
    worse = sizes[0] * sizes[1] - better - equal
    parts = [
        _scatter(places, size) / size / (2 * other_size) ** 2
        for places, size, other_size in zip(counts, sizes, reversed(sizes), strict=True)
    ]
    lead = won / (2 * sizes[0] * sizes[1]) - 0.5
    error = sqrt(sum(parts))
    if not error:
        return _Compared(better, worse, inf if lead > 0 else -inf if lead < 0 else 0.0, 1)
    freedom = int(sum(parts) ** 2 / sum(part**2 / (size - 1) for part, size in zip(parts, sizes, strict=True)))
    return _Compared(better, worse, lead / error, max(1, min(freedom, MOST_FREEDOM)))


def _scatter(values: Sequence[int], size: int) -> float:
    mean = sum(values) / size
    return sum((value - mean) ** 2 for value in values) / (size - 1)


def _moves(values: Sequence[float]) -> list[float]:
    mean = sum(values) / len(values)
    return [value - mean for value in values]


def _power_mean(values: Sequence[float], power: int) -> float:
    total: float = sum(value**power for value in values)
    return total / len(values)
