"""Which claim is made of the differences of cases: so many of them better, or the mean; and when nothing is."""

from __future__ import annotations

from fractions import Fraction

import pytest

from evenhand.stats.sign_test import at_most, fewest, two_sided_sign, typical, typical_interval


@pytest.mark.parametrize(
    ("better", "worse", "chance"), [(5, 0, 2 / 32), (6, 0, 2 / 64), (7, 1, 18 / 256), (8, 1, 20 / 512), (4, 4, 1.0)]
)
def test_the_sign_test_counts_better_and_worse(better: int, worse: int, chance: float):
    """Seven of eight: (1 + 8) * 2 of 256 ways are as uneven."""
    assert two_sided_sign(better, worse) == two_sided_sign(worse, better) == chance


def test_no_case_that_differs_says_nothing():
    """Ties are not counted; the chance of at most none of none is one."""
    assert (two_sided_sign(0, 0), at_most(0, 0), at_most(-1, 4)) == (1.0, 1.0, 0.0)
    assert (typical([Fraction(0)] * 3), typical_interval([Fraction(0)] * 9, 0.05)) == (None, None)


def test_the_typical_difference_is_the_median_of_those_that_differ():
    """Of an even number the mean of the two in the middle; ties are left out."""
    assert typical([Fraction(v) for v in (0, 0, 5, -1, 3)]) == 3
    assert typical([Fraction(v) for v in (0, 5, -1, 3, 4)]) == Fraction(7, 2)


def test_the_fewest_cases_follow_the_level():
    """Six at 0.05; for four comparisons at 0.0125 eight."""
    assert [fewest(0.05 / several) for several in (1, 2, 4)] == [6, 7, 8]
