"""The sentences of a report at the boundaries of what they say: capped, floored, nothing lost, nothing above."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from conftest import judged, make_rubric, seven

import evenhand
from evenhand.decisions.sets.pairs import compare_pairs, compare_unpaired
from evenhand.reports.markdown import scorecard_markdown


def sentence(card: evenhand.Scorecard, beginning: str) -> str:
    """The line of the Markdown report that begins so."""
    lines = scorecard_markdown(card).splitlines()
    return next(line for line in lines if line.lower().lstrip("*- ").startswith(beginning))


@pytest.mark.parametrize(
    ("scores", "flags", "bonuses", "expected"),
    [
        (seven(7), 0, 0, "Composite 7.00 = 7.00."),
        (seven(7), 1, 0, "Composite 7.00 - 0.50 (1 red flag) = 6.50 after deductions, final 6.50."),
        (seven(7), 4, 0, "Composite 7.00 - 2.00 (4 red flags) = 5.00 after deductions, final 5.00."),  # the cap itself
        (
            seven(7),
            5,
            0,
            "Composite 7.00 - 2.00 (5 red flags, 2.50 capped at 2.00) = 5.00 after deductions, final 5.00.",
        ),
        # exactly the floor is not below it
        (seven("1.5"), 1, 0, "Composite 1.50 - 0.50 (1 red flag) = 1.00 after deductions, final 1.00."),
        (
            seven("1.25"),
            1,
            0,
            "Composite 1.25 - 0.50 (1 red flag, but not below 1.00) = 1.00 after deductions, final 1.00.",
        ),
        (seven(7), 0, 4, "Composite 7.00 + 1.00 (4 bonuses) = 8.00."),
        (seven(7), 0, 5, "Composite 7.00 + 1.00 (5 bonuses, 1.25 capped at 1.00) = 8.00."),
        (seven("9.75"), 0, 1, "Composite 9.75 + 0.25 (1 bonus) = 10.00."),  # exactly the ceiling is not above it
        (seven(10), 0, 1, "Composite 10.00 + 0.25 (1 bonus, but not above 10.00) = 10.00."),
        (seven(10), 1, 1, "Composite 10.00 - 0.50 (1 red flag) = 9.50 after deductions + 0.25 (1 bonus) = 9.75."),
    ],
)
def test_the_arithmetic_in_one_line(scores: dict[str, Any], flags: int, bonuses: int, expected: str):
    """Caps, floor and ceiling are mentioned when they change something, and only then."""
    assert sentence(judged(scores, flags, bonuses), "composite") == expected


def test_what_was_lost_names_the_two_dearest_dimensions():
    """0.25 x 2 = 0.50 in correctness, 0.20 x 1 = 0.20 in completeness, 0.15 x 1 in adherence is third."""
    card = judged(seven(8, 9, 9, 10, 10, 10, 10))
    assert "most points in correctness (0.50) and completeness (0.20)" in scorecard_markdown(card)
    assert "adherence (" not in scorecard_markdown(card)


def test_nothing_is_lost_by_seven_tens():
    """No dimension is named that lost nothing."""
    card = judged(seven(10))
    assert "most points in" not in scorecard_markdown(card)
    one = judged(seven(10) | {"safety": 9})
    assert "most points in safety (0.10)" in scorecard_markdown(one)
    assert "(0.10) and" not in scorecard_markdown(one)


@pytest.mark.parametrize(
    ("scores", "flags", "expected"),
    [
        (seven(7), 0, "B is 0.50 away."),
        (seven("1.25"), 4, "D is 3.00 away."),
        (seven(10), 4, "A- is 0.50 away."),
        (seven(10), 0, "This is the best grade"),
        (seven(7) | {"safety": {"unscored": "no answer"}}, 0, "Have the unscored dimensions scored"),
    ],
)
def test_the_next_step(scores: dict[str, Any], flags: int, expected: str):
    """How far the next grade is; what would lead there is in the recommendations."""
    assert expected in scorecard_markdown(judged(scores, flags))


@pytest.mark.parametrize("count", [2, 5, 6, 29, 30])
def test_a_paired_comparison_changes_its_test_at_thirty(count: int):
    """Exact below; and with five pairs or fewer even all of them going one way proves nothing."""
    result = compare_pairs([Fraction(50 + n % 3) for n in range(count)])
    assert result.test == ("t" if count >= 30 else "sign")
    assert (result.detectable is None) == (count <= 5)
    assert result.shown == (count >= 6)
    assert result.stability == 1.0


def test_one_pair_compares_nothing():
    """A mean, and no more."""
    result = compare_pairs([Fraction(25)])
    assert (result.pairs, result.mean, result.test, result.p_value, result.shown) == (1, 0.25, "none", None, False)


def test_pairs_that_cancel_out_favour_neither():
    """The better set is better in half of the resamples."""
    assert compare_pairs([Fraction(100), Fraction(-100)]).stability == 0.5


def test_thirty_equal_differences_are_thirty_coins():
    """No spread at all: 2 in 2 ** 30 if they differ, nothing if they do not."""
    assert compare_pairs([Fraction(10)] * 30).p_value == 2 / 2**30
    assert compare_pairs([Fraction(0)] * 30).p_value == 1.0


def test_the_detectable_difference_is_that_of_the_interval_s_level():
    """Six pairs: (t of 2.5 % + t of 20 %, 5 degrees of freedom) * deviation / sqrt(6) = (2.5706 + 0.9195) * 0.08165 /
    sqrt(6), times sqrt(pi / 2) = 1.2533, as cases are counted."""
    result = compare_pairs([Fraction(value) for value in (50, 60, 50, 70, 50, 60)])
    assert result.deviation == pytest.approx(0.08165, abs=5e-6)
    assert result.detectable == pytest.approx(1.25331 * (2.5706 + 0.9195) * 0.08165 / 6**0.5, abs=5e-6)


def test_the_smallest_rise_is_a_rise_in_every_resample():
    """Two pairs that rose by half a hundredth each, as the means of two repeats may."""
    assert compare_pairs([Fraction(1, 2), Fraction(1, 2)]).stability == 1.0
    assert compare_pairs([Fraction(-1, 2), Fraction(-1, 2)]).stability == 1.0


def test_sets_that_cannot_be_paired():
    """7.00, 8.00 and 9.00 against 8.00, 9.00 and 10.00: of nine pairs six rise, one falls, two are ties."""
    result = compare_unpaired([700, 800, 900], [800, 900, 1000])
    assert (result.pairs, result.mean, result.test, result.deviation) == (0, 1.0, "brunner-munzel", None)
    assert (result.better, result.worse, result.verdict) == (6, 1, "undecided")
    assert 0.8 < result.stability < 1
    lone = compare_unpaired([700], [800, 900])
    assert (lone.mean, lone.test, lone.p_value) == (1.5, "none", None)
    assert compare_unpaired([700, 700], [700, 700]).p_value == 1.0


@pytest.mark.parametrize(("final", "letter"), [("9.5", "A+"), ("9.49", "A"), ("7", "B-"), ("6.99", "C+"), ("1", "F")])
def test_a_grade_begins_at_exactly_its_lowest_score(final: str, letter: str):
    """R3."""
    weights = seven("0", "0", "0", "0", "0", "0", "1")
    card = judged(seven(final), rubric=make_rubric(weights=weights))
    assert (card.final, card.grade.letter) == (Decimal(final).quantize(Decimal("0.01")), letter)
