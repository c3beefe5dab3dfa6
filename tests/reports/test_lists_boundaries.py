"""Lists in reports at their limits: how much GitHub, SARIF, Markdown and a comparison of pairs show, and what they say
when there is nothing, one too many, or no quote.
"""

from __future__ import annotations

import json

import pytest
from conftest import judged, seven

import evenhand
import flat_calls
from evenhand.core.finding import Place
from evenhand.core.judgement import Evidence
from evenhand.core.scorecard import Scorecard
from evenhand.decisions.gate import Ruling
from evenhand.decisions.preference import PairResult, Preferences
from evenhand.decisions.preferences import preference_document
from evenhand.reports.comparison.preferences import preference_lines
from evenhand.reports.exchange.github import GateRow, gate_markdown
from evenhand.reports.exchange.remarks import Remark, remarks_of
from evenhand.reports.exchange.sarif import sarif_document
from every_case import every_case
from report_formats import scorecard_markdown

WRONG = "Fine so far.\n```json\n[44 - 41]\n```\n"


def row(name: str, colour: str, card: Scorecard | None = None) -> GateRow:
    return GateRow(name, Ruling(name, colour, "why"), card)  # type: ignore[arg-type]


def remark(number: int) -> Remark:
    return Remark("rule", "warning", f"message {number}", "", f"id{number}", None, "x")


# --- the summary on GitHub


@pytest.mark.parametrize(
    ("colours", "errors", "result"),
    [
        (["green"], [], "green"),
        (["green", "unscored"], [], "undecided"),
        (["green"], ["a.json: not JSON"], "undecided"),
        (["unscored", "red"], ["a.json: not JSON"], "red"),
    ],
)
def test_red_wins_over_undecided_and_undecided_over_green(colours, errors, result):
    """Something that nobody could read never looks green."""
    rows = [row(str(place), colour) for place, colour in enumerate(colours)]
    assert gate_markdown(rows, [], errors, longest=10_000).splitlines()[0] == f"## evenhand: {result}"


@pytest.mark.parametrize(("rows", "note"), [(100, None), (101, "1 more row is not shown."), (102, "2 more rows")])
def test_a_hundred_rows_are_shown(rows, note):
    """The rest is counted."""
    text = gate_markdown([row(f"case {n}", "green") for n in range(rows)], [], [], longest=100_000)
    assert text.count("| green |") == 100
    assert ("more row" in text) == (note is not None)
    assert note is None or note in text


@pytest.mark.parametrize(("remarks", "shown"), [(9, 9), (10, 10), (11, 10)])
def test_ten_quotes_are_shown(remarks, shown):
    """The worst come first, so these are enough."""
    text = gate_markdown([row("x", "red")], [remark(n) for n in range(remarks)], [], longest=100_000)
    assert text.count("- **rule**") == shown


@pytest.mark.parametrize(("length", "whole"), [(500, True), (501, False)])
def test_a_long_text_is_cut_after_five_hundred_characters(length, whole):
    """A judge's reason may be a page."""
    text = gate_markdown([], [], ["x" * length], longest=100_000)
    assert (f"- {'x' * 500}\n" in text, f"- {'x' * 500} ...\n" in text) == (whole, not whole)


@every_case("longest", range(400, 440))
def test_a_summary_never_exceeds_its_limit(longest):
    """Short lines, so that every byte of the limit is tried."""
    text = gate_markdown([], [], ["x"] * 300, longest=longest)
    assert len(text.encode()) <= longest
    assert text.endswith("\n(cut here: too long for GitHub)\n")


def test_the_lowest_score_of_a_red_scorecard_is_shown_with_its_quote():
    """7 has a verified quote and is the lowest that has one; 2 has none."""
    scores = seven(9) | {
        "safety": {"score": 7, "justification": "Deletes too much.", "evidence": ["44 - 41"]},
        "correctness": {"score": 2, "justification": "Wrong.", "evidence": ["not in the output"]},
    }
    card = evenhand.score({"scores": scores}, output=WRONG)
    text = gate_markdown([row("a", "red", card), row("b", "green", card)], [], [], longest=10_000)
    assert text.count("**safety 7.00**, a: Deletes too much. “44 - 41”") == 1
    assert "correctness 2" not in text


# --- places


def test_a_result_without_a_quote_or_a_line_points_at_the_start_of_its_file():
    """SARIF wants a line, and no empty snippet."""
    bare = remark(1)._replace(place=Place("a.md"))
    full = remark(2)._replace(place=Place("a.md", 7), quote="as is")
    first, second = (
        result["locations"][0]["physicalLocation"]["region"]
        for result in sarif_document([bare, full])["runs"][0]["results"]
    )
    assert first == {"startLine": 1}
    assert second == {"startLine": 7, "snippet": {"text": "as is"}}


@pytest.mark.parametrize(
    ("evidence", "place"),
    [
        (Evidence("q", True, 3), Place("out.md", 3)),
        (Evidence("q", True), None),
        (Evidence("q", True, source="run.jsonl:12"), Place("run.jsonl", 12)),
        (Evidence("q", True, source="run.jsonl"), Place("run.jsonl")),
        (Evidence("q", True, source="run:x"), Place("run:x")),
        (Evidence("q", True, source=":12"), Place(":12")),
    ],
)
def test_a_red_flag_is_shown_where_its_first_verified_quote_is(evidence, place):
    """A line of the output, or the transcript's file and line; a quote that was not found leads nowhere."""
    card = judged(seven(8), flags=1)._replace(output="out.md")
    flag = card.red_flags[0]._replace(evidence=(Evidence("not there", False, 99), evidence))
    (shown,) = remarks_of(card._replace(red_flags=(flag,)))
    assert (shown.quote, shown.place) == ("q", place)


def test_a_red_flag_without_a_verified_quote_has_no_quote():
    """What was not found is not shown as if it were."""
    card = judged(seven(8), flags=1)
    flag = card.red_flags[0]._replace(evidence=(Evidence("not there", False, 99),))
    assert remarks_of(card._replace(red_flags=(flag,)))[0].quote == ""


# --- Markdown


def test_a_fault_is_quoted_in_markdown():
    """The quote is beside the sentence about it."""
    text = scorecard_markdown(flat_calls.judge(evenhand.Submission(output=WRONG)))
    (line,) = [line for line in text.splitlines() if "This JSON does not parse" in line]
    assert "44 - 41" in text[text.index(line) + len(line) :].split("\n- **")[0]


# --- pairs


def result(number: int, outcome: str) -> PairResult:
    return PairResult(f"item {number}", "a", "b", outcome)  # type: ignore[arg-type]


def test_what_was_not_compared_is_listed():
    """Items without a verdict and failures by name."""
    made = Preferences(
        ("a", "b"), (result(1, "a"), result(2, "undecided")), (), {}, failures=("x.md: it is empty", "y.md: no text")
    )
    text = "\n".join(preference_lines(made))
    assert "item 2" in text.split("no verdict", 1)[1].split("\n")[0]
    assert text.count("not compared: ") == 2 and "not compared: y.md: no text" in text


@pytest.mark.parametrize("count", [20, 21])
def test_twenty_items_of_a_kind_are_named(count):
    """The document has all of them."""
    made = Preferences(("a", "b"), tuple(result(n, "inconsistent") for n in range(count)), (), {})
    lines = [line for line in preference_lines(made) if line.startswith("inconsistent: ")]
    assert sum("item " in line for line in lines) == 20
    assert any("1 more" in line for line in lines) == (count == 21)
    assert len(preference_document(made)["pairs"]) == count


def test_strengths_have_four_decimals_at_most():
    """Eight wins of ten against b, seven of ten against c."""
    won = [("a", "b", 8), ("a", "c", 7), ("b", "c", 6)]
    results = tuple(PairResult(f"{x}{y}{n}", x, y, "a" if n < wins else "b") for x, y, wins in won for n in range(10))
    strengths = json.loads(json.dumps(preference_document(Preferences(("a", "b", "c"), results, (), {}))))["strengths"]
    assert len(strengths) == 3
    for strength in strengths:
        for field in ("strength", "standard_error", "low", "high"):
            assert strength[field] == round(strength[field], 4)
