"""Which variant a suite's answer is about, and which of its cases it looks into."""

from __future__ import annotations

from collections.abc import Container, Mapping

import pytest

from evenhand.decisions.suites.board import Board
from evenhand.decisions.suites.contrasts import decide
from evenhand.decisions.values.decision import Decision
from evenhand.evaluations.collected_complaints import CollectedComplaints
from evenhand.suite_runs.results.run_answer import advised_variant, run_answer
from suite_cases import scored


def decided(**scores: int) -> tuple[Decision, Board]:
    """A decision on variants with the same score in each of eight cases; the first one is the reference."""
    board = Board(scored({name: [[score]] * 8 for name, score in scores.items()}))
    return decide(board, tuple(scores), next(iter(scores))), board


def nothing(cases: Container[str]) -> Mapping[str, CollectedComplaints]:
    return {}


@pytest.mark.parametrize(
    ("scores", "advised"),
    [
        ({"old": 900, "low": 500, "high": 600}, "high"),  # the best of those that are not the reference
        ({"old": 500, "high": 600, "low": 400}, "high"),
        ({"only": 700}, "only"),
    ],
)
def test_the_answer_is_about_the_best_variant_that_is_not_the_reference(scores: dict[str, int], advised: str) -> None:
    assert advised_variant(decided(**scores)[0]) == advised


def test_a_variant_without_a_mean_is_advised_only_where_there_is_no_other() -> None:
    decision, _ = decided(old=500, low=400, none=600)
    old, low, none = decision.variants
    assert advised_variant(decision._replace(variants=(old, low, none._replace(mean=None)))) == "low"
    assert advised_variant(decision._replace(variants=(old, none._replace(mean=None)))) == "none"


def test_cases_that_got_worse_are_those_of_the_variant_the_answer_is_about() -> None:
    """The first variant gets worse in every case, the one that is advised in none, and the other way round."""
    decision, board = decided(old=600, worse=500, better=700)
    answer = run_answer(decision, board, nothing)
    assert (answer.variant, answer.got_worse, answer.changes) == ("better", (), None)
    decision, board = decided(old=900, worst=500, best=600)
    answer = run_answer(decision, board, nothing)
    assert answer.variant == "best"
    assert {(case.before, case.after) for case in answer.got_worse} == {(9.0, 6.0)}
