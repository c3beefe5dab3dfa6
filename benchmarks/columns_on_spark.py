"""The same table through `evenhand batch` on DuckDB and on Spark: how long each takes, as multiples of a bare scan.

    python benchmarks/columns_on_spark.py [ROWS] [MASTER]

One machine with two cores is not what Spark is for. What this shows is what its machinery costs where it is not needed,
and that the results are the same, row for row.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import duckdb

from evenhand.core.methodology import DIMENSIONS
from measuring import EVENHAND, PYTHON, Command, run

ROWS, MASTER = 10_000_000, "local[2]"
SKILLS = 1_000


def write_evaluations(path: Path, rows: int) -> None:
    """Made-up evaluations with one decimal, some flags and bonuses, a thousand skills, a second apart."""
    scores = ", ".join(
        f"CAST(1 + hash(range * 7 + {place}) % 91 / 10.0 AS DECIMAL(4, 2)) AS {name}"
        for place, name in enumerate(DIMENSIONS)
    )
    claims = "CAST(hash(range * 11) % 5 AS INTEGER) AS red_flags, CAST(hash(range * 13) % 4 AS INTEGER) AS bonuses"
    names = f"'skill-' || hash(range * 17) % {SKILLS} AS skill, range AS id"
    created = "TIMESTAMPTZ '2026-01-01 00:00:00Z' + to_seconds(range) AS created"
    duckdb.sql(f"COPY (SELECT {names}, {created}, {scores}, {claims} FROM range({rows})) TO '{path}'")


def main() -> None:
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else ROWS
    master = sys.argv[2] if len(sys.argv) > 2 else MASTER
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        source = folder / "evaluations.parquet"
        write_evaluations(source, rows)
        sums = ", ".join(f"sum({name})" for name in DIMENSIONS)
        scan = f"import duckdb; duckdb.sql(\"SELECT {sums} FROM '{source}'\").fetchall()"
        on_spark = ["--engine", "spark", "--master", master]

        def batch(target: str, *more: str) -> Command:
            return [EVENHAND, "batch", str(source), str(folder / target), "--overwrite", "--rubric", "default", *more]

        commands: dict[str, Command] = {
            "scan and sum (DuckDB)": [PYTHON, "-c", scan],
            "DuckDB: everything": batch("here.parquet"),
            f"Spark {master}: scores": batch("scores", *on_spark, "--no-rank", "--no-history"),
            f"Spark {master}: scores and ranks": batch("ranks", *on_spark, "--no-history"),
            f"Spark {master}: everything": batch("everything", *on_spark),
        }
        floor = 0.0
        print(f"{rows:,} rows")
        for what, command in commands.items():
            taken = run(command, folder).seconds
            floor = floor or taken
            print(
                f"{what:36} {taken:8.1f} s  {taken / floor:8.1f} times the scan  {rows / taken:12,.0f} rows a second",
                flush=True,
            )
        print(_compared(folder))


def _compared(folder: Path) -> str:
    here, there = f"'{folder}/here.parquet'", f"'{folder}/everything/*.parquet'"
    different = duckdb.sql(f"SELECT count(*) FROM (SELECT * FROM {here} EXCEPT SELECT * FROM {there})").fetchall()[0][0]
    return f"rows that differ between DuckDB and Spark: {different}"


if __name__ == "__main__":
    main()
