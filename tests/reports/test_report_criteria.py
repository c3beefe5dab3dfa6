"""Criteria in reports: missed ones first, the most costly on top, with reasons, quotes and votes; in every format."""

from __future__ import annotations

import json
from fractions import Fraction
from io import StringIO

from rich.console import Console

from evenhand.core.rubric import Tree
from evenhand.core.scorecard import Scorecard
from evenhand.reports.advice import advice_report
from evenhand.reports.criteria_rows import criteria_report, share_words, votes_words
from evenhand.reports.markdown import rubric_markdown
from evenhand.work.submission import Submission
from report_formats import print_scorecard, scorecard_markdown, scorecard_page
from test_criteria_scorecards import ANSWERS, OUTPUT, TREE, judgement_of, rubric_with, scored

MISSED = {
    "ticket": {"answer": "yes", "evidence": ["Ticket 41"]},
    "invented": {"answer": "yes", "reason": "The log has no 41.", "evidence": ["Ticket 41 is closed."]},
    "tests-run": "partly",
    "tests-pass": "no",
}
"""Of 4 points: tests that do not pass cost 9 x 2/4 x 3/4 = 3.375, the number 9 x 1/4 = 2.25, and tests that ran partly
9 x 2/4 x 1/4 x 1/2 = 0.5625. 2 + 1/4 - 1 = 5/4 of 4 is 5/16: 1 + 9 x 5/16 = 3.8125."""


def on_terminal(card: Scorecard, *, brief: bool = False) -> str:
    console = Console(file=StringIO(), width=80, force_terminal=False)
    print_scorecard(card, console, brief=brief)
    assert isinstance(console.file, StringIO)
    return console.file.getvalue()


def test_missed_criteria_come_first_with_what_they_cost():
    report = criteria_report(scored(MISSED).dimensions["correctness"])
    assert report is not None
    assert report.summary == "1 of 4 criteria met, 3 missed; worth 5/16"
    assert [(row.id, row.answer, row.cost, row.group) for row in report.rows] == [
        ("tests-pass", "no", "-3.38", "Tests"),
        ("invented", "yes", "-2.25", ""),
        ("tests-run", "partly", "-0.56", "Tests"),
        ("ticket", "yes", "", ""),
    ]


def test_a_dimension_without_criteria_has_none():
    lines = list(scored(ANSWERS).dimensions.values())
    assert [criteria_report(line) for line in lines[1:]] == [None] * 6


def test_a_terminal_lists_what_was_missed_and_names_what_was_met():
    text = on_terminal(scored(MISSED))
    lines = [line.rstrip() for line in text.splitlines()]
    start = next(n for n, line in enumerate(lines) if "criteria met" in line)
    assert lines[start : start + 8] == [
        "    1 of 4 criteria met, 3 missed; worth 5/16",
        "    \u2717 no -3.38 The tests pass. tests-pass",
        "    \u2717 yes -2.25 It states a number that is not in the log. invented",
        "      The log has no 41.",
        "      \u2713 line 1 \u201cTicket 41 is closed.\u201d",
        "    \u2717 partly -0.56 The tests run. tests-run",
        "    \u25b8 Met: ticket",
        "The arithmetic \u2500" + "\u2500" * 64,
    ]
    assert max(map(len, lines)) <= 80
    assert "The log has no 41." not in on_terminal(scored(MISSED), brief=True)


def test_a_score_that_cannot_be_decided_shows_where_it_lies():
    """Tests that cannot be told: 2 of 4 to 4 of 4 less what ran partly; 5.50 + 0.5625 to 9.4375."""
    card = scored({**ANSWERS, "tests-pass": "cannot tell"})
    text = on_terminal(card)
    assert "no score, but between 6.06 and 9.44: 1 of 4 criteria cannot be told" in text
    assert "up to -3.38 The tests pass. tests-pass" in text
    assert "one unscored dimension at its lowest gives" in text
    assert "possible: 1 to" not in scorecard_page(card).body


def test_markdown_has_every_verdict():
    text = scorecard_markdown(scored(MISSED))
    assert "**1 of 4 criteria met, 3 missed; worth 5/16**" in text
    assert "- **no** -3.38 The tests pass. `tests-pass`" in text
    assert "- **yes** The answer names the ticket. `ticket`" in text
    assert text.index("`invented`") < text.index("line 1: \u201cTicket 41 is closed.\u201d") < text.index("`tests-run`")


def test_a_page_marks_the_quotes_of_criteria_in_the_text():
    card = scored(MISSED)
    body = scorecard_page(card, Submission(output=OUTPUT)).body
    assert '<li class="of-bad">' in body and '<li class="of-good">' in body
    assert 'aria-label="quoted for invented, quote 1"' in body
    assert body.index("The tests pass.") < body.index("It states a number") < body.index("The answer names the ticket.")


def test_advice_names_the_most_costly_criterion_and_its_exact_effect():
    """From 3.81 to 3.8125 + 3.375 = 7.1875, so 7.19; weight 25 %: +0.84 or +0.85, as the sum rounds."""
    row = advice_report(scored(MISSED), rubric_with(None)).rows[0]
    assert row.title == "Raise correctness from 3.81 to 7.19"
    assert row.lines[0] == ("The rubric asks for", "The tests pass. (tests-pass)")


def test_advice_goes_on_to_more_criteria_where_one_alone_would_raise_nothing():
    """2/4 x 0 + 0 - 5 points is far below 0: without the invented number it is 0, with the ticket 1/2."""
    heavy = Tree((TREE.children[0], TREE.children[1]._replace(points=Fraction(-5)), TREE.children[2]))  # type: ignore[call-arg]
    answers = {"ticket": "no", "invented": "yes", "tests-run": "no", "tests-pass": "no"}
    row = advice_report(scored(answers, heavy), None).rows[0]
    assert row.title == "Raise correctness from 1.00 to 5.50"
    assert "Not: It states a number that is not in the log. (invented)" in row.lines[0][1]


def test_votes_in_words():
    assert votes_words({"yes": 2, "no": 1}) == "2 yes, 1 no"
    assert votes_words({"yes": 3}) == votes_words({}) == ""
    assert share_words({"yes": 2, "no": 1}) == "yes in 2 of 3"
    assert share_words({"no": 3}) == "yes in 0 of 3"
    assert share_words({}) == ""


def test_written_judgements_show_criteria_too(evenhand_command, tmp_path):
    """From the command line, with the rubric in a file."""
    (tmp_path / "r.md").write_text(rubric_markdown(rubric_with(TREE)))
    (tmp_path / "j.json").write_text(json.dumps(judgement_of(MISSED)))
    done = evenhand_command("score", "j.json", "--rubric", "r.md", "--store", "none")
    assert "1 of 4 criteria met, 3 missed" in done.out
