"""A suite's page shows the work first: a row a case, a column a variant, the largest falls at the top."""

from __future__ import annotations

import re
from decimal import Decimal

import pytest
from conftest import judged, seven
from html_reading import self_contained

import evenhand
from evenhand.decisions.suite_run import StoredDetail, SuiteRun
from evenhand.decisions.suite_table import suite_table
from evenhand.reports.comparison.suite import run_report
from evenhand.reports.html.walker import report_page
from evenhand.reports.tree import Report
from evenhand.work.agent_run import CaseResult, RunId

OUTPUTS = {
    ("rose", "main"): ("Short.", 600),
    ("rose", "draft"): ("Short and clear.", 800),
    ("fell", "main"): ("## Breaking\n\nThe flag is gone.", 810),
    ("fell", "draft"): ("## Added\n\nThe flag is gone.", 600),
    ("same", "main"): ('{"message": "No changes today."}', 700),
    ("same", "draft"): ('{"message": "No changes today."}', 700),
    ("crashed", "main"): ("It works.", 700),
}
VARIANTS = ("main", "draft")


def report() -> Report:
    results = [CaseResult(RunId("crashed", "draft", 1), "failed", "exit code 1: no memory")]
    details = {}
    for (case, variant), (output, final) in OUTPUTS.items():
        id = RunId(case, variant, 1)
        results.append(CaseResult(id, "finished", final=final, grade="B", met=1, expectations=2, cost=Decimal("0.02")))
        details[id] = StoredDetail(judged(seven(8), id=f"{case}-{variant}"), output, 0)
    run = SuiteRun("r1", "nightly", "ab" * 32, "2026-01-01T00:00:00Z", VARIANTS, "main", 1, 4)
    return run_report(run, evenhand.decide(suite_table(run, results)), results, details=details)


def page() -> str:
    return report_page(report())


@pytest.fixture(scope="module")
def rows() -> dict[str, str]:
    """The HTML of each case's row, in their order."""
    bodies = re.findall(r'<tbody class="case.*?</tbody>', page(), re.DOTALL)
    return {re.search(r'<th scope="row">(\w+)', body)[1]: body for body in bodies}


def test_the_largest_falls_stand_first(rows: dict[str, str]):
    """A crash counts as 1.00: 6.00 points less; then 2.10 less; then what is equal; then what is better."""
    assert list(rows) == ["crashed", "fell", "same", "rose"]
    assert ["worse" in body.split(">")[0] for body in rows.values()] == [True, True, False, False]
    assert "failed" in rows["crashed"].split(">")[0] and "exit code 1: no memory" in rows["crashed"]


def test_a_cell_has_the_outputs_beginning_its_score_the_difference_what_is_met_and_the_cost(rows: dict[str, str]):
    cells = rows["fell"].split('class="opened"')[0]
    for words in ("## Added The flag is gone.", "<b>6.00</b>", "−2.10", "1 of 2 met", "$0.0200"):
        assert words in cells


def test_a_cell_leads_to_its_output_beside_its_rivals_with_the_difference_marked(rows: dict[str, str]):
    """The addresses of the cells are those of the parts that open below the row."""
    body = rows["fell"]
    leads = re.findall(r'href="#(case-[\d-]+)"', body)
    assert len(leads) == 2 and all(f'id="{name}"' in body for name in leads)
    assert "<del>Breaking</del>" in body and "<ins>Added</ins>" in body
    assert "<del>" not in rows["same"] and "<ins>" not in rows["same"]


def test_an_answer_in_json_is_shown_as_its_text(rows: dict[str, str]):
    assert "No changes today." in rows["same"] and "message" not in rows["same"]


def test_the_work_stands_before_everything_that_follows_from_it():
    text = page()
    places = [text.index(words) for words in ("<h1>", 'id="cases"', 'id="variants"', "What the data show")]
    assert places == sorted(places)
    assert "only worse (2)" in self_contained(text).words and "only lost or unscored (1)" in self_contained(text).words
