"""Lists on terminals of 60, 80 and 120 columns: no line is wider, and nothing that matters is cut."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from dataclasses import replace

import pytest
from conftest import judged, seven
from rich.cells import cell_len
from rich.console import Console
from test_html_pages import preferences, two_sets

import evenhand
from evenhand.core.comparison import Comparison, DimensionComparison, Drift
from evenhand.decisions.changes import changes
from evenhand.decisions.gate import Ruling
from evenhand.reports.comparison.changes import changes_report
from evenhand.reports.comparison.preferences import preference_lines, preferences_report
from evenhand.reports.comparison.sets import sets_report
from evenhand.reports.gate import gate_report
from evenhand.reports.skill_history import SkillLine
from evenhand.reports.terminal.reports import print_card_line
from evenhand.reports.terminal.walker import print_report
from report_formats import print_history, print_overview, print_ranking

WIDTHS = (60, 80, 120)
LONG = "a-name-that-somebody-gave-and-that-goes-on-for-longer-than-any-terminal-is-wide-" * 2
WIDE = "\u6f22\u5b57\u306e\u540d\u524d" * 12
"""Two cells for each character."""

names = pytest.mark.parametrize(
    "name", ["short", LONG, WIDE, "many short words " * 12], ids=["short", "long", "wide", "words"]
)
widths = pytest.mark.parametrize("width", WIDTHS)


def shown(width: int, show: Callable[[Console], None]) -> str:
    """What a terminal of this width shows, after checking that no line is wider."""
    file = io.StringIO()
    show(Console(file=file, width=width, highlight=False, emoji=False, markup=False, color_system=None))
    text = file.getvalue()
    assert [line for line in text.splitlines() if cell_len(line.rstrip()) > width] == []
    return text


def drifting(id: str, skill: str) -> evenhand.Scorecard:
    """A scorecard with a red flag, an unusual dimension and a drift alarm."""
    line = DimensionComparison(8.1, 0.3, -3.1, True, False, "why", 0.004)
    history = Comparison(10, {"safety": line}, 0, 0, Drift(True, 8.0, 0.2, 7.0, 0.3, 12))
    return judged(seven(5), flags=1, id=id, skill=skill)._replace(history=history)


@widths
@names
def test_history_shows_grade_and_alarm_of_every_evaluation(width, name):
    """A long id is folded, a remark goes on in the next line."""
    text = shown(
        width, lambda console: print_history(name, [judged(seven(8), id=name), drifting(name + "2", name)], console)
    )
    (line,) = [line for line in text.splitlines() if re.search(r"2026-01-01 00:00.* 4.50 ", line)]
    assert re.search(r" 4.50 .*\bD\b.*DRIFT", line)


@widths
@names
def test_the_overview_shows_number_score_and_grade_of_every_skill(width, name):
    """A long name goes on in the next line."""
    line = SkillLine(name=name, evaluations=1_234_567, finals=[800] * 20, newest=judged(seven(8), skill=name))
    text = shown(width, lambda console: print_overview([line], console))
    assert "1234567" in text and "8.00" in text and "B+" in text
    assert "".join(name.split())[:20] in "".join(text.split())


def test_evaluations_made_by_suites_are_counted_apart():
    """A skill that was only evaluated in suites has a last score, so "0 evaluations" would look wrong."""
    line = SkillLine(name="s", evaluations=2, finals=[800], newest=judged(seven(8)), in_suites=90)
    assert (line.counted, replace(line, evaluations=0).counted) == ("2 + 90 in suites", "90 in suites")
    assert replace(line, in_suites=0).counted == "2"


@widths
@names
def test_a_ranking_shows_rank_score_and_grade_whole(width, name):
    """However long the names are."""
    cards = [judged(seven(score), id=f"{name} {score}", skill=name) for score in (7, 9)]
    text = shown(width, lambda console: print_ranking(evenhand.rank(cards), console))
    for part in ("9.00", "7.00", " A", "B-"):
        assert part in text


@widths
@names
def test_a_list_of_scorecards_keeps_grade_score_and_verdict(width, name):
    """The name is cut, with a mark where."""
    text = shown(width, lambda console: print_card_line(drifting(name, name), console, name))
    assert "4.50" in text and "1 flag" in text and "fail" in text


@widths
@names
def test_comparisons_gates_and_pairs_wrap(width, name):
    """Every word is there, on as many lines as it takes."""
    before, after = judged(seven(8), id="a"), judged(seven(6), id="b", flags=2)
    for report, figures in (
        (changes_report(before, after, changes(before, after)), ("8.00", "6.00", "-0.50", "final")),
        (sets_report(two_sets("1")), ("new is better than old", "+1.25", "case 7", "matched by")),
    ):
        text = shown(width, lambda console, report=report: print_report(report, console, full=True))  # type: ignore[misc]
        assert all("".join(figure.split()) in "".join(text.split()) for figure in figures)
    made = preferences()
    made = made._replace(systems=(name, "theirs"), results=tuple(r._replace(a=name) for r in made.results))
    text = shown(width, lambda console: print_report(preferences_report(made), console))
    for line in preference_lines(made):
        assert "".join(line.split()) in "".join(text.split())
    rulings = [Ruling(name, "red", "5.00 is below 7.00")]
    assert "red" in shown(width, lambda console: print_report(gate_report("red", rulings, (), is_brief=True), console))
