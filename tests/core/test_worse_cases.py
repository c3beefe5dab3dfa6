"""Cases that got worse: which, and what costs more there than before."""

from __future__ import annotations

from fractions import Fraction

from evenhand.decisions.grouped_complaints import new_complaint
from evenhand.decisions.what_to_change import Complaint


def complaint(text, cost, dimension="safety", kind="reason", name="", quotes=()):
    return Complaint("c", kind, name, dimension, text, Fraction(cost), quotes)


def test_the_reason_is_what_costs_more_than_before_and_not_what_costs_most():
    """Correctness costs 2.0 on both sides; safety costs 0.9 - 0.1 = 0.8 more."""
    now = [[complaint("wrong sum", 2, "correctness"), complaint("no warning", "0.9")]]
    before = [[complaint("wrong total", 2, "correctness"), complaint("weak warning", "0.1")]]
    assert new_complaint(now, before).text == "no warning"


def test_runs_count_by_their_mean():
    """Two runs with 0.5 each cost 0.5, less than 0.6 in one run before: nothing got worse there."""
    now = [[complaint("no warning", "0.5")], [complaint("no warning", "0.5")]]
    assert new_complaint(now, [[complaint("no warning", "0.6")]]) is None
    assert new_complaint(now, [[complaint("no warning", "0.4")]]).text == "no warning"


def test_what_costs_as_much_as_before_is_not_a_reason():
    same = [[complaint("no warning", 1)]]
    assert new_complaint(same, same) is None


def test_flags_and_checks_are_told_apart_by_their_names():
    now = [
        [complaint("leaks a key", 1, "", "red_flag", "secrets"), complaint("invents", 1, "", "red_flag", "invented")]
    ]
    before = [[complaint("leaks a key", 1, "", "red_flag", "secrets")]]
    assert new_complaint(now, before).text == "invents"
