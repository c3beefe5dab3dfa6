"""Tables of submissions judged on Spark: batches as an executor gets them, and real executors."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from fake_server import FakeServer
from scripted_judge import answer
from spark_cluster import executors

import evenhand
from evenhand.cli.main import run
from evenhand.errors import InputError
from evenhand.judges.models.budget import Budget
from evenhand.judging.tables.shared_limits import SharedLimits
from evenhand.judging.tables.spark import JudgedTable, Work, judge_batches, judge_table
from evenhand.judging.verification import verify
from evenhand.options.model_options import ModelOptions
from evenhand.rubrics.resolved import resolve
from evenhand.store.replies import SqliteReplies

ROWS = 40


@pytest.fixture
def server(fake_server: FakeServer) -> FakeServer:
    fake_server.answer = answer
    return fake_server


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """Forty answers to one task, with a column that judging does not know."""
    rows = [
        {"id": f"row {n}", "output": f"The answer to question {n} is {n * n}.", "task": "Square it.", "batch": n % 3}
        for n in range(ROWS)
    ]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "answers.parquet")
    return tmp_path / "answers.parquet"


def judged(table: Path, server: FakeServer, **more: Any) -> JudgedTable:
    options = ModelOptions(
        base_url=f"{server.url}/v1",
        replies=str(table.parent / "replies.db"),
        **{name: more.pop(name) for name in ("max_calls", "concurrency") if name in more},
    )
    target = str(table.parent / "judged")
    return judge_table(
        str(table), target, judges=["openai:fake"], options=options, secret=lambda: b"secret", overwrite=True, **more
    )


def read(table: Path) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = pq.read_table(table.parent / "judged").to_pylist()
    return sorted(rows, key=lambda row: int(row["id"].split()[1]))


def batch(table: Path) -> pa.RecordBatch:
    return pq.read_table(table).combine_chunks().to_batches()[0]


@pytest.fixture
def work(server: FakeServer, tmp_path: Path) -> Iterator[Work]:
    """What an executor is told, with a server of shared limits behind it."""
    limits = SharedLimits(Budget(), SqliteReplies(tmp_path / "replies.db"))
    options = ModelOptions(base_url=f"{server.url}/v1")
    with limits.served("127.0.0.1") as address:
        yield Work(("openai:fake",), resolve("default").rubric, options, {}, b"secret", address)


@pytest.mark.slow
def test_every_row_has_a_scorecard_that_can_be_verified(work, server, table):
    """One call a row; the row's own columns are kept."""
    rows = [row for made in judge_batches(work, [batch(table)]) for row in made.to_pylist()]
    assert [(row["id"], row["batch"]) for row in rows] == [(f"row {n}", n % 3) for n in range(ROWS)]
    assert {(row["final"], row["grade"], row["problem"]) for row in rows} == {(Decimal("8.00"), "B+", None)}
    card = json.loads(rows[7]["scorecard"])
    assert "question 7 is 49" in card["dimensions"]["correctness"]["evidence"][0]["quote"]
    assert verify(card).ok
    assert server.count == 2 * ROWS


@pytest.mark.slow
def test_another_executor_asks_nothing_again(work, server, table):
    """Replies are stored where the run was started, under keys that do not depend on the executor."""
    rows = batch(table)
    assert next(judge_batches(work, [rows]))["final"] == next(judge_batches(work, [rows]))["final"]
    assert server.count == 2 * ROWS


@pytest.mark.slow
def test_a_row_that_cannot_be_judged_is_a_value_in_its_place(work, server):
    """An empty cell, and expectations that are not JSON."""
    rows = [
        {"output": "The answer is 4, of course.", "expect": '[{"answer": {"contains": "4"}}]'},
        {"output": None, "expect": None},
        {"output": "The answer is 9, of course.", "expect": "["},
    ]
    first, second, third = next(judge_batches(work, [pa.RecordBatch.from_pylist(rows)])).to_pylist()
    assert json.loads(first["scorecard"])["expectations"][0]["result"] == "met"
    assert second["problem"] == "the row has no output"
    assert third["problem"].startswith("the column expect is not JSON: ")


def test_checks_alone_need_no_server(work):
    """No one has read it: an interval and no grade."""
    rows = pa.RecordBatch.from_pylist([{"output": "The answer is 4, of course."}])
    (row,) = next(judge_batches(work._replace(judges=("checks",), address=None), [rows])).to_pylist()
    assert (row["final"], row["grade"], row["low"]) == (None, None, Decimal("1.00"))


@pytest.mark.slow
def test_a_table_is_judged_from_python(spark, server, table):
    """As the command does; with a store, a second time without asking."""
    store = evenhand.open_store(str(table.parent / "evaluations.db"))
    options = ModelOptions(base_url=f"{server.url}/v1")
    for _ in range(2):
        done = evenhand.judge_table(
            table, table.parent / "judged", judges="openai:fake", options=options, store=store, overwrite=True
        )
        assert (done.rows, done.judged, done.problems, done.stopped) == (ROWS, ROWS, 0, None)
    assert server.count == 2 * ROWS
    assert {row["grade"] for row in read(table)} == {"B+"}


@pytest.mark.slow
def test_real_executors_keep_one_limit_and_survive_a_kill_without_asking_twice(spark, server, table):
    """Fifteen calls for forty rows; a second run is allowed the rest and loses an executor; a third asks nothing."""
    made = judged(table, server, max_calls=15)
    assert (made.calls, made.stopped, made.broken) == (15, "the limit of 15 calls is reached", False)
    rows = read(table)
    assert {row["problem"] for row in rows if row["scorecard"] is None} == {
        "not judged: the limit of 15 calls is reached; run the same command again to continue"
    }
    assert made.judged == sum(row["scorecard"] is not None for row in rows)
    known = server.count
    assert 10 <= known <= 15

    server.delay = 0.1
    with ThreadPoolExecutor(1) as pool:
        killing = pool.submit(kill_after, server, known + 8)
        made = judged(table, server, concurrency=4)
        lost = killing.result()
    assert (made.rows, made.judged, made.stopped) == (ROWS, ROWS, None)
    assert lost not in executors()
    assert [row["batch"] for row in read(table)] == [n % 3 for n in range(ROWS)]
    assert 2 * ROWS <= server.count <= 2 * ROWS + 4, "at most what the lost executor had in flight is asked again"

    assert judged(table, server).calls == 0


def kill_after(server: FakeServer, calls: int) -> int:
    """Kill an executor once the server has had so many calls; returns its process id."""
    while server.count < calls or not (running := executors()):
        time.sleep(0.01)
    os.kill(running[0], signal.SIGKILL)
    return running[0]


@pytest.mark.slow
def test_a_table_without_outputs_is_refused_before_anything_is_asked(spark, server, tmp_path):
    """With the columns it has."""
    pq.write_table(pa.table({"id": ["row 0"], "answer": ["4"]}), tmp_path / "in.parquet")
    with pytest.raises(InputError, match=r"in\.parquet: has no column output; .* it has id, answer"):
        judged(tmp_path / "in.parquet", server)
    assert server.count == 0
    assert not (tmp_path / "judged").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["in.parquet"], "takes a table and where to write it: evenhand judge IN OUT"),
        (["in.parquet", "out", "--set", "report.brief=true"], "report.brief does not work with judge.engine=spark"),
        (["in.parquet", "out", "--set", "judge.master=sc://host"], "judging needs a regular Spark session"),
        (["in.parquet", "out", "--judge", "opnai:x"], "opnai"),
        (["in.parquet", "out", "--set", "judge.max_calls=5"], "judge.max_calls is for models; name one with --judge"),
    ],
)
def test_what_a_cluster_cannot_do_is_refused_before_it_is_started(arguments, message, monkeypatch, tmp_path, capsys):
    """Starting one takes half a minute."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", ["evenhand", "judge", *arguments, "--set", "judge.engine=spark"])
    assert run() == 2
    assert message in capsys.readouterr().err
