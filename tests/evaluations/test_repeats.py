"""Repeated runs of a case: one case each, in comparisons and in the gate; and what more of them would be worth."""

from __future__ import annotations

import json
from fractions import Fraction
from random import Random

import pytest
from conftest import seven

import evenhand
from evenhand.decisions.sets.repeats import CaseScores, designs, scatter
from evenhand.evaluations.case_pairs import matches, pair_cards
from evenhand.evaluations.comparisons import compare_sets
from evenhand.judging.files import Named


def runs_of(scores: dict[str, list[float]], *, tasks: bool = True, mark: str = "-run") -> list[Named]:
    """A case's runs, each with an id of its own: "case-run1"; its task names the case."""
    cards = []
    for case, finals in scores.items():
        for place, final in enumerate(finals, start=1):
            id = f"{case}{mark}{place}"
            task = f"task of {case}" if tasks else None
            cards.append(Named(id, evenhand.score({"scores": seven(final)}, rubric="default", id=id, task=task)))
    return cards


BEFORE = {"a": [6, 7], "b": [5, 5], "c": [8, 8, 8]}
AFTER = {"a": [7, 8], "b": [5, 6], "c": [8, 8, 8]}


@pytest.mark.parametrize("options", [{}, {"tasks": False}, {"tasks": False, "mark": "/sample_"}, {"mark": ":"}])
def test_runs_of_one_case_count_once(options):
    """Seven pairs by id, but three cases: +1, +0.5 and 0 by their means; told by the task, or by the id's end."""
    pairing = pair_cards(runs_of(BEFORE, **options), runs_of(AFTER, **options))
    assert (pairing.paired_by, pairing.pairs) == ("id", 7)
    assert [case.difference for case in pairing.cases] == [100, 50, 0]


def test_the_comparison_sees_three_cases_and_not_seven_pairs():
    """The mean of +1, +0.5 and 0 is 0.5, whatever the number of runs of each."""
    made = compare_sets(("a", "b"), runs_of(BEFORE), runs_of(AFTER))
    assert (made.result.pairs, made.result.mean) == (3, 0.5)
    assert made.sizes == (7, 7)


def test_cases_that_share_one_task_stay_apart():
    """One instruction for every case says nothing about which are repeats."""
    cards = [
        [
            Named(f"case {n}", evenhand.score({"scores": seven(score)}, rubric="default", id=f"case {n}", task="same"))
            for n in range(5)
        ]
        for score in (6, 7)
    ]
    assert len(pair_cards(*cards).cases) == 5


def test_sets_that_cannot_be_paired_respect_cases_too():
    """Two cases of ten runs each are two values, not twenty."""
    first = runs_of({"a": [6.0] * 10, "b": [7.0] * 10})
    second = runs_of({"c": [7.0] * 10, "d": [8.0] * 10})
    made = compare_sets(("a", "b"), first, second)
    assert made.paired_by is None
    # 6 and 7 against 7 and 8: three of four pairs rise, one is a tie
    assert (made.result.better, made.result.worse, made.result.verdict) == (3, 0, "undecided")


def test_a_gate_takes_runs_for_what_they_are():
    """Thirty runs of two cases that fell are two cases: too few for any alarm."""
    before, after = runs_of({"a": [8.0] * 15, "b": [8.0] * 15}), runs_of({"a": [7.0] * 15, "b": [7.0] * 15})
    (ruling,) = evenhand.gate([entry.card for entry in after], against=[entry.card for entry in before])
    assert ruling.colour == "undecided"
    assert "over 2 cases" in ruling.says


def test_matches_take_each_evaluation_once():
    """Repeated ids match nothing on their own; unlike pairs, these need one evaluation each."""
    first, second = runs_of({"a": [6], "b": [7]}), runs_of({"b": [8], "a": [9]})
    assert matches(first, second) == [(0, 1), (1, 0)]
    assert matches(first + first, second) == []


def test_scatter_is_split_into_cases_and_runs():
    """Differences +1 and 0 (variance 0.5); runs 6, 7 and 5, 5 before: pooled variance 0.25; after 0.25."""
    parts = scatter([CaseScores((600, 700), (700, 800)), CaseScores((500, 500), (500, 500))])
    # within: (0.5 + 0) / 2 = 0.25 before, 0.25 after; noise 0.25/2 + 0.25/2 = 0.25; between 0.5 - 0.25
    assert parts == (pytest.approx(0.25), pytest.approx(0.5))


@pytest.mark.parametrize(
    "cases",
    [[], [CaseScores((600, 700), (700, 800))], [CaseScores((600,), (700,))] * 5, [CaseScores((600, 610), (700,))] * 5],
)
def test_without_repeats_in_both_sets_the_scatter_cannot_be_told(cases):
    """One case, or no case run twice on one side."""
    assert scatter(cases) is None


def test_the_scatter_is_found_again_in_simulated_runs():
    """A scatter of 0.8 from case to case, and of 0.5 a run on either side: 0.64 and 0.25 + 0.25."""
    draw = Random(1)
    cases = []
    for _ in range(2000):
        level, moved = draw.gauss(6, 1), draw.gauss(0.3, 0.8)
        sides = (tuple(round(100 * draw.gauss(side, 0.5)) for _ in range(3)) for side in (level, level + moved))
        cases.append(CaseScores(*sides))
    parts = scatter(cases)
    assert parts == (pytest.approx(0.64, abs=0.06), pytest.approx(0.5, abs=0.03))


def test_more_cases_are_worth_more_than_more_runs():
    """Runs shrink the scatter within a case only: at most to what is left between cases."""
    plans = {(plan.cases, plan.runs): plan.detectable for plan in designs(scatter_of(1.0, 0.2), 10)}
    assert plans[10, 1] > plans[10, 10] > plans[20, 1]
    assert plans[20, 2] == pytest.approx(plans[40, 2] * 2**0.5, rel=0.06)


def scatter_of(between: float, within: float):
    from evenhand.decisions.sets.repeats import Scatter

    return Scatter(between, within)


@pytest.mark.slow
def test_the_command_plans_repeats(evenhand_command, tmp_path):
    """`compare --repeat` adds the scatter and fifteen designs, in words and as JSON."""
    for name, scores in (("before", BEFORE), ("after", AFTER)):
        lines = [json.dumps(evenhand.document(entry.card)) for entry in runs_of(scores)]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(lines), encoding="utf-8")
    shown = evenhand_command("compare", "before.jsonl", "after.jsonl", "--repeat", "--store", "none")
    assert shown.code == 0, shown.err
    assert "3 cases, matched by id, in 7 and 7 runs" in shown.out
    assert "12 cases, 10 runs each" in " ".join(shown.out.split())
    document = json.loads(
        evenhand_command("compare", "before.jsonl", "after.jsonl", "--repeat", "--store", "none", "-f", "json").out
    )
    assert (document["runs"], document["pairs"], len(document["designs"])) == ([7, 7], 3, 15)
    alone = evenhand_command("compare", "before.jsonl", "after.jsonl", "--store", "none", "-f", "json")
    assert "designs" not in json.loads(alone.out)


def test_a_difference_is_exact():
    """Means over three and two runs, without a float."""
    assert CaseScores((100, 200, 200), (300, 400)).difference == Fraction(350) - Fraction(500, 3)
