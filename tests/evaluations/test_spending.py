"""What was spent: counted once, where it was paid for, under the right skill, judge and suite."""

from __future__ import annotations

import json
from decimal import Decimal
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner
from conftest import judged, seven

from evenhand import clock
from evenhand.cli.commands.follow import cost
from evenhand.documents.suite_results import result_document
from evenhand.errors import StoreUnavailable
from evenhand.evaluations.spending import NO_MODEL, Spent, spending
from evenhand.store.record import Record, record_of
from suite_cases import result

RECORD = record_of(judged(seven(8), judge="model:a", skill="notes"), completed=0, submission=None, keep_text=True)


def evaluation(cost: str | None = "0.5", *, skill: str = "notes", **more: object) -> Record:
    """An evaluation for which three calls were made; a cost of None is not known."""
    calls = {"asked": 3, "input_tokens": 100, "output_tokens": 20, "cost": cost}
    return RECORD._replace(skill=skill, scorecard=json.dumps({"panel": {"calls": calls}, **more}))


def run(id: str, suite: str, created: str = "2026-01-01T00:00:00Z", **document: object) -> SimpleNamespace:
    return SimpleNamespace(id=id, suite=suite, created=created, document=json.dumps(document))


def store_of(*records: Record, runs: tuple[SimpleNamespace, ...] = (), results: Any = None) -> Any:
    """A store with these evaluations and runs of suites, the newest run first."""
    rows = {
        id: [SimpleNamespace(document=json.dumps(result_document(one))) for one in many]
        for id, many in (results or {}).items()
    }
    return SimpleNamespace(
        evaluations=lambda since=None: [one for one in records if since is None or one.completed >= since],
        suite_runs=lambda limit: list(runs),
        suite_results=lambda id: rows.get(id, []),
    )


def test_an_evaluation_is_counted_under_its_skill_judge_and_suite():
    """Two notes of 0.5 each, one of them of a suite, and a mail whose price nobody knows."""
    records = [
        evaluation(),
        evaluation(suite={"run": "r1"}),
        evaluation(None, skill="mails", suite={"run": "gone"}),
    ]
    made = spending(store_of(*records, runs=(run("r1", "study"),)))
    assert made.total == Spent("total", 3, 9, 300, 60, Decimal("1.0"), Decimal(0), 1)
    assert made.total.cost == Decimal("1.0")
    assert made.skills == (
        Spent("notes", 2, 6, 200, 40, Decimal("1.0")),
        Spent("mails", 1, 3, 100, 20, unknown=1),
    )
    assert [spent.name for spent in made.judges] == ["model:a"]
    assert made.suites == (
        Spent("study", 1, 3, 100, 20, Decimal("0.5")),
        Spent("gone", 1, 3, 100, 20, unknown=1),  # its run is not in the store
    )


def test_what_no_model_judged_costs_nothing_and_is_known_to():
    made = spending(store_of(RECORD._replace(scorecard=json.dumps({"panel": None}))))
    assert made.total == Spent("total", 1)
    assert [spent.name for spent in made.judges] == [NO_MODEL]
    free = RECORD._replace(scorecard=json.dumps({"panel": {"calls": {"asked": 0, "cost": None}}}))
    assert (spending(store_of(free)).total.unknown, spending(store_of(free)).judges[0].name) == (0, "model:a")


def test_a_rescored_evaluation_asked_no_one():
    assert spending(store_of(evaluation(rescored_from="x"))).total == Spent("total")


def test_the_dearest_comes_first_then_the_most_often_judged_then_the_name():
    records = [evaluation(cost, skill=skill) for skill, cost in (("c", "1"), ("b", "1"), ("a", "2"), ("d", "0.5"))]
    records.append(evaluation("0.5", skill="d"))
    assert [spent.name for spent in spending(store_of(*records)).skills] == ["a", "d", "b", "c"]


def test_an_agent_s_run_is_counted_once_however_often_it_was_reused():
    """Under the suite that made it first: the older of the two."""
    made = result("c", "v", key="k", cost=Decimal("0.2"), tokens=5)
    runs = (run("new", "later"), run("old", "first", skill="notes"))
    found = spending(store_of(runs=runs, results={"old": [made], "new": [made]}))
    assert found.total == Spent("total", agents=Decimal("0.2"))
    assert found.suites == (Spent("first", agents=Decimal("0.2")),)
    assert found.skills == (Spent("notes", agents=Decimal("0.2")),)


def test_runs_without_a_key_are_told_apart_and_those_that_state_nothing_are_not_counted():
    """Tokens without a price are a cost that is not known."""
    rows = [
        result("a", "v", cost=Decimal("0.2")),
        result("b", "v", tokens=5),
        result("c", "v"),
    ]
    found = spending(store_of(runs=(run("r", "s"),), results={"r": rows}))
    assert found.total == Spent("total", agents=Decimal("0.2"), unknown=1)


def test_what_pairs_cost_belongs_to_the_suite():
    pairs = {"calls": {"asked": 4, "cost": 0.25}}
    found = spending(store_of(runs=(run("r", "s", pairs=pairs), run("q", "s", pairs={"calls": {"asked": 1}}))))
    assert found.suites == (Spent("s", calls=4, judging=Decimal("0.25")),)
    assert found.skills == ()


@pytest.mark.parametrize(("later", "counts"), [(0, True), (1, False)])
def test_what_was_made_at_a_moment_was_made_since(later: int, counts: bool):
    """A run that was made before is not counted again where it is reused."""
    created = "2026-01-01T00:00:00Z"
    made = result("c", "v", key="k", cost=Decimal("0.2"))
    pairs = {"calls": {"asked": 4, "cost": 1}}
    reused = run("new", "s", "2026-02-01T00:00:00Z")
    store = store_of(runs=(reused, run("r", "s", created, pairs=pairs)), results={"r": [made], "new": [made]})
    found = spending(store, since=clock.microseconds(created) + later)
    assert found.total.cost == (Decimal("1.2") if counts else 0)


def test_a_damaged_result_is_said_with_its_run():
    store = store_of(runs=(run("r", "s"),))
    store.suite_results = lambda id: [SimpleNamespace(document="{}")]
    with pytest.raises(StoreUnavailable, match="a result of the run r is damaged: "):
        spending(store)


@pytest.mark.parametrize(
    ("records", "agents", "row"),
    [
        ([evaluation(None)], None, "| notes | 1 | 3 | 100 | 20 | unknown |"),
        ([evaluation("0.5")], None, "| notes | 1 | 3 | 100 | 20 | $0.5000 |"),
        ([evaluation("0.5"), evaluation(None)], None, "| notes | 2 | 6 | 200 | 40 | $0.5000 or more |"),
        ([evaluation("0.5")], "0.2", "| notes | 1 | 3 | 100 | 20 | $0.5000 | $0.2000 | $0.7000 |"),
    ],
)
def test_a_price_that_is_not_known_is_no_zero(records, agents, row, monkeypatch):
    """Agents have a column of their own where one cost anything."""
    runs = (run("r", "s", skill="notes"),)
    made = {"r": [result("c", "v", cost=Decimal(agents))]} if agents else {}
    store = store_of(*records, runs=runs, results=made)
    monkeypatch.setattr(cost, "needed_store", lambda _: store)
    done = CliRunner().invoke(cost.command, ["--format", "markdown"])
    assert row in done.stdout.splitlines()
    assert ("whose price is not known" in done.stderr) is (
        None in [r.document["panel"]["calls"]["cost"] for r in records]
    )
