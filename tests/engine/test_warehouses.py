"""The query that `evenhand batch sql` prints, run where it can be run, against `core`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from columns_oracle import START, Row, rubrics, same, tables
from conftest import Ran, make_rubric, seven
from hypothesis import given, settings
from hypothesis import strategies as st

import evenhand
from evenhand.core.documents.scorecards.receipt import terms_of
from evenhand.core.values.rubric import Rubric
from evenhand.engine.columns import make_layout
from evenhand.engine.warehouses import DIALECTS, rejected_query, warehouse_columns, warehouse_query

sqlglot = pytest.importorskip("sqlglot")

EXACT = st.integers(1000, 10000).map(lambda thousandths: Decimal(thousandths).scaleb(-3))
FLOATS = EXACT.map(float) | st.floats(1, 10)
"""Halves of a hundredth, which binary floats only come near, among them."""


def query(
    dialect: str, rubric: Rubric, *, floats: bool = False, rejected: bool = False, rank_by: str | None = None
) -> str:
    """A query over the table `evaluations` with arrays of ids."""
    columns = warehouse_columns(renamed={}, floats=floats)
    layout = make_layout(columns, rank_by=rank_by)
    make = rejected_query if rejected else warehouse_query
    return make(dialect, "evaluations", terms_of(rubric), layout, [column.name for column in columns])


class Postgresql:
    """A PostgreSQL session with the table `evaluations`."""

    def __init__(self, url: str) -> None:
        import psycopg

        self._connection = psycopg.connect(url, autocommit=True)

    def rows(self, rows: list[Row], text: str, *, floats: bool) -> list[dict[str, Any]]:
        from psycopg.rows import dict_row

        number = "double precision" if floats else "numeric"
        scores = ", ".join(f"{name} {number}" for name in evenhand.DIMENSIONS)
        with self._connection.cursor(row_factory=dict_row) as cursor:
            cursor.execute("DROP TABLE IF EXISTS evaluations")
            cursor.execute(
                f"CREATE TABLE evaluations (id text, skill text, created timestamptz, {scores}, "
                "red_flags text[], bonuses text[])".encode()
            )
            names = ["id", "skill", "created", *evenhand.DIMENSIONS, "red_flags", "bonuses"]
            places = ", ".join(["%s"] * len(names))
            cursor.executemany(
                f"INSERT INTO evaluations ({', '.join(names)}) VALUES ({places})".encode(),
                [[row[name] for name in names] for row in rows],
            )
            return cursor.execute(text.encode()).fetchall()

    def close(self) -> None:
        self._connection.close()


class DuckDb:
    """An empty DuckDB in memory."""

    def __init__(self) -> None:
        import duckdb

        self._connection = duckdb.connect()

    def rows(self, rows: list[Row], text: str, *, floats: bool) -> list[dict[str, Any]]:
        number = "DOUBLE" if floats else "DECIMAL(18, 3)"
        scores = ", ".join(f"{name} {number}" for name in evenhand.DIMENSIONS)
        self._connection.execute(
            f"CREATE OR REPLACE TABLE evaluations (id VARCHAR, skill VARCHAR, created TIMESTAMP, {scores}, "
            "red_flags VARCHAR[], bonuses VARCHAR[])"
        )
        names = ["id", "skill", "created", *evenhand.DIMENSIONS, "red_flags", "bonuses"]
        values = [[row[name] for name in names] for row in rows]
        if values:
            self._connection.executemany(f"INSERT INTO evaluations VALUES ({', '.join('?' * len(names))})", values)
        done = self._connection.execute(text)
        names = [column[0] for column in done.description]
        return [dict(zip(names, row, strict=True)) for row in done.fetchall()]

    def close(self) -> None:
        self._connection.close()


@pytest.fixture(scope="module", params=["duckdb", "postgres"])
def database(request: pytest.FixtureRequest) -> Iterator[tuple[str, Any]]:
    """A database, and the name of its dialect."""
    if request.param == "postgres":
        opened: Any = Postgresql(request.getfixturevalue("postgresql_server").empty_database())
    else:
        pytest.importorskip("duckdb")
        opened = DuckDb()
    yield request.param, opened
    opened.close()


@pytest.mark.slow
@settings(max_examples=15)
@given(data=st.data())
def test_the_query_equals_core_on_exact_numbers(database, data):
    """Weights, amounts, ties, skills and histories at random: every column is what `core` says."""
    dialect, opened = database
    rubric = data.draw(rubrics())
    rows = data.draw(tables(rubric, EXACT))
    assert same(opened.rows(rows, query(dialect, rubric), floats=False), rows, rubric)


@pytest.mark.slow
@settings(max_examples=15)
@given(data=st.data())
def test_the_query_equals_core_on_binary_floats(database, data):
    """A float is taken by its shortest decimal text (R1), halves and all."""
    dialect, opened = database
    rubric = data.draw(rubrics())
    rows = data.draw(tables(rubric, FLOATS, most=12))
    assert same(opened.rows(rows, query(dialect, rubric, floats=True), floats=True), rows, rubric)


def one(id: str, score: Any = 8, **more: Any) -> Row:
    """An evaluation with one score for all dimensions."""
    return {"id": id, "skill": "s", "created": START, **seven(score), "red_flags": [], "bonuses": [], **more}


@pytest.mark.slow
def test_rows_that_cannot_be_scored_are_left_out_and_listed_with_the_reason(database):
    """A score out of range, one that is missing, a flag that the rubric does not list."""
    dialect, opened = database
    rubric = make_rubric()
    rows = [
        one("good"),
        one("high", Decimal("10.01")),
        one("none", safety=None),
        one("flag", red_flags=["f0", "f9"]),
        one("null", bonuses=[None]),
        one("skill", skill=None),
    ]
    assert same(opened.rows(rows, query(dialect, rubric), floats=False), rows[:1], rubric)
    found = opened.rows(rows, query(dialect, rubric, rejected=True), floats=False)
    reasons = {row["id"]: row["reason"] for row in found}
    assert reasons.keys() == {"high", "none", "flag", "null", "skill"}
    assert reasons["high"].startswith("correctness: 10.01")
    assert reasons["none"] == "safety is missing; a score is a number from 1 to 10"
    assert reasons["flag"].startswith("red_flags: f9 is not a red flag of rubric made; valid ids: f0, f1")
    assert reasons["null"].startswith("bonuses: null is not a bonus")
    assert reasons["skill"] == "skill is missing"


@pytest.mark.slow
def test_R13_an_evaluation_with_the_same_id_is_there_once(database):
    """The earliest stays; rows without an id are all different."""
    dialect, opened = database
    later = START + timedelta(days=1)
    rows = [one("a", 5, created=later), one("a", 7), one("b", 6, created=later)]
    assert same(opened.rows(rows, query(dialect, make_rubric()), floats=False), rows[1:], make_rubric())
    nameless = [one(None, 5), one(None, 7)]  # type: ignore[arg-type]
    assert len(opened.rows(nameless, query(dialect, make_rubric()), floats=False)) == 2


@pytest.mark.slow
def test_ranks_can_be_within_groups(database):
    """Two skills, each with a first place."""
    dialect, opened = database
    rows = [one("a", 5), one("b", 7, skill="t"), one("c", 6, skill="t"), one("d", 6, skill="t")]
    found = opened.rows(rows, query(dialect, make_rubric(), rank_by="skill"), floats=False)
    assert {row["id"]: row["rank"] for row in found} == {"a": 1, "b": 1, "c": 2, "d": 2}


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("floats", [False, True])
@pytest.mark.parametrize("claims", ["ids", "counts", "none"])
@pytest.mark.slow
def test_the_query_is_well_formed_in_every_dialect(dialect, floats, claims):
    """sqlglot reads back what is printed, and finds every result in it."""
    columns = warehouse_columns(renamed={}, floats=floats, claims=claims)
    layout = make_layout(columns)
    text = warehouse_query(dialect, "data.runs", terms_of(make_rubric()), layout, [each.name for each in columns])
    parsed = sqlglot.parse_one(text, read=dialect)
    assert parsed.named_selects == [*(each.name for each in columns), *layout.results]
    assert [table.sql() for table in parsed.find_all(sqlglot.exp.Table) if table.db] == ["data.runs"]


def test_whole_numbers_are_never_divided_as_floats():
    """Each dialect divides in its own way: a plain / would give fractions in BigQuery, and round in Snowflake."""
    assert DIALECTS["bigquery"].divide("a", 200) == "DIV(a, 200)"
    assert DIALECTS["snowflake"].divide("a", 200) == "CAST(((a) - MOD(a, 200)) / 200 AS BIGINT)"
    assert DIALECTS["spark"].divide("a", 200) == "((a) DIV 200)"
    assert DIALECTS["postgres"].divide("a", 200) == "((a) / 200)"


@pytest.mark.slow
def test_the_command_prints_one_statement(evenhand_command: Callable[..., Ran], tmp_path: Path):
    """On standard output, ready for a pipe; the rubric's own weights and flags are in it."""
    ran = evenhand_command("batch", "sql", "--dialect", "postgres", "--table", "runs.scores", "--rubric", "code-review")
    assert (ran.code, ran.err) == (0, "")
    assert len(sqlglot.parse(ran.out.rstrip().rstrip(";"), read="postgres")) == 1
    assert "runs.scores" in ran.out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--table", "a; DROP TABLE b"], '"a; DROP TABLE b" is not the name of a table'),
        (["--map", "acc"], '--map "acc" is not ROLE=COLUMN'),
        (["--map", "corectness=acc"], '--map corectness: unknown role "corectness"; did you mean correctness?'),
        (["--keep", "rank"], "the column rank would be overwritten"),
        (["--rubric", "nonesuch"], 'unknown rubric "nonesuch"'),
    ],
)
@pytest.mark.slow
def test_a_wrong_option_is_said_in_one_line(evenhand_command, arguments, said):
    """What is wrong, what is valid, exit code 2."""
    ran = evenhand_command("batch", "sql", "--dialect", "duckdb", *arguments)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("error: ")
    assert said in ran.err
    assert ran.err.count("\n") == 1


@pytest.mark.slow
def test_renamed_columns_are_read_under_their_names(evenhand_command):
    """--map names a column, --keep hands one on, --no-id and --claims none leave some out."""
    ran = evenhand_command(
        *"batch sql -d snowflake --map correctness=acc --keep note --no-id --claims none --no-history --no-rank".split()
    )
    names = sqlglot.parse_one(ran.out.rstrip().rstrip(";"), read="snowflake").named_selects
    assert names[0] == "acc"
    assert names[7:] == ["note", "composite", "deduction", "bonus", "final", "grade", "label"]
