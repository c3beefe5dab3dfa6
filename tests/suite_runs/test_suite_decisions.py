"""What a suite's results show: verdicts, corrections, failures, weights, more data."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from itertools import permutations
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from decision_text import decision_lines
from evenhand.decisions.sets.weighted import compare_cases, fell_by, holm
from evenhand.decisions.suites.board import Board
from evenhand.decisions.suites.contrasts import decide, decide_against
from evenhand.decisions.values.decision import CaseDifference
from evenhand.decisions.values.suite_run import SuiteRun
from evenhand.reports.comparison.conclusion import conclusion
from evenhand.stats.sign_test import fewest
from suite_cases import failed, met, result, scored, weighted


def differences(*values: int, weights: tuple[int, ...] | None = None) -> list[CaseDifference]:
    return [
        CaseDifference(f"c{place}", Fraction(value), Fraction(weights[place] if weights else 1))
        for place, value in enumerate(values)
    ]


def two(before: list[list[int]], after: list[list[int]]):
    return decide(scored({"old": before, "new": after}), ["old", "new"], "old").contrasts[0]


def test_cases_that_came_out_alike_share_their_numbers():
    """Whatever the order of their runs, so that ten thousand cases take little memory; another score is not shared."""
    board = Board(scored({"old": [[500, 600], [600, 500], [500, 500]]}))
    first, second, third = board.cases.values()
    assert first is second
    assert first is not third
    assert first.cells["old"].scores == (500, 600)


def test_six_cases_that_all_improve_are_just_enough_to_say_better():
    """All six of one sign: 2 of the 2 ** 6 = 64 ways are as extreme, 2 / 64 = 0.03125."""
    contrast = two([[500]] * 6, [[600]] * 6)
    assert contrast.verdict == "better"
    assert contrast.difference.p_value == 0.03125
    assert contrast.difference.mean == 1.0


def test_five_cases_that_all_improve_are_not_enough():
    """2 / 2 ** 5 = 0.0625 is more than 0.05, whatever the difference."""
    contrast = two([[500]] * 5, [[900]] * 5)
    assert contrast.verdict == "undecided"
    assert contrast.more is not None
    assert contrast.more.cases == 1


def test_a_variant_without_any_value_is_not_said_to_need_more_cases():
    """Every run of it failed: more of the same would not tell anything."""
    results = [*scored({"old": [[500]] * 3}), *(failed(f"case{place:03}", "new") for place in range(3))]
    contrast = decide(results, ["old", "new"], "old").contrasts[0]
    assert conclusion(contrast, "final score") == "new against old: undecided: no case has a value on both sides"


def test_a_variant_that_loses_is_worse():
    """The sign is variant minus reference."""
    assert two([[600]] * 8, [[500]] * 8).verdict == "worse"


def test_repeats_of_a_case_count_once():
    """Three runs of five cases are five differences, not fifteen."""
    contrast = two([[500] * 3] * 5, [[600] * 3] * 5)
    assert contrast.difference.cases == 5
    assert contrast.difference.p_value == 0.0625


def test_no_difference_is_said_only_when_a_relevant_one_would_have_been_seen():
    """Differences of +-0.10 in 20 cases rule out half a point; differences of +-3 do not."""
    small = two([[500]] * 20, [[510 if place % 2 else 490] for place in range(20)])
    assert small.verdict == "no difference shown"
    assert small.difference.detectable is not None
    assert small.difference.detectable < 0.5
    large = two([[500]] * 20, [[800 if place % 2 else 200] for place in range(20)])
    assert large.verdict == "undecided"
    assert large.difference.detectable is not None
    assert large.difference.detectable > 0.5


def test_more_cases_would_do_as_many_as_the_scatter_asks_for():
    """Deviation 3.08 points, reach 1.96 + 0.84: (2.80 * 3.08 / 0.5) ** 2 = 297 cases rule out half a point at most."""
    contrast = two([[500]] * 20, [[800 if place % 2 else 200] for place in range(20)])
    assert contrast.more is not None and contrast.more.cases is not None
    assert contrast.more.cases < 300 - 20 <= (contrast.more.most or 1000) + 40
    assert contrast.more.repeats is None, "no case was run twice, so what repeats are worth is unknown"


def test_more_repeats_would_do_where_the_scatter_comes_from_runs():
    """Every case has the same true difference of 0 and runs that scatter by 1.5 points: repeats average it out."""
    draw = Random(3)
    runs = lambda: [[round(500 + draw.gauss(0, 150)) for _ in range(2)] for _ in range(40)]  # noqa: E731
    contrast = two(runs(), runs())
    assert contrast.verdict == "undecided"
    assert contrast.more is not None
    assert contrast.more.repeats is not None
    assert 3 <= contrast.more.repeats <= 20


def test_repeats_cannot_help_where_cases_differ():
    """Every run of a case is the same: all scatter is between cases."""
    contrast = two([[500] * 2] * 20, [[800] * 2 if place % 2 else [200] * 2 for place in range(20)])
    assert contrast.more is not None
    assert contrast.more.repeats is None


def test_a_failed_run_is_counted_with_its_reason_and_is_not_a_zero():
    """One failed run of two leaves the case's mean at the other run."""
    results = [*scored({"old": [[500]] * 6, "new": [[600]] * 6}), failed("case000", "new", 2, "exit code 137")]
    decision = decide(results, ["old", "new"], "old")
    facts = decision.facts("new")
    assert (facts.runs, facts.valued, facts.failed) == (7, 6, 1)
    assert facts.missing[0] == ("failed", "exit code 137", 1)
    assert decision.contrasts[0].difference.mean == 1.0


def test_the_decision_says_how_failures_would_change_it_if_they_were_losses():
    """Six better cases, and in each a failed second run: as losses they average (6 + 1) / 2 = 3.5, 1.5 below 5."""
    results = scored({"old": [[500]] * 6, "new": [[600]] * 6})
    results += [failed(f"case{number:03}", "new", 2, outcome="timed out") for number in range(6)]
    contrast = decide(results, ["old", "new"], "old").contrasts[0]
    assert (contrast.verdict, contrast.turned) == ("undecided", True)
    verdicts = {scenario.losses: (scenario.verdict, scenario.difference.mean) for scenario in contrast.what_if}
    assert verdicts == {
        "this variant's": ("worse", -1.5),
        "the reference's": ("better", 1.0),
        "everybody's": ("worse", -1.5),
    }
    assert contrast.depends_on_losses


def test_a_case_that_failed_altogether_is_left_out_and_comes_back_as_a_loss():
    """Without a value on one side there is no difference; as a loss it is 1 - 5 = -4 points."""
    results = [*scored({"old": [[500]] * 7, "new": [[600]] * 6}), failed("case006", "new")]
    contrast = decide(results, ["old", "new"], "old").contrasts[0]
    assert (contrast.difference.cases, contrast.unpaired) == (6, 1)
    own = contrast.what_if[0]
    assert own.difference.cases == 7
    assert own.difference.mean == pytest.approx((6 * 1 - 4) / 7)


def test_an_unscored_run_is_missing_too():
    """It finished, but nobody could score it."""
    results = scored({"old": [[500]] * 6, "new": [[600]] * 6})
    results.append(result("case000", "new", 2, unscored="the judge timed out"))
    facts = decide(results, ["old", "new"], "old").facts("new")
    assert facts.missing == (("unscored", "the judge timed out", 1),)
    assert facts.failed == 0


def test_without_missing_runs_there_is_no_scenario():
    """Nothing could be otherwise."""
    assert two([[500]] * 6, [[600]] * 6).what_if == ()


def test_where_nobody_read_the_work_the_share_of_expectations_met_is_compared():
    """1 of 2 against 2 of 2: a difference of one half."""
    results = [met(f"c{case}", "old", 1, 1, 2) for case in range(6)] + [
        met(f"c{case}", "new", 1, 2, 2) for case in range(6)
    ]
    decision = decide(results, ["old", "new"], "old")
    assert decision.measure == "expectations met"
    assert decision.contrasts[0].difference.mean == 0.5
    assert decision.contrasts[0].verdict == "better"


def test_measures_are_never_mixed():
    """One run with a final score makes the final score the measure; runs with expectations only have no value then."""
    results = [met(f"c{case}", name, 1, 1, 2) for case in range(6) for name in ("old", "new")]
    results.append(result("c0", "old", 2, 700, met=1, expectations=2))
    decision = decide(results, ["old", "new"], "old")
    assert decision.measure == "final score"
    assert decision.facts("new").valued == 0
    assert decision.contrasts[0].verdict == "undecided"


def test_weights_count():
    """Weights 3 and 1: (3 * 1 + 1 * -1) / 4 = 0.5 points."""
    results = [weighted("a", "old", 500, "3"), weighted("a", "new", 600, "3")]
    results += [weighted("b", "old", 500, "1"), weighted("b", "new", 400, "1")]
    decision = decide(results, ["old", "new"], "old")
    assert decision.contrasts[0].difference.mean == 0.5
    assert decision.facts("new").mean == (3 * 6 + 4) / 4


def test_equal_weights_of_any_size_change_nothing():
    """Weights are relative."""
    values = [*range(-20, 40)]
    once = compare_cases(differences(*values), 0.05)
    thrice = compare_cases(differences(*values, weights=(3,) * 60), 0.05)
    assert once[:5] == pytest.approx(thrice[:5])


def test_a_heavy_case_widens_the_interval():
    """One case with most of the weight is nearly the only one."""
    values = tuple(100 + 10 * (place % 5) for place in range(40))
    even = compare_cases(differences(*values), 0.05)
    heavy = compare_cases(differences(*values, weights=(60, *(1,) * 39)), 0.05)
    assert heavy.mean_high - heavy.mean_low > even.mean_high - even.mean_low


def test_where_one_case_has_nearly_all_the_weight_nothing_is_decided():
    """10 cases that count like 1: no interval, and never "no difference" beside a difference of everything."""
    results = [
        result._replace(weight=Decimal(1000000 if result.id.case == "case000" else 1))
        for result in scored({"old": [[100]] + [[900]] * 9, "new": [[900]] + [[100]] * 9})
    ]
    contrast = decide(results, ["old", "new"], "old").contrasts[0]
    assert (contrast.verdict, contrast.difference.detectable, contrast.more) == ("undecided", None, None)
    assert contrast.contradicted, "nine of ten are worse, and the mean is better"
    run = SuiteRun("id", "suite", "", "", ("old", "new"), "old", 1, 10)
    lines = decision_lines(run, decide(results, ["old", "new"], "old"))
    assert lines[0] == (
        "new against old: undecided: most cases and the mean point in opposite directions, so nothing is concluded "
        "(worse in 9 of 10 cases, better in 1)"
    )
    assert "  a few of the cases have nearly all the weight, so these are too few to tell" in lines


@pytest.mark.parametrize(
    ("cases", "verdict", "more"),
    [
        (1, "undecided", 5),
        (52, "undecided", 1),
        (53, "no difference shown", None),
    ],
)
def test_ties_show_no_difference_only_when_there_are_enough_of_them(cases, verdict, more):
    """If a share s = 0.5 / 9 of cases were none, 53 ties would be a matter of less than 0.05: (1 - s) ** 53 = 0.048."""
    contrast = two([[700]] * cases, [[700]] * cases)
    assert contrast.verdict == verdict
    assert (contrast.more and contrast.more.cases) == more


def test_ties_are_said_to_agree_and_not_to_detect_any_difference():
    """1 - 0.05 ** (1 / 6) = 39%: six ties say little about other cases."""
    results = scored({"old": [[700]] * 6, "new": [[700]] * 6})
    run = SuiteRun("id", "suite", "", "", ("old", "new"), "old", 1, 6)
    lines = decision_lines(run, decide(results, ["old", "new"], "old"))
    assert lines[0].startswith(
        "new against old: undecided: alike in all of 6 cases; a verdict needs at least 6 that differ"
    )
    assert "  all these cases agree; that up to 39% of others would not cannot be ruled out" in lines
    assert not any("would be detected" in line for line in lines)


@pytest.mark.slow
def test_from_thirty_cases_on_the_numbers_are_those_of_a_paired_t_test():
    """Against SciPy, on differences that anyone can check."""
    stats = pytest.importorskip("scipy.stats")
    draw = Random(1)
    values = [draw.randint(-150, 200) for _ in range(40)]
    ours = compare_cases(differences(*values), 0.05)
    theirs = stats.ttest_1samp([value / 100 for value in values], 0)
    assert ours.test == "t"
    assert ours.p_value == pytest.approx(theirs.pvalue, rel=1e-6)
    assert (ours.low, ours.high) == pytest.approx(tuple(theirs.confidence_interval()), rel=1e-6)
    below = stats.ttest_1samp([value / 100 for value in values], 0, alternative="less")
    assert fell_by(differences(*values)) == pytest.approx(below.pvalue, rel=1e-6)


def test_holm_multiplies_the_smallest_by_all_and_the_next_by_one_less():
    """0.01 * 3, 0.02 * 2, 0.9 * 1; an adjusted value is never below an earlier one."""
    assert holm([0.02, 0.01, 0.9]) == pytest.approx([0.04, 0.03, 0.9])
    assert holm([0.01, 0.011]) == pytest.approx([0.02, 0.02])


def test_a_test_that_could_not_be_made_still_counts_in_the_family():
    """The family is what was asked."""
    assert holm([0.02, None]) == [0.04, None]


def test_more_variants_ask_for_stronger_evidence():
    """Six cases show 0.03125 at best; with two variants that is 0.0625."""
    one = scored({"old": [[500]] * 6, "new": [[600]] * 6})
    assert decide(one, ["old", "new"], "old").contrasts[0].verdict == "better"
    both = one + scored({"other": [[500 + place] for place in range(6)]})
    decision = decide(both, ["old", "new", "other"], "old")
    assert decision.contrasts[0].verdict == "undecided"
    assert decision.contrasts[0].adjusted == 0.0625


def test_fewest_cases_for_a_level():
    """2 / 2 ** 6 = 0.031 is at most 0.05; for two variants 2 / 2 ** 7 = 0.016 is at most 0.025."""
    assert (fewest(0.05), fewest(0.025), fewest(0.0125)) == (6, 7, 8)


def test_details_name_the_tags_dimensions_and_findings_that_differ():
    """Tag "long" gains a point in each of its six cases, "short" gains nothing."""
    results = []
    for number in range(12):
        long = number < 6
        for name in ("old", "new"):
            gains = 100 if long and name == "new" else 0
            results.append(
                result(
                    f"c{number:02}",
                    name,
                    1,
                    500 + gains,
                    tags=("long" if long else "short",),
                    dimensions=(("correctness", 500 + 2 * gains), ("safety", None)),
                    faults=(("no-tests", "major"),) if name == "old" else (),
                )
            )
    details = decide(results, ["old", "new"], "old").contrasts[0].details
    rows = {(detail.kind, detail.name): detail for detail in details}
    assert list(rows) == [("tag", "long"), ("tag", "short"), ("dimension", "correctness"), ("finding", "no-tests")]
    assert rows["tag", "long"].difference.mean == 1.0
    assert rows["tag", "long"].adjusted == 0.0625, "two tags were looked at: 2 * 0.03125"
    assert rows["dimension", "correctness"].difference.mean == 1.0
    assert rows["finding", "no-tests"].difference.mean == -1.0


def test_cost_and_time_include_failed_runs():
    """A run that failed was paid for."""
    from decimal import Decimal

    results = scored({"old": [[500]]}, cost=Decimal("0.02"), seconds=Decimal(4), tokens=100)
    results.append(failed("case000", "old", 2, cost=Decimal("0.04"), seconds=Decimal(8)))
    facts = decide(results, ["old"], "old").facts("old")
    assert (facts.cost, facts.cost_per_run, facts.seconds, facts.tokens) == (
        Decimal("0.06"),
        Decimal("0.03"),
        Decimal(6),
        Decimal(100),
    )


def test_the_order_of_results_is_irrelevant():
    """Every order of five results gives the same decision."""
    results = [*scored({"old": [[500, 510]], "new": [[600], [500]]}), failed("case001", "old", 2)]
    wanted = decide(results, ["old", "new"], "old")
    assert all(decide(order, ["old", "new"], "old") == wanted for order in permutations(results))


@pytest.mark.slow
@settings(max_examples=30)
@given(st.lists(st.tuples(st.integers(100, 1000), st.integers(100, 1000)), min_size=1, max_size=8))
def test_swapping_variant_and_reference_mirrors_the_difference(scores):
    """What is better one way is worse the other way."""
    results = scored({"a": [[one] for one, _ in scores], "b": [[other] for _, other in scores]})
    forth = decide(results, ["a", "b"], "a").contrasts[0]
    back = decide(results, ["a", "b"], "b").contrasts[0]
    assert forth.difference.mean == pytest.approx(-back.difference.mean)
    assert forth.difference.p_value == back.difference.p_value
    opposite = {"better": "worse", "worse": "better"}
    assert back.verdict == opposite.get(forth.verdict, forth.verdict)


def test_against_a_baseline_variants_of_the_same_name_are_compared():
    """A variant that the baseline does not have is compared with the baseline's reference."""
    before = Board(scored({"old": [[500]] * 6, "new": [[600]] * 6}))
    now = scored({"new": [[700]] * 6, "newer": [[900]] * 6})
    decision = decide_against(now, ["new", "newer"], before, "old", label="v1")
    assert [(contrast.reference, contrast.difference.mean) for contrast in decision.contrasts] == [
        ("v1: new", 1.0),
        ("v1: old", 4.0),
    ]


def test_a_suite_without_any_result_is_not_enough_data():
    """Nothing is divided by nothing."""
    decision = decide([], ["old", "new"], "old")
    assert decision.contrasts[0].verdict == "undecided"
    assert decision.contrasts[0].more == (6, None, None)
    assert decision.facts("old").mean is None
