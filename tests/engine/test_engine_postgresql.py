"""The engines' suite on a PostgreSQL server, by the query that `evenhand batch sql` prints."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pytest
from postgresql_server import PostgresqlServer

from evenhand.core.documents.scorecards.receipt import terms_of
from evenhand.core.values.rubric import Rubric
from evenhand.engine.columns import make_layout
from evenhand.engine.kernel.arrow import columns_of
from evenhand.engine.warehouses import warehouse_query
from table_engines import Outcome, Way
from test_engine import (  # noqa: F401  each runs again here, with the engine below
    test_columns_may_have_other_names,
    test_long_histories_slide_by_ten,
    test_R4_halves_go_up_on_every_engine,
    test_R7_a_flag_named_twice_counts_once,
    test_R8_a_list_takes_the_rubrics_amounts_and_a_count_the_usual_one,
)

TYPES = {"int8": "smallint", "double": "double precision", "string": "text", "list<item: string>": "text[]"}


@pytest.fixture(scope="module")
def connection(postgresql_server: PostgresqlServer) -> Iterator[Any]:
    import psycopg
    from psycopg.rows import dict_row

    with psycopg.connect(postgresql_server.empty_database(), autocommit=True, row_factory=dict_row) as opened:
        yield opened


@pytest.fixture
def engine(connection: Any) -> Way:
    """A table on the server, and the query run over it."""

    def run(table: pa.Table, rubric: Rubric, **wanted: Any) -> Outcome:
        layout = make_layout(columns_of(table.schema), **wanted)
        columns = [f'"{field.name}" {TYPES.get(str(field.type), "timestamptz")}' for field in table.schema]
        connection.execute("DROP TABLE IF EXISTS evaluations")
        connection.execute(f"CREATE TABLE evaluations ({', '.join(columns)})")
        places = ", ".join(["%s"] * len(columns))
        with connection.cursor() as cursor:
            rows = [list(row.values()) for row in table.to_pylist()]
            cursor.executemany(f"INSERT INTO evaluations VALUES ({places})", rows)
        text = warehouse_query("postgres", "evaluations", terms_of(rubric), layout, table.column_names)
        return Outcome(connection.execute(text).fetchall(), [])

    return run
