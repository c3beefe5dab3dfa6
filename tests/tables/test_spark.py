"""The plan on Spark, on executors in separate processes, against `core`."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from columns_oracle import START, Row, same
from conftest import make_rubric, seven
from spark_cluster import CONNECT_PORT, PLAIN, executors, kill_one_at_work, need_spark

import evenhand
from evenhand.core.receipt import terms_of
from evenhand.core.rubric import Rubric
from evenhand.errors import InputError

pytestmark = pytest.mark.slow

RUBRIC_WEIGHTS = seven("0.125", "0.125", "0.125", "0.125", "0.125", "0.125", "0.25")
RUBRIC = make_rubric(RUBRIC_WEIGHTS, ["0.37", "2", "0.5"], bonuses=5)


@pytest.fixture
def plain_spark(spark: Any) -> Iterator[Any]:
    """The cluster as is quick for small tables. One test compares with `core` on Spark as it comes."""
    before = {name: spark.conf.get(name) for name in PLAIN}
    for name, value in PLAIN.items():
        spark.conf.set(name, value)
    yield spark
    for name, value in before.items():
        spark.conf.set(name, value)


def table(count: int, seed: int, scores: list[Any]) -> list[Row]:
    """Evaluations at random, with ties of every kind."""
    choose = random.Random(seed).choice
    return [
        {
            "id": f"{choose('aAzZé')}{number}",
            "skill": choose(["alpha", "beta", "gamma"]),
            "created": START + timedelta(seconds=choose(range(40))),
            **{name: choose(scores) for name in evenhand.DIMENSIONS},
            "red_flags": [f"f{choose(range(3))}" for _ in range(choose([0, 0, 1, 3]))],
            "bonuses": [f"b{choose(range(5))}" for _ in range(choose([0, 0, 2, 5]))],
        }
        for number in range(count)
    ]


def write(path: Path, rows: list[Row], **types: Any) -> None:
    """Rows as a Parquet file; a type may be given for a column."""
    lists = pa.list_(pa.string())
    types = {"created": pa.timestamp("us", "UTC"), "red_flags": lists, "bonuses": lists, **types}
    pq.write_table(pa.table({name: pa.array([row[name] for row in rows], types.get(name)) for name in rows[0]}), path)


def read(folder: Path) -> list[Row]:
    """The rows of a folder of Parquet files."""
    rows: list[Row] = pq.read_table(folder).to_pylist()
    return rows


def rejected(target: Path) -> list[Row]:
    """The rows that were put beside the results."""
    files = sorted(Path(f"{target}.rejected").glob("*.json"))
    return [json.loads(line) for path in files for line in path.read_text().splitlines()]


def score(spark: Any, source: str | Path, target: Path, rubric: Rubric = RUBRIC, **options: Any) -> Any:
    """Score on the cluster."""
    from evenhand.tables.spark_files import score_parquet

    return score_parquet(spark, str(source), str(target), terms_of(rubric), **options)


def test_R7_R8_columns_on_a_cluster_equal_core(spark, tmp_path):
    """Two files, columns of other names, decimals with halves of a hundredth, ties of every kind, histories longer
    than a window: every result is what `core` says. A flag named twice counts once, with the rubric's own amount."""
    rows = table(260, 1, [Decimal("7.005"), Decimal("7.004"), Decimal("9.999"), Decimal("1.000"), Decimal("8.100")])
    rows[0] |= {"red_flags": ["f1", "f1"], "bonuses": ["b0", "b0"]}
    rows[1] |= {"red_flags": ["f0", "f2"]}
    renamed = {"safety": "harm", "skill": "agent"}
    table_names = [{renamed.get(name, name): value for name, value in row.items()} for row in rows]
    write(tmp_path / "in 2.parquet", table_names[:90])
    write(tmp_path / "in 10.parquet", table_names[90:])
    assert score(spark, tmp_path / "in*.parquet", tmp_path / "out", renamed=renamed) == (260, 0, False)
    scored = read(tmp_path / "out")
    by_id = {row["id"]: row for row in scored}
    assert (by_id[rows[0]["id"]]["deduction"], by_id[rows[0]["id"]]["bonus"]) == (Decimal("2.00"), Decimal("0.25"))
    assert by_id[rows[1]["id"]]["deduction"] == Decimal("0.87")  # 0.37 and 0.50
    assert [by_id[row["id"]]["harm"] for row in rows] == [row["safety"] for row in rows]
    assert same(scored, rows, RUBRIC)
    assert not (tmp_path / "out.rejected").exists()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in 10.parquet", "in 2.parquet", "out"]


def test_a_name_that_no_column_has_is_refused(plain_spark, tmp_path):
    """And a role that does not exist."""
    write(tmp_path / "in.parquet", table(2, 1, [5.0]))
    with pytest.raises(InputError, match="there is no column harmony to take safety from"):
        score(plain_spark, tmp_path / "in.parquet", tmp_path / "out", renamed={"safety": "harmony"})
    with pytest.raises(InputError, match='unknown role "safty"; did you mean safety'):
        score(plain_spark, tmp_path / "in.parquet", tmp_path / "out", renamed={"safty": "safety"})


@pytest.mark.parametrize("ansi", ["true", "false"])
def test_R8_floats_texts_and_counts_equal_core_with_ansi_on_and_off(plain_spark, tmp_path, ansi):
    """A float by its shortest text, a decimal from its text; ranks within groups. Flags as text have the rubric's
    amounts; as counts, the usual 0.50 each, whatever the rubric says."""
    plain_spark.conf.set("spark.sql.ansi.enabled", ansi)
    rows = table(80, 2, [7.005, 7.285, 7.294999999999999, 1.0, 10.0])
    counted = ansi == "false"
    as_text = [
        row
        | {
            "safety": f" {row['safety']!r}",
            "red_flags": len(set(row["red_flags"])) if counted else "; ".join(row["red_flags"]),
            "bonuses": None,
        }
        for row in rows
    ]
    write(tmp_path / "in.parquet", as_text, red_flags=pa.int8() if counted else pa.string(), bonuses=pa.int32())
    assert score(plain_spark, tmp_path / "in.parquet", tmp_path / "out", rank_by="skill") == (80, 0, counted)
    plain_spark.conf.set("spark.sql.ansi.enabled", "true")
    rubric = make_rubric(RUBRIC_WEIGHTS, ["0.5"] * 3) if counted else RUBRIC
    assert same(read(tmp_path / "out"), [row | {"bonuses": []} for row in rows], rubric, rank_by="skill")


def test_bad_rows_go_beside_the_results_and_poison_nothing(plain_spark, tmp_path):
    """Each with its file, its row there and the reason, in the order of the input."""
    rows = table(12, 3, [5.0, 6.0])
    rows[1] |= {"safety": float("nan")}
    rows[4] |= {"adherence": 10.5, "skill": None}
    rows[7] |= {"red_flags": ["f0", "f7"]}
    rows[9] |= {"id": rows[2]["id"]}
    a, b = str(tmp_path / "a+1 .parquet"), str(tmp_path / "b%20.parquet")
    write(Path(a), rows[:5])
    write(Path(b), rows[5:])
    assert score(plain_spark, tmp_path / "*.parquet", tmp_path / "out") == (8, 4, False)
    good = [row for place, row in enumerate(rows) if place not in (1, 4, 7, 9)]
    assert same(read(tmp_path / "out"), good, RUBRIC)
    assert rejected(tmp_path / "out") == [
        {"file": a, "row": 2, "reason": "safety: nan is not a number from 1 to 10"},
        {"file": a, "row": 5, "reason": "adherence: 10.5 is not a number from 1 to 10; skill is missing"},
        {"file": b, "row": 3, "reason": "red_flags: f7 is not a red flag of rubric made; valid ids: f0, f1, f2"},
        {
            "file": b,
            "row": 5,
            "reason": f'row 3 already has the id "{rows[2]["id"]}"; an evaluation counts once in a history',
        },
    ]


def test_an_executor_killed_while_it_works_changes_nothing(plain_spark, tmp_path):
    """Spark repeats what was lost, and the result is the same as on this machine, row for row."""
    rows = table(1_200, 4, [Decimal("7.5"), Decimal("8.25"), Decimal("9"), Decimal("3.75")])
    for place in range(4):
        write(tmp_path / f"in{place}.parquet", rows[place::4])
    before = executors()
    assert before
    plain_spark.conf.set(
        "spark.sql.files.maxPartitionBytes", "12000"
    )  # many tasks, so that both are at work for a while
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(score, plain_spark, tmp_path / "in*.parquet", tmp_path / "out")
        kill_one_at_work(plain_spark, running)
        assert running.result()[:2] == (1_200, 0)
    plain_spark.conf.unset("spark.sql.files.maxPartitionBytes")
    assert set(executors()) != set(before)
    here = evenhand.batch(pa.Table.from_pylist(rows), rubric=RUBRIC).to_pylist()
    by_id = {row["id"]: row for row in here}
    assert [row for row in read(tmp_path / "out") if row != by_id.pop(row["id"])] == []
    assert not by_id


def test_existing_output_is_kept_unless_overwriting_is_allowed(plain_spark, tmp_path):
    """And a run that fails leaves nothing behind, nor takes anything away."""
    rows = table(20, 6, [5.0])
    write(tmp_path / "in.parquet", rows)
    score(plain_spark, tmp_path / "in.parquet", tmp_path / "out", rank=False, history=False)
    with pytest.raises(InputError, match="out: already exists; name another, or use `overwrite`"):
        score(plain_spark, tmp_path / "in.parquet", tmp_path / "out")
    write(tmp_path / "in.parquet", [row | {"correctness": 6.0} for row in rows])
    score(plain_spark, tmp_path / "in.parquet", tmp_path / "out", rank=False, history=False, overwrite=True)
    assert {row["correctness"] for row in read(tmp_path / "out")} == {6.0}
    whole = (tmp_path / "in.parquet").read_bytes()
    (tmp_path / "in.parquet").write_bytes(whole[:4] + bytes(len(whole) // 2) + whole[len(whole) // 2 + 4 :])
    with pytest.raises(Exception, match=r"Spark could not finish|is not a complete Parquet file"):
        score(plain_spark, tmp_path / "in.parquet", tmp_path / "out", rank=False, history=False, overwrite=True)
    assert len(read(tmp_path / "out")) == 20
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.parquet", "out"]


def test_files_that_cannot_be_read_are_named(plain_spark, tmp_path):
    """Not there, no Parquet, cut short, of different types, a column missing, no rows."""
    rows = table(20, 7, [5.0])
    write(tmp_path / "a1.parquet", rows)
    write(tmp_path / "a2.parquet", [row | {"safety": "5"} for row in rows])
    (tmp_path / "cut.parquet").write_bytes((tmp_path / "a1.parquet").read_bytes()[:-100])
    (tmp_path / "empty").mkdir()
    write(tmp_path / "less.parquet", [{"id": "x", "correctness": 5.0}])
    pq.write_table(pq.read_table(tmp_path / "a1.parquet").slice(0, 0), tmp_path / "none.parquet")
    for name, said in {
        "none.parquet": "none.parquet: has no rows; nothing was written",
        "nowhere.parquet": "nowhere.parquet: does not exist",
        "empty": "empty: holds no Parquet file",
        "cut.parquet": "cut.parquet: is not a complete Parquet file",
        "a*.parquet": "its files do not match",
        "less.parquet": "the column safety is missing; all seven dimensions are needed",
    }.items():
        with pytest.raises(InputError, match=said.replace("*", r"\*")):
            score(plain_spark, tmp_path / name, tmp_path / "out")


def test_spark_connect_gives_the_same(spark, tmp_path):
    """Through the cluster's sc:// address, from a process without Java."""
    need_spark("grpc", "grpc_status", "zstandard", "pandas")
    rows = table(60, 8, [Decimal("7.005"), Decimal("2.500"), Decimal("9.990")])
    rows[3] |= {"safety": Decimal("0.5")}
    write(tmp_path / "in.parquet", rows)
    code = (
        "import sys\n"
        "from spark_cluster import PLAIN\n"
        "from test_spark import score\n"
        "from evenhand.tables.spark_session import spark_session\n"
        "with spark_session(sys.argv[1]) as session:\n"
        "    for name, value in PLAIN.items():\n"
        "        session.conf.set(name, value)\n"
        "    print(*score(session, sys.argv[2], sys.argv[3]))\n"
    )
    address = f"sc://127.0.0.1:{spark.conf.get(CONNECT_PORT)}"
    paths = [str(tmp_path / "in.parquet"), str(tmp_path / "out")]
    done = subprocess.run(
        [sys.executable, "-c", code, address, *paths],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == "59 1 False\n", done.stderr
    assert (tmp_path / "out" / "_SUCCESS").exists()
    assert same(read(tmp_path / "out"), rows[:3] + rows[4:], RUBRIC)
