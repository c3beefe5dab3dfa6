"""The Spark part of `columns.py`: the same table through `evenhand table` on DuckDB and on Spark.

One machine with two cores is not what Spark is for. What this shows is what its machinery costs where it is not needed,
and that the results are the same, row for row.
"""

from __future__ import annotations

from pathlib import Path

import duckdb

from evenhand.core.rules import DIMENSIONS
from measuring import EVENHAND, PYTHON, Command, run


def show_spark(source: Path, rows: int, master: str) -> None:
    """Run each command once, and compare what the last two wrote."""
    folder = source.parent
    sums = ", ".join(f"sum({name})" for name in DIMENSIONS)
    scan = f"import duckdb; duckdb.sql(\"SELECT {sums} FROM '{source}'\").fetchall()"
    on_spark = ["--set", "table.engine=spark", "--set", f"table.master={master}"]

    def batch(target: str, *more: str) -> Command:
        return [EVENHAND, "table", str(source), str(folder / target), "--set", "output.overwrite=true", *more]

    no_history = ["--set", "table.no_history=true"]
    commands: dict[str, Command] = {
        "scan and sum (DuckDB)": [PYTHON, "-c", scan],
        "DuckDB: everything": batch("here.parquet"),
        f"Spark {master}: scores": batch("scores", *on_spark, *no_history, "--set", "table.no_rank=true"),
        f"Spark {master}: scores and ranks": batch("ranks", *on_spark, *no_history),
        f"Spark {master}: everything": batch("everything", *on_spark),
    }
    print(f"{rows:,} rows, from file to file", flush=True)
    for what, command in commands.items():
        taken = run(command, folder).seconds
        print(f"{what:36} {taken:8.1f} s {rows / taken:12,.0f} rows a second", flush=True)
    here, there = f"'{folder}/here.parquet'", f"'{folder}/everything/*.parquet'"
    query = f"SELECT count(*) FROM (SELECT * FROM {here} EXCEPT SELECT * FROM {there})"
    print(f"rows that differ between DuckDB and Spark: {duckdb.sql(query).fetchall()[0][0]}")
