"""What reports say in words, whole: comparisons, panels, findings, histories, GitHub. Boundaries are hit exactly."""

from __future__ import annotations

import io
from dataclasses import replace
from decimal import Decimal

import pytest
from conftest import judged, make_rubric, seven
from rich.console import Console

import evenhand
from evenhand.core.bounds import finding_id
from evenhand.core.comparison import Comparison, DimensionComparison, Drift
from evenhand.core.finding import Bound, Checked, Expected, Finding, Lifted, Place
from evenhand.core.judgement import Calls, Condensed, Influence, Reading, Unscored
from evenhand.core.scorecard import Official, RawResult
from evenhand.decisions.gate import Ruling
from evenhand.reports.exchange.github import GateRow, annotation_lines, gate_markdown
from evenhand.reports.exchange.remarks import Remark
from evenhand.reports.findings import ExpectationRow, findings_report
from evenhand.reports.history import history_lines, history_row
from evenhand.reports.panel import panel_report
from panels import card_of, panel_of
from report_formats import print_history, print_ranking

# --- two sets of evaluations


# --- judges


def test_every_line_about_the_judges_of_a_scorecard():
    """What a reader must look at is a warning: disputes, a decisive judge, what a judge did not see."""
    card = card_of(panel_of(9, seven(6) | {"safety": 5}), make_rubric())
    assert card.panel is not None
    readings = (
        Reading("first", {"safety": Decimal("9.00"), "correctness": Decimal("8.01")}),  # 8.505, halves up
        Reading("masked", {"safety": Unscored("no answer")}),
    )
    kept = Influence("a", 1, readings, "first", "they have no influence on it")
    lost = Influence("b", 1, readings[:1], None, "they do")
    panel = card.panel._replace(
        condensed=(Condensed("a", 1, 2, 1, "the window is small"), Condensed("b", 2, 0, 3, "likewise")),
        influence=(kept, lost),
        calls=Calls(asked=2, stored=1, repairs=1, input_tokens=1200, output_tokens=30, cached_tokens=1000, estimated=1),
    )
    report = panel_report(card._replace(panel=panel))
    assert report is not None
    assert [line for line in report.lines if line[0] != "grades"] == [
        ("disputed", "7 dimensions, safety most (4.00): the judges are 2 or more apart", True),
        ("decisive", "without a or b the grade would change", True),
        ("condensed", "a saw 1 event in full and 2 shortened; 1 was left out: the window is small", True),
        ("condensed", "b saw 2 events in full and 0 shortened; 3 were left out: likewise", True),
        (
            "read again",
            "a, on average: first reading 8.51, with words masked none; they have no influence on it",
            False,
        ),
        ("read again", "b, on average: first reading 8.51; they do", True),
        (
            "calls",
            "2 made, 1 answered from stored replies, 1 of them a second try; 1,200 tokens in (1,000 from the server's "
            "cache), 30 out (estimated: the server does not count them); cost unknown",
            False,
        ),
    ]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda card: card, "B 100%; B+ is 0.50 away"),
        (lambda card: card._replace(next_step=None), "B 100%"),
        (lambda card: card._replace(next_step=replace(card.next_step, next_grade=None)), "B 100%"),
        (lambda card: card._replace(agreement=card.agreement._replace(grades={})), None),
    ],
)
def test_the_next_grade_is_told_after_the_probable_ones(change, words: str | None):
    """Only where there is a grade to reach and something is known of its probability."""
    card = card_of(panel_of(7.5, 7.5), make_rubric())
    report = panel_report(change(card))
    assert report is not None
    assert [line[1] for line in report.lines if line[0] == "grades"] == ([words] if words else [])


def test_the_raw_grades_of_a_calibrated_score_do_not_name_the_next_step():
    """The distance to the next grade is one of the official score."""
    card = card_of(panel_of(7.5, 7.5), make_rubric())
    raw = RawResult(card.final, card.grade, card.passed, None)
    report = panel_report(card._replace(official=Official(raw, None)))
    assert report is not None and report.lines[0] == ("raw grades", "B 100%", False)


# --- findings


def test_findings_with_what_follows_from_each():
    """Worst first: it caps a score, raises a flag, was lifted, or is for information; an unmet expectation caps too."""
    minor = Finding("style-mix", "consistency", "minor", "Two styles.")
    major = Finding("unfinished", "completeness", "major", "It stops.", "and then")
    flagged = Finding("secrets", "safety", "critical", "A key.", flag="leak")
    fine = Finding("code-parses", "correctness", None, "All code parses.")
    lifted = Finding("unrun-claim", "correctness", "major", "2 + 2 = 5.")
    expected = [
        Expected("It has tests.", result, dimension, "major", f"message {result}")  # type: ignore[arg-type]
        for result, dimension in (("unmet", "adherence"), ("met", "adherence"), ("unmet", "efficiency"))
    ]
    checked = Checked(
        "v1",
        (minor, major, fine, flagged, lifted),
        expectations=tuple(expected),
        lifted=(Lifted(finding_id(lifted), "human:ana", "it is a quote"),),
        uncapped={"completeness": Decimal(8), "safety": Decimal(9)},
    )
    bounds = {
        "completeness": Bound(Decimal("6.00"), ("unfinished",)),
        "adherence": Bound(Decimal("5.00"), ("expectation",)),
        "efficiency": Bound(Decimal("4.00"), ("other",)),
    }
    report = findings_report(judged(seven(6))._replace(checked=checked, bounds=bounds))
    assert report is not None
    assert [(fault.severity, fault.message, fault.consequence) for fault in report.faults] == [
        ("critical", "A key.", "raises the red flag leak"),
        ("major", "It stops.", f"completeness is at most 6.00 [{finding_id(major)}]"),
        ("major", "2 + 2 = 5.", "does not count: human:ana: it is a quote"),
        ("minor", "Two styles.", "for information"),
    ]
    assert [fault.evidence is None for fault in report.faults] == [True, False, True, True]
    assert report.fine == ("All code parses.",)
    assert report.expectations == (
        ExpectationRow(
            result="unmet", words="It has tests", message="message unmet", consequence="adherence is at most 5.00"
        ),
        ExpectationRow(result="met", words="It has tests", message="message met", consequence=""),
        ExpectationRow(result="unmet", words="It has tests", message="message unmet", consequence=""),
    )
    assert report.caps == ("completeness 6.00 instead of 8 (unfinished)",)


# --- GitHub

REMARKS = [
    Remark("style-mix", "note", "Two styles.", "", "id-1", Place("a.md", 3), "x"),
    Remark("leak", "error", "A key: 100%,\nreally.", "sk-1", "id-2", None, "x"),
    Remark("unfinished", "warning", "It stops.", "and then", "id-3", Place("b,c.md", 4), "x"),
]
ROWS = [
    GateRow("one", Ruling("one", "green", "8.00"), None),
    GateRow("two", Ruling("two", "red", "D is below B"), None),
    GateRow("three", Ruling("three", "unscored", "no final score"), None),
    GateRow("four", Ruling("four", "undecided", "too few"), None),
    GateRow("five", None, None),
]


def test_annotations_have_a_place_where_there_is_one():
    """Errors, then warnings, then notices; what has no ruling or a green one has no annotation."""
    assert annotation_lines(ROWS, REMARKS, ["x.json: not JSON"]) == [
        "::error title=evenhand could not judge this::x.json: not JSON",
        "::error title=evenhand red%3A two::D is below B",
        "::error title=evenhand%3A leak::A key: 100%25,%0Areally.%0A“sk-1”",
        "::warning title=evenhand unscored%3A three::no final score",
        "::warning title=evenhand undecided%3A four::too few",
        "::warning file=b%2Cc.md,line=4,title=evenhand%3A unfinished::It stops.%0A“and then”",
        "::notice file=a.md,line=3,title=evenhand%3A style-mix::Two styles.",
    ]


@pytest.mark.parametrize(("count", "more"), [(10, 0), (11, 1)])
def test_ten_annotations_of_a_kind_are_shown(count: int, more: int):
    """The others are counted."""
    lines = annotation_lines([], REMARKS[:1] * count)
    counted = ["::notice title=evenhand::1 more is in the job's summary"] if more else []
    assert lines[10:] == counted and len(lines) == 10 + more
    assert annotation_lines([], REMARKS[:1] * 12)[-1].endswith("::2 more are in the job's summary")


@pytest.mark.parametrize(
    ("rows", "errors", "result"),
    [
        (ROWS[:1], [], "green"),
        (ROWS[3:4], [], "undecided"),
        (ROWS[:1], ["broken"], "undecided"),
        (ROWS[2:3], [], "undecided"),
        (ROWS, ["broken"], "red"),
    ],
)
def test_the_summary_is_red_undecided_or_green(rows, errors, result: str):
    """Red beats undecided; what could not be read, scored or told leaves it undecided."""
    assert gate_markdown(rows, [], errors, longest=10_000).startswith(f"## evenhand: {result}\n")


def test_the_summary_shows_a_hundred_rows_red_ones_first():
    """Texts from outside are cut after 500 characters."""
    many = [GateRow(f"case {n}", Ruling("x", "green", "fine"), None) for n in range(99)]
    lines = gate_markdown([*many, ROWS[1]], [], [], longest=100_000).splitlines()
    assert lines[4] == "| red | two |  |  | D is below B |" and len(lines) == 4 + 100
    text = gate_markdown([*many, *ROWS[:2]], [], [], longest=100_000)
    assert "1 more row is not shown." in text and "case 98" in text and "| one |" not in text
    assert "2 more rows are not shown." in gate_markdown([*many, *ROWS[:3]], [], [], longest=100_000)
    for length, kept in ((500, "x" * 500), (501, "x" * 500 + " ...")):
        row = GateRow("name", Ruling("name", "red", "x" * length), None)
        assert gate_markdown([row], [], [], longest=10_000).splitlines()[4] == f"| red | name |  |  | {kept} |"


def test_the_worst_quotes_are_ten_at_most():
    """Errors first; of each red scorecard the lowest score that has a verified quote."""
    scores = seven(7) | {
        "correctness": {"score": 3, "justification": "Wrong.", "evidence": ["2 + 2 = 5"]},
        "safety": {"score": 2, "justification": "Unsafe.", "evidence": ["nowhere to be found"]},
    }
    card = evenhand.score({"scores": scores}, rubric=make_rubric(), output="2 + 2 = 5", id="x")
    rows = [
        GateRow("red one", Ruling("red one", "red", "low"), card),
        GateRow("green one", Ruling("green one", "green", "fine"), card),
        GateRow("bare", Ruling("bare", "red", "low"), None),
    ]
    text = gate_markdown(rows, REMARKS, [], longest=10_000)
    quotes = text[text.index("### Worst quotes") : text.index("### What to change")]
    assert quotes.splitlines()[2:-1] == [
        "- **leak**: A key: 100%, really. “sk-1”",
        "- **unfinished**, b,c.md:4: It stops. “and then”",
        "- **style-mix**, a.md:3: Two styles.",
        "- **correctness 3.00**, red one: Wrong. “2 + 2 = 5”",
    ]
    for count, shown in ((9, 10), (10, 10)):
        text = gate_markdown(rows, REMARKS[:1] * count, [], longest=10_000)
        quotes = text[text.index("### Worst quotes") : text.index("### What to change")]
        assert quotes.count("\n- **") == shown
        assert ("**correctness" in quotes) == (count == 9)


# --- histories


def test_an_evaluation_in_a_list_for_a_program():
    """The grade's letter, the flags of its history, and whether there is an alarm."""
    line = DimensionComparison(8.0, 0.5, -3.0, True, True, "why", 0.01)
    card = judged(seven(5), flags=1, bonuses=1, skill="s")
    history = Comparison(10, {"safety": line}, 0, 0, Drift(True, 8.0, 0.2, 7.0, 0.3, 12))
    row = history_row(card._replace(history=history))
    assert (row["grade"], row["final"], row["scores"]["safety"]) == ("D", 4.75, 5)
    assert (row["red_flags"], row["bonuses"], row["disputed"]) == (["f0"], ["b0"], [])
    assert (row["flags"], row["provisional"], row["drift_alarm"]) == (["safety"], True, True)
    bare = history_row(judged(seven(5) | {"safety": {"unscored": "no reply"}}))
    assert (bare["grade"], bare["final"], bare["scores"]["safety"]) == (None, None, None)
    assert (bare["flags"], bare["provisional"], bare["drift_alarm"]) == ([], False, False)
    calm = replace(history, dimensions={"safety": replace(line, provisional=False)}, drift=None)
    assert history_row(card._replace(history=calm))["provisional"] is False
    disputed = card_of(panel_of(9, 6), make_rubric())
    assert history_row(disputed)["disputed"] == list(evenhand.DIMENSIONS)


def test_a_history_in_lines():
    """The alarm first, then what is unusual, then quietly what chance explains: p above 0.05."""
    lines = {
        "safety": DimensionComparison(8.0, 0.5, -3.0, True, False, "", 0.0501),
        "correctness": DimensionComparison(6.0, 0.25, 2.0, True, True, "", 0.05),
        "efficiency": DimensionComparison(7.0, 0.0, -1.0, True, False, "", None),
        "adherence": DimensionComparison(7.0, 0.5, 0.0, False, False, "", 0.9),
    }
    assert history_lines(Comparison(10, lines, 1, 2, Drift(True, 8.0, 0.2, 7.0, 0.3, 12), 1)) == (
        (
            "DRIFT: the final score has fallen from 8.00 in the first ten evaluations to a moving average of 7.00; "
            "chance explains at most 0.30",
            "alarm",
        ),
        ("of 100 unchanged skills, about 7 raise this alarm within 10 evaluations, 22 within 100", "quiet"),
        (
            "correctness is flagged for review: 2.00 above its mean of 6.00 (deviation 0.25); by chance, some "
            "dimension is this far off about once in 20 evaluations; provisional, as there are few evaluations yet",
            "unusual",
        ),
        (
            "efficiency is flagged for review: 1.00 below its mean of 7.00 (deviation 0.00); it had never changed "
            "before",
            "unusual",
        ),
        (
            "safety is flagged for review: 3.00 below its mean of 8.00 (deviation 0.50); by chance, some dimension "
            "is this far off about once in 20 evaluations",
            "quiet",
        ),
        (
            "the means are over the last 10 evaluations; when nothing has changed, this rule still flags some "
            "dimension in nearly half of all evaluations",
            "quiet",
        ),
        ("1 of those 10 came from a different rubric", "plain"),
        ("2 of those 10 came from a different judge", "plain"),
        ("1 earlier evaluation is left out: no one has read these outputs, or there was no final score", "plain"),
    )


@pytest.mark.parametrize(
    ("drift", "line"),
    [
        (None, "as usual: every dimension is within two deviations of its mean over only 9 earlier evaluations"),
        (
            Drift(False, 8.0, 0.2, 7.9, 0.3, 12),
            "as usual: every dimension is within two deviations of its mean over only 9 earlier evaluations; "
            "no drift (moving average 7.90, first ten 8.00)",
        ),
        (
            Drift(True, 7.0, 0.2, 8.0, 0.3, 12),
            "DRIFT: the final score has risen from 7.00 in the first ten evaluations to a moving average of 8.00; "
            "chance explains at most 0.30",
        ),
    ],
)
def test_drift_in_words(drift: Drift | None, line: str):
    """One line where nothing is out of the ordinary; an alarm comes with how often it is false."""
    calm = DimensionComparison(7.0, 0.5, 0.25, False, True, "", 0.9)
    lines = history_lines(Comparison(9, {"safety": calm}, 0, 0, drift))
    assert lines[0][0] == line
    assert len(lines) == (2 if drift is not None and drift.alarm else 1)


@pytest.mark.parametrize(
    ("left_out", "words"),
    [(0, None), (1, "1 earlier evaluation is"), (999, "999 earlier evaluations are"), (1000, "1,000 or more earlier")],
)
def test_a_first_evaluation_has_nothing_to_be_compared_with(left_out: int, words: str | None):
    """What does not count is counted, up to a thousand."""
    first, *rest = history_lines(Comparison(0, {}, 0, 0, None, left_out))
    counts = " that counts" if left_out else ""
    assert first[0] == f"history starts here: this is the skill's first evaluation{counts}"
    assert len(rest) == (words is not None) and all(text.startswith(words or "") for text, _ in rest)


def test_a_second_evaluation_shows_differences():
    """From one earlier evaluation there is no deviation."""
    lines = {
        "safety": DimensionComparison(8.0, None, -1.0, False, True, "", None),
        "correctness": DimensionComparison(8.0, None, 0.0, False, True, "", None),
        "efficiency": DimensionComparison(8.0, None, 0.5, False, True, "", None),
    }
    head = ("only one earlier evaluation; the differences from it:", "plain")
    assert history_lines(Comparison(1, lines, 0, 0, None)) == (head, ("safety -1.00, efficiency +0.50", "plain"))
    same = Comparison(1, {"correctness": lines["correctness"]}, 0, 0, None)
    assert history_lines(same) == (head, ("none, every score is the same", "plain"))


# --- very narrow terminals


def narrow(width: int, show) -> list[str]:
    """The lines that a terminal of this width shows."""
    file = io.StringIO()
    show(Console(file=file, width=width, color_system=None, legacy_windows=False))
    return [line.rstrip() for line in file.getvalue().splitlines()]


@pytest.mark.parametrize("width", [20, 30, 40])
def test_a_narrow_history_keeps_every_score_and_flag(width: int):
    """What does not fit beside one another stands below, with its column's name."""
    cards = [judged(seven(5), flags=1, id=f"evaluation-{n}", skill="s") for n in range(3)]
    words = " ".join(narrow(width, lambda console: print_history("s", cards, console)))
    words = " ".join(words.split())
    assert words.count("final 4.50 grade D") == 3 and words.count("red flag") == 3


def test_a_ranking_keeps_scores_and_grades_whole_where_names_are_folded():
    """Thirty-two columns: numbers and letters have what they need, names get the rest."""
    cards = [judged(seven(score), id=f"a-long-name-{score}", skill="a-long-skill") for score in (7, 9)]
    lines = narrow(32, lambda console: print_ranking(evenhand.rank(cards), console))
    assert " ".join(" ".join(lines).split()) == (
        "Ranking 1 name a-long-name-9 skill a-long-skill final 9.00 grade A above the next by final "
        "2 name a-long-name-7 skill a-long-skill final 7.00 grade B-"
    )
