"""Where things are on the drawings of a page: places worked out by hand, boundaries hit exactly."""

from __future__ import annotations

from typing import Any

import pytest
from conftest import judged, make_rubric, seven
from html_reading import self_contained

import evenhand
from evenhand.core.comparison import Comparison, DimensionComparison
from evenhand.core.finding import Place
from evenhand.core.judgement import Evidence
from evenhand.decisions.preference import JudgePreference, PairReading, PairResult, Preferences
from evenhand.reports.charts import (
    Column,
    IntervalRow,
    Measured,
    count_chart,
    interval_chart,
    probability_chart,
)
from evenhand.reports.comparison.preferences import preference_lines
from evenhand.reports.html.texts.judged_text import judged_text
from evenhand.reports.html.walker import View
from evenhand.reports.scorecard import ScoreBar, score_bar, scorecard_report
from evenhand.reports.tree import Drawing, Node, Section, Table, quotes_in
from evenhand.work.submission import Event, Submission, ToolCall
from panels import card_of, model_judgement, panel_of
from report_formats import preferences_page


def test_values_lie_on_one_axis_with_the_reference_in_the_middle():
    """The farthest end is 2 away, and a tenth more is shown: -2.2 is at 10 and +2.2 at 630, 620 / 4.4 a point."""
    rows = [Measured("a", 1.1, 0.0, 2.0, "text a"), Measured("b", -1.1, -2.0, 0.0, "text b")]
    chart = interval_chart(rows, reference=0, caption="Caption")
    assert chart.rows == (
        IntervalRow("a", "text a", 20, 475, 320, 601.8),
        IntervalRow("b", "text b", 80, 165, 38.2, 320),
    )
    assert chart.ticks == ((10, "-2.20"), (165, "-1.10"), (320, "+0.00"), (475, "+1.10"), (630, "+2.20"))
    assert (chart.width, chart.height, chart.reference) == (640, 2 * 60 + 34, 320)
    assert chart.label == "Caption. a: text a; b: text b"


def test_an_axis_of_a_given_length_goes_as_far_on_each_side():
    """50 percent on each side of 50: from 0 to 100, 6.2 a percent, however short the intervals are."""
    chart = interval_chart([Measured("a", 75, 70, 80, "")], reference=50, caption="", unit="{:.0f}%", span=50)
    assert chart.rows == (IntervalRow("a", "", 20, 475, 444, 506),)
    assert chart.ticks == ((10, "0%"), (165, "25%"), (320, "50%"), (475, "75%"), (630, "100%"))


def test_the_probability_of_each_grade_is_a_column():
    """Certainty is 96 high, so a quarter is 24 and its top is at 120 - 24; a grade further is shown on each side."""
    chart = probability_chart({"B+": 0.25, "B-": 0.75})
    assert chart.columns == (
        Column("A-", 0, 120, 0, "", False),
        Column("B+", 44, 96, 24, "25%", False),
        Column("B", 88, 120, 0, "", False),
        Column("B-", 132, 48, 72, "75%", True),
        Column("C+", 176, 120, 0, "", False),
    )
    assert (chart.width, chart.step) == (5 * 44, 44)
    assert chart.label == "Probability of each grade: B+ 25%, B- 75%"
    best = probability_chart({"A+": 1.0})
    assert [column.letter for column in best.columns] == ["A+", "A"]
    worst = probability_chart({"F": 1.0})
    assert [column.letter for column in worst.columns][-1] == "F" and len(worst.columns) == 2


def test_the_number_of_scorecards_of_each_grade_is_a_column():
    """The most frequent grade is 96 high: with four, one is 24. There is a column for none where some have none."""
    chart = count_chart({"A": 4, "C": 1, "none": 2})
    heights = {column.letter: (column.height, column.y, column.text) for column in chart.columns if column.text}
    assert heights == {"A": (96, 24, "4"), "C": (24, 96, "1"), "none": (48, 72, "2")}
    assert [column.letter for column in chart.columns if column.most] == ["A"]
    assert chart.label == "Scorecards of each grade: A 4, C 1, none 2"
    assert count_chart({"A": 1}).columns[-1].letter == "F"


def test_a_bar_ends_at_the_score_or_covers_what_is_possible():
    """Ten units a point; the mean of earlier evaluations is marked to a tenth of a unit."""
    card = judged(seven(7.25))
    line = DimensionComparison(6.789, 0.5, 0.461, False, True, "", None)
    card = card._replace(history=Comparison(5, {"safety": line}, 0, 0, None))
    assert score_bar(card, "safety") == ScoreBar(0, 72.5, True, 67.9, None)
    assert score_bar(card, "correctness") == ScoreBar(0, 72.5, True, None, None)
    open_card = judged(seven(8) | {"safety": {"unscored": "no reply"}})
    assert score_bar(open_card, "safety") == ScoreBar(10, 90, False, None, None)


# --- preferences


def preferred(count: int) -> Preferences:
    """A system that is preferred in every item by one judge, in both orders."""
    evidence = {"a": (Evidence("short", True, 3, 0),), "b": (Evidence("long", True, None, 0), Evidence("no", False))}
    readings = (
        PairReading("a", "first", justification="It is shorter.", evidence=evidence),  # type: ignore[arg-type]
        PairReading("b", "second", justification="Shorter."),
    )
    judge = JudgePreference("replay:one", "a", readings)
    results = [PairResult(f"item {number:03}", "ours", "theirs", "a", (judge,)) for number in range(count)]
    return Preferences(("ours", "theirs"), tuple(results), ({"name": "replay:one"},), {"default": "hash"})


@pytest.mark.parametrize(("count", "more"), [(500, 0), (501, 1)])
def test_a_page_lists_500_items(count: int, more: int):
    """Of more, it says how many; win rates are on an axis from 0 to 100 percent."""
    page = self_contained(preferences_page(preferred(count)))
    assert "item 499: prefers ours" in page.words and "item 500:" not in page.words
    assert ("and 1 more" in page.words.lower()) == bool(more)
    assert page.text_in("p.headline")[0].startswith(f"theirs is worse than ours: in {count} of {count} cases")
    axis = [text for text in page.text_in("text") if text.endswith("%")]
    assert axis == ["0%", "25%", "50%", "75%", "100%"]


def test_one_pair_is_reported_with_the_reasons_and_quotes_of_its_judge():
    """Which was shown first, what was preferred, and where each quote is."""
    assert preference_lines(preferred(1)) == [
        "ours is preferred, in both orders",
        "replay:one: prefers ours",
        "  ours first: ours. It is shorter.",
        '    ours, line 3: "short"',
        '    theirs, verified: "long"',
        '    theirs, not found: "no"',
        "  theirs first: ours. Shorter.",
    ]


@pytest.mark.parametrize(
    ("outcome", "words", "judge"),
    [
        ("b", "theirs is preferred, in both orders", "prefers theirs"),
        ("tie", "a tie, in both orders", "a tie"),
        (
            "inconsistent",
            "no preference: the verdicts do not agree",
            "inconsistent, the verdict depends on the order",
        ),
        ("undecided", "no verdict", "no verdict"),
    ],
)
def test_every_outcome_of_a_pair_in_words(outcome, words: str, judge: str):
    """Readings with a tie or without a verdict say so."""
    readings = (PairReading("a", "tie", justification="Alike."), PairReading("b", None, "no answer in time"))
    pair = PairResult("item", "ours", "theirs", outcome, (JudgePreference("replay:one", outcome, readings),))
    assert preference_lines(preferred(1)._replace(results=(pair,))) == [
        words,
        f"replay:one: {judge}",
        "  ours first: tie. Alike.",
        "  theirs first: no verdict: no answer in time",
    ]


# --- a scorecard's page


def test_the_history_table_has_a_row_for_each_dimension():
    """What is not known is left empty; a flag that chance does not explain is unusual."""
    lines = {
        "correctness": DimensionComparison(8.0, None, -0.5, False, True, "", None),
        "safety": DimensionComparison(8.125, 0.25, -2.125, True, False, "", 0.02),
        "efficiency": DimensionComparison(8.0, 0.25, 0.5, True, False, "", 0.0501),
    }
    card = judged(seven(7))._replace(history=Comparison(10, lines, 0, 0, None))
    table = next(node for node in nodes_of(card) if isinstance(node, Table) and node.columns[0].name == "dimension")
    assert [(*row.cells, row.weight) for row in table.rows] == [
        ("correctness", "8.00", "", "-0.50", "", "", "plain"),
        ("safety", "8.12", "0.25", "-2.12", "about once in 50 evaluations", "flagged for review", "unusual"),
        ("efficiency", "8.00", "0.25", "+0.50", "about once in 20 evaluations", "flagged for review", "plain"),
    ]
    assert not any(isinstance(node, Table) for node in nodes_of(judged(seven(7))))


def nodes_of(card: evenhand.Scorecard) -> list[Node]:
    """Every node of a scorecard's report, those in sections too."""

    def inside(nodes: tuple[Node, ...]) -> list[Node]:
        return [below for node in nodes for below in (node, *(inside(node.nodes) if isinstance(node, Section) else ()))]

    return inside(scorecard_report(card).nodes)


def chart_of(card: evenhand.Scorecard) -> Any:
    """How probable each grade is, drawn."""
    return next((node.chart for node in nodes_of(card) if isinstance(node, Drawing)), None)


def test_grades_are_drawn_when_their_probability_is_more_than_one_opinion():
    """Several judges, or one that gave distributions; of a single score nothing is known but the score."""
    rubric = make_rubric()
    assert chart_of(card_of(model_judgement(8), rubric)) is None
    assert chart_of(card_of(panel_of(8, 9), rubric)) is not None
    doubtful = model_judgement(8, distributions={"correctness": {700: 1, 900: 1}})
    chart = chart_of(card_of(doubtful, rubric))
    assert chart.label == "Probability of each grade: B+ 50%, B 50%"
    assert chart_of(judged(seven(8))) is None


def test_quotes_are_numbered_where_the_text_is_beside_them():
    """In the order of the page; a quote that is not in the text has no number, and without the text none has one."""
    scores = seven(7) | {
        "correctness": {"score": 7, "justification": "why", "evidence": ["two", "nine"]},
        "safety": {"score": 7, "justification": "why", "evidence": ["three"]},
    }
    output = "one\ntwo\nthree\n"
    card = evenhand.score({"scores": scores}, rubric=make_rubric(), output=output, id="x")
    nodes = scorecard_report(card, None, Submission(output)).nodes
    view = View(nodes)
    quotes = [quote for quote in quotes_in(nodes) if not quote.shortened]
    assert [(quote.evidence.quote, quote.evidence.verified, view.number_of(quote)) for quote in quotes] == [
        ("two", True, 1),
        ("nine", False, None),
        ("three", True, 2),
    ]
    bare = scorecard_report(card).nodes
    assert [View(bare).number_of(quote) for quote in quotes_in(bare) if not quote.shortened] == [None, None, None]


def test_every_text_of_a_call_s_arguments_is_a_part_of_its_own():
    """As quotes are checked against it; numbers and lists of numbers are shown as JSON."""
    arguments = {
        "path": "a.py",
        "lines": [1, 2],
        "edits": [{"old": "x", "count": 1}, "y", 3],
        "nested": [[1, 2], []],
        "none": None,
    }
    call = Event("tool_call", "assistant", "", Place("run.jsonl", 1), ToolCall("edit", arguments, "", None))
    (event,) = judged_text(Submission(output="Done.", events=(call,)), []).events
    assert [(part.label, "\n".join(map(str, part.lines))) for part in event.parts] == [
        ("path", "a.py"),
        ("lines", "[1, 2]"),
        ("edits[0].old", "x"),
        ("edits[0].count", "1"),
        ("edits[1]", "y"),
        ("edits[2]", "3"),
        ("nested[0]", "[1, 2]"),
        ("nested[1]", "[]"),
        ("none", "null"),
    ]
