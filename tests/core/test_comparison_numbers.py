"""Two sets of scores compared: every number again in plain steps, and every limit of the gate at its boundary."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from math import pi, sqrt
from pathlib import Path
from random import Random
from statistics import fmean, stdev, variance

import pytest
from conftest import judged, make_rubric, seven

from evenhand.core.history import two_sided
from evenhand.core.values import Checked, Finding
from evenhand.decisions import gate as gate_module
from evenhand.decisions import gate_words
from evenhand.decisions.gate import Gate, judge_card, judge_drop
from evenhand.decisions.gate_words import SENTENCES
from evenhand.decisions.sets import pairs
from evenhand.decisions.sets.changes import Changes, Move, changes
from evenhand.decisions.sets.pairs import compare_pairs, compare_unpaired, detectable, sign_flip
from evenhand.decisions.sets.repeats import Design, Scatter, designs
from evenhand.stats.sign_test import two_sided_sign
from evenhand.stats.student import quantile
from suite_cases import fell

UNEVEN = [Fraction(value) for value in (-120, 30, 45, 80, 110, 5, -20, 60)]


def reach_of(n: int, level: float = 0.025) -> float:
    return quantile(level, n - 1)


def test_a_paired_comparison_has_the_numbers_of_its_differences():
    """Mean, deviation, the counts and their exact test, the least difference that would be seen, all in points."""
    made = compare_pairs(UNEVEN, seed=3)
    values = [float(value) / 100 for value in UNEVEN]
    error = stdev(values) / sqrt(8)
    assert (made.pairs, made.mean, made.deviation) == (8, pytest.approx(fmean(values)), pytest.approx(stdev(values)))
    better, worse = sum(value > 0 for value in UNEVEN), sum(value < 0 for value in UNEVEN)
    assert (made.claim, made.test, made.better, made.worse) == ("cases", "sign", better, worse)
    assert made.p_value == two_sided_sign(better, worse)
    assert made.detectable == pytest.approx(sqrt(pi / 2) * (reach_of(8) + reach_of(8, 0.2)) * error)
    draw = Random(3)
    resampled = [sum(draw.choices([float(value) for value in UNEVEN], k=8)) for _ in range(2000)]
    assert made.stability == sum(total > 0 for total in resampled) / 2000
    mirror = compare_pairs([-value for value in UNEVEN], seed=3)
    assert mirror.stability == sum(not -total > 0 for total in resampled) / 2000
    assert made == compare_pairs(UNEVEN, seed=3) != compare_pairs(UNEVEN)
    assert compare_pairs(UNEVEN) == compare_pairs(UNEVEN, seed=0)


def test_from_thirty_pairs_on_the_test_is_students():
    """Where they scatter: differences that are all equal are counted."""
    values = [Fraction(place * 7 % 40 - 15) for place in range(30)]
    made = compare_pairs(values)
    floats = [float(value) / 100 for value in values]
    assert made.test == "t"
    assert made.p_value == pytest.approx(two_sided(fmean(floats) / (stdev(floats) / sqrt(30)), 29))
    for value, p_value in ((10, 2 / 2**30), (0, 1.0)):
        equal = compare_pairs([Fraction(value)] * 30)
        assert (equal.p_value, equal.deviation, equal.test) == (p_value, 0.0, "sign")


@pytest.mark.parametrize(("n", "is_known"), [(5, False), (6, True), (29, True), (30, True)])
def test_five_pairs_can_show_nothing_and_six_can(n, is_known):
    """2 / 2 ** 5 = 0.0625 is more than 0.05, 2 / 2 ** 6 is not; Student's test has no such limit."""
    made = compare_pairs([Fraction(value % 3) for value in range(n)])
    assert (made.detectable is not None) is is_known


def test_one_pair_has_a_mean_and_nothing_else():
    """Whatever it is, it stays the better one."""
    assert compare_pairs([Fraction(50)])[:10] == (1, 0.5, None, None, None, None, "none", None, 1.0, "undecided")
    assert not compare_pairs([Fraction(50)]).shown


def test_equal_sets_are_as_stable_as_a_coin():
    """The sum of all differences is 0."""
    assert compare_pairs([Fraction(10), Fraction(-10)]).stability == 0.5


@pytest.mark.parametrize(("better", "worse", "shown"), [(6, 0, True), (5, 0, False), (8, 1, True), (7, 1, False)])
def test_a_difference_is_shown_at_the_level_of_the_interval(better, worse, shown):
    """2 / 64 and 20 / 512 are at most 0.05, 2 / 32 and 18 / 256 are not."""
    assert compare_pairs([Fraction(10 + n) for n in range(better)] + [Fraction(-1)] * worse).shown is shown


def test_the_detectable_difference_is_both_quantiles_times_the_error():
    """Of the level, and of missing it one time in five."""
    assert detectable(0.5, 16, 0.01) == pytest.approx((quantile(0.01, 15) + quantile(0.2, 15)) * 0.5 / 4)


@pytest.mark.parametrize("one_sided", [True, False])
def test_a_sampled_test_counts_the_seeded_assignments(monkeypatch, one_sided):
    """A set bit turns a sign around; the observed assignment is one of them, so that it is never 0."""
    monkeypatch.setattr(pairs, "MOST_SUMS", 1)
    monkeypatch.setattr(pairs, "ASSIGNMENTS", 300)
    whole = [-120, 31, 45, 83, -110, 5, -20]
    draw, observed, extreme = Random(0), sum(whole), 1
    for _ in range(300):
        bits = draw.getrandbits(7)
        total = sum(-value if bits >> place & 1 else value for place, value in enumerate(whole))
        extreme += total <= observed if one_sided else abs(total) >= abs(observed)
    assert sign_flip([Fraction(value) for value in whole], one_sided=one_sided) == extreme / 301


def test_differences_that_are_fractions_are_counted_by_their_common_denominator():
    """-1/2 and -1/3: one of four ways is as low, two are as far from 0."""
    values = [Fraction(-1, 2), Fraction(-1, 3)]
    assert (sign_flip(values, one_sided=True), sign_flip(values)) == (0.25, 0.5)


@pytest.mark.parametrize(("value", "probability"), [(-1, 1 / 2**30), (0, 1.0), (1, 1.0)])
def test_thirty_equal_differences_fell_for_certain_or_not_at_all(value, probability):
    """Nothing scatters: each is a coin that fell the same way."""
    assert fell([Fraction(value)] * 30) == probability


FIRST = [600.0 + 10 * place for place in range(14)]
SECOND = [650.0 + 10 * place for place in range(17)]


def test_sets_that_cannot_be_paired_are_compared_after_welch():
    """Each set's variance over its size; the degrees of freedom between the smaller one's and both together."""
    made = compare_unpaired(FIRST, SECOND, seed=1)
    first, second = [value / 100 for value in FIRST], [value / 100 for value in SECOND]
    mean = fmean(second) - fmean(first)
    parts = variance(first) / 14, variance(second) / 17
    error = sqrt(sum(parts))
    freedom = int(sum(parts) ** 2 / (parts[0] ** 2 / 13 + parts[1] ** 2 / 16))
    assert freedom + 2 == 30, "thirty scores, effectively: the fewest of which the mean is claimed"
    reach = quantile(0.025, freedom) * error
    assert (made.pairs, made.mean, made.deviation, made.test) == (0, pytest.approx(mean), None, "welch")
    assert (made.claim, made.verdict) == ("mean", "better")
    assert (made.low, made.high) == (pytest.approx(mean - reach), pytest.approx(mean + reach))
    assert made.p_value == pytest.approx(two_sided(mean / error, freedom))
    assert made.detectable == pytest.approx((quantile(0.025, freedom) + quantile(0.2, freedom)) * error)
    draw = Random(1)
    better = 0
    for _ in range(2000):
        after, before = fmean(draw.choices(SECOND, k=17)), fmean(draw.choices(FIRST, k=14))
        better += after > before
    assert made.stability == better / 2000
    assert compare_unpaired(SECOND, FIRST).mean == pytest.approx(-mean)
    assert compare_unpaired(SECOND, FIRST).stability > 0.9, "whichever is better stays it"
    assert compare_unpaired(FIRST, SECOND) == compare_unpaired(FIRST, SECOND, seed=0)


def test_with_fewer_than_thirty_scores_single_scores_are_compared():
    """Three scores above three others: of C(6, 3) = 20 ways to divide six scores, two are as extreme: 0.1."""
    made = compare_unpaired([600, 610, 620], [700, 710, 720])
    assert (made.test, made.claim, made.p_value) == ("brunner-munzel", "scores", 0.1)
    assert (made.better, made.worse, made.low, made.high) == (9, 0, None, None)
    assert (made.verdict, made.detectable) == ("undecided", None), "no division of so few is rare enough"
    four = compare_unpaired([600, 610, 620, 630], [700, 710, 720, 730])
    assert (four.p_value, four.verdict) == (pytest.approx(2 / 70), "better")
    assert compare_unpaired([700, 710, 720, 730], [600, 610, 620, 630]).verdict == "worse"


def test_of_skewed_scores_in_sets_of_unequal_size_the_mean_is_not_claimed():
    """One score in ten is 5.00 lower: in 20 scores its mean may be missing the tail that 60 others show."""
    small, large = [650.0] * 18 + [150.0] * 2, [650.0] * 54 + [150.0] * 6
    assert compare_unpaired(small, large).claim == "scores"
    assert compare_unpaired([650.0, 640.0] * 10, large).claim == "scores", "both sets together show the tail"
    assert compare_unpaired(large, large).claim == "mean", "in sets of equal size it cancels out"


def test_ties_count_for_neither_side():
    """Of 4 x 4 pairs, 5.00 against 6.00 and 7.00 is lower, 6.00 against 6.00 a tie."""
    made = compare_unpaired([500, 500, 600, 600], [600, 600, 700, 700])
    assert (made.better, made.worse) == (12, 0)


def test_sets_too_small_or_without_scatter_have_no_interval_of_their_own():
    """One score says nothing; two equal ones against two others are one of three ways to divide them, both ways."""
    assert compare_unpaired([600.0], SECOND)[2:9] == (None, None, None, None, "none", None, 1.0)
    assert compare_unpaired(FIRST, [700.0])[2:9] == (None, None, None, None, "none", None, 1.0)
    apart = compare_unpaired([600.0] * 2, [700.0] * 2)
    assert apart[:8] == (0, 1.0, None, None, None, pytest.approx(1 / 3), "brunner-munzel", None)
    assert apart.verdict == "undecided"
    assert compare_unpaired([600.0] * 2, [600.0] * 3).p_value == 1.0


def test_designs_are_the_same_twice_and_four_times_the_cases_with_up_to_ten_runs():
    """Deviation sqrt(between + within / runs), in that order."""
    made = designs(Scatter(0.5, 0.3), 6)
    assert [(plan.cases, plan.runs) for plan in made] == [(n, runs) for n in (6, 12, 24) for runs in (1, 2, 3, 5, 10)]
    for plan in made:
        assert plan.detectable == pytest.approx(detectable(sqrt(0.5 + 0.3 / plan.runs), plan.cases, 0.025))
    assert Design(6, 5, 0.1).evaluations == 60, "in both sets"


# --- the gate --------------------------------------------------------------------------------------------------------


def test_a_gate_names_every_limit_that_is_missed():
    """Score, grade, flags that are named, in this order; a flag that is not named is let through."""
    card = judged(seven(5), flags=2)
    ruling = judge_card(card, Gate(min_score=Decimal(9), min_grade="A", no_red_flags=("f1", "f5")))
    assert (ruling.name, ruling.colour) == ("x", "red")
    assert ruling.says == f"{card.final} is below 9; {card.grade.letter} is below A; red flag f1 was raised: flag 1"
    assert judge_card(card, Gate(no_red_flags=("f5",))) == ("x", "green", str(card.final))


def test_a_gate_says_what_an_interval_leaves_open():
    """Safety weighs 0.10: 6.40 to 7.30."""
    card = judged(seven(7) | {"safety": {"unscored": "no answer"}})
    ruling = judge_card(card, Gate(min_score=Decimal(7), min_grade="B-"))
    assert ruling == (
        "x", "unscored", "a dimension is unscored: 7 may or may not be reached; B- may or may not be reached",
    )  # fmt: skip
    assert judge_card(card, Gate(min_score=Decimal(6))) == ("x", "green", "6.40 to 7.30")


def test_a_gate_on_faults_needs_checks_and_counts_those_of_the_severity():
    """Without checks nothing is known; a minor fault is let through where major ones are not allowed."""
    card = judged(seven(7))
    assert judge_card(card, Gate(no_fault="minor")) == (
        "x", "unscored", 'no checks ran on it, so its faults are unknown; add the judge "checks"',
    )  # fmt: skip
    assert judge_card(card, Gate(min_score=Decimal(8), no_fault="minor")) == ("x", "red", "7.00 is below 8")
    checked = card._replace(checked=Checked("c", (Finding("tests", "correctness", "minor", "No test."),)))
    assert judge_card(checked, Gate(no_fault="minor")).colour == "red"
    assert judge_card(checked, Gate(no_fault="major")).colour == "green"


def test_a_gate_has_no_sentence_that_it_never_says():
    """Each is named once in the table and at least once where it is said."""
    modules = (gate_module, gate_words)
    text = "".join(Path(module.__file__).read_text(encoding="utf-8") for module in modules)
    assert [key for key in SENTENCES if text.count(f'"{key}"') < 2] == []


@pytest.mark.parametrize(
    ("drops", "ending"),
    [
        ([-21] * 6, "; the drop exceeds the margin of 0.2"),
        ([90, 110] * 4, "; a drop beyond the margin of 0.2 is ruled out"),
        ([-21] * 5, "; the drop exceeds the margin of 0.2, but may be chance"),
        ([20] * 5, "; with cases this few or this scattered, no drop could be detected"),
        ([-20] * 7, "; no drop beyond the margin of 0.2 was detected"),
        ([-300], "only one case has a value on both sides"),
        ([], "no case has a value on both sides"),
    ],
)
def test_a_ruling_on_a_drop_says_why(drops, ending):
    """After the mean, the number of cases and the chance; fewer than two cases show nothing."""
    ruling = judge_drop([Fraction(drop) for drop in drops], Decimal("0.2"))
    assert ruling.name == "against the baseline"
    assert ruling.says.endswith(ending)
    if (n := len(drops)) > 1:
        mean = sum(drops) / n / 100
        assert ruling.says.startswith(f"mean change {mean:+.2f} over {n} cases, better in ")


def test_scattered_pairs_are_told_what_they_would_detect():
    """Both quantiles times the error, one-sided at 0.02, and what counting cases costs."""
    values = [Fraction(value) for value in [-300, 300] * 4]
    least = sqrt(pi / 2) * detectable(stdev([float(value) / 100 for value in values]), 8, 0.02)
    assert f"only a drop of {least:.2f} or more could be detected" in judge_drop(values, Decimal("0.2")).says


# --- two scorecards --------------------------------------------------------------------------------------------------


def test_changes_list_dimensions_flags_and_bonuses_with_their_points():
    """Correctness weighs 0.25: from 6 to 8 it is 0.50 more. A flag that is gone gives back its amount."""
    rubric = make_rubric(amounts=["0.5", "1.0"])
    before = judged(seven(6), flags=2, rubric=rubric)
    after = judged(seven(6) | {"correctness": 8}, flags=1, bonuses=1, rubric=rubric)
    made = changes(before, after)
    bonus = after.bonuses[0].bonus
    assert made.moves == (
        Move("correctness", Decimal(6), Decimal(8), Decimal("0.50")),
        Move("red flag f1", Decimal("-1.00"), None, Decimal("1.00")),
        Move("bonus b0", None, bonus, bonus),
    )
    assert made.final == after.final - before.final
    assert sum(move.points for move in made.moves) + made.rest == made.final
    assert changes(before, before) == Changes(Decimal("0.00"), (), Decimal("0.00"), (), (), ())


def test_a_dimension_that_lost_its_score_has_no_points():
    """Nor is there a change of the final score, or a rest."""
    made = changes(judged(seven(7)), judged(seven(7) | {"safety": {"unscored": "no answer"}}))
    assert made == Changes(None, (Move("safety", Decimal(7), None, None),), None, (), (), ())
    back = changes(judged(seven(7) | {"safety": {"unscored": "no answer"}}), judged(seven(7)))
    assert back.moves == (Move("safety", None, Decimal(7), None),)


def test_a_weight_that_changed_is_a_move_too():
    """The scores are equal; what they count is not."""
    other = make_rubric(weights=seven("0.20", "0.25", "0.15", "0.15", "0.10", "0.10", "0.05"))
    made = changes(judged(seven(7)), judged(seven(7), rubric=other))
    assert [(move.name, move.points) for move in made.moves] == [
        ("correctness", Decimal("-0.35")),
        ("completeness", Decimal("0.35")),
    ]
    assert made.notes == ("the two come from different rubrics",)
    unlike = changes(judged(seven(7), skill="a", judge="human:ana"), judged(seven(7), skill="b", judge="human:bo"))
    assert unlike.notes == ("the two come from different skills", "the two come from different judges")


def test_evidence_is_new_or_gone_by_where_it_stands():
    """A quote that moved from one dimension to another is both."""
    quote = {"score": 7, "evidence": ["it races"]}
    before, after = judged(seven(7) | {"safety": quote}), judged(seven(7) | {"correctness": quote})
    made = changes(before, after)
    assert [(name, item.quote) for name, item in made.new_evidence] == [("correctness", "it races")]
    assert [(name, item.quote) for name, item in made.gone_evidence] == [("safety", "it races")]
