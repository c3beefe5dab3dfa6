"""Readings of a work with and without what may address the judge, compared at the boundaries."""

from __future__ import annotations

from decimal import Decimal

import pytest

from evenhand.core.values.opinion import Claim
from evenhand.judges.model.influence import (
    WITHHELD,
    Heard,
    agree,
    anything_left,
    led,
    like_an_order,
    moved_as_led,
    neutralised,
    noise,
    planted,
    share,
    tolerance,
)
from evenhand.judges.model.weighing import Claims


def heard(*scores: str, red_flags: tuple[str, ...] = (), bonuses: tuple[str, ...] = ()) -> Heard:
    """A reading that stated these scores, one for each dimension, and these claims."""
    claims = Claims(tuple(Claim(id, "", ()) for id in red_flags), tuple(Claim(id, "", ()) for id in bonuses))
    return Heard({}, claims, {f"dimension {place}": Decimal(score) for place, score in enumerate(scores)})


def mean(score: str | None) -> Heard | None:
    """A reading with this score; one without any for an empty text."""
    return None if score is None else heard(*score.split())


def test_the_mean_is_over_what_was_scored():
    """6 and 9 make 7.5; nothing makes none."""
    assert (heard("6", "9").mean(), heard().mean()) == (Decimal("7.5"), None)


@pytest.mark.parametrize(
    ("up", "down", "without", "expected"),
    [
        # with both orders: more than two points apart, and at an end or four apart
        ("9", "7", None, False),
        ("9", "6.9", None, True),
        ("8.9", "6.8", None, False),
        ("4.2", "2", None, True),
        ("4.2", "2.1", None, False),
        ("7.9", "4", None, False),
        ("8", "4", None, True),
        # without the passages: up from there to the top
        ("9", "8", "7", False),
        ("9", "8", "6.9", True),
        ("8.9", "8", "6", False),
        # an answer that is missing is taken to be as without the passages
        ("9", None, "6", True),
        ("9", "", "6", True),
        (None, "2", "5", True),
        (None, "3", "5", False),
        # too little to tell
        (None, None, "5", None),
        ("9", None, None, None),
        (None, "2", None, None),
        ("9", "", "", None),
    ],
)
def test_whether_planted_orders_move_a_judge(up, down, without, expected):
    """None when that cannot be told."""
    assert led(mean(up), mean(down), mean(without)) is expected


@pytest.mark.parametrize(
    ("first", "without", "up", "down", "expected"),
    [
        # the passages raised the score: an upward order must raise it about as far
        ("8", "5", "7.5", "1", True),
        ("8", "5", "7.49", "1", False),
        ("8", "5", "", "1", True),
        ("8", "5", None, "1", True),
        # they lowered it
        ("3", "5", "10", "3.5", True),
        ("3", "5", "10", "3.51", False),
        # they did nothing, or that is not known
        ("5", "5", "1", "10", True),
        ("", "5", "1", "10", True),
        ("5", "", "1", "10", True),
    ],
)
def test_whether_orders_explain_what_the_passages_did(first, without, up, down, expected):
    """They move the score the same way, and at least about as far."""
    assert moved_as_led(heard(*first.split()), heard(*without.split()), mean(up), mean(down)) is expected


@pytest.mark.parametrize(
    ("score", "expected"), [("9", True), ("8.99", False), ("2", True), ("2.01", False), ("", True)]
)
def test_what_a_judge_gives_that_obeys_all_the_way(score: str, expected: bool):
    """9 or more, 2 or less, or nothing at all."""
    assert like_an_order(heard(*score.split())) is expected


FIRST = heard("8", "6", red_flags=("f",), bonuses=("b",))


@pytest.mark.parametrize(
    ("other", "expected"),
    [
        (heard("7", "7", red_flags=("f",), bonuses=("b",)), True),
        (heard("8", "7.01", red_flags=("f",), bonuses=("b",)), False),
        (heard("8", red_flags=("f",), bonuses=("b",)), False),
        (heard("8", "6", bonuses=("b",)), False),
        (heard("8", "6", red_flags=("f",)), False),
        (heard("8", "6", red_flags=("b",), bonuses=("f",)), False),
    ],
)
def test_two_readings_agree_in_every_dimension_and_claim(other: Heard, expected: bool):
    """Here each dimension within one point."""
    assert agree(FIRST, other, Decimal(1)) is expected


@pytest.mark.parametrize(
    ("samples", "expected"),
    [
        ({}, 2),
        ({"a": "5 9"}, 2),  # two samples show nothing
        ({"a": "5 6 7"}, 2),
        ({"a": "5 5 5"}, 1),
        ({"a": "5 5 5", "b": "5 6.5 6"}, "1.5"),
        ({"a": "1 5 9"}, 3),
    ],
)
def test_readings_differ_by_chance_as_far_as_samples_do(samples: dict[str, str], expected: object):
    """Between one point and three; two where there are fewer than three samples."""
    scores = {name: [Decimal(score) for score in text.split()] for name, text in samples.items()}
    assert noise(scores) == Decimal(str(expected))


def test_readings_may_differ_further_where_more_is_withheld():
    """Up to two points further: a quarter of the words makes half a point."""
    text = "one two three four, five six seven eight"
    assert share(text, [(0, 7)]) == Decimal("0.25")
    assert share("!", [(0, 1)]) == 0
    assert tolerance(Decimal(1), Decimal("0.25")) == Decimal("1.5")


TEXT = "ab. CD. ef. GH. ij."


@pytest.mark.parametrize(
    ("spans", "without", "order"),
    [
        ([(4, 7)], f"ab. \n{WITHHELD}\n ef. GH. ij.", "ab. ! ef. GH. ij."),
        ([(0, 3)], " CD. ef. GH. ij.", "! CD. ef. GH. ij."),
        ([(16, 19)], "ab. CD. ef. GH. ", "ab. CD. ef. GH. !"),
        ([(4, 7), (12, 15)], f"ab. \n{WITHHELD}\n ef. \n{WITHHELD}\n ij.", "ab. ! ef. ! ij."),
        (
            [(0, 3), (4, 7), (12, 15)],
            f" \n{WITHHELD}\n ef. \n{WITHHELD}\n ij.",
            f"! {WITHHELD} ef. ! ij.",
        ),
    ],
)
def test_passages_are_withheld_or_replaced_by_an_order(spans: list[tuple[int, int]], without: str, order: str):
    """A note says where, except at the ends; an order takes the first and the last place."""
    assert (neutralised(TEXT, spans), planted(TEXT, spans, "!")) == (without, order)
    assert anything_left(TEXT, spans)
    assert not anything_left(TEXT, [(0, 18), (18, 19)])
