"""The sentences of a report at the boundaries of what they say: capped, floored, nothing lost, nothing above."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from conftest import judged, make_rubric, seven

import evenhand
from report_formats import scorecard_markdown


def sentence(card: evenhand.Scorecard, beginning: str) -> str:
    """The line of the Markdown report that begins so."""
    lines = scorecard_markdown(card).replace("\u2212", "-").splitlines()
    found = next(text for line in lines if (text := line.removeprefix("- score: ").strip("*- ")).startswith(beginning))
    return f"{found[0].upper()}{found[1:]}{'' if found.endswith('.') else '.'}"


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
        (seven(7), 0, "next: B is 0.50 away"),
        (seven("1.25"), 4, "next: D is 3.00 away"),
        (seven(10), 4, "next: A- is 0.50 away"),
        (seven(10), 0, "This is the best grade"),
        (seven(7) | {"safety": {"unscored": "no answer"}}, 0, "Have the unscored dimensions scored"),
    ],
)
def test_the_next_step(scores: dict[str, Any], flags: int, expected: str):
    """How far the next grade is; what would lead there is in the recommendations."""
    assert expected in scorecard_markdown(judged(scores, flags))


@pytest.mark.parametrize(("final", "letter"), [("9.5", "A+"), ("9.49", "A"), ("7", "B-"), ("6.99", "C+"), ("1", "F")])
def test_a_grade_begins_at_exactly_its_lowest_score(final: str, letter: str):
    """R3."""
    weights = seven("0", "0", "0", "0", "0", "0", "1")
    card = judged(seven(final), rubric=make_rubric(weights=weights))
    assert (card.final, card.grade.letter) == (Decimal(final).quantize(Decimal("0.01")), letter)
