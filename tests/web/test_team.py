"""What a team lead asks of 60 days of work, each answered within two clicks or one search; one number everywhere."""

from __future__ import annotations

import csv
import io
import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest
from conftest import ROOT
from dashboard import Dashboard

from evenhand.decisions.suite_run import SuiteRun
from evenhand.store import open_store
from evenhand.suites.results.suite_results import save_run
from evenhand.work.agent_run import CaseResult, RunId

sys.path.insert(0, str(ROOT / "scripts"))
import team_store

KEPT = 60 * 3 + 50 + 10 + 3 * (16 + 8)
"""Three skills on 60 days, sessions, failures, and three runs of two suites: two variants and one, of eight cases."""
LOST = 1
PAID = (KEPT - LOST) * team_store.COST + 3 * 24 * team_store.AGENT_COST


@pytest.fixture(scope="module")
def path(tmp_path_factory: Any) -> str:
    path = str(tmp_path_factory.mktemp("team") / "team.db")
    with closing(open_store(path)) as store:
        team_store.fill(store)
    return path


@pytest.fixture(scope="module")
def dashboard(path: str) -> Iterator[Dashboard]:
    with Dashboard(path) as running:
        yield running


QUESTIONS: dict[str, tuple[list[str], str]] = {
    "who fell, and since when": ([], r"fix-bug drift since about 2026-11-02"),
    "what changed then": ([], r"around then judge's model: judge-a-2 → judge-a-3"),
    "what did this week cost": ([], r"\$\d+\.\d\d for judges and agents"),
    "did judgements fail": ([], r"11 attempts failed"),
    "why did they fail": (["link=11 attempts failed"], r"the reply was cut off after 4,096 tokens"),
    "which variant is worse": ([], r"shorter is worse than main: in 8 of 8 cases"),
    "what did that suite cost": ([], r"main 8\.\d\d, shorter 6\.\d\d\s+\$0\.\d\d"),
    "which case fell furthest, and what came out": (
        ["link=nightly-notes"],
        r"(?s)case-6.*out of memory.*1\.00.*−[67]\.\d\d.*case-\d",
    ),
    "what does each output look like": (["link=nightly-notes"], r"## Added Change \d of shorter, night 2\."),
    "why did this one get its score": (
        ["link=2026-11-16 10:00"],
        r"(?s)Seven dimensions.*correctness.*What would help",
    ),
    "where is the session about baggage": (["search=baggage"], r"Answer the customer about the lost baggage\."),
    "what of this skill is below a B": (["search=skill:fix-bug grade:<B"], r"Fix the crash in ticket 59\."),
    "which judge can be trusted for what": (["link=Judges"], r"(?s)openai:judge-a.*to give a level\s+yes"),
    "what did each judge cost": (["link=Judges"], r"(?s)What each did.*\$\d\.\d\d"),
    "which rubrics were used, in which versions": (["link=Rubrics"], r"(?s)code-review.*default"),
    "when was the rubric of this skill exchanged": (
        ["link=sql-writer"],
        r"2026-10-28 \d\d:\d\d rubric: default .* → code-review",
    ),
    "what waits for me": (["link=Review"], r"Nothing waits for you"),
}


@pytest.mark.slow
def test_a_team_lead_has_every_answer_within_two_clicks_or_one_search(browser, dashboard):
    """From the first page, without scripts; the answer itself is on the page."""
    wrong = {}
    with browser.without_scripts(f"{dashboard.url}/") as page:
        for question, (steps, answer) in QUESTIONS.items():
            assert len(steps) <= 2
            page.goto(f"{dashboard.url}/")
            for step in steps:
                kind, _, words = step.partition("=")
                if kind == "search":
                    page.locator("header input[name=q]").fill(words)
                    page.locator("header input[name=q]").press("Enter")
                    page.wait_for_url("**/evaluations**")
                else:
                    page.get_by_role("link", name=words, exact=True).first.click()
            content = page.locator("main").inner_text()
            if not re.search(answer, content):
                wrong[question] = content[:1200]
    assert wrong == {}


def listed(dashboard: Dashboard, **asked: str) -> list[dict[str, Any]]:
    rows, before = [], ""
    query = "&".join(f"{name}={value}" for name, value in asked.items())
    while True:
        part = dashboard.json(f"/evaluations?{query}" + (f"&before={before}" if before else ""))
        rows += part["listed"]
        if not (before := part["next"] or ""):
            return rows


def evenhand(path: str, *arguments: str) -> Any:
    command = [sys.executable, "-m", "evenhand", *arguments, "--store", path, "--format", "json"]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def test_every_page_the_commands_and_the_table_say_the_same_numbers(dashboard, path):
    """How many are kept, how many failed and what all of it cost, suites and failed attempts included."""
    rows = listed(dashboard)
    sheet: list[dict[str, str]] = []
    before = ""
    while True:  # the table has the rows of the page
        part = f"&before={before}" if before else ""
        sheet += csv.DictReader(io.StringIO(dashboard.get(f"/evaluations?format=csv{part}").text))
        before = dashboard.json(f"/evaluations?{part}")["next"]
        if not before:
            break
    assert len(rows) == len(sheet) == KEPT
    states = Counter(row["state"] for row in rows)
    assert states == {"graded": KEPT - 10 - LOST, "failed": 10, "lost": LOST}
    assert states == Counter(row["state"] for row in sheet)
    spent = evenhand(path, "history", "--cost")
    assert spent["total"]["evaluations"] == KEPT
    history = {row["skill"]: row for row in evenhand(path, "history")}
    overview = {row["skill"]: row for row in dashboard.json("/")["skills"]}
    by_skill = Counter(row["skill"] for row in rows)
    assert by_skill == {name: row["evaluations"] + row["in_suites"] for name, row in history.items()}
    assert by_skill == {name: row["evaluations"] for name, row in overview.items()}
    assert by_skill == {name: dashboard.json(f"/skill?name={name}")["evaluations"] for name in by_skill}
    assert len(evenhand(path, "history", "--failed")) == states["failed"] + states["lost"]
    cost = round(sum(row["cost"] for row in rows), 6)
    assert cost == round(sum(float(row["cost"]) for row in sheet), 6) == pytest.approx(float(PAID))
    assert float(spent["total"]["cost"]) == pytest.approx(cost)
    judges = dashboard.json("/judges")
    assert (judges["evaluations"], judges["kept"], judges["lost"]) == (KEPT - LOST, KEPT, LOST)
    assert sum(row["cost"] for row in judges["judges"]) == pytest.approx(float((KEPT - LOST) * team_store.COST))


@pytest.mark.parametrize(
    ("asked", "count"),
    [
        ("state:failed", 10),
        ("state:lost", 1),
        ("suite:nightly-notes-run-3", 16),
        ("suite:nightly-notes-run-3 variant:shorter", 8),
        ('kind:"agent run"', 50),
        ("skill:sql-writer rubric:code-review", 20),
        ("judge:anthropic:judge-b", 60),
        ("from:2026-11-16 kind:output state:graded", 3),
        ("skill:fix-bug grade:<B from:2026-11-02", 15),
        ("skill:fix-bug grade:>=B from:2026-11-02", 0),
    ],
)
def test_the_search_field_narrows_the_list(dashboard, asked, count):
    from urllib.parse import quote_plus

    assert len(listed(dashboard, q=quote_plus(asked))) == count


@pytest.mark.parametrize("grade", ["A", "A-", "B+", "B", "B-", "C+", "C", "C-", "D+"])
def test_below_a_grade_and_from_a_grade_on_are_all_graded_work(dashboard, grade):
    """Whatever the edges of the grades are: nothing is in both, and nothing in neither."""
    from urllib.parse import quote

    below, on = (
        {row["id"] for row in listed(dashboard, q=quote(f"{sign}".join(("grade:", grade))))} for sign in ("<", ">=")
    )
    above, up_to = (
        {row["id"] for row in listed(dashboard, q=quote(f"{sign}".join(("grade:", grade))))} for sign in (">", "<=")
    )
    graded = {row["id"] for row in listed(dashboard, state="graded")}
    assert below | on == above | up_to == graded
    assert not below & on and not above & up_to
    assert {row["grade"] for row in listed(dashboard, grade=quote(grade))} <= {grade}
    assert on - above == {row["id"] for row in listed(dashboard, grade=quote(grade))}


def test_each_part_of_a_search_is_a_chip_that_can_be_taken_off(dashboard):
    """What is left stays as it was."""
    text = dashboard.get("/evaluations?q=skill%3Afix-bug+cache&state=graded").text
    chips = dict(re.findall(r'<a href="([^"]*)" aria-label="Remove ([^"]*)"', text))
    assert {words: address.replace("&amp;", "&") for address, words in chips.items()} == {
        "skill:fix-bug": "/evaluations?state=graded&q=cache",
        "cache": "/evaluations?state=graded&q=skill%3Afix-bug",
        "state:graded": "/evaluations?q=skill%3Afix-bug+cache",
    }


@pytest.mark.parametrize(
    ("asked", "problem"),
    [
        ("grade:Z", "takes A+, A, A-"),
        ("grade:<none", "takes A+, A, A-"),
        ("skill:a skill:b", "given twice"),
        ("state:odd", "must be one of graded"),
        ("min:12", "a score from 0 to 10"),
    ],
)
def test_a_search_that_means_nothing_says_what_is_valid(dashboard, asked, problem):
    from urllib.parse import quote_plus

    answer = dashboard.get(f"/evaluations?q={quote_plus(asked)}")
    assert answer.status == 400 and problem in answer.text.replace("&#34;", '"')


def test_a_name_that_is_not_known_is_a_word(dashboard):
    """An address has a colon too."""
    assert dashboard.get("/evaluations?q=https%3A%2F%2Fexample.org").status == 200


PAGES = (
    "/",
    "/evaluations",
    "/evaluations?q=baggage",
    "/skill?name=fix-bug",
    "/evaluation?id=fix-bug-59",
    "/evaluation?id=fix-bug-50&against=fix-bug-40",
    "/suites",
    "/suite?run=nightly-notes-run-3",
    "/judges",
    "/judges?name=openai:judge-a",
    "/rubrics",
    "/rubrics?name=default",
    "/reviews",
    "/log",
)
CUT = """[...document.querySelectorAll('.scroll')].filter(one => one.scrollWidth > one.clientWidth + 1)
    .map(one => one.getAttribute('aria-label')).filter(name => name !== 'Chart')"""


@pytest.mark.slow
@pytest.mark.parametrize("width", [390, 1024, 1280, 1680])
def test_no_table_is_cut_at_any_width(browser, dashboard, width):
    """Charts alone scroll, with the newest in view."""
    cut = {}
    with browser.without_scripts(f"{dashboard.url}/") as page:
        page.set_viewport_size({"width": width, "height": 900})
        for path in PAGES:
            page.goto(f"{dashboard.url}{path}")
            found = page.evaluate(CUT)
            if found or page.evaluate("document.documentElement.scrollWidth > innerWidth"):
                cut[path] = found
    assert cut == {}


@pytest.mark.slow
def test_paper_opens_what_is_folded_and_drops_forms(browser, dashboard):
    """Outputs beside their rivals on a suite's page, the arithmetic on an evaluation's."""
    with browser.without_scripts(f"{dashboard.url}/") as page:
        pages = (("/suite?run=nightly-notes-run-3", ".rival"), ("/evaluation?id=fix-bug-59", ".folded .facts"))
        for path, folded in pages:
            page.goto(f"{dashboard.url}{path}")
            assert not page.locator(folded).first.is_visible()
            page.emulate_media(media="print")
            assert page.locator(folded).first.is_visible()
            assert not any(form.is_visible() for form in page.locator("form").all())
            page.emulate_media(media="screen")


def test_after_a_comparison_alone_the_overview_has_its_verdict(tmp_path):
    """Nothing was evaluated for any skill, yet two variants were compared."""
    path = str(tmp_path / "better.db")
    results = [
        CaseResult(RunId(f"case-{case}", variant, 1), "finished", final=final, grade="B")
        for case in range(8)
        for variant, final in (("old", 700), ("new", 800))
    ]
    run = SuiteRun("r", "better", "ab" * 32, "2026-01-01T00:00:00Z", ("old", "new"), "old", 1, 8)
    with closing(open_store(path)) as store:
        store.create()
        save_run(store, run, results)
    with Dashboard(path) as running:
        text = running.get("/").text
    assert "new is better than old: in 8 of 8 cases" in text
    assert "No evaluation yet" not in text and "Nothing here" not in text
