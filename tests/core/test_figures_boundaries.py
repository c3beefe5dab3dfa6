"""Student's t against the tables, digit by digit."""

from __future__ import annotations

from math import inf

import pytest

from evenhand.core.history import two_sided
from evenhand.stats.student import one_sided, quantile

TABLE = {
    1: (0.704833, 0.295167, 0.125666, 12.7062, 1.3764),
    2: (0.666667, 0.183503, 0.037750, 4.3027, 1.0607),
    3: (0.651448, 0.139326, 0.015392, 3.1824, 0.9785),
    4: (0.643330, 0.116117, 0.007490, 2.7764, 0.9410),
    5: (0.638299, 0.101939, 0.004105, 2.5706, 0.9195),
    9: (0.629071, 0.076553, 0.000739, 2.2622, 0.8834),
    10: (0.627894, 0.073388, 0.000537, 2.2281, 0.8791),
    29: (0.620848, 0.054944, 0.000025, 2.0452, 0.8542),
}
"""Degrees of freedom: the two-sided probabilities of 0.5, 2 and 5; the values exceeded with 0.025 and with 0.2."""


@pytest.mark.parametrize("freedom", TABLE)
def test_probabilities_are_those_of_the_table(freedom: int):
    """Odd and even degrees of freedom are summed differently."""
    for t, expected in zip((0.5, 2.0, 5.0), TABLE[freedom], strict=False):
        assert two_sided(t, freedom) == pytest.approx(expected, abs=6e-7)
        assert two_sided(-t, freedom) == two_sided(t, freedom)
        assert one_sided(t, freedom) == pytest.approx(expected / 2, abs=6e-7)
        assert one_sided(-t, freedom) == pytest.approx(1 - expected / 2, abs=6e-7)


@pytest.mark.parametrize("freedom", TABLE)
def test_quantiles_are_those_of_the_table(freedom: int):
    """Beyond 1 and below it."""
    assert quantile(0.025, freedom) == pytest.approx(TABLE[freedom][3], abs=6e-5)
    assert quantile(0.2, freedom) == pytest.approx(TABLE[freedom][4], abs=6e-5)


def test_the_ends():
    """No difference is certain to come by chance, an endless one never does."""
    assert (two_sided(0.0, 5), one_sided(0.0, 5), two_sided(inf, 5), two_sided(-inf, 4)) == (1.0, 0.5, 0.0, 0.0)
    assert quantile(0.5, 7) == pytest.approx(0.0, abs=1e-9)
