"""Two sets of scores without pairs: when their mean may be claimed, and single scores after Brunner and Munzel."""

from __future__ import annotations

from itertools import combinations
from math import inf, sqrt
from random import Random
from statistics import fmean, variance

import pytest

from evenhand.core.history import two_sided
from evenhand.decisions.sets import unpaired
from evenhand.decisions.sets.unpaired import higher, is_mean_claimed

EVEN = [600.0, 610.0, 620.0, 630.0] * 8
ONE_TAIL = [600.0] * 28 + [900.0] * 2
"""Of 30 scores two are 300 higher: the mean is 620, the squares' 5,600, the cubes' (28 (-20)^3 + 2 (280)^3) / 30."""


def statistic(first: list[float], second: list[float]) -> float:
    """Brunner and Munzel's, from placements: how many of the other set a score beats, a tie being half."""
    places = [
        [sum((own > other) + (own == other) / 2 for other in others) for own in owns]
        for owns, others in ((first, second), (second, first))
    ]
    lead = fmean(places[1]) / len(first) - 0.5
    parts = [variance(places[0]) / len(first) / len(second) ** 2, variance(places[1]) / len(second) / len(first) ** 2]
    error = sqrt(sum(parts))
    return lead / error if error else inf if lead > 0 else -inf if lead < 0 else 0.0


def freedom(first: list[float], second: list[float]) -> int:
    places = [
        [sum((own > other) + (own == other) / 2 for other in others) for own in owns]
        for owns, others in ((first, second), (second, first))
    ]
    parts = [variance(places[0]) / len(first) / len(second) ** 2, variance(places[1]) / len(second) / len(first) ** 2]
    return int(sum(parts) ** 2 / (parts[0] ** 2 / (len(first) - 1) + parts[1] ** 2 / (len(second) - 1)))


# --- when the mean is claimed


@pytest.mark.parametrize(("degrees", "is_claimed"), [(28.0, True), (27.9, False)])
def test_the_mean_needs_thirty_scores_effectively(degrees: float, is_claimed: bool) -> None:
    """The degrees of freedom and two."""
    assert is_mean_claimed(EVEN, EVEN, degrees) is is_claimed


def test_the_mean_of_scores_that_do_not_scatter_is_not_claimed() -> None:
    assert not is_mean_claimed([600.0] * 40, [700.0] * 40, 60)
    assert is_mean_claimed([600.0] * 40, EVEN, 60), "one set that scatters is enough"


def test_a_tail_that_both_sets_have_cancels_out_in_sets_of_equal_size_only() -> None:
    """Where one set is larger its tail weighs less, and the difference of the means is skewed."""
    assert is_mean_claimed(ONE_TAIL, ONE_TAIL, 58)
    assert not is_mean_claimed(ONE_TAIL, ONE_TAIL * 8, 58)
    assert not is_mean_claimed(ONE_TAIL * 8, ONE_TAIL, 58)


def test_a_tail_that_only_the_larger_set_shows_is_expected_of_the_smaller_one() -> None:
    """The smaller set is even and shows no skew of its own; pooled, the tail is there and does not cancel out."""
    large = ONE_TAIL * 8
    assert not is_mean_claimed(EVEN, large, 58)
    assert not is_mean_claimed(large, EVEN, 58)


@pytest.mark.parametrize("turn", [1, -1])
def test_the_most_skew_is_a_tenth_of_the_spread_cubed(turn: int) -> None:
    """The skewness of a difference of means: (k2 / n2^2 - k1 / n1^2) / (v1 / n1 + v2 / n2)^1.5, at most 0.1.

    The first set is 32 even scores without skew, so that k1 = 0; the second has a tail of a varied length. A set in
    which the tail is just short enough passes, and one a point longer does not.
    """

    def skewness(tail: float) -> float:
        second = [600.0] * 31 + [tail]
        means = fmean(EVEN), fmean(second)
        squares = fmean((v - means[0]) ** 2 for v in EVEN), fmean((v - means[1]) ** 2 for v in second)
        cubes = fmean((v - means[1]) ** 3 for v in second)
        return abs(cubes / 32**2) / (squares[0] / 32 + squares[1] / 32) ** 1.5

    longest = max(tail for tail in range(601, 700) if skewness(tail) <= 0.1)
    assert 601 < longest < 699, "the limit is inside the range"
    for tail, is_claimed in ((longest, True), (longest + 1, False)):
        assert is_mean_claimed(EVEN, [600.0 + turn * (v - 600) for v in [600.0] * 31 + [tail]], 58) is is_claimed


def test_the_skew_is_looked_at_as_each_set_shows_it_and_as_both_show_it_together() -> None:
    """Both formulas again, for sets drawn with tails of any kind; either alone forbids the claim."""
    draw, seen = Random(4), set()
    for _ in range(300):
        sets = []
        for size in (draw.randint(15, 60), draw.randint(15, 60)):
            values = [draw.gauss(600, 20) + (draw.random() < 0.1) * draw.choice((100, 150)) for _ in range(size)]
            sets.append([value - fmean(values) for value in values])
        n1, n2 = map(len, sets)
        (v1, k1), (v2, k2) = ((fmean(v**2 for v in moves), fmean(v**3 for v in moves)) for moves in sets)
        own = abs(k2 / n2**2 - k1 / n1**2) / (v1 / n1 + v2 / n2) ** 1.5
        both = sets[0] + sets[1]
        skew = fmean(v**3 for v in both) / fmean(v**2 for v in both) ** 1.5
        shared = abs(skew * (1 / n2**2 - 1 / n1**2)) / (1 / n1 + 1 / n2) ** 1.5
        seen.add((own <= 0.1, shared <= 0.1))
        assert is_mean_claimed(sets[0], sets[1], 28) is (own <= 0.1 and shared <= 0.1)
    assert len(seen) == 4, "each condition fails alone, and both, and neither"


# --- single scores


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ([1, 2, 3], [2, 4, 5]),
        ([5, 5, 6, 9], [1, 2, 5]),
        ([1, 1, 2, 2], [1, 2, 2, 3, 3]),
        ([4, 7], [1, 9, 9]),
        ([3, 3], [3, 3]),
    ],
)
def test_few_scores_are_divided_in_every_way(first: list[float], second: list[float]) -> None:
    """The share of the ways whose statistic is as far from 0, counted again from the definition."""
    made = higher(first, second)
    assert made.better == sum(b > a for a in first for b in second)
    assert made.worse == sum(b < a for a in first for b in second)
    pool = [*first, *second]
    ways = []
    for chosen in combinations(range(len(pool)), len(second)):
        rest = [pool[place] for place in range(len(pool)) if place not in chosen]
        ways.append(abs(statistic(rest, [pool[place] for place in chosen])))
    observed = abs(statistic(first, second))
    assert made.p_value == sum(way >= observed * (1 - 1e-9) for way in ways) / len(ways)


def test_the_other_way_round_is_the_mirror_image() -> None:
    first, second = [1.0, 4.0, 4.0, 6.0], [3.0, 5.0, 8.0]
    there, back = higher(first, second), higher(second, first)
    assert (there.better, there.worse, there.p_value) == (back.worse, back.better, pytest.approx(back.p_value))


def test_where_the_ways_are_too_many_a_seeded_sample_of_them_is_drawn() -> None:
    """Of C(16, 8) = 12,870 ways 2,000 are drawn, the observed one counted in: as small as 1 / 2,001, never zero."""
    apart = higher([float(n) for n in range(8)], [100.0 + n for n in range(8)])
    assert (apart.better, apart.worse) == (64, 0)
    assert apart.p_value == 1 / 2001
    near = [float(n) for n in range(8)], [n + 1.5 for n in range(8)]
    assert higher(*near) == higher(*near)
    pool, observed, draw = (
        sorted((v, side) for side, values in enumerate(near) for v in values),
        statistic(*near),
        Random(0),
    )
    sides = [side for _, side in pool]
    extreme = 1
    for _ in range(2000):
        draw.shuffle(sides)
        divided: tuple[list[float], list[float]] = ([], [])
        for (value, _), side in zip(pool, sides, strict=True):
            divided[side].append(value)
        extreme += abs(statistic(*divided)) >= abs(observed) * (1 - 1e-9)
    assert higher(*near).p_value == extreme / 2001


def test_exactly_four_thousand_ways_are_all_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = [1.0, 2.0, 3.0], [2.5, 4.0, 5.0]  # C(6, 3) = 20
    counted = higher(first, second).p_value
    monkeypatch.setattr(unpaired, "DIVISIONS", 20)
    assert higher(first, second).p_value == counted
    monkeypatch.setattr(unpaired, "DIVISIONS", 19)
    assert (higher(first, second).p_value * 2001).is_integer()


@pytest.mark.parametrize("rows", [(40, 30), (30, 40)])
def test_from_a_size_on_the_statistic_is_students(rows: tuple[int, int], monkeypatch: pytest.MonkeyPatch) -> None:
    """With Welch's degrees of freedom, rounded down; the smaller set counts."""
    monkeypatch.setattr(unpaired, "LARGE", 30)
    draw = Random(2)
    first = [float(draw.randint(1, 60)) for _ in range(rows[0])]
    second = [float(draw.randint(10, 40)) for _ in range(rows[1])]
    degrees = freedom(first, second)
    assert degrees < sum(rows) - 2, "the sets scatter differently"
    assert higher(first, second).p_value == pytest.approx(two_sided(statistic(first, second), degrees))
    monkeypatch.setattr(unpaired, "LARGE", 31)
    assert (higher(first, second).p_value * 2001).is_integer(), "a sample of divisions"


def test_degrees_of_freedom_beyond_a_thousand_are_not_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unpaired, "LARGE", 30)
    monkeypatch.setattr(unpaired, "MOST_FREEDOM", 20)
    first, second = [float(n) for n in range(30)], [n + 4.5 for n in range(30)]
    assert freedom(first, second) > 20
    assert higher(first, second).p_value == pytest.approx(two_sided(statistic(first, second), 20))


def test_large_sets_that_do_not_overlap_are_as_sure_as_the_rarest_division(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing scatters: two of C(6, 3) = 20 divisions are as extreme, whichever set is higher."""
    monkeypatch.setattr(unpaired, "LARGE", 3)
    low, high = [1.0, 2.0, 3.0], [7.0, 8.0, 9.0]
    assert higher(low, high) == (9, 0, 0.1)
    assert higher(high, low) == (0, 9, 0.1)
    assert higher([5.0] * 3, [5.0] * 3).p_value == 1.0
