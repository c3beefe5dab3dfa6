"""Claims, notes and standings as reports show them: every word, sign and place of a mark."""

from __future__ import annotations

import io
from decimal import Decimal

import pytest
from conftest import judged, seven
from rich.console import Console

from evenhand.core.finding import Checked, Ended, Expected, Finding, Place
from evenhand.core.judgement import Evidence
from evenhand.core.ranking import RankedEntry, Ranking, Unranked
from evenhand.core.scorecard import SuitePlace
from evenhand.reports.exchange.ctrf import ctrf_document
from evenhand.reports.exchange.junit import Case
from evenhand.reports.findings import FindingsReport, findings_report
from evenhand.reports.history import history_row
from evenhand.reports.markdown import report_markdown
from evenhand.reports.scorecard import findings_nodes
from evenhand.reports.terminal.walker import print_report
from evenhand.reports.tree import Report
from report_formats import ranking_markdown


def report_of(**checked: object) -> FindingsReport:
    made = findings_report(judged(seven(6))._replace(checked=Checked("0" * 64, **checked)))
    assert made is not None
    return made


def printed(report: FindingsReport, *, all_fine: bool = False) -> list[str]:
    """The lines on a terminal that shows ASCII only, without the space at their ends."""
    console = Console(file=io.TextIOWrapper(io.BytesIO(), encoding="ascii"), width=100)
    with console.capture() as capture:
        print_report(Report("", findings_nodes(report)), console, full=all_fine)
    return [line.rstrip() for line in capture.get().splitlines()]


# --- how things ended


@pytest.mark.parametrize(
    ("place", "quote", "event"),
    [
        (None, "", ""),
        (None, "1 failed", "1 failed"),
        (Place("run.jsonl", 12), "1 failed", "run.jsonl:12: 1 failed"),
        (Place("run.jsonl", 12), "", "run.jsonl:12"),
        (Place("run.jsonl"), "1 failed", "run.jsonl: 1 failed"),
    ],
)
def test_how_a_thing_ended_is_shown_with_its_event(place, quote, event):
    (row,) = report_of(endings=(Ended("tests", "pytest -q", "failed", quote, place, open=True),)).endings
    assert (row.thing, row.what, row.outcome, row.event) == ("tests", "pytest -q", "failed", event)


def test_what_is_still_open_is_always_shown_and_the_rest_on_request():
    endings = (
        Ended("build", "make", "done", "ok", Place("t", 1)),
        Ended("push", "git push", "failed", "rejected", Place("t", 2)),
        Ended("tests", "pytest -q", "failed", "1 failed", Place("t", 3), open=True),
    )
    report = report_of(endings=endings)
    still = ["No faults.", "Still open", "  NO tests: pytest -q failed", "    t:3: 1 failed"]
    assert without_rules(printed(report)) == [*still, "  + How things ended: 2"]
    assert without_rules(printed(report, all_fine=True)) == [
        *still,
        "How things ended: 2",
        "  ok build: make done",
        "    t:1: ok",
        "  ? push: git push failed, made up for later",
        "    t:2: rejected",
    ]


def without_rules(lines: list[str]) -> list[str]:
    """The lines, without the rule behind a heading."""
    return [line.rstrip("- ") for line in lines]


def test_a_contradicted_claim_stands_beside_its_event():
    finding = Finding(
        "contradicted-claim", "correctness", "critical", "It failed.", "All pass.", None, 0, shown="1 failed",
        shown_at=Place("t", 3),
    )  # fmt: skip
    report = report_of(findings=(finding,))
    assert printed(report)[2] == "  the event: t:3: 1 failed"
    assert "  - the event: t:3: 1 failed" in in_markdown(report)


# --- faults, notes and what is fine


def test_a_fault_has_its_severity_quote_and_consequence_and_a_note_is_one_line():
    """Worst first, notes after the expectations; what was looked for and not found is one line."""
    findings = (
        Finding("styles", "efficiency", "minor", "Two styles."),
        Finding("sums", "correctness", "major", "2 + 2 = 5.", quote="2 + 2 = 5", line=3, verified=True),
        Finding("facts", "safety", "minor", "No source.", quote="they say", line=1, verified=True, note=True),
        Finding("plain", "safety", "minor", "Unclear.", note=True),
        Finding("parses", "correctness", None, "All code parses."),
        Finding("links", "correctness", None, "All links work."),
    )
    expectations = (
        Expected("It greets.", "met", "correctness", "major", "found"),
        Expected("It ends.", "unmet", "correctness", "major", "not found"),
        Expected("It is kind.", "undecided", "correctness", "major", "no judge"),
    )
    report = report_of(findings=findings, expectations=expectations)
    assert without_rules(printed(report, all_fine=True)) == [
        "NO major correctness: 2 + 2 = 5.",
        f'  {mark(report, 0)} "2 + 2 = 5"',
        "  for information",
        "NO minor efficiency: Two styles.",
        "  for information",
        "Expectations",
        "  ok met It greets: found",
        "  NO unmet It ends: not found",
        "  ? undecided It is kind: no judge",
        "Notes: hints that may be wrong and do not count",
        "  ? safety: No source.",
        f'    {mark(report, None)} "they say"',
        "  ? safety: Unclear.",
        "Checked and fine: 2",
        "  ok All code parses.",
        "  ok All links work.",
    ]
    assert printed(report_of(findings=findings[:2], coverage=("sums", "leaked-key")), all_fine=True)[-1:] == [
        "  ok Looked for and not found: leaked key."
    ]


def test_findings_in_markdown_have_a_heading_for_each_kind_that_there_is():
    findings = (
        Finding("sums", "correctness", "major", "2 + 2 = 5.", quote="2 + 2 = 5", line=3, verified=True),
        Finding("facts", "safety", "minor", "No source.", quote="they say", line=1, verified=True, note=True),
        Finding("parses", "correctness", None, "All code parses."),
    )
    expectations = (Expected("It greets.", "met", "correctness", "major", "found"),)
    endings = (Ended("tests", "pytest -q", "done", "3 passed", Place("t", 1)),)
    whole = report_of(findings=findings, expectations=expectations, endings=endings)
    lines = [line for line in in_markdown(whole) if line]
    assert [line for line in lines if line.startswith("#")] == [
        "## Expectations",
        "## How things ended: 1",
        "## Notes: hints that may be wrong and do not count",
        "## Checked and fine: 1",
    ]
    assert lines[0] == "- **major** **correctness:** 2 + 2 = 5."
    assert lines[1].endswith("\u201c2 + 2 = 5\u201d") and lines[2] == "  - for information"
    assert "- **met** It greets: found" in lines and "- All code parses." in lines
    assert "- tests: pytest -q **done**" in lines and "- safety: No source." in lines
    assert in_markdown(report_of()) == ["No faults."]


def in_markdown(report: FindingsReport) -> list[str]:
    return report_markdown(Report("", findings_nodes(report))).splitlines()


def test_a_ranking_in_markdown_says_who_shares_a_rank_and_who_has_none():
    first = RankedEntry(1, "a", "notes", Decimal("8.00"), "B+", (), "red_flags")
    shared = RankedEntry(2, "b|c", "notes", Decimal("7.00"), "B-", ("d",), None)
    ranking = Ranking((first, shared), (Unranked("e", "notes", "no final score"),), ("two rubrics",))
    assert ranking_markdown(ranking, {"a": "first"}).splitlines() == [
        "# Ranking",
        "",
        "= shares its rank with another.",
        "",
        "| rank | name | skill | final | grade | above the next by |",
        "|---:|---|---|---:|---|---|",
        "| 1 | first | notes | 8.00 | B+ | red flags |",
        "| 2= | b\\|c | notes | 7.00 | B- |  |",
        "",
        "- not ranked: e (no final score)",
        "- two rubrics",
    ]
    assert ranking_markdown(Ranking((first,), (), ())).endswith("red flags |\n")
    assert ranking_markdown(Ranking((first,), (), ("w",))).endswith("|\n\n- w\n")
    assert "- not ranked: last (no final score)" in ranking_markdown(ranking, {"e": "last"})


def test_a_row_of_a_history_says_where_the_evaluation_belongs():
    card = judged(seven(8), id="a", skill="notes", judge="human:ana")
    row = history_row(card._replace(case="c", skill_version="v1", suite=SuitePlace("r", "c", "v", 2)))
    assert (row["id"], row["skill"], row["created"]) == ("a", "notes", card.created)
    assert (row["rubric"], row["judge"], row["case"], row["skill_version"]) == ("made", "human:ana", "c", "v1")
    assert row["suite"] == {"run": "r", "case": "c", "variant": "v", "repeat": 2}
    assert (history_row(card)["suite"], row["changes"]) == (None, [])


def mark(report: FindingsReport, fault: int | None) -> str:
    """How a terminal says where a quote is, and whether it is there."""
    from evenhand.reports.tree import evidence_note

    row = report.notes[0] if fault is None else report.faults[fault]
    assert isinstance(row.evidence, Evidence)
    sign = {True: "ok", False: "NO", None: "?"}[row.evidence.verified]
    return f"{sign} {evidence_note(row.evidence)}"


# --- results for test tools


@pytest.mark.parametrize(
    ("case", "status", "message"),
    [
        (Case("n", "g"), "passed", None),
        (Case("n", "g", says="8.00"), "passed", "8.00"),
        (Case("n", "g", failure="low", says="3.00"), "failed", "low"),
        (Case("n", "g", skipped="unsure", says="5.00"), "skipped", "unsure"),
        (Case("n", "g", failure="low", skipped="unsure"), "failed", "low"),
        (Case("n", "g", failure="low", error="lost"), "other", "lost"),
    ],
)
def test_a_case_without_a_result_is_neither_passed_nor_failed(case, status, message):
    """An error comes before a failure, that before doubt."""
    document = ctrf_document("gate", [case, Case("other", "g")], moment=5)
    test, other = document["results"]["tests"]
    usual = {"name": "n", "status": status, "duration": 0, "suite": ["gate", "g"]}
    assert test == (usual if message is None else {**usual, "message": message})
    assert other["status"] == "passed"
    summary = document["results"]["summary"]
    counts = {"passed": 1, "failed": 0, "pending": 0, "skipped": 0, "other": 0}
    counts[status] += 1
    assert summary == {"tests": 2, **counts, "start": 5, "stop": 5}


# --- standings
