"""Results of suites added up, compared and watched: each number again in plain steps, each rule at its boundary."""

from __future__ import annotations

import hashlib
from decimal import Decimal
from fractions import Fraction
from math import pi, sqrt

import pytest

from evenhand.decisions.sets.case_verdicts import compare_within, verdict_on
from evenhand.decisions.sets.repeats import CaseScores, scatter
from evenhand.decisions.sets.weighted import compare_cases, fell_by, quantile
from evenhand.decisions.suites.board import MOST_REASONS, Board, Cell, Pair, pairs
from evenhand.decisions.suites.contrasts import _difference, decide, decide_against, undecided, variant_facts
from evenhand.decisions.suites.details import MOST_TAGS, details
from evenhand.decisions.suites.looks import planned_order
from evenhand.decisions.suites.more_data import Aim, _about, _repeats_needed, more_data
from evenhand.decisions.values.decision import CaseDifference, Difference, Missing
from suite_cases import failed, met, result, scored

# --- adding up -------------------------------------------------------------------------------------------------------


def test_a_board_keeps_tags_and_weight_of_a_case_and_each_run_in_its_cell():
    """Tags come from whichever run has them; scores and shares are sorted, shares in hundredths."""
    board = Board(
        [
            result("c", "v", 1, 700, weight=Decimal("2.5")),
            result("c", "v", 2, 600, tags=("t",), met=1, expectations=4, weight=Decimal("2.5")),
            result("c", "v", 3, met=2, expectations=4),
            failed("c", "v", 4),
        ]
    )
    entry = board.cases["c"]
    assert (entry.tags, entry.weight) == (("t",), Fraction(5, 2))
    cell = entry.cells["v"]
    assert (cell.runs, cell.counted, cell.scores, cell.shares) == (4, 3, (600, 700), (25, 50))
    assert (cell.missing("final score"), cell.missing("expectations met")) == (2, 2)
    assert cell.values("final score") == (600, 700)
    assert cell.values("expectations met") == (25, 50)


def test_dimensions_and_faults_are_counted_by_finished_run():
    """A dimension without a score is not; a check that finds two faults in a run counts once."""
    board = Board(
        [
            result(
                "c", "v", 1, dimensions=(("safety", 700), ("adherence", None)), faults=(("x", "minor"), ("x", "major"))
            ),
            result("c", "v", 2, dimensions=(("safety", 500), ("adherence", 900)), faults=(("a", "major"),)),
            failed("c", "v", 3, dimensions=(("safety", 100),), faults=(("x", "critical"),)),
        ]
    )
    cell = board.cases["c"].cells["v"]
    assert cell.dimensions == (("adherence", 1, 900), ("safety", 2, 1200))
    assert cell.faults == (("a", 1), ("x", 1))
    facts = variant_facts(board, "v", "final score")
    assert facts.faults == (("major", 2), ("minor", 1))


def test_what_is_known_of_a_variant():
    """Failed runs count in cost and time; means are weighted over cases of the means of their runs."""
    rows = [
        result(
            "a", "v", 1, 600, weight=Decimal(3), met=1, expectations=2, seconds=Decimal(2), tokens=10, cost=Decimal(1)
        ),
        result("a", "v", 2, 800, weight=Decimal(3), met=2, expectations=2, judging_cost=Decimal("0.5")),
        result("b", "v", 1, 300, seconds=Decimal(4), tokens=30, judging_cost=Decimal("0.25")),
        failed("b", "v", 2, "exit code 1", seconds=Decimal(6), cost=Decimal(2)),
        failed("b", "v", 3, "exit code 1"),
        failed("b", "v", 4, "killed", outcome="timed out"),
        result("b", "v", 5, unscored=""),
    ]
    facts = variant_facts(Board(rows), "v", "final score")
    assert facts.mean == (3 * 7 + 3) / 4
    assert (facts.runs, facts.valued, facts.cases, facts.failed) == (7, 3, 2, 3)
    assert facts.missing == (
        Missing("failed", "exit code 1", 2),
        Missing("timed out", "killed", 1),
        Missing("unscored", "no one has read this output", 1),
    )
    assert (facts.met, facts.expectations) == (3, 4)
    assert (facts.seconds, facts.tokens) == (Decimal(4), Decimal(20))
    assert (facts.cost, facts.cost_known, facts.cost_per_run) == (Decimal(3), 2, Decimal("1.5"))
    assert facts.judging_cost == Decimal("0.75")
    shares = variant_facts(Board(rows), "v", "expectations met")
    assert (shares.valued, shares.mean) == (2, 0.75)
    assert Missing("unscored", "no expectation could be decided", 2) in shares.missing


def test_a_variant_that_never_ran_has_no_numbers():
    """Nor is anything divided by nothing."""
    facts = variant_facts(Board(), "v", "final score")
    assert facts == ("v", 0, 0, 0, None, (), 0, 0, (), None, None, None, 0, None, (), None, None)
    assert (facts.failed, facts.cost_per_run) == (0, None)  # type: ignore[attr-defined]


def test_reasons_beyond_two_hundred_are_counted_together():
    """Known ones still by themselves; a run without a reason says so."""
    rows = [failed("c", "v", n, f"reason {n}") for n in range(MOST_REASONS + 2)]
    rows += [failed("c", "v", 900, "reason 0"), failed("c", "v", 901, "")]
    counted = Board(rows).tallies["v"].missing["final score"]
    assert counted["failed", "other reasons"] == 3
    assert counted["failed", "reason 0"] == 2
    assert Board([failed("c", "v", 1, "")]).tallies["v"].missing["final score"] == {("failed", "no reason given"): 1}


@pytest.mark.parametrize(
    ("losses", "difference", "after"),
    [
        ((False, False), 200, 700),
        ((True, False), 400, 700),
        ((False, True), -100, 400),
        ((True, True), 100, 400),
    ],
)
def test_missing_runs_count_as_losses_where_asked(losses, difference, after):
    """Old 5 and one missing, new 7 and one missing: a loss is a score of 1, so that the means become 3 and 4."""
    pair = Pair("c", (), Fraction(2), Cell(runs=2, scores=(500,)), Cell(runs=2, scores=(700,)))
    found = pair.difference("final score", *losses)
    assert found == CaseDifference("c", Fraction(difference), Fraction(2), Fraction(after))
    assert pair.difference("expectations met") is None
    none = pair._replace(second=Cell(runs=1))
    assert none.difference("final score") is none.difference("final score", True, False) is None
    assert none.difference("final score", False, True).value == 100 - 500


def test_a_loss_of_expectations_is_none_met():
    """0 of 100."""
    pair = Pair("c", (), Fraction(1), Cell(2, 1, shares=(Fraction(50),)), Cell(1, 1, shares=(Fraction(80),)))
    assert pair.difference("expectations met").value == 30
    assert pair.difference("expectations met", True).value == 55


def test_only_cases_that_ran_on_both_sides_are_paired():
    """In the order of their names, with the tags and weight of this side."""
    here = Board([result("b", "new", 1, 700, tags=("t",)), result("a", "new", 1, 600), result("c", "other", 1, 500)])
    there = Board([result("a", "old", 1, 500), result("b", "old", 1, 400), result("c", "old", 1, 500)])
    made = pairs(here, "new", there, "old")
    assert [(pair.case, pair.tags, pair.first.scores, pair.second.scores) for pair in made] == [
        ("a", (), (500,), (600,)),
        ("b", ("t",), (400,), (700,)),
    ]
    assert pairs(here, "new", there, "older") == []


@pytest.mark.parametrize("rows", [[met("c", "v", 1, 1, 2)], []])
def test_without_a_final_score_expectations_are_the_measure(rows):
    """One final score is enough for the other."""
    assert Board(rows).measure == "expectations met"
    assert Board([*rows, result("d", "w", 1, 100)]).measure == "final score"


# --- comparing -------------------------------------------------------------------------------------------------------


def values(*numbers: int, weights: tuple[int, ...] = ()) -> list[CaseDifference]:
    return [
        CaseDifference(f"c{place}", Fraction(number), Fraction(weights[place] if weights else 1))
        for place, number in enumerate(numbers)
    ]


def test_a_weighted_comparison_has_the_numbers_of_its_cases():
    """Weights 1 to 4: the mean, Kish's number of cases, the error of a weighted mean, Student's interval."""
    numbers, weights = (100, -50, 80, 20, 60, 10, 90, 40), (1, 2, 3, 4, 1, 2, 3, 4)
    made = compare_cases(values(*numbers, weights=weights), 0.05)
    mean = sum(w * x for w, x in zip(weights, numbers, strict=True)) / 20 / 100
    squares = sum((w * (x / 100 - mean)) ** 2 for w, x in zip(weights, numbers, strict=True))
    error = sqrt(squares * 8 / 7) / 20
    freedom = round(20**2 / sum(w * w for w in weights)) - 1  # 400 / 60 = 6.67, so 7 - 1
    assert freedom == 6
    reach = quantile(0.025, freedom) * error
    assert (made.cases, made.mean, made.error) == (8, pytest.approx(mean), pytest.approx(error))
    assert (made.mean_low, made.mean_high) == (pytest.approx(mean - reach), pytest.approx(mean + reach))
    least = (quantile(0.025, freedom) + quantile(0.2, freedom)) * error
    assert made.detectable == pytest.approx(sqrt(pi / 2) * least)
    assert (made.test, made.claim, made.better, made.worse, made.typical) == ("sign", "cases", 7, 1, 0.5)
    assert (made.low, made.high) == (-0.5, 1.0), "eight differ, and 2 * 1 / 256 is at most 0.05, 2 * 9 / 256 is not"


def test_one_case_has_a_mean_and_no_case_has_nothing():
    """No test is made."""
    assert compare_cases([], 0.05)[:9] == (0, None, None, None, None, "none", None, None, 0)
    one = compare_cases(values(150), 0.05)
    assert one[:8] == (1, 1.5, None, None, None, "none", None, None)
    assert (one.better, one.worse, one.typical, one.claim) == (1, 0, 1.5, None)


@pytest.mark.parametrize(("n", "test"), [(29, "sign"), (30, "t")])
def test_thirty_cases_are_tested_by_student(n, test):
    """Where they scatter; exactly the margin is not a drop beyond it."""
    assert compare_cases(values(*[10, 20] * (n // 2), *[15] * (n % 2)), 0.05).test == test
    assert compare_cases(values(*[0] * n), 0.05).p_value == 1.0
    assert fell_by(values(*[-10] * n), Fraction(10)) == 1.0


def test_equal_differences_are_counted_however_many_there_are():
    """Without scatter there is no t: forty of forty are better, 2 in 2 ** 40."""
    made = compare_cases(values(*[10] * 40), 0.05)
    assert (made.test, made.better, made.p_value) == ("sign", 40, 2 / 2**40)
    assert [fell_by(values(*[move] * 40)) for move in (-1, 0, 1)] == [1 / 2**40, 1.0, 1.0]


def test_the_interval_ends_where_differences_do():
    """At 9 points, or at all expectations."""
    pair = Pair("c", (), Fraction(1), Cell(1, 1, (100,)), Cell(1, 1, (1000,)))
    other = Pair("d", (), Fraction(1), Cell(1, 1, (100,)), Cell(1, 1, (900,)))
    made = _difference([pair, other], "final score", 0.05)
    assert (made.mean, made.mean_high) == (8.5, 9.0)
    back = _difference(
        [pair._replace(first=pair.second, second=pair.first), other._replace(first=other.second, second=other.first)],
        "final score",
        0.05,
    )
    assert (back.mean, back.mean_low) == (-8.5, -9.0)


@pytest.mark.parametrize(
    ("mean", "adjusted", "low", "high", "detectable", "verdict"),
    [
        (0.1, 0.05, -1, 1, 0.1, "better"),
        (-0.1, 0.05, -1, 1, 0.1, "worse"),
        (0.1, 0.051, -1, 1, 0.5, "no difference shown"),
        (0.1, 0.051, -1, 1, 0.51, "undecided"),
        (0.1, 0.051, -0.5, 0.5, 0.51, "no difference shown"),
        (0.1, 0.051, -0.51, 0.5, 0.51, "undecided"),
        (0.1, 0.051, -0.5, 0.51, 0.51, "undecided"),
        (0.1, None, -1, 1, 0.1, "no difference shown"),
        (0.1, 1.0, -1, 1, None, "undecided"),
        (0.1, 1.0, None, 1, 0.1, "undecided"),
        (0.1, 1.0, -1, None, 0.1, "undecided"),
    ],
)
def test_a_verdict_at_its_boundaries(mean, adjusted, low, high, detectable, verdict):
    """At the level, at the relevant difference, and never without an interval."""
    made = Difference(9, mean, low, high, 0.5, "t", detectable, claim="mean", mean_low=low, mean_high=high)
    assert verdict_on(made, adjusted, 0.05, 0.5) == verdict


def test_a_decision_takes_the_level_and_the_relevant_difference_it_is_given():
    """Six of six better: 0.031 is not below 0.01; with +-0.10 in 20 cases half a point is ruled out, 0.01 is not."""
    rows = scored({"old": [[500]] * 6, "new": [[600]] * 6})
    assert decide(rows, ["old", "new"], "old").contrasts[0].verdict == "better"
    strict = decide(rows, ["old", "new"], "old", level=0.01)
    assert (strict.contrasts[0].verdict, strict.level, strict.relevant) == ("undecided", 0.01, 0.5)
    alike = scored({"old": [[500]] * 20, "new": [[510 if place % 2 else 490] for place in range(20)]})
    assert decide(alike, ["old", "new"], "old").contrasts[0].verdict == "no difference shown"
    fine = decide(alike, ["old", "new"], "old", relevant=0.01)
    assert (fine.contrasts[0].verdict, fine.relevant) == ("undecided", 0.01)
    chosen = decide(alike, ["old", "new"], "old", measure="expectations met")
    assert (chosen.measure, chosen.relevant, chosen.contrasts[0].unpaired) == ("expectations met", 0.1, 20)
    against = decide_against(alike, ["new"], alike, "old", measure="expectations met", level=0.2, relevant=0.3)
    assert (against.measure, against.level, against.relevant, against.reference) == (
        "expectations met",
        0.2,
        0.3,
        "baseline",
    )


def test_an_incomplete_run_has_facts_and_no_contrast():
    """And its state."""
    board = Board(scored({"old": [[500]] * 2, "new": [[600]]}))
    made = undecided(board, ["old", "new"], "old", "interrupted")
    assert (made.state, made.contrasts, made.cases, made.level, made.relevant) == ("interrupted", (), 2, 0.05, 0.5)
    assert [(facts.name, facts.runs) for facts in made.variants] == [("old", 2), ("new", 1)]


def test_details_are_sorted_by_size_and_then_by_name_within_their_kind():
    """Tags with the most cases first where there are too many of them; findings by their share of runs."""
    rows = []
    for number, (tags, gain) in enumerate([(("a", "b"), 100), (("a",), -300), (("c",), 100)]):
        rows.append(result(f"c{number}", "old", 1, 500, tags=tags, dimensions=(("safety", 500), ("adherence", 500))))
        new = (("safety", 500 + gain), ("charm", 1))
        rows.append(result(f"c{number}", "new", 1, 500 + gain, tags=tags, dimensions=new, faults=(("x", "minor"),)))
        rows.append(result(f"c{number}", "new", 2, 500 + gain, tags=tags))
    found = details(pairs(Board(rows), "new", Board(rows), "old"), "final score", 0.05)
    assert [(one.kind, one.name, one.difference.mean) for one in found] == [
        ("tag", "a", -1.0),
        ("tag", "b", 1.0),
        ("tag", "c", 1.0),
        ("dimension", "safety", pytest.approx(-1 / 3)),
        ("finding", "x", 0.5),
    ]


def test_of_too_many_tags_the_most_frequent_are_compared():
    """The one that two cases have is among them; of the others, the first by name."""
    tags = [f"t{number:03}" for number in range(MOST_TAGS + 5)]
    rows = [result("a", name, 1, 500, tags=tuple(tags)) for name in ("old", "new")]
    rows += [result("b", name, 1, 500, tags=(tags[-1],)) for name in ("old", "new")]
    board = Board(rows)
    made = [one.name for one in details(pairs(board, "new", board, "old"), "final score", 0.05)]
    assert sorted(made) == [*tags[: MOST_TAGS - 1], tags[-1]]


# --- more data -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("number", "about"), [(1, 1), (99, 99), (100, 100), (101, 110), (277, 280), (1001, 1100)])
def test_a_number_is_rounded_up_to_two_digits(number, about):
    """More would pretend to know."""
    assert _about(number) == about


AIM = Aim(0.05, 0.5, 9.0)


def more_of(*numbers: int):
    """What would be enough, of cases with these differences in hundredths."""
    given = values(*numbers)
    return more_data(compare_within(given, "final score", 0.05), given, [], AIM)


@pytest.mark.parametrize(("cases", "more"), [(0, 6), (1, 5)])
def test_with_fewer_than_two_cases_only_the_fewest_are_known(cases, more):
    """Six that all differ one way."""
    assert more_of(*[100] * cases) == (more, None, None)


def test_one_more_case_may_be_enough_and_is_never_too_few():
    """Five of five better by as much: the sixth may settle it; with four of four two are missing."""
    assert more_of(350, 340, 360, 350, 355).cases == 1
    assert more_of(350, 340, 360, 355).cases == 2


def test_clear_cases_ask_for_fewer_than_scattered_ones():
    """Ten of which nine are better, ten of which six are."""
    clear, scattered = more_of(*[100] * 4, -100), more_of(*[100, -100] * 4, 100, 300)
    assert clear.most is not None
    assert scattered.most is None or clear.most < scattered.most


def test_the_same_cases_ask_for_the_same_number():
    """The simulation is seeded."""
    assert more_of(100, -50, 80, 20) == more_of(100, -50, 80, 20)


def test_repeats_needed_are_those_that_trying_every_number_finds():
    """Only what comes from run to run shrinks; unequal numbers of runs count by their harmonic mean."""
    runs = [CaseScores((500 + 13 * n % 90, 640 - 7 * n % 80), (520 + 31 * n % 110, 600, 660)) for n in range(20)]
    parts = scatter(runs)
    assert parts is not None
    whole = parts.between + parts.within * (1 / 2 + 1 / 3) / 2
    reach = quantile(0.025, 39) + quantile(0.2, 39)
    for error in (0.2, 0.22, 0.25, 0.3):
        needed = next(
            (n for n in range(3, 51) if reach * error * sqrt((parts.between + parts.within / n) / whole) <= 0.5), None
        )
        given = Difference(40, 0.1, None, None, 0.5, "t", 1.0, error, claim="mean")
        assert _repeats_needed(given, runs, AIM) == needed
        assert _repeats_needed(given._replace(claim="cases"), runs, AIM) is None, "runs do not change a count of cases"


# --- watching --------------------------------------------------------------------------------------------------------


def test_cases_are_planned_in_the_order_of_their_hashes():
    """Whatever the order in which they are listed."""
    cases = [f"case {number}" for number in range(30)]
    wanted = sorted(cases, key=lambda case: hashlib.sha256(case.encode()).digest())
    assert planned_order(cases) == planned_order(cases[::-1]) == wanted != cases
