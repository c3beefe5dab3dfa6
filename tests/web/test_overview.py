"""The first page: what needs a look, each skill's week, each suite's verdict, what it cost and what waits."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest
from browser import LOOKS
from conftest import seven
from dashboard import Dashboard, on_one_store
from web_stores import keep, store_with_course, store_with_history

from evenhand.judging.keeper import Keeper
from evenhand.store import open_store
from evenhand.store.tables.reviews import Decision, ReviewRound
from evenhand.store.tables.web_log import LogEntry


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def dashboard(request: Any, tmp_path_factory: Any) -> Iterator[Dashboard]:
    """Skills that were judged by people until 2026-01-14, one of which fell; another by models until 2026-04-10."""
    if request.param == "postgresql":
        url = request.getfixturevalue("postgresql_server").empty_database()
    else:
        url = str(tmp_path_factory.mktemp("store") / "evaluations.db")
    store_with_history(url)
    store_with_course(url)
    with closing(open_store(url)) as store, store.transaction():
        record = store.find("fix-0009", None)
        assert record is not None
        fault = '{"check":"dead-link","dimension":"correctness","message":"It leads nowhere.","severity":"major"}'
        scorecard = record.scorecard.replace('"disputed":[]', '"disputed":["safety"]')
        scorecard = f'{scorecard[:-1]},"findings":[{fault}]}}'
        store.add(record._replace(id="disputed-1", completed=record.completed + 1, scorecard=scorecard))
        store.add_log(LogEntry("2026-04-02T00:00:00Z", "bo", "127.0.0.1", "reviewed", "round-1 item 1"))
        started = ReviewRound("round-1", "2026-04-01T00:00:00Z", "ana", "sample", 9, 3, "seed", "code", None)
        store._insert(ReviewRound, "review_rounds", [started])
        store.add_decision(Decision("round-1", 0, "bo", "2026-04-02T00:00:00Z", "code-0-bo"))
        store.add_decision(Decision("round-1", 0, "ana", "2026-04-02T00:00:00Z", "code-0-ana"))
    with Dashboard(url) as running:
        yield running


def test_the_week_is_the_seven_days_up_to_the_newest_evaluation(dashboard):
    """The newest is of 2026-04-10 16:00, three evaluations a day: 21 of them at one cent, and 21 the week before."""
    assert dashboard.json("/")["week"] == {
        "from": "2026-04-03",
        "to": "2026-04-10",
        "evaluations": 21,
        "evaluations_before": 21,
        "failed": 0,
        "suite_runs": 0,
        "cost": 0.21,
        "cost_before": 0.21,
        "unpriced": 0,
        "waiting": 2,
    }


def test_a_skill_that_fell_needs_a_look(dashboard):
    """`prose` fell on 2026-01-13; both of its judges judged before and after, so nothing else changed."""
    document = dashboard.json("/")
    assert [row["skill"] for row in document["needs_a_look"]] == ["prose"] and document["drifting"] == 1
    assert document["needs_a_look"][0]["since"] == "2026-01-13"
    assert document["needs_a_look"][0]["changed"] == ""


def test_drift_is_not_hidden_by_a_newer_evaluation_that_nobody_graded(tmp_path):
    """The latest graded one counts."""
    path = str(tmp_path / "evaluations.db")
    store_with_history(path)
    with closing(open_store(path)) as store:
        scores = {**seven(8), "safety": {"score": None, "unscored": "no reply"}}
        keep(Keeper(store), "x", skill="prose", scores=scores, id="late", created="2026-02-01T00:00:00Z")
    with Dashboard(path) as running:
        document = running.json("/")
    [latest] = [row["latest"] for row in document["skills"] if row["skill"] == "prose"]
    assert (latest["id"], latest["grade"]) == ("late", None)
    assert [row["skill"] for row in document["needs_a_look"]] == ["prose"]


def test_a_skill_shows_its_week_and_what_judging_one_cost(dashboard):
    """21 evaluations at one cent each; a skill that was not judged in the week has no mean and no cost."""
    rows = {row["skill"]: row["week"] for row in dashboard.json("/")["skills"]}
    week = rows["fix-bug"]
    assert (week["cost"], week["cost_each"]) == (0.21, 0.01)
    assert 6.1 < week["mean"] < 6.3 and week["change"] == round(week["mean"] - week["mean_before"], 2)
    assert rows["code"]["mean"] is rows["code"]["cost_each"] is None


def test_a_suite_shows_what_its_newest_run_decided(dashboard):
    """The sentence that the run's own page begins with."""
    [suite] = dashboard.json("/")["suites"]
    assert suite["run"] == "run-demo"
    assert suite["verdict"] == [
        "demo2 is better than demo: in 6 of 6 cases, typically by +1.00 (+1.00 to +3.00); 1 run of demo lost, which "
        "counts as the worst; losses rarer than 1 in 2 cases may not show"
    ]


def test_undecided_items_wait_for_review(dashboard):
    """Three items, one of them decided by two people: two wait."""
    assert [row["open"] for row in dashboard.json("/")["reviews_waiting"]] == [2]
    assert "2 items wait for review" in dashboard.get("/").text


def test_an_empty_store_has_an_overview(tmp_path):
    """It says how to begin."""
    path = str(tmp_path / "evaluations.db")
    with closing(open_store(path)) as store:
        store.create()
    with Dashboard(path) as running:
        assert "No evaluation yet" in running.get("/").text
        assert running.json("/")["week"] is None


@pytest.mark.slow
@on_one_store("dashboard")
def test_the_overview_has_no_barrier_and_the_keyboard_suffices(browser, dashboard):
    """In light and dark, narrow and wide; Tab leads to what needs a look, Enter opens it."""
    with browser.open(f"{dashboard.url}/") as opened:
        opened.check(scripts=(f"{dashboard.url}/static/",), idle=False)
        for width, scheme in LOOKS:
            opened.look(width, scheme)
            opened.check_width()
            opened.check_barriers()
            opened.check_controls()
        page = opened.page
        page.get_by_role("link", name="Skip to content").press("Enter")
        for _ in range(10):
            page.keyboard.press("Tab")
            if opened.evaluate("document.activeElement.textContent") == "prose":
                break
        page.keyboard.press("Enter")
        page.wait_for_url("**/skill?name=prose")
