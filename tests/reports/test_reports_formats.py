"""Reports for other tools, whole: JUnit, CTRF, SARIF, OpenTelemetry, notebooks."""

from __future__ import annotations

import pytest
from conftest import judged, make_rubric, seven

import evenhand
import flat_calls
from evenhand._version import __version__
from evenhand.core.finding import Place
from evenhand.decisions.gate import Ruling
from evenhand.reports.exchange.ctrf import ctrf_document
from evenhand.reports.exchange.junit import Case, card_case, junit_xml, ruling_case
from evenhand.reports.exchange.otlp import otlp_document
from evenhand.reports.exchange.remarks import Remark
from evenhand.reports.exchange.sarif import sarif_document
from evenhand.reports.notebook import scorecard_html

CASES = [
    Case("a", "g", says="8.00"),
    Case("b", "g", failure="too low <5>"),
    Case("c", "g", error="no score"),
    Case("d", "g", skipped="too few"),
    Case("e", "g"),
]


def test_junit_whole():
    """Failures, errors and skipped ones are counted, on the suite and around it."""
    counts = 'tests="5" failures="1" errors="1" skipped="1"'
    assert junit_xml("suite", CASES).splitlines() == [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f"<testsuites {counts}>",
        f'<testsuite name="suite" {counts}>',
        '<testcase classname="g" name="a"><system-out>8.00</system-out></testcase>',
        '<testcase classname="g" name="b"><failure message="too low &lt;5&gt;">too low &lt;5&gt;</failure></testcase>',
        '<testcase classname="g" name="c"><error message="no score">no score</error></testcase>',
        '<testcase classname="g" name="d"><skipped message="too few">too few</skipped></testcase>',
        '<testcase classname="g" name="e"></testcase>',
        "</testsuite>",
        "</testsuites>",
    ]


def test_ctrf_whole():
    """What has no result is other; a case that passed without a word has no message."""
    results = ctrf_document("suite", CASES, moment=1234)["results"]
    assert results["summary"] == {
        "tests": 5,
        "passed": 2,
        "failed": 1,
        "pending": 0,
        "skipped": 1,
        "other": 1,
        "start": 1234,
        "stop": 1234,
    }
    assert [(test["name"], test["status"], test.get("message")) for test in results["tests"]] == [
        ("a", "passed", "8.00"),
        ("b", "failed", "too low <5>"),
        ("c", "other", "no score"),
        ("d", "skipped", "too few"),
        ("e", "passed", None),
    ]
    assert results["tests"][0]["suite"] == ["suite", "g"] and results["tests"][0]["duration"] == 0


@pytest.mark.parametrize(
    ("colour", "field"),
    [("red", "failure"), ("unscored", "error"), ("undecided", "error"), ("green", "says")],
)
def test_a_ruling_is_a_test_case(colour, field: str):
    """What the data cannot tell is skipped, not passed."""
    assert ruling_case(Ruling("a", colour, "why")) == Case("a", "gate")._replace(**{field: "why"})


def test_a_scorecard_is_a_test_case():
    """It passes at exactly its pass mark of 7.00, under the name that is given or its own."""
    passing = card_case(judged(seven(7), id="x", skill="s"))
    assert (passing.name, passing.group, passing.failure, passing.error) == ("x", "s", "", "")
    assert passing.says.startswith("7.00 of 10  Satisfactory; passes: the rubric made asks for 7.00; composite ")
    failing = card_case(judged(seven(6.5), id="x", skill="s"), "other name")
    assert failing.name == "other name" and failing.failure == failing.says != ""


def test_a_scorecard_without_a_final_score_is_an_error_unless_it_passes_or_fails_anyway():
    """Safety weighs a tenth: six 8.00 give 7.30 to 8.20, which passes; six 7.00 give 6.40 to 7.30, which is open."""
    open_safety = {"safety": {"unscored": "no reply"}}
    sure = card_case(judged(seven(8) | open_safety))
    assert not sure.error and not sure.failure and "between 7.30 and 8.20" in sure.says
    undecided = card_case(judged(seven(7) | open_safety))
    assert "between 6.40 and 7.30" in undecided.error and not undecided.failure and not undecided.says
    low = card_case(judged(seven(5) | open_safety))
    assert not low.error and low.failure


def test_sarif_whole():
    """Worst first, each once, at its line or else the first; what has no place is left out."""
    remarks = [
        Remark("style-mix", "note", "Two styles.", "", "id-1", Place("a b.md", None), "x"),
        Remark("leak", "error", "A key.", "sk-1", "id-2", Place("c.md", 7), "x"),
        Remark("leak", "error", "A key.", "sk-1", "id-2", Place("c.md", 7), "y"),
        Remark("lost", "error", "Nowhere.", "", "id-3", None, "x"),
    ]
    (run,) = sarif_document(remarks)["runs"]
    assert run["tool"]["driver"] == {
        "name": "evenhand",
        "version": __version__,
        "rules": [{"id": "leak"}, {"id": "style-mix"}],
    }
    assert "invocations" not in run
    assert run["results"] == [
        {
            "ruleId": "leak",
            "level": "error",
            "message": {"text": "A key."},
            "locations": [
                {
                    "physicalLocation": {
                        "artifactLocation": {"uri": "c.md"},
                        "region": {"startLine": 7, "snippet": {"text": "sk-1"}},
                    }
                }
            ],
            "partialFingerprints": {"evenhandFinding/v1": "id-2"},
        },
        {
            "ruleId": "style-mix",
            "level": "note",
            "message": {"text": "Two styles."},
            "locations": [{"physicalLocation": {"artifactLocation": {"uri": "a%20b.md"}, "region": {"startLine": 1}}}],
            "partialFingerprints": {"evenhandFinding/v1": "id-1"},
        },
    ]


@pytest.mark.parametrize(
    ("count", "left_out"), [(5000, None), (5001, "1 more result was left out"), (5002, "2 more results were left out")]
)
def test_sarif_keeps_five_thousand_results(count: int, left_out: str | None):
    """As many as GitHub keeps; a notification counts the others."""
    remarks = [Remark("r", "note", "m", "", f"id-{n}", Place("a.md", 1), "x") for n in range(count)]
    (run,) = sarif_document(remarks)["runs"]
    assert len(run["results"]) == 5000
    notes = [note for call in run.get("invocations", []) for note in call["toolExecutionNotifications"]]
    assert [note["message"]["text"] for note in notes] == ([left_out] if left_out else [])


def attributes(record) -> dict[str, object]:
    """An event's attributes by key."""
    return {entry["key"]: entry["value"] for entry in record["attributes"]}


def test_opentelemetry_events():
    """The final score with the grade as its label, then a score for each dimension; whole numbers are text."""
    scores = seven(8) | {"safety": {"score": 5, "justification": "Why.", "evidence": ["a key", "no such words"]}}
    judgement = {"scores": scores, "red_flags": [{"id": "f0", "explanation": "Seen.", "evidence": ["a key"]}]}
    card = evenhand.score(
        judgement, rubric=make_rubric(), output="Here is a key.", id="ab" * 16, created="2026-01-01T00:00:00Z"
    )
    (resource,) = otlp_document([card])["resourceLogs"]
    records = resource["scopeLogs"][0]["logRecords"]
    assert len(records) == 8
    final, *dimensions = records
    assert (final["traceId"], final["timeUnixNano"]) == ("ab" * 16, "1767225600000000000")
    shown = attributes(final)
    assert shown["gen_ai.evaluation.name"] == {"stringValue": "made"}
    assert shown["gen_ai.evaluation.score.value"] == {"doubleValue": 7.2}
    assert shown["gen_ai.evaluation.score.label"] == {"stringValue": "B-"}
    assert (shown["evenhand.score.min"], shown["evenhand.score.max"]) == ({"intValue": "1"}, {"intValue": "10"})
    assert shown["evenhand.red_flags"] == {"arrayValue": {"values": [{"stringValue": "f0"}]}}
    assert shown["gen_ai.evaluation.explanation"] == {
        "stringValue": "passes: the rubric made asks for 7.00\nf0: Seen.\n“a key”",
    }
    assert "error.type" not in shown
    safety = next(attributes(one) for one in dimensions if "safety" in str(attributes(one)["gen_ai.evaluation.name"]))
    assert safety["gen_ai.evaluation.explanation"] == {"stringValue": "Why.\n“a key”"}
    assert "gen_ai.evaluation.score.label" not in safety


def test_opentelemetry_events_without_a_score_have_an_error_type():
    """Unscored or unread, never both a score and an error; an id that is not a trace's gives none."""
    card = judged(seven(8) | {"safety": {"unscored": "no reply"}}, id="x")
    records = otlp_document([card])["resourceLogs"][0]["scopeLogs"][0]["logRecords"]
    without = [attributes(record) for record in records if "error.type" in attributes(record)]
    assert [shown["error.type"] for shown in without] == [{"stringValue": "unscored"}] * 2
    assert without[1]["gen_ai.evaluation.explanation"] == {"stringValue": "no reply"}
    assert not any("gen_ai.evaluation.score.value" in shown for shown in without)
    assert all("traceId" not in record for record in records)
    unread = flat_calls.judge(evenhand.Submission(output="Fine.", source="a.md"))
    first = otlp_document([unread])["resourceLogs"][0]["scopeLogs"][0]["logRecords"][0]
    assert attributes(first)["error.type"] == {"stringValue": "unread"}


def test_a_notebook_shows_a_bar_for_each_dimension():
    """As long as its share of ten points, red when it fails; nothing where there is no score."""
    failing = scorecard_html(judged(seven(6.5), flags=1))
    assert failing.count('<div style="background:#c0504d;width:65%;height:.7em"></div>') == 7
    assert failing.count("<li>") >= 1 and "<b>f0</b>" in failing
    passing = scorecard_html(judged(seven(7.04)))
    assert passing.count("background:#2e8b57;width:70%") == 7 and "<ul" not in passing
    bounded = scorecard_html(judged(seven(8) | {"safety": {"unscored": "no reply"}}))
    assert bounded.count("width:0%") == 1
