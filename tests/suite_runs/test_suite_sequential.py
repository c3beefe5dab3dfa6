"""Stopping early: evidence case by case, error rates that hold at any time."""

from __future__ import annotations

from fractions import Fraction
from math import log
from random import Random

import pytest

from evenhand.core.suites.sequential import STAKES, Evidence, no_evidence, states
from evenhand.core.values.suites.decision import CaseDifference


def fed(values: list[int], start: Evidence | None = None, weight: int = 1) -> Evidence:
    evidence = start or no_evidence("final score")
    for value in values:
        evidence = evidence.after(CaseDifference("c", Fraction(value), Fraction(weight)))
    return evidence


def test_every_fair_game_averages_to_one():
    """Over all 2 ** 8 signs of eight differences the mean of E is exactly 1: nobody can win on average."""
    sizes = [10, 40, 70, 100, 130, 200, 333, 900]
    total = 0.0
    for signs in range(256):
        values = [size if signs >> place & 1 else -size for place, size in enumerate(sizes)]
        bets = fed(values).bets
        total += sum(2.718281828459045**bet for bet in bets) / (2 * len(STAKES))
    assert total / 256 == pytest.approx(1, abs=1e-9)


def test_clear_differences_are_decided_quickly_in_their_direction():
    """Ten cases, each a point better, or a point worse."""
    assert states({"new": fed([100] * 12)}) == {"new": "better"}
    assert states({"new": fed([-100] * 12)}) == {"new": "worse"}
    assert states({"new": fed([100] * 3)}) == {"new": "undecided"}


def test_evidence_that_was_strong_enough_once_stays_so():
    """The p-value is that of the best moment: looking later never takes a decision back."""
    strong = fed([100] * 12)
    assert fed([-100, 100], strong).p_value <= strong.p_value


def test_differences_too_small_to_matter_end_it_too():
    """Scatter of 0.10 around nothing: a mean of half a point is ruled out after some tens of cases."""
    evidence = fed([10, -10] * 20)
    assert states({"new": evidence}) == {"new": "no difference shown"}
    low, high = evidence.interval(0.05)
    assert -0.5 < low < 0 < high < 0.5


@pytest.mark.parametrize(("measure", "enough"), [("final score", 53), ("expectations met", 29)])
def test_ties_end_it_only_when_there_are_enough_of_them(measure, enough):
    """A share s of cases that differ by everything is missed n times with (1 - s) ** n: below 0.05 from 53 or 29 on."""
    start = no_evidence(measure)
    assert states({"new": fed([0] * (enough - 1), start)}) == {"new": "undecided"}
    evidence = fed([0] * enough, start)
    assert states({"new": evidence}) == {"new": "no difference shown"}
    low, high = evidence.interval(0.05)
    assert high == -low == pytest.approx((1 - 0.05 ** (1 / enough)) * start.furthest)


def test_the_interval_and_the_borders_agree():
    """`within` asks the same question as the interval, without searching."""
    evidence = fed([30, -10, 50, 20, -20] * 6)
    low, high = evidence.interval(0.05)
    assert evidence.within(max(-low, high) + 0.001, 0.05)
    assert not evidence.within(max(-low, high) - 0.001, 0.05)


def test_several_variants_need_more_evidence_than_one():
    """Holm: the strongest of two must pass at half the level."""
    evidence = fed([100] * 7)
    assert 0.025 < evidence.p_value <= 0.05
    assert states({"a": evidence})["a"] == "better"
    assert states({"a": evidence, "b": fed([100, -100])})["a"] == "undecided"


def test_twice_the_weight_is_twice_the_difference_in_the_bet():
    """E depends on weight times difference; the mean does not."""
    assert fed([50] * 5, weight=2).bets == pytest.approx(fed([100] * 5).bets)
    assert fed([50] * 5, weight=2).mean == 0.5


def test_looking_after_every_case_keeps_the_error_rate():
    """100 suites without a difference, a look after each of 40 cases: at most 5% are ever called anything."""
    draw = Random(7)
    wrong = sum(fed([round(draw.gauss(0, 120)) for _ in range(40)]).highest >= log(20) for _ in range(100))
    assert wrong <= 5
