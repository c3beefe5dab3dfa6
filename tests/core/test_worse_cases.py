"""Cases that got worse: which, and what costs more there than before."""

from __future__ import annotations

from fractions import Fraction

from evenhand.decisions.advice.worse_cases import fallen, new_complaint, worse_case
from evenhand.decisions.values.change import Complaint, Passage
from evenhand.decisions.values.decision import CaseDifference


def complaint(text, cost, dimension="safety", kind="reason", name="", quotes=()):
    return Complaint("c", kind, name, dimension, text, Fraction(cost), quotes)


def difference(case, value, after=0):
    return CaseDifference(case, Fraction(value), Fraction(1), Fraction(after))


def test_only_cases_below_zero_the_largest_fall_first_and_equal_falls_by_name():
    cases = [difference("d", -10), difference("a", 5), difference("c", -290), difference("b", -10), difference("e", 0)]
    assert [one.case for one in fallen(cases)] == ["c", "b", "d"]


def test_before_is_what_the_case_has_now_less_the_difference():
    """520 - (-290) = 810 hundredths: 8.10 to 5.20."""
    found = worse_case(difference("empty-diff", -290, after=520), [], [])
    assert (found.before, found.after, found.why, found.quote) == (8.1, 5.2, "", None)


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


def test_the_quote_is_the_first_from_the_output():
    quotes = (Passage("the judge's words", "c", "judge"), Passage("drops the column", "c", "output", 31))
    found = worse_case(difference("c", -1, 100), [[complaint("no backup", 1, quotes=quotes)]], [[]])
    assert (found.why, found.quote.text, found.quote.line) == ("no backup", "drops the column", 31)


def test_nothing_is_blamed_where_the_reference_s_complaints_are_not_known():
    """As against a baseline whose scorecards are not at hand: what costs most may have cost as much before."""
    assert worse_case(difference("c", -1, 100), [[complaint("no backup", 1)]], []).why == ""
