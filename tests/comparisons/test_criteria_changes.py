"""Which criteria changed: between two scorecards, two sets of them, two variants of a suite."""

from __future__ import annotations

import json
from decimal import Decimal
from fractions import Fraction

from evenhand.core.criteria_results import verdict_rows
from evenhand.decisions.changes import changes, criteria_shares
from evenhand.decisions.complaints import complaints_of
from evenhand.documents.scorecard import scorecard_json
from evenhand.reports.comparison.sets import share_lines
from report_formats import change_lines
from test_criteria_scorecards import ANSWERS, scored

BETTER = {**ANSWERS, "tests-pass": "yes", "invented": "yes"}
"""Tests that pass gain 9 x 2/4 x 3/4 = 3.375 points of correctness, the number costs 9 x 1/4 = 2.25; a quarter of that
is the final score's: +0.84 and -0.56."""


def test_criteria_that_changed_are_listed_with_their_points_the_largest_loss_first():
    before, after = scored(ANSWERS), scored(BETTER)
    moved = changes(before, after)
    assert [tuple(entry) for entry in moved.criteria] == [
        ("invented", "no", "yes", Decimal("-0.56")),
        ("tests-pass", "no", "yes", Decimal("0.84")),
    ]
    lines = change_lines(before, after)
    assert lines.index("invented no yes -0.56") < lines.index("tests-pass no yes +0.84")


def test_one_that_cannot_be_decided_on_a_side_has_no_points():
    moved = changes(scored(ANSWERS), scored({**ANSWERS, "ticket": "cannot tell"}))
    assert [tuple(entry) for entry in moved.criteria] == [("ticket", "yes", "cannot tell", None)]


def test_quotes_of_criteria_are_new_or_gone():
    moved = changes(scored(ANSWERS), scored({**ANSWERS, "ticket": "yes"}))
    assert [(name, quote.quote) for name, quote in moved.gone_evidence] == [("ticket", "Ticket 41")]


def test_sets_show_how_often_each_criterion_is_met():
    """Tests pass in 0 of 10 and 5 of 10; one that is untold in five is not listed, and none is of nine evaluations."""
    first = [scored(ANSWERS)] * 10
    second = [scored(BETTER), scored({**ANSWERS, "ticket": "cannot tell"})] * 5
    assert criteria_shares(first[:9], second) == []
    shares = criteria_shares(first, second)
    assert [(share.id, share.before, share.after, share.decided) for share in shares] == [
        ("invented", 1, Fraction(1, 2), (10, 10)),
        ("tests-pass", 0, Fraction(1, 2), (10, 10)),
    ]
    assert share_lines(shares)[1] == "criterion tests-pass: met in 0% of 10 -> 50% of 10"


def test_the_command_shows_them(evenhand_command, tmp_path):
    for name, answers in (("a", ANSWERS), ("b", BETTER)):
        (tmp_path / f"{name}.json").write_text(scorecard_json(scored(answers, id=f"{name}1")))
        (tmp_path / f"{name}.jsonl").write_text(
            "".join(scorecard_json(scored(answers, id=f"case-{n}")) + "\n" for n in range(10))
        )
    one = evenhand_command("better", "a.json", "b.json", "--store", "none")
    assert "invented no yes -0.56" in " ".join(one.out.split())
    sets = evenhand_command("better", "a.jsonl", "b.jsonl", "--store", "none", "--full")
    assert "criterion tests-pass: met in 0% of 10 -> 100% of 10" in sets.out
    document = json.loads(evenhand_command("better", "a.jsonl", "b.jsonl", "--store", "none", "-f", "json").out)
    assert document["criteria"][0] == {"id": "invented", "before": 1.0, "after": 0.0, "decided": [10, 10]}
    page = evenhand_command("better", "a.json", "b.json", "--store", "none", "-f", "html").out
    assert ">Criteria</h2>" in page


def test_rows_of_a_scorecard_say_how_far_each_criterion_is_met():
    rows = list(verdict_rows(scored({**ANSWERS, "tests-pass": "cannot tell"})))
    assert [(row.id, row.dimension, row.state, row.met) for row in rows] == [
        ("ticket", "correctness", "met", 1),
        ("invented", "correctness", "met", 1),
        ("tests-run", "correctness", "missed", Fraction(1, 2)),
        ("tests-pass", "correctness", "open", None),
    ]


def test_missed_criteria_are_suggested_changes():
    """Tests that fail cost 0.84 of the final score, over two cases 1.69; the judge's words and quotes come along."""
    cards = [scored({**ANSWERS, "tests-pass": {"answer": "no", "reason": "Two of them fail."}}) for _ in range(2)]
    complaints = [one for card in cards for one in complaints_of(card, "case") if one.kind == "criterion"]
    assert [(one.name, one.dimension, one.cost) for one in complaints[:2]] == [
        ("tests-run", "correctness", Fraction(9, 64)),
        ("tests-pass", "correctness", Fraction(27, 32)),
    ]
    assert complaints[1].text == "The tests pass. Two of them fail."
