"""Every kind of scorecard as a whole report: the terminal with its colours, Markdown and HTML, against golden files."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest
from conftest import judged, make_rubric, seven
from hostile_text import rich_card

import evenhand
from evenhand.decisions.gate import Ruling
from evenhand.reports.gate import gate_report
from evenhand.reports.markdown import rubric_markdown
from evenhand.reports.terminal.reports import print_card_line
from evenhand.reports.terminal.walker import print_report
from golden import body, coloured, compare
from report_formats import (
    print_ranking,
    print_rubric,
    print_scorecard,
    print_verification,
    scorecard_markdown,
    scorecard_page,
    verification_markdown,
)
from scorecard_kinds import cards

CREATED = "2026-01-02T03:04:05.678Z"
CARDS = {name: card._replace(created=CREATED) for name, card in cards().items()}
KINDS = sorted(CARDS)


@pytest.mark.parametrize("kind", KINDS)
def test_a_scorecard_on_a_terminal_with_colours(kind):
    """What is good is green, what is bad is red, what is open is magenta; what matters less is dim."""
    card = CARDS[kind]
    compare(f"whole/{kind}.ansi", coloured(lambda console: print_scorecard(card, console)))
    compare(f"whole/{kind}.brief.ansi", coloured(lambda console: print_scorecard(card, console, brief=True), 60))
    compare(f"whole/{kind}.audit.ansi", coloured(lambda console: print_scorecard(card, console, audit=True), 120))


@pytest.mark.parametrize("kind", KINDS)
def test_a_scorecard_as_markdown_and_as_a_page(kind):
    card = CARDS[kind]
    compare(f"whole/{kind}.md", scorecard_markdown(card))
    compare(f"whole/{kind}.html", body(scorecard_page(card)))


def test_a_scorecard_with_what_was_judged_as_a_page():
    """The text with its marks, beside the reasons."""
    card, submission = rich_card()
    compare("whole/with-text.html", body(scorecard_page(card._replace(created=CREATED), submission)))


def test_many_scorecards_on_a_line_each():
    """The grade in its colour, flags in red, warnings in yellow."""

    def show(console):
        for kind in KINDS:
            print_card_line(CARDS[kind], console)
        for score in (9, 8, 7, 6, 3):
            print_card_line(judged(seven(score), flags=int(score == 3), id=f"all-{score}"), console, "named")

    compare("whole/lines.ansi", coloured(show))
    compare("whole/lines.60.ansi", coloured(show, 60))


def test_a_ranking_with_colours():
    """Shared places are marked; scorecards without a skill have no column for it; what is unranked is magenta."""
    made = [
        judged(seven(8), id="plain", skill="notes"),
        judged(seven(8), id="also-plain", skill="notes"),
        judged(seven(9, 8, 7, 8, 8, 8, 8), id="more-correct", skill="notes"),
        judged(seven(3), flags=1, id="low", skill="notes"),
        judged(seven(8) | {"safety": {"unscored": "timed out"}}, id="open", skill="notes"),
    ]
    ranking = evenhand.rank(made)
    warned = replace(ranking, warnings=("two rubrics were used",))
    compare("whole/ranking.ansi", coloured(lambda console: print_ranking(warned, console, {"plain": "The plain one"})))
    unnamed = evenhand.rank([judged(seven(8), id="one"), judged(seven(7), id="two")])
    compare("whole/ranking.unnamed.ansi", coloured(lambda console: print_ranking(unnamed, console)))


def test_a_verification_with_colours():
    document = evenhand.document(CARDS["by-hand"])
    compare("whole/holds.ansi", coloured(lambda console: print_verification(evenhand.verify(document), console)))
    document["dimensions"]["safety"]["score"] = 9
    changed = evenhand.verify(document)
    compare("whole/changed.ansi", coloured(lambda console: print_verification(changed, console)))
    compare("whole/changed.md", verification_markdown(changed))


def test_a_rubric_with_colours_and_as_its_file():
    """A built-in one, and a small one without domain and reason."""
    rubric = evenhand.load_rubric("devops")
    compare("whole/rubric.ansi", coloured(lambda console: print_rubric(rubric, console)))
    compare("whole/rubric.md", rubric_markdown(rubric))
    small = make_rubric()._replace(official="calibrated", domain="", pass_mark_reason="", pass_mark=Decimal("6.5"))
    compare("whole/rubric.small.ansi", coloured(lambda console: print_rubric(small, console)))
    compare("whole/rubric.small.md", rubric_markdown(small))


def test_rulings_with_colours():
    """A colour each."""
    rulings = [Ruling(name, colour, f"it is {colour}") for name, colour in RULED]
    compare(
        "whole/rulings.ansi",
        coloured(lambda console: print_report(gate_report("red", rulings, (), is_brief=True), console)),
    )


RULED = (("a", "red"), ("b", "green"), ("c", "undecided"), ("d", "unscored"))
