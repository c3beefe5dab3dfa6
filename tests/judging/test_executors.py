"""What executors share and what each makes of its rows: budgets, rate limits, replies, and submissions in tables."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from decimal import Decimal

import pyarrow as pa
import pytest

import models_here
from evenhand import InputError, Submission
from evenhand.judges.models.budget import Budget
from evenhand.judging.panels.panel import OpenPanel
from evenhand.judging.panels.panel_judging import PanelJudging
from evenhand.judging.panels.preferences import PairComparison, match_items
from evenhand.judging.steps import Steps
from evenhand.judging.tables.shared_limits import SharedLimits
from evenhand.judging.tables.spark import Work, judge_batches
from evenhand.options.model_options import ModelOptions
from evenhand.providers.exchange import Stopped
from evenhand.rubrics.resolved import resolve

WORK = "The service hangs because its disk is full, as the third line of its log shows."


@pytest.fixture
def models(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    return models_here.install(monkeypatch)


class Replies(dict[str, str]):
    put = dict.__setitem__


# --- the server's side


def told(limits: SharedLimits, action: str, worker: str = "w", **body):
    return asyncio.run(getattr(limits, f"do_{action}")(worker, **body))


def shared(**budget) -> SharedLimits:
    """Limits with one worker at the line."""
    made = SharedLimits(Budget(**budget), Replies())
    made._reserved["w"] = []
    return made


def test_a_reservation_is_settled_once_with_what_it_cost():
    limits = shared(max_cost=Decimal(1))
    assert told(limits, "reserve", most="0.70")
    assert not limits.budget.any_reply
    assert told(limits, "settle", most="0.70", cost="0.10", failed=False)
    assert told(limits, "settle", most="0.70", cost="0.10", failed=False)
    assert (limits.budget.cost, limits.budget.calls, limits.budget.any_reply) == (Decimal("0.10"), 1, True)
    assert told(limits, "reserve", most="0.90")


def test_a_call_that_failed_is_not_a_reply():
    limits = shared()
    told(limits, "reserve", most=None)
    told(limits, "settle", most=None, cost=None, failed=True)
    assert not limits.budget.any_reply
    told(limits, "settle", worker="other", most=None, cost="5", failed=False)
    assert not limits.budget.any_reply


def test_one_reply_is_enough_whatever_fails_later():
    limits = shared()
    for failed in (False, True):
        told(limits, "reserve", most=None)
        told(limits, "settle", most=None, cost=None, failed=failed)
    assert limits.budget.any_reply


def test_a_worker_that_was_lost_while_it_waited_gets_nothing():
    limits = shared(max_cost=Decimal(1))
    assert told(limits, "reserve", "lost", most="0.70") is False
    assert told(limits, "reserve", most="1") is True


def test_attempts_are_counted_and_a_stop_is_for_all():
    limits = shared(max_calls=2)
    told(limits, "reserve", most=None)
    told(limits, "retry")
    with pytest.raises(Stopped):
        told(limits, "retry")
    assert limits.budget.calls == 2
    other = shared()
    told(other, "stop", reason="enough", broken=True)
    assert (other.budget.stopped, other.budget.broken) == ("enough", True)
    with pytest.raises(Stopped):
        told(other, "reserve", most=None)


def test_replies_are_kept_where_there_is_a_file_for_them():
    limits = shared()
    assert told(limits, "get", key="k") is None
    assert told(limits, "put", key="k", reply="r")
    assert told(limits, "get", key="k") == "r"
    none = SharedLimits(Budget(), None)
    assert told(none, "put", key="k", reply="r") and told(none, "get", key="k") is None


def test_what_was_taken_can_be_corrected_by_its_number():
    """Ten a minute by one name: 10 taken and corrected to 1 leave room for 9; another name has a limit of its own."""
    limits = shared()

    async def taking() -> list[int]:
        first = await limits.do_take("w", "tokens", 10, 10)
        await limits.do_correct("w", first, 1)
        second = await asyncio.wait_for(limits.do_take("w", "tokens", 10, 9), 5)
        third = await asyncio.wait_for(limits.do_take("w", "calls", 10, 10), 5)
        await limits.do_correct("w", 99, 1)
        return [first, second, third]

    assert asyncio.run(taking()) == [1, 2, 3]


# --- an executor's side


def rows_of(models, rows: list[dict], judges: tuple[str, ...] = ("openai:one",), **budget) -> list[dict]:
    limits = SharedLimits(Budget(**budget), Replies())
    options = ModelOptions(concurrency=1)
    work = Work(judges, resolve("default").rubric, options, {}, b"secret", None)
    batch = pa.RecordBatch.from_pylist(rows)
    if judges == ("checks",):
        return [row for made in judge_batches(work, [batch]) for row in made.to_pylist()]
    with limits.served("127.0.0.1") as address:
        return [row for made in judge_batches(work._replace(address=address), [batch]) for row in made.to_pylist()]


def test_every_row_gets_its_scorecard_beside_its_own_columns(models):
    rows = [{"output": f"{WORK} {n}", "task": "Why?", "skill": "ops", "id": f"r{n}", "batch": n} for n in range(2)]
    made = rows_of(models, rows)
    assert [(row["batch"], row["final"], row["grade"], row["problem"]) for row in made] == [
        (0, Decimal("8.00"), "B+", None),
        (1, Decimal("8.00"), "B+", None),
    ]
    cards = [json.loads(row["scorecard"]) for row in made]
    assert [(card["task"], card["skill"]) for card in cards] == [("Why?", "ops")] * 2
    assert {(row["low"], row["high"]) for row in made} == {(None, None)}


def test_a_row_without_an_output_or_with_bad_expectations_is_a_problem_in_its_place(models):
    rows = [
        {"output": None, "expect": None},
        {"output": WORK, "expect": "["},
        {"output": WORK, "expect": '[{"answer": {"contains": "disk"}}]'},
        {"output": "", "expect": None},
    ]
    first, second, third, fourth = rows_of(models, rows, ("checks",))
    assert first["problem"] == "the row has no output" and first["scorecard"] is None
    assert second["problem"].startswith("the column expect is not JSON: ")
    assert third["problem"] is None and json.loads(third["scorecard"])["expectations"][0]["result"] == "met"
    assert (third["final"], third["grade"], third["low"]) == (None, None, Decimal("1.00"))
    assert fourth["problem"] is None


def test_a_row_that_models_cannot_be_asked_about_keeps_its_place(models):
    rows = [{"output": f"{WORK} 1"}, {"output": None}, {"output": f"{WORK} 2"}]
    assert [row["problem"] for row in rows_of(models, rows)] == [None, "the row has no output", None]


def test_rows_after_a_limit_say_that_they_were_not_judged(models):
    made = rows_of(models, [{"output": f"{WORK} {n}"} for n in range(3)], max_calls=1)
    problems = [row["problem"] for row in made if row["problem"]]
    assert len(problems) >= 2
    assert all(text.startswith("not judged: the limit of 1 call") for text in problems)
    assert all(text.endswith("; run the same command again to continue") for text in problems)


# --- interrupts


def test_ctrl_c_stops_new_calls_and_keeps_what_was_judged(models):
    """The first result has come; nothing further is asked, and the run says why it ended."""
    panel = OpenPanel(("openai:one",), ModelOptions(concurrency=1))
    results = PanelJudging(panel, Steps("default")).results([Submission(output=f"{WORK} {n}") for n in range(50)])
    assert next(results).final == 8
    os.kill(os.getpid(), signal.SIGINT)
    rest = list(results)
    assert panel.stopped == "interrupted" and not panel.out_of_reach
    assert len(rest) < 49


def test_ctrl_c_stops_comparing_pairs(models):
    outputs = {name: {f"{n}": Submission(output=f"{WORK} {name} {n}") for n in range(50)} for name in ("old", "new")}
    pairs = match_items(outputs, by_name=True).pairs
    comparison = PairComparison(OpenPanel(("openai:one",), ModelOptions(concurrency=1)), Steps("default"))
    results = comparison.compare(pairs)
    assert next(results).outcome == "tie"
    os.kill(os.getpid(), signal.SIGINT)
    rest = list(results)
    assert comparison.panel.stopped == "interrupted"
    assert len(rest) + 1 + comparison.left_out == 50 and comparison.left_out > 0


def test_an_error_among_submissions_is_shown_before_the_first_answer(models):
    broken = InputError("damaged")
    judging = PanelJudging(OpenPanel(("openai:one",), ModelOptions()), Steps("default"))
    assert list(judging.results([broken])) == [broken]
