"""Claims, notes and standings as reports show them: every word, sign and place of a mark."""

from __future__ import annotations

import csv
import io
import re
from decimal import Decimal

import pytest
from conftest import judged, seven
from rich.console import Console

from evenhand.core.values import (
    Checked,
    Ended,
    Evidence,
    Expected,
    Finding,
    Place,
    RankedEntry,
    Ranking,
    SuitePlace,
    Unranked,
)
from evenhand.decisions.suites.standings import PairDifference, Standing, Standings
from evenhand.reports.exchange.ctrf import ctrf_document
from evenhand.reports.exchange.junit import Case
from evenhand.reports.exchange.standing_tables import (
    pair_row,
    standing_row,
    standings_csv,
    standings_document,
    standings_latex,
    standings_markdown,
    standings_svg,
)
from evenhand.reports.findings import FindingsReport, findings_report
from evenhand.reports.history import history_row
from evenhand.reports.markdown import _findings, ranking_markdown
from evenhand.reports.terminal.findings import findings_parts
from evenhand.reports.terminal.pieces import Glyphs


def report_of(**checked: object) -> FindingsReport:
    made = findings_report(judged(seven(6))._replace(checked=Checked("0" * 64, **checked)))
    assert made is not None
    return made


def printed(report: FindingsReport, *, all_fine: bool = False) -> list[str]:
    """The lines on a terminal that shows ASCII only, without the space at their ends."""
    console = Console(file=io.TextIOWrapper(io.BytesIO(), encoding="ascii"), width=100)
    glyphs = Glyphs(console)
    with console.capture() as capture:
        for part in findings_parts(report, glyphs, all_fine=all_fine):
            console.print(part)
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
    assert printed(report) == ["  NO tests: pytest -q failed", "    t:3: 1 failed"]
    assert printed(report, all_fine=True) == [
        "  ok build: make done",
        "  ? push: git push failed, made up for later",
        "  NO tests: pytest -q failed",
        "    t:3: 1 failed",
    ]


def test_a_contradicted_claim_stands_beside_its_event():
    finding = Finding(
        "contradicted-claim", "correctness", "critical", "It failed.", "All pass.", None, 0, shown="1 failed",
        shown_at=Place("t", 3),
    )  # fmt: skip
    report = report_of(findings=(finding,))
    assert printed(report)[2] == "    the event: t:3: 1 failed"
    assert "  - the event: t:3: 1 failed" in _findings(report)


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
    lines = printed(report)
    assert lines == [
        "  NO major correctness: 2 + 2 = 5.",
        f'    {note(report, 0)} "2 + 2 = 5"',
        "    for information",
        "  NO minor efficiency: Two styles.",
        "    for information",
        "  ok expected: It greets",
        "    met: found",
        "  NO expected: It ends",
        "    unmet: not found",
        "  ? expected: It is kind",
        "    undecided: no judge",
        "  ? note, safety: No source.",
        f'    {note(report, None)} "they say"',
        "  ? note, safety: Unclear.",
        "  ok All code parses.",
        "  ok All links work.",
    ]
    assert printed(report_of(findings=findings[:2], coverage=("sums", "leaked-key")))[-1:] == [
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
    lines = [line for line in _findings(whole) if line]
    quoted = [line for line in lines if "2 + 2 = 5" in line or "they say" in line]
    assert len(quoted) == 3  # the fault's message, its quote, and the note's quote
    assert [line for line in lines if line not in quoted] == [
        "## Faults",
        "## Expectations",
        "- **met** It greets: found",
        "## How things ended",
        "- tests: pytest -q: **done** t:1: 3 passed",
        "## Notes",
        "What is only likely: hints that count for nothing.",
        "- safety: No source.",
        "## Checked and fine",
        "- All code parses.",
    ]
    assert "- **major** correctness: 2 + 2 = 5. (for information)" in lines
    assert _findings(report_of()) == []


def test_a_ranking_in_markdown_says_who_shares_a_rank_and_who_has_none():
    first = RankedEntry(1, "a", "notes", Decimal("8.00"), "B+", (), "red_flags")
    shared = RankedEntry(2, "b|c", "notes", Decimal("7.00"), "B-", ("d",), None)
    ranking = Ranking((first, shared), (Unranked("e", "notes", "no final score"),), ("two rubrics",))
    assert ranking_markdown(ranking, {"a": "first"}).splitlines() == [
        "| rank | name | skill | final | grade | above the next by |",
        "|---:|---|---|---:|---|---|",
        "| 1 | first | notes | 8.00 | B+ | red flags |",
        "| 2 (shared) | b\\|c | notes | 7.00 | B- |  |",
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


def note(report: FindingsReport, fault: int | None) -> str:
    """How the place of a quote is said."""
    from evenhand.reports.document import evidence_note

    row = report.notes[0] if fault is None else report.faults[fault]
    assert isinstance(row.evidence, Evidence)
    return evidence_note(row.evidence)


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

NEW = Standing("new & old", 10, 20, 1, 8.0, 7.5, 8.5, 1, 1, "a")
OLD = Standing("old", 10, 20, 0, 6.0, 5.5, 6.5, 2, 3, "")
EMPTY = Standing("none", 0, 0, 4, None, None, None, 3, 3, "b")
PAIR = PairDifference("old", "new & old", 10, 2.0, 1.25, 2.75, 0.0123, 0.0246)
TABLES = [("a<b", Standings("final score", (NEW, OLD, EMPTY), (PAIR,)))]


def test_a_standing_and_a_pair_are_rows_of_cells():
    assert standing_row(NEW) == ("new & old", "8.00", "7.50 to 8.50", "1", "a", "10", "20", "1")
    assert standing_row(OLD)[3:5] == ("2-3", "")
    assert standing_row(EMPTY)[1:3] == ("-", "-")
    assert pair_row(PAIR) == ("new & old - old", "+2.00", "1.25 to 2.75", "0.012", "0.025")
    assert pair_row(PAIR._replace(mean=-0.5, p_value=0.00049, adjusted=0.0005))[1:] == (
        "-0.50", "1.25 to 2.75", "<0.001", "0.001",
    )  # fmt: skip
    nothing = PAIR._replace(mean=None, low=None, high=None, p_value=None, adjusted=None)
    assert pair_row(nothing)[1:] == ("-", "-", "-", "-")


def test_every_table_has_the_variants_and_then_the_pairs_of_each_judge():
    rows = list(csv.reader(io.StringIO(standings_csv(TABLES))))
    assert rows[1:] == [
        ["a<b", "variant", "new & old", "8", "7.5", "8.5", "1", "1", "a", "10", "", ""],
        ["a<b", "variant", "old", "6", "5.5", "6.5", "2", "3", "", "10", "", ""],
        ["a<b", "variant", "none", "", "", "", "3", "3", "b", "0", "", ""],
        ["a<b", "pair", "new & old - old", "2", "1.25", "2.75", "", "", "", "10", "0.0123", "0.0246"],
    ]
    latex = standings_latex(TABLES)
    assert latex.count(r"\begin{table}") == 2 and r"new \& old & 8.00 & 7.50 to 8.50" in latex
    assert r"a\textless{}b" in latex
    alone = [("j", Standings("final score", (NEW,), ()))]
    assert standings_latex(alone).count(r"\begin{table}") == standings_markdown(alone).count("|---") // 8 == 1
    assert standings_markdown(TABLES).index("new & old |") < standings_markdown(TABLES).index("new & old - old")
    (document,) = standings_document(TABLES)
    assert (document["judge"], document["measure"], len(document["variants"])) == ("a<b", "final score", 3)
    assert [pair["told_apart"] for pair in document["pairs"]] == [True]


def test_a_picture_has_each_mean_on_its_interval_and_one_scale_for_all():
    """From 5.5 to 8.5, with 8 % more at either end: 5.26 to 8.74 over 400 pixels from 220 on.

    The mean of 8: 220 + 400 * (8 - 5.26) / 3.48 = 534.9; of 6: 305.1. What has no mean is not drawn."""
    svg = standings_svg(TABLES)
    assert re.findall(r'<circle cx="([\d.]+)" cy="(\d+)"', svg) == [("534.9", "56"), ("305.1", "82")]
    assert re.findall(r'<line x1="([\d.]+)" x2="([\d.]+)" y1="(\d+)" y2="(\d+)" stroke="#333"', svg) == [
        ("477.5", "592.4", "56", "56"),
        ("247.6", "362.5", "82", "82"),
    ]
    assert re.findall(r'<text x="10" y="(\d+)"[^>]*>([^<]*)<', svg) == [
        ("34", "a&lt;b"),
        ("60", "new &amp; old (a)"),
        ("86", "old"),
    ]
    axis = re.findall(r'<text x="([\d.]+)" y="122" class="axis" text-anchor="middle">([\d.]+)<', svg)
    assert axis == [("220.0", "5.26"), ("320.0", "6.13"), ("420.0", "7.00"), ("520.0", "7.87"), ("620.0", "8.74")]
    assert 'viewBox="0 0 650 138"' in svg and '<line x1="220" x2="620" y1="106" y2="106"' in svg
    assert "<title>new &amp; old (a): 8.00, 7.50 to 8.50</title>" in svg


def test_a_picture_of_one_mean_or_of_none_has_a_scale_too():
    """Half a point around it; from 0 to 1 with 8 % more at either end where there is nothing."""
    one = standings_svg([("j", Standings("final score", (NEW._replace(low=None, high=None),), ()))])
    assert re.findall(r'middle">([\d.-]+)<', one) == ["7.50", "7.75", "8.00", "8.25", "8.50"]
    assert 'stroke="#333"' not in one and '<circle cx="420.0"' in one
    none = standings_svg([("j", Standings("final score", (EMPTY,), ()))])
    assert re.findall(r'middle">([\d.-]+)<', none) == ["-0.08", "0.21", "0.50", "0.79", "1.08"]
    assert "<circle" not in none and 'class="judge"' not in none
