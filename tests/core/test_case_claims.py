"""Which claim is made of the differences of cases: so many of them better, or the mean; and when nothing is."""

from __future__ import annotations

from fractions import Fraction
from math import pi, sqrt
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.core.history import two_sided
from evenhand.decisions.sets.case_verdicts import compare_within, verdict_on
from evenhand.decisions.sets.pairs import compare_pairs
from evenhand.decisions.sets.weighted import (
    CHANCE_SKEW,
    MOST_SKEW,
    compare_cases,
    fell_by,
    holm,
    mirrored,
    others,
    standard_error,
    weighted_mean,
)
from evenhand.decisions.suites.contrasts import decide
from evenhand.decisions.values.decision import CaseDifference
from evenhand.stats.sign_test import at_most, fewest, two_sided_sign, typical, typical_interval
from suite_cases import failed, scored


def cases(*values: int) -> list[CaseDifference]:
    return [CaseDifference(f"c{place}", Fraction(value), Fraction(1)) for place, value in enumerate(values)]


@pytest.mark.parametrize(
    ("better", "worse", "chance"), [(5, 0, 2 / 32), (6, 0, 2 / 64), (7, 1, 18 / 256), (8, 1, 20 / 512), (4, 4, 1.0)]
)
def test_the_sign_test_counts_better_and_worse(better: int, worse: int, chance: float):
    """Seven of eight: (1 + 8) * 2 of 256 ways are as uneven."""
    assert two_sided_sign(better, worse) == two_sided_sign(worse, better) == chance


def test_no_case_that_differs_says_nothing():
    """Ties are not counted; the chance of at most none of none is one."""
    assert (two_sided_sign(0, 0), at_most(0, 0), at_most(-1, 4)) == (1.0, 1.0, 0.0)
    assert (typical([Fraction(0)] * 3), typical_interval([Fraction(0)] * 9, 0.05)) == (None, None)


def test_the_typical_difference_is_the_median_of_those_that_differ():
    """Of an even number the mean of the two in the middle; ties are left out."""
    assert typical([Fraction(v) for v in (0, 0, 5, -1, 3)]) == 3
    assert typical([Fraction(v) for v in (0, 5, -1, 3, 4)]) == Fraction(7, 2)


@given(st.lists(st.integers(-300, 300), min_size=2, max_size=60), st.sampled_from([0.2, 0.05, 0.01]))
def test_the_interval_belongs_to_its_test(values: list[int], level: float):
    """It leaves out zero exactly when the test rejects, and never lies beyond the differences."""
    made = compare_cases(cases(*values), level)
    assert made.p_value is not None
    if made.test == "sign-and-t":
        assert made.low is not None and made.high is not None
        outside = made.p_value <= level and not made.is_contradicted
        assert (not made.low <= 0 <= made.high) == outside or abs(made.p_value - level) < 1e-9
    elif made.claim == "cases":
        ends = typical_interval([Fraction(value) for value in values], level)
        assert (ends is not None and not ends[0] <= 0 <= ends[1]) == (made.p_value <= level)
        assert ends is None or min(values) <= ends[0] <= ends[1] <= max(values)
    elif abs(made.p_value - level) > 1e-9:
        assert made.low is not None and made.high is not None
        assert (not made.low <= 0 <= made.high) == (made.p_value <= level)


def test_few_cases_are_counted_and_many_are_averaged():
    """The mean is claimed from thirty cases on."""
    values = [10 * (place % 7) for place in range(30)]
    assert compare_cases(cases(*values[:29]), 0.05).claim == "cases"
    assert compare_cases(cases(*values), 0.05).claim == "mean"


def test_the_mean_of_skewed_differences_is_not_claimed():
    """Nine in ten half a point better, one in ten 4.5 worse: skewness -2.7, and 0.1 * root of 40 is 0.63."""
    skewed = compare_cases(cases(*([50] * 9 + [-450]) * 4), 0.05)
    assert (skewed.claim, skewed.test, skewed.better, skewed.worse) == ("cases", "sign", 36, 4)
    even = compare_cases(cases(*[50, -50] * 20), 0.05)
    assert even.claim == "mean"


@pytest.mark.parametrize(
    ("better", "test"),
    [(18, "t"), (19, "sign-and-t"), (21, "sign-and-t"), (22, "sign"), (8, "sign"), (9, "sign-and-t")],
)
def test_where_chance_may_have_made_differences_skewed_both_tests_are_asked(better: int, test: str):
    """Of 30 cases k are better by 30, the others worse by 50: the skewness is (2k - 30) / sqrt(k * (30 - k)), which is
    0.41 for 18, 0.55 for 19, 0.87 for 21 and 1.06 for 22. The mean is claimed up to 0.1 * sqrt(30) = 0.548; one normal
    sample of 50 is beyond 2.326 * sqrt(6 / 30) = 1.040."""
    made = compare_cases(cases(*[30] * better, *[-50] * (30 - better)), 0.05)
    assert made.test == test
    assert made.claim == ("mean" if test == "t" else "cases")


def test_where_chance_may_have_made_differences_skewed_both_tests_must_agree():
    """21 of 30 better has a chance of 0.043 by counting; but 21 * 30 - 9 * 50 = 180 is 0.06 on average, with a standard
    error of sqrt(80^2 * 0.7 * 0.3 / 29) = 6.81 hundredths: t is 0.88, the chance 0.385. The interval spans that of the
    typical difference (which ends at 0.30) and that of the mean, from 0.06 - 2.045 * 0.0681."""
    made = compare_cases(cases(*[30] * 21, *[-50] * 9), 0.05)
    assert two_sided_sign(21, 9) == pytest.approx(0.0428, abs=1e-4)
    assert made.p_value == pytest.approx(0.3854, abs=1e-4)
    assert made.low == pytest.approx(-0.0792, abs=1e-4)
    assert made.high == 0.3
    assert made.detectable == pytest.approx((2.045 + 0.854) * 0.0681 * (pi / 2) ** 0.5, rel=1e-3)
    assert verdict_on(made, made.p_value, 0.05, 0.5) == "no difference shown"
    agreed = compare_cases(cases(*[50] * 21, *[-30] * 9), 0.05)
    assert agreed.test == "sign-and-t"
    assert agreed.p_value == pytest.approx(two_sided_sign(21, 9))  # the mean's is smaller: t is 26 / 6.81 = 3.8
    assert verdict_on(agreed, agreed.p_value, 0.05, 0.5) == "better"
    assert fell_by(mirrored(cases(*[30] * 21, *[-50] * 9))) == pytest.approx(0.3854 / 2, abs=1e-4)
    assert fell_by(mirrored(cases(*[50] * 21, *[-30] * 9))) == at_most(9, 30)


def test_an_interval_that_spans_both_tests_ends_where_the_measure_does():
    """27 cases gain 9 points and 13 lose 8.8. At one in a million the interval of the mean, 3.2, reaches beyond 9."""
    values = [900] * 27 + [-880] * 13
    plain = compare_cases(cases(*values), 1e-6)
    made = compare_within(cases(*values), "final score", 1e-6)
    assert plain.test == made.test == "sign-and-t"
    assert plain.high is not None and plain.high > 9.0
    assert (made.low, made.high) == (-8.8, 9.0)


def test_from_57_cases_on_the_choice_of_the_test_needs_no_second_one():
    """2.326 * sqrt(6 / n) is less than 0.1 * sqrt(n) once n exceeds 56.98."""
    assert CHANCE_SKEW / sqrt(56) > MOST_SKEW * sqrt(56)
    assert CHANCE_SKEW / sqrt(57) < MOST_SKEW * sqrt(57)


def test_a_mean_of_differences_of_one_size_gets_half_a_step_less():
    """Forty verdicts, 12 gained and 4 lost: the mean is 8 / 40 = 0.2, and 7 or 9 would be the next ones; so it counts
    as 7.5 / 40. The standard error is sqrt((16 / 40 - 0.04) / 39) = 0.0961: t is 1.95 in place of 2.08."""
    made = compare_cases(cases(*[100] * 12, *[-100] * 4, *[0] * 24), 0.05)
    assert (made.test, made.mean) == ("t", 0.2)
    assert made.p_value == pytest.approx(two_sided(0.1875 / 0.09608, 39), abs=1e-4)
    assert made.p_value is not None and made.p_value > 0.05 > two_sided(0.2 / 0.09608, 39)
    assert made.low is not None and made.low == pytest.approx(0.2 - 2.0227 * 0.09608 - 0.0125, abs=1e-4)
    assert fell_by(mirrored(cases(*[100] * 12, *[-100] * 4, *[0] * 24))) == pytest.approx(made.p_value / 2)
    of_two_sizes = compare_cases(cases(*[100] * 11, 101, *[-100] * 4, *[0] * 24), 0.05)
    assert of_two_sizes.p_value is not None and of_two_sizes.p_value < 0.05
    weighted = [
        entry._replace(weight=Fraction(2 if not place else 1))
        for place, entry in enumerate(cases(*[100] * 12, *[-100] * 4, *[0] * 24))
    ]
    heavier = compare_cases(weighted, 0.05)
    assert heavier.p_value is not None and heavier.p_value < 0.05


def test_the_check_for_skew_asks_less_of_more_cases():
    """One in ten 20 away from the rest has a skewness of 2.67: 0.1 * root of n reaches it at 712 cases."""
    assert compare_cases(cases(*([2] * 9 + [-18]) * 71), 0.05).claim == "cases"
    assert compare_cases(cases(*([2] * 9 + [-18]) * 72), 0.05).claim == "mean"


def test_cases_with_nearly_all_the_weight_on_few_are_counted():
    """Forty cases, of which one counts like all others: effectively four."""
    some = [entry._replace(weight=Fraction(39 if not place else 1)) for place, entry in enumerate(cases(*[1, 3] * 20))]
    assert compare_cases(some, 0.05).claim == "cases"


def test_an_interval_of_the_mean_ends_where_the_measure_does_and_one_of_cases_is_left_alone():
    """Nine up and nine down. Counted cases have the interval of the typical difference beside that of the mean."""
    wide = compare_within(cases(900, -900), "final score", 0.05)
    assert (wide.mean_low, wide.mean_high) == (-9.0, 9.0)
    counted = compare_within(cases(*([50] * 9 + [-460]) * 2), "final score", 0.05)
    plain = compare_cases(cases(*([50] * 9 + [-460]) * 2), 0.05)
    assert (counted.claim, counted.low, counted.high) == ("cases", plain.low, plain.high)
    assert (counted.low, counted.high) != (counted.mean_low, counted.mean_high)
    averaged = compare_within(cases(*[10 * (place % 7) for place in range(30)]), "final score", 0.05)
    assert (averaged.claim, averaged.low, averaged.high) == ("mean", averaged.mean_low, averaged.mean_high)


@pytest.mark.parametrize(
    ("values", "way"), [((50, 60, -10), 1), ((-50, -60, 10), -1), ((50, -50), 0), ((50, 60, -900), 1)]
)
def test_the_way_is_that_of_most_cases_where_cases_are_counted(values: tuple[int, ...], way: int):
    """As many better as worse go neither way."""
    made = compare_cases(cases(*values), 0.05)
    assert (made.claim, made.way) == ("cases", way)


def test_the_way_of_a_mean_is_its_sign():
    values = [10 * (place % 7) for place in range(30)]
    made = compare_cases(cases(*values), 0.05)
    assert (made.claim, made.way, made._replace(mean=-0.1).way, made._replace(mean=0.0).way) == ("mean", 1, -1, 0)
    assert made._replace(mean=None).way == 0


def test_most_cases_against_the_mean_are_undecided():
    """Better in nine of ten, and worse on average: neither word would be the whole truth."""
    made = compare_within(cases(*([50] * 9 + [-460]) * 2), "final score", 0.05)
    assert made.p_value is not None and made.p_value < 0.05
    assert made.is_contradicted
    assert verdict_on(made, made.p_value, 0.05, 0.5) == "undecided"


def test_the_fewest_cases_follow_the_level():
    """Six at 0.05; for four comparisons at 0.0125 eight."""
    assert [fewest(0.05 / several) for several in (1, 2, 4)] == [6, 7, 8]


def test_the_fewest_cases_follow_the_comparisons_that_are_still_open():
    """Two variants, the first clearly better in seven cases: the other is held to the whole level (Holm)."""
    results = scored({"old": [[500]] * 7, "new": [[700]] * 7, "same": [[500]] * 7})
    contrasts = decide(results, ["old", "new", "same"], "old").contrasts
    assert [(contrast.verdict, contrast.needed) for contrast in contrasts] == [("better", 7), ("undecided", 6)]


def test_bad_runs_that_fail_do_not_make_a_variant_better():
    """Of ten cases six are a point better; in the other four the variant's runs failed, the reference's did not."""
    results = scored({"old": [[500]] * 10, "new": [[600]] * 6})
    assert decide(results, ["old", "new"], "old").contrasts[0].verdict == "better", "where they were not run"
    results += [failed(f"case{place:03}", "new") for place in range(6, 10)]
    contrast = decide(results, ["old", "new"], "old").contrasts[0]
    assert (contrast.verdict, contrast.turned, contrast.more) == ("undecided", True, None)


def test_a_verdict_that_holds_with_failures_as_losses_stands():
    """Twenty cases better and one failed: as a loss it is one of twenty-one."""
    results = [*scored({"old": [[500]] * 21, "new": [[600]] * 20}), failed("case020", "new")]
    assert decide(results, ["old", "new"], "old").contrasts[0].verdict == "better"


def test_failures_of_both_sides_alike_do_not_undo_a_verdict():
    """Two of the variant's runs failed and two of the reference's."""
    results = scored({"old": [[500]] * 12 + [[], []], "new": [[600]] * 10 + [[], [], [600], [600]]})
    results += [failed(f"case{place:03}", "new") for place in (10, 11)]
    results += [failed(f"case{place:03}", "old") for place in (12, 13)]
    contrast = decide(results, ["old", "new"], "old").contrasts[0]
    assert (contrast.verdict, contrast.difference.cases) == ("better", 10)


@pytest.mark.slow
def test_skewed_differences_of_mean_zero_are_rarely_called_different_in_the_mean():
    """300 suites of forty cases, nine in ten +0.5 and one in ten -4.5: a t test alone errs in about 14 of 100."""
    draw = Random(3)
    wrong = 0
    for _ in range(300):
        made = compare_cases(cases(*(50 if draw.random() < 0.9 else -450 for _ in range(40))), 0.05)
        wrong += made.claim == "mean" and made.p_value is not None and made.p_value <= 0.05
    assert wrong <= 300 * 0.05


def test_cases_of_a_cluster_count_once_and_the_mean_stays():
    """Twelve cases of three clusters: (8 + 8 + 2 + 2) / 4 = 5, 20, and by itself -30; the mean is that of the cases."""
    values = {"a": (8, 8, 2, 2), "b": (20, 20), "": (-30,)}
    entries = [CaseDifference("", Fraction(v), Fraction(1), cluster=name) for name in values for v in values[name]]
    made = compare_cases(entries, 0.05)
    assert (made.cases, made.clusters, made.units, made.better, made.worse) == (7, 3, 3, 2, 1)
    assert made.mean == pytest.approx((20 + 40 - 30) / 7 / 100)
    assert made.typical == 0.05
    alone = compare_cases([entry._replace(cluster="") for entry in entries], 0.05)
    assert (alone.mean, alone.clusters, alone.units, alone.unit) == (made.mean, None, 7, "case")


def test_clusters_of_one_case_each_change_nothing():
    plain = cases(3, -2, 8, 5, 4, 9, 7)
    named = [entry._replace(cluster=entry.case) for entry in plain]
    assert compare_cases(named, 0.05) == compare_cases(plain, 0.05)
    values = [entry.value for entry in plain]
    assert compare_pairs(values, clusters=[entry.case for entry in plain]) == compare_pairs(values)


def test_a_verdict_needs_six_clusters_however_many_cases():
    """Forty of forty cases are better. As five clusters that is 2 of 32 ways, as six 2 of 64."""
    for number, verdict in ((5, "undecided"), (6, "better")):
        made = compare_pairs([Fraction(100)] * 40, clusters=[str(place % number) for place in range(40)])
        assert (made.pairs, made.clusters, made.verdict) == (40, number, verdict)
        assert made.p_value == 2 / 2**number
    assert compare_pairs([Fraction(100)] * 40, clusters=["a"] * 40).test == "none"


@pytest.mark.slow
def test_cases_that_are_alike_within_clusters_raise_no_more_false_alarms_than_promised():
    """Eight clusters of ten cases, no difference: taken one by one the cases are called different far too often."""
    draw = Random(7)
    wrong = [0, 0]
    for _ in range(400):
        levels = [draw.gauss(0, 50) for _ in range(8)]
        values = [Fraction(round(level + draw.gauss(0, 20))) for level in levels for _ in range(10)]
        entries = [CaseDifference("", value, Fraction(1), cluster=str(p // 10)) for p, value in enumerate(values)]
        for place, some in enumerate((entries, [entry._replace(cluster="") for entry in entries])):
            made = compare_cases(some, 0.05)
            wrong[place] += made.p_value is not None and made.p_value <= 0.05
    assert wrong[0] <= 30 < 100 < wrong[1]


def test_a_weighted_mean_has_its_own_error_and_freedom():
    """100 once and 200 three times: 175. Moves 1 x -75 and 3 x 25: sqrt(11250 x 2 / 1) / 4 / 100 = 0.375. Weights 1
    and 3 are worth 4^2 / 10 = 1.6 cases; one degree of freedom is the least."""
    weighted = [CaseDifference("a", Fraction(100), Fraction(1)), CaseDifference("b", Fraction(200), Fraction(3))]
    assert weighted_mean(weighted) == 175
    assert standard_error(weighted, Fraction(175)) == pytest.approx((0.375, 1, 1.6))
    thirds = [CaseDifference("a", Fraction(1, 3), Fraction(1, 2)), CaseDifference("b", Fraction(5, 2), Fraction(1, 4))]
    assert weighted_mean(thirds) == Fraction(19, 18)  # (1/6 + 5/8) / (3/4)


def test_equal_weights_leave_all_cases_but_one_as_freedom_up_to_a_thousand():
    """1 to 4 hundred: deviation sqrt(5 / 3), over the root of 4 cases."""
    assert standard_error(cases(100, 200, 300, 400), Fraction(250)) == pytest.approx((sqrt(5 / 3) / 2, 3, 4))
    assert standard_error(cases(*[0, 1] * 501), Fraction(1, 2))[1] == 1000
    assert standard_error(cases(*[0, 1] * 500), Fraction(1, 2))[1] == 999


def test_a_test_that_could_not_be_made_counts_for_holm():
    """Of three, 0.02 x 3 and 0.03 x 2; the latter is not smaller than the one before, and 1 is the most."""
    assert holm([0.03, None, 0.02]) == pytest.approx([0.06, None, 0.06])
    assert holm([0.04, 0.02, None]) == pytest.approx([0.08, 0.06, None])
    assert holm([0.9, 0.8]) == [1.0, 1.0]


def test_what_ten_alike_cases_leave_open():
    """The share of which ten cases show none in 5 of 100: 1 - 0.05^(1/10)."""
    assert others(10, 0.05) == pytest.approx(0.258866, abs=1e-6)
