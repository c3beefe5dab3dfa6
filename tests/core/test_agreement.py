"""How far a panel agrees, and how probable each grade is: counted exactly, compared with enumeration."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from itertools import product

import pytest
from conftest import make_rubric, seven
from hypothesis import given, settings
from hypothesis import strategies as st
from test_laws import amount_sets, weight_sets

from evenhand.core.judgement import NOT_ASKED
from evenhand.core.panel import consensus, grade_probabilities, shown_probabilities
from evenhand.core.receipt import criteria_of, terms_of
from evenhand.core.rules import DIMENSIONS
from evenhand.core.scoring import apply_claims
from panels import card_of, model_judgement, panel_of

RUBRIC = make_rubric()


def agreed(*judges, rubric=RUBRIC, **more):
    """The scorecard of a panel."""
    return card_of(consensus(judges, **more), rubric)


# --- spread, disputes, decisive judges -----------------------------------------------------------


def test_the_spread_is_the_highest_score_less_the_lowest():
    """And a difference of exactly 2.00 is a dispute."""
    card = card_of(
        panel_of(seven(8), seven(8) | {"safety": "6.01"}, seven(8) | {"correctness": 10, "safety": 7}), RUBRIC
    )
    assert card.agreement.spread == seven(Decimal(0)) | {"correctness": Decimal(2), "safety": Decimal("1.99")}
    assert card.agreement.disputed == ("correctness",)


def test_a_dimension_scored_by_one_judge_has_no_spread():
    """One score cannot differ from itself, and 0 would look like agreement."""
    card = card_of(panel_of(8, seven(8) | {"safety": "refused"}, quorum=1), RUBRIC)
    assert "safety" not in card.agreement.spread
    assert card_of(model_judgement(8), RUBRIC).agreement.spread == {}


def test_a_judge_is_decisive_when_the_grade_would_be_another_without_it():
    """7, 8, 8.5 is 8 (B+). Without the 8 it is 7.75 (B), without the 8.5 it is 7.5 (B); without the 7 it is 8.25."""
    card = card_of(panel_of(7, 8, "8.5"), RUBRIC)
    assert card.grade.letter == "B+"
    assert card.agreement.decisive == ("b", "c")
    assert card.agreement.member_grades == ("B-", "B+", "A-")
    assert card_of(panel_of(8, 8, 8), RUBRIC).agreement.decisive == ()


def test_a_judge_can_be_decisive_by_its_vote_on_a_flag():
    """Two of four raise it: no majority. Without one of the others it is two of three, and 8.00 becomes 7.50."""
    judges = [model_judgement(8, name=name, red_flags=["f0"] if name in "ab" else []) for name in "abcd"]
    card = agreed(*judges)
    assert (card.grade.letter, card.red_flags) == ("B+", ())
    assert card.agreement.decisive == ("c", "d")
    assert card.agreement.member_grades == ("B", "B", "B+", "B+")
    assert card.agreement.deductions == {"f0": Decimal("0.50")}


def test_a_judge_without_whom_there_is_no_grade_is_not_decisive():
    """The stronger judge saw safety only: without the first one, six dimensions have no score."""
    strong = model_judgement({"safety": 9}, name="strong", abstained=NOT_ASKED)
    card = agreed(model_judgement(8, name="a"), strong)
    assert card.agreement.decisive == ()
    assert card.agreement.member_grades == ("B+", None)


def test_a_stated_quorum_does_not_make_every_judge_decisive():
    """All three must have scored; when one is thought away, the two others are enough."""
    assert card_of(panel_of(8, 8, 8, quorum=3), RUBRIC).agreement.decisive == ()


def test_with_an_unscored_dimension_there_are_no_probabilities_and_nobody_is_decisive():
    """No number is made up for it."""
    card = card_of(panel_of(seven(8) | {"safety": "x"}, seven(8) | {"safety": "y"}), RUBRIC)
    assert card.final is None
    assert (card.agreement.grades, card.agreement.decisive) == ({}, ())


def test_scoring_notes_what_the_judges_were_asked_about():
    """A checksum of each criterion, flag and bonus, by name."""
    card = card_of(panel_of(8, 8), RUBRIC)
    assert card.panel.criteria == criteria_of(RUBRIC)
    assert {"summary", "safety", "red_flags.f0", "bonuses.b5"} < set(card.panel.criteria)


def test_a_judgement_without_a_panel_has_no_agreement():
    """What a person writes has no panel behind it."""
    written = model_judgement(8)._replace(panel=None)
    card = card_of(written, RUBRIC)
    assert (card.panel, card.agreement) == (None, None)


# --- probabilities -------------------------------------------------------------------------------


def by_enumeration(distributions, units, scale, deduction, bonus):
    """Every combination of scores, one by one."""
    found: dict[str, Fraction] = {}
    for scores in product(*(each.items() for each in distributions)):
        chance = Fraction(1)
        weighted = 0
        for (score, parts), unit, distribution in zip(scores, units, distributions, strict=True):
            chance *= Fraction(parts, sum(distribution.values()))
            weighted += score * unit
        letter = apply_claims(weighted, scale, deduction, bonus).grade.letter
        found[letter] = found.get(letter, Fraction(0)) + chance
    return found


places = st.one_of(st.integers(1, 10).map(lambda whole: whole * 100), st.integers(100, 1000))
distributions = st.dictionaries(places, st.integers(1, 9), min_size=1, max_size=3)


@settings(max_examples=40)
@given(
    st.lists(distributions, min_size=7, max_size=7),
    weight_sets(),
    amount_sets,
    st.integers(0, 200),
    st.sampled_from([0, 25, 50, 75, 100]),
)
@pytest.mark.slow
def test_grade_probabilities_are_those_of_enumeration(known, weights, amounts, deduction, bonus):
    """Exactly, for any weights and claims; they sum to 1, also to four decimals."""
    terms = terms_of(make_rubric(weights, amounts))
    exact = grade_probabilities(known, terms.units, terms.scale, deduction=deduction, bonus=bonus)
    assert exact == by_enumeration(known, terms.units, terms.scale, deduction, bonus)
    assert sum(exact.values()) == 1
    shown = shown_probabilities(exact)
    assert sum(round(chance * 10_000) for chance in shown.values()) == 10_000
    assert all(abs(chance - float(exact[letter])) <= 0.0001 for letter, chance in shown.items())


def test_the_parts_that_rounding_cuts_are_given_back():
    """Three thirds are 0.3334, 0.3333 and 0.3333, and a chance too small to show is left out."""
    third = Fraction(1, 3)
    assert shown_probabilities({"A": third, "B": third, "C": third}) == {"A": 0.3334, "B": 0.3333, "C": 0.3333}
    assert shown_probabilities({"A": 1 - Fraction(1, 10**9), "B": Fraction(1, 10**9)}) == {"A": 1.0}


def test_judges_that_are_certain_and_agree_give_their_grade_with_certainty():
    """Probability 1, after deductions and bonuses: 8.00 - 0.50 + 0.25 = 7.75 is a B."""
    said = [model_judgement(8, name=name, red_flags=["f0"], bonuses=["b0"]) for name in "abc"]
    card = agreed(*said)
    assert card.final == Decimal("7.75")
    assert card.agreement.grades == {"B": 1.0}


def test_two_judges_that_are_certain_and_differ_spread_over_grades():
    """Ten and one everywhere: 5.50 between them, but any dimension may be either, so that even A and F are possible:
    all seven alike is 1 in 128, 0.0078."""
    grades = card_of(panel_of(10, 1), RUBRIC).agreement.grades
    best, *_, worst = grades
    assert (best, worst) == ("A+", "F")
    assert 0.0078 <= grades["A+"] < 0.05 and sum(grades.values()) == pytest.approx(1)


def test_one_judge_in_doubt_spreads_over_grades():
    """Correctness (weight 0.25) is 7 or 8 at 1 to 3, the rest 8: 7.75 (B) with 1/4, 8.00 (B+) with 3/4."""
    said = model_judgement(seven(8) | {"correctness": "7.75"}, distributions={"correctness": {700: 1, 800: 3}})
    card = card_of(said, RUBRIC)
    assert card.agreement.grades == {"B+": 0.75, "B": 0.25}
    assert (card.final, card.grade.letter) == (Decimal("7.94"), "B")  # 7.75 * 0.25 + 8 * 0.75 = 7.9375


@pytest.mark.parametrize("decimals", [8, 12])
def test_ten_values_in_every_dimension_are_counted_for_any_weights(decimals):
    """Ten million combinations; with weights of twelve decimals no two of their sums need be the same."""
    last = Decimal(10) ** -decimals
    weights = {name: Decimal("0.14") + last * 7**place for place, name in enumerate(DIMENSIONS)}
    weights["safety"] += 1 - sum(weights.values())
    terms = terms_of(make_rubric({name: str(weight) for name, weight in weights.items()}))
    known = [{score * 100: score for score in range(1, 11)}] * 7
    found = grade_probabilities(known, terms.units, terms.scale, deduction=0, bonus=0)
    assert sum(found.values()) == 1
    assert 0.5 < float(sum(chance for letter, chance in found.items() if letter[0] in "ABC")) < 1


def test_a_made_up_document_cannot_make_it_count_for_hours():
    """Nine hundred scores in every dimension and weights of twelve decimals: no answer rather than no end."""
    weights = seven("0.142857142857") | {"safety": "0.142857142858"}
    terms = terms_of(make_rubric(weights))
    known = [dict.fromkeys(range(100, 1001), 1)] * 7
    assert grade_probabilities(known, terms.units, terms.scale, deduction=0, bonus=0) == {}
