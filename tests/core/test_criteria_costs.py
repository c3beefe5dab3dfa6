"""What each criterion costs its dimension, and the order in which reports show them."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest

from criteria_oracle import random_root, what_counts
from evenhand.core.criteria import tree_value
from evenhand.core.criteria_results import criteria_costs, is_met, score_without
from evenhand.core.judgement import Verdict
from evenhand.core.rubric import Answer, Criterion, Group, Tree
from evenhand.core.scorecard import ScoredCriteria
from test_criteria_value import tree_of

STEPS = Group(
    "steps",
    "Steps",
    Fraction(4),
    (Criterion("resumes", "It resumes.", Fraction(3)), Criterion("counts", "It counts.", Fraction(1))),
)
TREE = Tree(
    (
        Criterion("cause", "It names the cause.", Fraction(2)),
        STEPS,
        Criterion("deletes", "It deletes data.", Fraction(-3)),
        Criterion("on-call", "It says whom to call.", Fraction(1)),
    )
)


def scored(tree: Tree, **answers: Answer) -> ScoredCriteria:
    given: dict[str, Answer] = {id.replace("_", "-"): answer for id, answer in answers.items()}
    return ScoredCriteria(tree, {id: Verdict(answer) for id, answer in given.items()}, tree_value(tree, given))


def test_missed_criteria_come_first_the_most_costly_on_top():
    """Of 6 points that apply, 2 + 4: deleting costs 9 x 3/6 = 4.50, not resuming 9 x 4/6 x 3/4 = 4.50 and comes first
    in the rubric, a cause named partly 9 x 2/6 x 1/2 = 1.50."""
    costs = criteria_costs(
        scored(TREE, cause="partly", resumes="no", counts="yes", deletes="yes", on_call="does not apply")
    )
    assert [(cost.criterion.id, cost.state, cost.lost) for cost in costs] == [
        ("resumes", "missed", Fraction(9, 2)),
        ("deletes", "missed", Fraction(9, 2)),
        ("cause", "missed", Fraction(3, 2)),
        ("counts", "met", 0),
        ("on-call", "out", 0),
    ]
    assert costs[0].groups == (STEPS,)


def test_what_cannot_be_decided_costs_at_most_its_share():
    """9 x 2/7, after what was missed."""
    costs = criteria_costs(scored(TREE, cause="cannot tell", resumes="yes", counts="yes", deletes="no", on_call="no"))
    assert [(cost.criterion.id, cost.state, cost.lost) for cost in costs[:2]] == [
        ("on-call", "missed", Fraction(9, 7)),
        ("cause", "open", Fraction(18, 7)),
    ]


def test_a_criterion_without_points_is_neither_met_nor_missed():
    tree = Tree((Criterion("a", "A.", Fraction(0)), Criterion("b", "B.", Fraction(1))))
    assert [cost.state for cost in criteria_costs(scored(tree, a="no", b="yes"))] == ["met", "out"]


@pytest.mark.parametrize("trees", [50, pytest.param(500, marks=pytest.mark.slow)])
def test_meeting_a_criterion_raises_the_value_by_what_it_costs(trees: int):
    """Random trees, every criterion in turn: a ninth of its cost, at the lower end."""
    chance = random.Random(271)
    tried = 0
    for _ in range(trees):
        root = random_root(chance)
        tree, _ = tree_of(root)
        counted = what_counts([root])
        before = tree_value(tree, counted)  # type: ignore[arg-type]
        if before is None:
            continue
        card = ScoredCriteria(tree, {id: Verdict(answer) for id, answer in counted.items()}, before)  # type: ignore[arg-type]
        for cost in criteria_costs(card):
            if cost.state == "out":
                assert cost.lost == 0
                continue
            best: Answer = "no" if cost.criterion.points < 0 else "yes"
            after = tree_value(tree, {**counted, cost.criterion.id: best})  # type: ignore[dict-item]
            assert after is not None and after.low - before.low == cost.lost / 9
            assert (cost.lost == 0) == (is_met(cost.criterion, cost.verdict.answer) is True)
            tried += 1
    assert tried > 4 * trees


def test_the_score_without_what_was_missed():
    """Of 6: 0 + 4 x 1/4 - 3 = -2, so 1.00 now; without the deletion 1/6 gives 2.50, with the cause too 3/6 5.50."""
    card = scored(TREE, cause="no", resumes="no", counts="yes", deletes="yes", on_call="does not apply")
    by_id = {cost.criterion.id: cost for cost in criteria_costs(card)}
    assert score_without(card, []) == 100
    assert score_without(card, [by_id["deletes"]]) == 250
    assert score_without(card, [by_id["deletes"], by_id["cause"]]) == 550
    assert score_without(card._replace(value=None), []) is None
