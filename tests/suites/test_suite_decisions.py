"""What a suite's results show: verdicts, corrections, failures, weights, more data."""

from __future__ import annotations

from evenhand.stats.sign_test import fewest


def test_fewest_cases_for_a_level():
    """2 / 2 ** 6 = 0.031 is at most 0.05; for two variants 2 / 2 ** 7 = 0.016 is at most 0.025."""
    assert (fewest(0.05), fewest(0.025), fewest(0.0125)) == (6, 7, 8)
