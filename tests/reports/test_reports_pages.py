"""Tables on pages, row by row: comparisons, rankings, gates, sets of scorecards; and marks in a judged text."""

from __future__ import annotations

from decimal import Decimal

import pytest
from conftest import judged, make_rubric, seven
from html_reading import self_contained, table_rows

import evenhand
from evenhand.core.finding import Checked, Finding, Place
from evenhand.core.judgement import Evidence
from evenhand.core.scorecard import Official, RawResult
from evenhand.decisions.changes import changes
from evenhand.decisions.gate import Ruling
from evenhand.reports.comparison.changes import changes_report
from evenhand.reports.html.texts.judged_text import Quoted, judged_text
from evenhand.reports.html.texts.marked_text import MarkedLine, Note, Passage, Piece, Reference, marked_lines
from evenhand.reports.html.walker import report_page
from evenhand.work.submission import Event, Submission, ToolCall
from panels import card_of, panel_of
from report_formats import changes_page, gate_page, ranking_page, report_lines, scorecards_page

UNSCORED = {"unscored": "no reply"}


def test_a_comparison_of_two_scorecards_row_by_row():
    """Correctness up a point of weight 0.25, safety down three of weight 0.10, a flag of 0.50: -0.55 in all."""
    before, after = judged(seven(8)), judged(seven(8) | {"correctness": 9, "safety": 5}, flags=1)
    text = changes_page(before, after)
    assert table_rows(text)[1:] == [
        ["correctness", "8.00", "9.00", "+0.25"],
        ["safety", "8.00", "5.00", "-0.30"],
        ["red flag f0", "-", "-0.50", "-0.50"],
        ["final score", "", "", "-0.55"],
    ]
    page = self_contained(text)
    assert page.text_in("span.good") == ["+0.25"]
    assert page.text_in("span.bad") == ["-0.30", "-0.50"]


@pytest.mark.parametrize("calibrated", [False, True])
def test_what_no_move_explains_is_named_on_the_page_as_in_the_lines(calibrated: bool):
    """Calibration is named where one of the two scores is calibrated."""
    before, after = judged(seven(8)), judged(seven(8) | {"safety": 5})
    if calibrated:
        raw = RawResult(after.final, after.grade, after.passed, None)
        after = after._replace(official=Official(raw, None))
    moved = changes(before, after)._replace(rest=Decimal("-0.10"))
    words = f"rounding, caps, floor{', ceiling and calibration' if calibrated else ' and ceiling'}"
    report = changes_report(before, after, moved)
    assert table_rows(report_page(report))[2] == [words, "", "", "-0.10"]
    lines = [" ".join(line.split()) for line in report_lines(report)]
    assert lines[lines.index(f"{words} -0.10") + 1] == "final score -0.30"


def test_a_comparison_with_an_unscored_dimension_leaves_its_effect_open():
    """Nothing is known of the points, and there is no difference of final scores."""
    before, after = judged(seven(8)), judged(seven(8) | {"safety": UNSCORED})
    rows = table_rows(changes_page(before, after))[1:]
    assert rows[0] == ["safety", "8.00", "-", ""]
    assert [row for row in rows if row[0] == "final score"] == []


def test_a_comparison_marks_what_a_panel_disputes():
    """By the side on which the judges disagree."""
    before, after = card_of(panel_of(8, 8), make_rubric()), card_of(panel_of(9, 6), make_rubric())
    rows = table_rows(changes_page(before, after))
    # a quarter of 8.00 is 2.00, and of 7.50 it is 1.88
    assert rows[1] == ["correctness disputed after", "8.00", "7.50", "-0.12"]


def test_a_ranking_row_by_row():
    """Equal ones share a rank; the skill is named where there are several; what has no place says why."""
    cards = [judged(seven(score), id=id, skill="s") for id, score in (("a", 7), ("b", 9), ("c", 7))]
    rows = table_rows(ranking_page(evenhand.rank(cards), {"b": "nine.md"}))
    assert rows[1:] == [
        ["1", "nine.md", "s", "9.00", "A", "final"],
        ["2=", "a", "s", "7.00", "B-", "equal in everything"],
        ["2=", "c", "s", "7.00", "B-", ""],
    ]
    several = [*cards[:1], judged(seven(8) | {"safety": UNSCORED}, id="d", skill="t")]
    text = ranking_page(evenhand.rank(several), {})
    assert table_rows(text)[1] == ["1", "a", "s", "7.00", "B-", ""]
    assert "not ranked: d (" in text


def test_a_gate_row_by_row():
    """What is not green comes first, otherwise in the order given; colours are counted."""
    colours = {"a": "green", "b": "red", "c": "green", "d": "unscored"}
    rulings = [Ruling(name, colour, f"why {name}") for name, colour in colours.items()]  # type: ignore[arg-type]
    text = gate_page("red", rulings, [])
    assert [row[1] for row in table_rows(text)[1:]] == ["b", "d", "a", "c"]
    assert "2 green, 1 red, 1 unscored" in text
    assert "Every scorecard" not in text


def test_a_set_of_scorecards_row_by_row():
    """The interval where there is no final score, flags by id, faults counted, and a mark where judges disagree."""
    faults = Checked("v1", (Finding("a", "safety", "minor", "m"), Finding("b", "safety", None, "fine")))
    cards = [
        ("one", judged(seven(7), flags=2)),
        ("two", judged(seven(8) | {"safety": UNSCORED})._replace(checked=faults)),
        ("three", card_of(panel_of(9, 6), make_rubric())),
    ]
    text = scorecards_page(cards, ["x.json: not JSON"])
    (head, *rows) = [row for row in table_rows(text) if len(row) == 12]
    assert head == ["name", "grade", "final", *evenhand.DIMENSIONS, "red flags", "faults"]
    assert rows[0] == ["one", "C", "6.00", *["7.00"] * 7, "f0, f1", ""]
    assert rows[1][:3] == ["two", "B- to B+", "7.30 to 8.20"]
    assert (rows[1][-1], rows[1].count("8.00")) == ("1", 6)
    assert rows[2][:3] == ["three", "B ?", "7.50"]
    assert "? the judges are 2 or more apart in some dimension" in text and "x.json: not JSON" in text
    assert "<title>3 scorecards" in text and "<title>1 scorecard<" in scorecards_page(cards[:1])
    assert "2 or more apart" not in scorecards_page(cards[:1])


@pytest.mark.parametrize(("count", "unfolded"), [(200, True), (201, False)])
def test_details_of_200_scorecards_are_on_the_page(count: int, unfolded: bool):
    """Of more, each has its line, and the page says how to see the details of one."""
    text = scorecards_page([("one", judged(seven(7)))] * count)
    assert text.count('<details id="card-') == (count if unfolded else 0)
    assert ("The details of one:" in text) != unfolded


# --- marks in a text


def test_passages_cut_a_line_into_pieces():
    """A flag and a score overlap: the flag colours what they share. A passage over two lines begins once."""
    note = Note(2, "major", "It stops.")
    passages = [Passage(4, 9, 1, "score", "correctness"), Passage(7, 12, 2, "flag", "red flag f0", note)]
    assert marked_lines("one two\nthree\r\nfour\n", passages) == [
        MarkedLine(
            (
                Piece("one "),
                Piece("two", "score", (Reference(1, "score", "correctness"),)),
                Piece("", "flag", (Reference(2, "flag", "red flag f0"),)),
            ),
            (note,),
        ),
        MarkedLine((Piece("t", "flag"), Piece("hre", "flag"), Piece("e")), ()),
        "four",
    ]


def test_a_passage_ends_with_its_last_character():
    """It does not reach into the line after it, nor beyond the text."""
    assert marked_lines("ab\ncd", [Passage(0, 3, 1, "fault", "x")])[1] == "cd"
    assert marked_lines("ab\ncd", [Passage(0, 4, 1, "fault", "x")])[1] == MarkedLine(
        (Piece("c", "fault"), Piece("d")), ()
    )
    last = marked_lines("ab\ncd", [Passage(3, 9, 1, "other", "x")])
    assert last == ["ab", MarkedLine((Piece("cd", "other", (Reference(1, "other", "x"),)),), ())]
    assert marked_lines("ab\n", []) == ["ab"]


def test_events_of_a_transcript_as_the_page_shows_them():
    """Who did what, where it is, whether it failed; the final answer is not repeated; another file is named."""
    events = (
        Event("message", "user", "Please.", Place("run.jsonl", 1)),
        Event(
            "tool_call",
            "assistant",
            "",
            Place("run.jsonl", 2),
            ToolCall("read", {"path": "a.py"}, "", "no file", failed=True),
        ),
        Event("error", "system", "It broke.", Place("other.jsonl", 3)),
        Event("message", "assistant", "Done.", Place("run.jsonl", None)),
    )
    shown = judged_text(Submission("Done.", source="run.jsonl", events=events), ())
    assert [(view.who, view.what, view.place, view.failed, view.is_output) for view in shown.events] == [
        ("user", "", "line 1", False, False),
        ("assistant", "read", "line 2", True, False),
        ("system", "error", "other.jsonl:3", True, False),
        ("assistant", "", "run.jsonl", False, True),
    ]
    assert [[(part.label, *part.lines) for part in view.parts] for view in shown.events] == [
        [("", "Please.")],
        [("path", "a.py"), ("result", "no file")],
        [("", "It broke.")],
        [],
    ]


def test_a_quote_is_marked_where_it_was_found():
    """In the output, or in the event that the evidence names; unverified and empty ones nowhere."""
    call = ToolCall("read", {}, "", "alpha beta")
    events = (Event("tool_call", "assistant", "", Place("run.jsonl", 2), call),)
    quotes = [
        Quoted(Evidence("beta", True, None, None, "run.jsonl:2"), "score", "safety"),
        Quoted(Evidence("beta", False, None, None, "run.jsonl:2"), "score", "safety"),
        Quoted(Evidence("  ", True), "score", "safety"),
        Quoted(Evidence("alpha", True, 1, 0), "fault", "safety", "major", "It stops."),
        Quoted(Evidence("beta", True, None, None, "run.jsonl:3"), "score", "safety"),
    ]
    shown = judged_text(Submission("alpha", source="run.jsonl", events=events), quotes)
    assert shown.numbers == {0: 1, 3: 2}
    reference = Reference(2, "fault", "safety")
    assert shown.output == [MarkedLine((Piece("alpha", "fault", (reference,)),), (Note(2, "major", "It stops."),))]
    (part,) = (part for part in shown.events[0].parts if part.label == "result")
    assert part.lines == [MarkedLine((Piece("alpha "), Piece("beta", "score", (Reference(1, "score", "safety"),))), ())]
