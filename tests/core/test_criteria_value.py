"""What a tree of criteria is worth, against an oracle written from the rules and by hand."""

from __future__ import annotations

import random
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

from criteria_oracle import random_root, what_counts
from criteria_oracle import score as oracle_score
from criteria_oracle import value as oracle_value
from evenhand.core.criteria import counted_answers, score_of, tree_value
from evenhand.core.rubric import Answer, Criterion, Group, Tree
from evenhand.core.scorecard import Span

HALF = Fraction(1, 2)


def tree_of(root: dict[str, Any], partly: Fraction = HALF) -> tuple[Tree, dict[str, Answer]]:
    answers: dict[str, Answer] = {}

    def node(plain: dict[str, Any], path: str) -> Criterion | Group:
        if "children" in plain:
            children = tuple(node(child, f"{path}-{n}") for n, child in enumerate(plain["children"]))
            return Group(f"g{path}", "", Fraction(plain["weight"]), children)
        answers[plain["id"]] = plain["verdict"]
        requires = tuple(plain["requires"])
        return Criterion(plain["id"], "", Fraction(plain["weight"]), requires, plain["unmet"])

    group = node(root, "")
    assert isinstance(group, Group)
    return Tree(group.children, partly), answers


def value(tree: Tree, answers: dict[str, Answer]) -> Span | None:
    return tree_value(tree, counted_answers(tree.criteria(), answers))


@pytest.mark.parametrize("part", [0, *(pytest.param(part, marks=pytest.mark.slow) for part in (1, 2, 3))])
def test_random_trees_agree_with_the_oracle(part: int):
    """2,000 trees in four parts: the same counted verdicts, the same exact ends, the same scores."""
    chance = random.Random(27_000 + part)
    unscored = spans = 0
    for _ in range(500):
        root, partly = random_root(chance), chance.choice([HALF, Fraction(1, 3), Fraction(3, 4)])
        tree, answers = tree_of(root, partly)
        expected_counts = what_counts([root])
        assert counted_answers(tree.criteria(), answers) == expected_counts
        expected, actual = oracle_value(root, expected_counts, partly), value(tree, answers)
        assert (None if actual is None else (actual.low, actual.high)) == expected
        ends = oracle_score(root, expected_counts, partly)
        if actual is None or ends is None:
            unscored += 1
        else:
            assert (score_of(actual.low) * 100, score_of(actual.high) * 100) == ends
            spans += actual.low != actual.high
    assert unscored > 5 and spans > 50  # every kind of result was among them


def leaf(id: str, points: int, **more: Any) -> Criterion:
    return Criterion(id, f"{id} is so.", Fraction(points), **more)


def test_a_negative_criterion_subtracts_from_the_numerator_only():
    """(2*1 + 2*1 - 1*1) / 4."""
    tree = Tree((leaf("a", 2), leaf("b", 2), leaf("c", -1)))
    assert value(tree, {"a": "yes", "b": "yes", "c": "yes"}) == Span(Fraction(3, 4), Fraction(3, 4))


def test_a_node_below_zero_is_not_clipped_before_the_dimension():
    """The group is worth (0 - 3) / 1 = -3; the dimension (1*1 + 1*-3) / 2 = -1, which is clipped to 0: score 1."""
    tree = Tree((leaf("a", 1), Group("g", "", Fraction(1), (leaf("b", 1), leaf("c", -3)))))
    span = value(tree, {"a": "yes", "b": "no", "c": "yes"})
    assert span == Span(Fraction(-1), Fraction(-1)) and score_of(span.low) == Decimal("1.00")


def test_only_negative_criteria_at_any_depth_start_from_one():
    """1 - 3/4 inside the group; it has half of the weight: (1*1 + 1*1/4) / 2."""
    tree = Tree((leaf("a", 1), Group("g", "", Fraction(1), (leaf("b", -3), leaf("c", -1)))))
    assert value(tree, {"a": "yes", "b": "yes", "c": "no"}) == Span(Fraction(5, 8), Fraction(5, 8))


def test_nothing_that_applies_has_no_value():
    assert value(Tree((leaf("a", 1), leaf("b", -1))), {"a": "does not apply", "b": "does not apply"}) is None


def test_what_has_no_points_counts_for_nothing():
    assert value(Tree((leaf("a", 0),)), {"a": "yes"}) is None


def test_a_negative_criterion_that_cannot_be_decided_moves_the_low_end():
    """(4*1 - 2*[0, 1]) / 4."""
    tree = Tree((leaf("a", 4), leaf("b", -2)))
    assert value(tree, {"a": "yes", "b": "cannot tell"}) == Span(HALF, Fraction(1))


def test_an_answer_that_is_missing_cannot_be_decided():
    assert value(Tree((leaf("a", 1),)), {}) == Span(Fraction(0), Fraction(1))


@pytest.mark.parametrize(
    ("first", "expected"),
    [("no", "no"), ("yes", "yes"), ("partly", "yes"), ("cannot tell", "cannot tell"), ("does not apply", "yes")],
)
def test_prerequisites(first: Answer, expected: Answer):
    tree = Tree((leaf("a", 1), leaf("b", 1, requires=("a",))))
    assert counted_answers(tree.criteria(), {"a": first, "b": "yes"})["b"] == expected


def test_a_negative_criterion_whose_prerequisite_failed_costs_nothing():
    """b is not asked: (1*0 + 1*1 - 5*0) / 2."""
    tree = Tree((leaf("a", 1), leaf("c", 1), leaf("b", -5, requires=("a",))))
    assert value(tree, {"a": "no", "c": "yes", "b": "yes"}) == Span(HALF, HALF)


def test_what_does_not_apply_for_a_failed_prerequisite_fails_those_that_require_it():
    """c requires b, which requires a: a failed, so neither is asked, whatever b counts as."""
    b = leaf("b", 1, requires=("a",), unmet="does not apply")
    tree = Tree((leaf("a", 1), b, leaf("c", 1, requires=("b",))))
    counted = counted_answers(tree.criteria(), {"a": "no", "b": "yes", "c": "yes"})
    assert counted == {"a": "no", "b": "does not apply", "c": "no"}


def test_a_prerequisite_that_failed_outweighs_one_that_cannot_be_decided():
    tree = Tree((leaf("a", 1), leaf("b", 1), leaf("c", 1, requires=("b", "a"))))
    assert counted_answers(tree.criteria(), {"a": "no", "b": "cannot tell", "c": "yes"})["c"] == "no"


@pytest.mark.parametrize(
    ("fraction", "score"),
    [("0", "1.00"), ("1", "10.00"), ("-2", "1.00"), ("7/5", "10.00"), ("1/2", "5.50"), ("1/1800", "1.01"),
     ("1/1801", "1.00"), ("91/100", "9.19"), ("1/3", "4.00")],
)  # fmt: skip
def test_score_of_a_value(fraction: str, score: str):
    """1 + 9 * value, halves up: 1/1800 gives 1.005, and so 1.01; 91/100 gives 9.19."""
    assert score_of(Fraction(fraction)) == Decimal(score)


def test_a_long_chain_of_prerequisites():
    """A thousand, each requiring the next one in the list: no recursion is needed."""
    criteria = [leaf(f"c{n}", 1, requires=(f"c{n + 1}",) if n < 999 else ()) for n in range(1000)]
    counted = counted_answers(criteria, {"c999": "no", "c0": "yes"})
    assert set(counted.values()) == {"no"}
