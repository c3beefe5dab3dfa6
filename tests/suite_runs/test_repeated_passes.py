"""pass@k and pass^k: how often k tries at a case pass, exactly, and which runs count as tries."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from decision_text import decision_lines
from evenhand.core.scoring import NOT_READ
from evenhand.decisions.suites.board import Board
from evenhand.decisions.suites.contrasts import decide
from evenhand.decisions.suites.repeated_passes import MOST_TRIES, Tries, repeated_passes
from evenhand.decisions.values.decision import VariantFacts
from evenhand.decisions.values.suite_run import SuiteRun
from evenhand.reports.comparison.suite_decision import decision_document
from evenhand.work.agent_run import CaseResult
from suite_cases import result

TAU_BENCH_AIRLINE = (
    *(0, 1, 1, 0, 0, 1, 1, 1, 0, 0, 0, 1, 4, 2, 0, 2, 1, 1, 4, 0, 4, 3, 0, 0, 4),
    *(0, 2, 2, 0, 1, 2, 2, 0, 0, 3, 4, 4, 3, 4, 1, 3, 2, 4, 1, 2, 2, 2, 1, 4, 4),
)
"""Successes in four trials of each of the 50 airline tasks, from tau-bench's published trajectories of gpt-4o."""


def tries(*cases: tuple[int, int], weight: int = 1) -> list[Tries]:
    return [Tries(Fraction(weight), tried, passed) for tried, passed in cases]


def test_tau_benchs_published_figures_are_reproduced():
    """pass^1 to pass^4 are published as .420, .273, .220 and .200; the how-to page shows the lines of this run."""
    runs = [
        result(f"task-{task}", "gpt-4o", repeat, met=int(repeat <= passed), expectations=1)
        for task, passed in enumerate(TAU_BENCH_AIRLINE)
        for repeat in (1, 2, 3, 4)
    ]
    decision = decide(Board(runs), ["gpt-4o"], "gpt-4o")
    assert [f"{rate.every.value:.3f}" for rate in decision.variants[0].passes] == ["0.420", "0.273", "0.220", "0.200"]
    head = SuiteRun("run-1", "airline", "ab" * 32, "2026-01-01T00:00:00Z", ("gpt-4o",), "gpt-4o", 4, 50)
    page = (Path(__file__).parents[2] / "docs/how-to/decide-between-variants.md").read_text(encoding="utf-8")
    assert "\n".join(decision_lines(head, decision)[-4:]) in page


def test_one_case_of_three_tries_with_two_passes():
    """Pairs of tries: 3; both pass in C(2,2) = 1 of them; none passes in C(1,2) = 0."""
    one, two, three = repeated_passes(tries((3, 2)))
    assert one.every.value == one.at_least_one.value == float(Fraction(2, 3))
    assert (two.every.value, two.at_least_one.value) == (float(Fraction(1, 3)), 1.0)
    assert (three.every.value, three.at_least_one.value) == (0.0, 1.0)
    assert one.every.low is one.every.high is None


@settings(max_examples=60, deadline=None)
@given(st.lists(st.lists(st.booleans(), min_size=1, max_size=5), min_size=1, max_size=4))
def test_both_rates_are_those_of_all_draws_of_k_tries(cases):
    """Counted by drawing every subset."""
    rates = repeated_passes(tries(*((len(runs), sum(runs)) for runs in cases)))
    assert len(rates) == min(map(len, cases))
    for rate in rates:
        draws = [[*combinations(runs, rate.k)] for runs in cases]
        every = sum(Fraction(sum(map(all, drawn)), len(drawn)) for drawn in draws) / len(cases)
        some = sum(Fraction(sum(map(any, drawn)), len(drawn)) for drawn in draws) / len(cases)
        assert (rate.every.value, rate.at_least_one.value) == (float(every), float(some))
        for share in (rate.every, rate.at_least_one):
            assert share.low is None or 0 <= share.low <= share.value <= share.high <= 1  # type: ignore[operator]


def test_cases_count_by_their_weight():
    """(3 * 1 + 1 * 0) / 4."""
    (rate,) = repeated_passes([Tries(Fraction(3), 1, 1), Tries(Fraction(1), 1, 0)])
    assert rate.every.value == 0.75


def test_k_ends_at_the_fewest_tries_of_a_case_and_at_ten():
    assert [rate.k for rate in repeated_passes(tries((5, 1), (3, 1)))] == [1, 2, 3]
    assert len(repeated_passes(tries((MOST_TRIES + 1, 1)))) == MOST_TRIES
    assert repeated_passes([]) == ()


def test_the_interval_is_that_of_a_mean_over_cases():
    """Three cases of 1, 1 and 0: mean 2/3, standard error 1/3, Student's quantile with 2 degrees of freedom 4.303;
    2/3 + 4.303 / 3 is more than 1, where it ends, and 2/3 - 4.303 / 3 less than 0."""
    (rate,) = repeated_passes(tries((1, 1), (1, 1), (1, 0)))
    assert (rate.every.low, rate.every.high) == (0.0, 1.0)
    half = repeated_passes(tries(*[(1, 1), (1, 0)] * 20))[0].every
    assert half.low == pytest.approx(0.5 - 2.0227 * 0.5 / 39**0.5, abs=1e-4)


def test_cases_that_all_pass_do_not_prove_that_all_would():
    """Five cases: a share of 1 - 0.05 ** (1 / 5) = 45.1 % that fails would go unseen once in twenty."""
    (rate,) = repeated_passes(tries(*[(1, 1)] * 5))
    assert rate.every.value == 1.0
    assert rate.every.low == pytest.approx(1 - 0.4507, abs=1e-4)


def facts(*runs: CaseResult) -> VariantFacts:
    return decide(Board(runs), ["v"], "v").variants[0]


def run(repeat: int = 1, **fields) -> CaseResult:
    return result("c", "v", repeat, **fields)


@pytest.mark.parametrize(
    ("fields", "passed"),
    [
        ({"met": 2, "expectations": 2}, 1),
        ({"met": 1, "expectations": 2}, 0),
        ({"final": 700}, 1),
        ({"final": 699}, 0),
        ({"final": 900, "met": 1, "expectations": 2}, 0),
        ({"final": 699, "met": 2, "expectations": 2}, 0),
        ({"outcome": "timed out", "reason": "slow"}, 0),
        ({"outcome": "failed", "reason": "crashed", "met": 2, "expectations": 2}, 0),
        ({"met": 2, "expectations": 2, "unscored": NOT_READ}, 1),
        ({"met": 1, "expectations": 2, "unscored": "the judge gave no score"}, 0),
        ({"met": 2, "expectations": 2, "unscored": "the judge gave no score"}, None),
        ({"unscored": "the judge gave no score"}, None),
        ({}, None),
    ],
)
def test_a_run_passes_when_its_expectations_are_met_and_its_score_reaches_the_pass_mark(fields, passed):
    """None: it cannot be told, so it is not a try. What a judge could not score is never a pass."""
    shown = [rate.every.value for rate in facts(run(**fields)).passes]
    assert shown == ([] if passed is None else [float(passed)])


def test_text_and_document_show_the_rates_where_cases_were_tried_repeatedly():
    runs = [run(repeat, met=int(repeat == 1), expectations=1) for repeat in (1, 2)]
    decision = decide(Board(runs), ["v"], "v")
    head = SuiteRun("run-1", "demo", "ab" * 32, "2026-01-01T00:00:00Z", ("v",), "v", 2, 1)
    lines = decision_lines(head, decision)
    assert "v: 50.0% of its runs pass" in lines
    assert "  of 2 tries: every one 0.0% (pass^2), at least one 100.0% (pass@2)" in lines
    document = decision_document(decision, {})
    assert document["variants"][0]["passes"][1] == {
        "k": 2,
        "at_least_one": {"value": 1.0, "low": None, "high": None},
        "every": {"value": 0.0, "low": None, "high": None},
    }
    single = decide(Board(runs[:1]), ["v"], "v")
    assert not any("pass" in line for line in decision_lines(head, single))
