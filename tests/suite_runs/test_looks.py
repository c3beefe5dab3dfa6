"""Stopping early: looks that are fixed in the plan, each with its part of the error rate."""

from __future__ import annotations

from random import Random

import pytest

from evenhand.decisions.gate import judge_suite
from evenhand.decisions.suites.board import Board
from evenhand.decisions.suites.looks import decide_at_looks, is_decided, look_levels, planned_looks, planned_order
from evenhand.decisions.values.suite import SuiteGate
from evenhand.decisions.values.suite_run import SuiteRun
from suite_cases import result


def run_of(cases: int, *variants: str) -> SuiteRun:
    names = ("old", *(variants or ("new",)))
    looks = planned_looks(cases, len(names) - 1)
    return SuiteRun("id", "s", "0", "2026-01-01T00:00:00Z", names, "old", 1, cases, looks=looks)


def board_of(run: SuiteRun, cases: int, **gains: int) -> Board:
    """The first cases of the planned order; what each variant gains, in hundredths."""
    order = planned_order(f"c{number}" for number in range(run.cases))[:cases]
    finals = {"old": 500} | {name: 500 + gain for name, gain in gains.items()}
    return Board(result(case, name, 1, final) for case in order for name, final in finals.items())


@pytest.mark.parametrize(
    ("cases", "comparisons", "looks"),
    [
        (100, 1, (25, 50, 75, 100)),
        (40, 1, (10, 20, 30, 40)),
        (40, 4, (20, 30, 40)),  # 0.05 / 16 / 4 needs twelve cases, and a quarter has ten
        (12, 1, (9, 12)),
        (8, 1, (8,)),
        (1, 1, (1,)),
    ],
)
def test_looks_are_made_where_a_verdict_is_possible(cases: int, comparisons: int, looks: tuple[int, ...]):
    """A look at which no test could reject is left out."""
    assert planned_looks(cases, comparisons) == looks


def test_looks_spend_the_level_between_them():
    """(1/4)², then what is missing to (1/2)², (3/4)² and 1 of it."""
    assert look_levels((25, 50, 75, 100)) == pytest.approx([0.05 / 16, 0.15 / 16, 0.25 / 16, 0.35 / 16])
    assert look_levels((20, 30, 40)) == pytest.approx([0.05 / 4, 0.25 / 16, 0.35 / 16])
    assert sum(look_levels((9, 12))) == pytest.approx(0.05)


@pytest.mark.parametrize(("cases", "verdict", "counted"), [(9, "undecided", 9), (10, "better", 10), (19, "better", 10)])
def test_a_decision_is_that_of_a_look_and_of_nothing_between_two(cases: int, verdict: str, counted: int):
    """Of forty cases ten are looked at first; 2 / 2 ** 10 is below 0.05 / 16."""
    run = run_of(40)
    (contrast,) = decide_at_looks(board_of(run, cases, new=100), run).contrasts
    assert (contrast.verdict, contrast.difference.cases) == (verdict, counted)


def test_each_variant_is_as_it_stood_when_it_was_decided():
    """One is better at the first look; the other is as the old one, which needs more of them."""
    run = run_of(60, "new", "same")
    whole = board_of(run, 60, new=100, same=0)
    decision = decide_at_looks(whole, run)
    assert decision.contrasts[0][:3] == ("new", "old", "better")
    assert [entry.difference.cases for entry in decision.contrasts] == [15, 60]
    assert decision.contrasts[0].part == pytest.approx(1 / 16)
    assert not is_decided(board_of(run, 15, new=100, same=0), run, "final score")
    assert is_decided(board_of(run, 15, new=100, same=100), run, "final score")


def test_only_at_the_last_look_it_is_enough_that_a_relevant_difference_would_have_been_seen():
    """1.10 up and 0.60 down by turns: 0.44 would have been seen in 40 cases, though the mean may be as high as 0.58."""
    run = run_of(40)
    order = planned_order(f"c{number}" for number in range(40))
    moves = [110 if number % 2 else -60 for number in range(40)]
    rows = [
        row
        for case, move in zip(order, moves, strict=True)
        for row in (result(case, "old", 1, 500), result(case, "new", 1, 500 + move))
    ]
    (contrast,) = decide_at_looks(Board(rows), run).contrasts
    assert (contrast.verdict, contrast.difference.cases) == ("no difference shown", 40)
    assert contrast.difference.detectable == pytest.approx(0.441, abs=0.001)
    assert contrast.difference.mean_high == pytest.approx(0.575, abs=0.001)
    (before,) = decide_at_looks(Board(rows[:60]), run).contrasts
    assert (before.verdict, before.difference.cases) == ("undecided", 30)


def test_a_gate_on_a_look_has_its_part_of_the_level():
    """Ten of ten worse at the first of four looks: 1 / 2 ** 10 = 0.00098 is at most 0.02 / 16 = 0.00125."""
    run = run_of(40)
    (ruling,) = judge_suite(decide_at_looks(board_of(run, 10, new=-100), run), SuiteGate())
    assert ruling.colour == "red"
    decision = decide_at_looks(board_of(run, 10, new=-100), run)
    part = decision.contrasts[0]._replace(part=1 / 32)
    (stricter,) = judge_suite(decision._replace(contrasts=(part,)), SuiteGate())
    assert stricter.colour == "undecided"


@pytest.mark.slow
def test_looking_four_times_keeps_the_error_rate():
    """200 suites of forty cases without a difference: at most as many wrong as five in a hundred and chance allow."""
    run, wrong = run_of(40), 0
    order = planned_order(f"c{number}" for number in range(40))
    for repetition in range(200):
        draw = Random(repetition)
        finals = [(500, 500 + round(draw.gauss(0, 120))) for _ in order]
        rows = [
            result(case, name, 1, final)
            for case, both in zip(order, finals, strict=True)
            for name, final in zip(("old", "new"), both, strict=True)
        ]
        (contrast,) = decide_at_looks(Board(rows), run).contrasts
        wrong += contrast.verdict in ("better", "worse")
    assert wrong <= 18, "a rate of 5 % gives more in 1 of 100 such tests"
