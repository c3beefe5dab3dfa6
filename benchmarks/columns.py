"""A table of evaluations through every stage, as multiples of DuckDB scanning and summing the same columns; and the
same by Polars, the peer.

    python benchmarks/columns.py [--rows 10000000] [--rounds 5] [--scores whole|decimal|float] [--growth] [--hundred]
    python benchmarks/columns.py --spark [MASTER]

A scan sums the columns of the Parquet file that a stage reads: the scores, the flags and the bonuses; and for
everything also the id, the hash of the skill, and the time, of which it takes the latest. Nothing is written: what
the stages give is made, batch by batch, and summed up or looked at once. All of it runs in turn in one process, round
after round, and the best round counts, since what else the machine does can only add to it. `--growth` runs the
command itself, files and all, on 1 and 10 million rows, and with `--hundred` on 100 million, with the memory there is
and within 2 GB.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import duckdb

from columns_on_spark import show_spark
from evenhand.api.scorecards import load_rubric
from evenhand.core.receipt import terms_of
from evenhand.core.rubric import Terms
from evenhand.core.rules import (
    BONUS,
    BONUS_CAP,
    DEDUCTION,
    DEDUCTION_CAP,
    DEFAULT_WEIGHTS,
    DEVIATIONS,
    DIMENSIONS,
    HIGHEST,
    LOWEST,
    TIE_BREAKS,
    WINDOW,
)
from evenhand.tables.arrow import columns_of
from evenhand.tables.columns import Layout, make_layout
from evenhand.tables.duck import score_table
from evenhand.tables.plan import ROW, Plan, inner
from measuring import EVENHAND, PYTHON, run, table, verdict

PEER = "Polars"
BESIDE = 1.1
"""How many times the peer's processor time everything may take."""
SKILLS = 1_000
COUNTED = ("red_flags", "bonuses")
BATCH = 1 << 16
"""Rows that are looked at together."""
KINDS = {
    "whole": "CAST(1 + hash(n * 8 + {place}) % 10 AS INTEGER)",
    "decimal": "CAST(1 + hash(n * 8 + {place}) % 91 / 10.0 AS DECIMAL(4, 2))",
    "float": "1 + hash(n * 8 + {place}) % 91 / 10.0",
}
TARGETS = {"scores": 2.0, "scores and ranks": 40.0, "everything": 100.0}
MEMORY = 1.5e9
LITTLE = {10**7: "500MB", 10**8: "2GB"}
"""Memory that does not hold so many rows: DuckDB works on the disk then."""
SMALL = 0.5
"""Seconds that an Arrow table of 1,000 rows may take, in and out."""


def write_evaluations(path: Path, rows: int, kind: str = "whole") -> None:
    """Made-up evaluations in no order of time, some flags and bonuses, a thousand skills."""
    scores = ", ".join(f"{KINDS[kind].format(place=place)} AS {name}" for place, name in enumerate(DIMENSIONS))
    claims = "CAST(hash(n * 11) % 5 AS INTEGER) AS red_flags, CAST(hash(n * 13) % 4 AS INTEGER) AS bonuses"
    names = f"n AS id, 'skill-' || hash(n * 17) % {SKILLS} AS skill"
    created = "TIMESTAMP '2026-01-01' + to_microseconds(CAST(hash(n * 19) % 31536000000000 AS BIGINT)) AS created"
    query = f"SELECT {names}, {created}, {scores}, {claims} FROM range({rows}) numbers(n)"
    with duckdb.connect() as connection:
        connection.execute(f"COPY ({query}) TO '{path}' (FORMAT parquet)")


class Stages:
    """What is measured, over one file."""

    def __init__(self, path: Path) -> None:
        self.connection = duckdb.connect(config={"memory_limit": "1GB"})
        self.connection.execute("SET enable_progress_bar = false; SET enable_external_file_cache = false")
        self.relation = f"read_parquet('{path}')"
        self.terms: Terms = terms_of(load_rubric("default"))
        schema = self.connection.sql(f"SELECT * FROM {self.relation} LIMIT 0").to_arrow_table().schema
        self.columns = columns_of(schema)

    def layout(self, **wanted: bool) -> Layout:
        return make_layout(self.columns, **wanted)

    def scan(self, *more: str) -> None:
        sums = ", ".join([*(f"sum({name})" for name in (*DIMENSIONS, *COUNTED)), *more])
        self.connection.execute(f"SELECT {sums} FROM {self.relation}").fetchall()

    def scan_all(self) -> None:
        self.scan("sum(id)", "sum(hash(skill))", "max(created)")

    def scores(self) -> None:
        plan = Plan(self.terms, self.layout(rank=False, history=False))
        scored = plan.scored(f"({plan.accepted(self.relation)}) accepted")
        sums = ", ".join(f"sum({inner(name)})" for name in ("composite", "deduction", "bonus", "final"))
        self.connection.execute(f"SELECT {sums} FROM ({scored}) scored").fetchall()

    def ranks(self) -> None:
        self._results(self.layout(history=False))

    def everything(self) -> None:
        self._results(self.layout())

    def query(self, layout: Layout) -> str:
        numbered = f"(SELECT *, row_number() OVER () AS {ROW} FROM {self.relation}) numbered"
        return Plan(self.terms, layout).query(numbered, [])

    def _results(self, layout: Layout) -> None:
        for made in self.connection.sql(self.query(layout)).to_arrow_reader(BATCH):
            assert made.num_columns == len(layout.results)


def in_polars(path: Path) -> Any:
    """The peer: final score, rank, window and flags of every row as a user of Polars would write them, without reading
    words, refusing rows or saying why. The default rubric's weights are whole percentages."""
    import polars as pl

    weights = {name: int(weight * 100) for name, weight in DEFAULT_WEIGHTS.items()}
    points = {name: (pl.col(name) * 100).round().cast(pl.Int64) for name in DIMENSIONS}
    composite = (pl.sum_horizontal(points[name] * weight for name, weight in weights.items()) + 50) // 100
    deducted = pl.max_horizontal(composite - (pl.col("red_flags") * DEDUCTION).clip(upper_bound=DEDUCTION_CAP), LOWEST)
    final = pl.min_horizontal(deducted + (pl.col("bonuses") * BONUS).clip(upper_bound=BONUS_CAP), HIGHEST)
    ties = [pl.col(name) for name in TIE_BREAKS]
    order = pl.struct(pl.col("final"), *ties, -pl.col("red_flags"), pl.col("bonuses"))
    known = pl.int_range(pl.len()).clip(upper_bound=WINDOW).over("skill").alias("known")
    window, flags = [], []
    for name in DIMENSIONS:
        score, n = pl.col(name), pl.col("known")
        before = score.shift(1)
        total = before.rolling_sum(WINDOW, min_samples=1).over("skill").alias(f"{name}_sum")
        squares = (before * before).rolling_sum(WINDOW, min_samples=1).over("skill").alias(f"{name}_squares")
        window += [total, squares]
        summed, squared = pl.col(f"{name}_sum"), pl.col(f"{name}_squares")
        off, spread = n * score - summed, n * squared - summed * summed
        flags += [
            (summed / n).alias(f"{name}_mean"),
            (spread / (n * (n - 1))).sqrt().alias(f"{name}_deviation"),
            ((n - 1) * off * off > DEVIATIONS**2 * n * spread).alias(f"{name}_flagged"),
        ]
    scored = pl.scan_parquet(path).with_columns(**points, composite=composite, final=final)
    ranked = scored.with_columns(rank=order.rank("min", descending=True))
    return ranked.sort("skill", "created").with_columns(known, *window).with_columns(flags).collect()


class Taken(NamedTuple):
    """What a run took."""

    seconds: float
    """By the clock on the wall."""
    processor: float
    """Of all processors together; other programs disturb it less."""


def best(work: Callable[[], object], times: int = 1) -> Taken:
    """The quickest of some runs."""
    taken = []
    for _ in range(times):
        begun, used = time.perf_counter(), time.process_time()
        work()
        taken.append((time.perf_counter() - begun, time.process_time() - used))
    return Taken(*map(min, zip(*taken, strict=True)))


def show_stages(path: Path, rows: int, rounds: int, kind: str) -> None:
    stages = Stages(path)
    works = {"the scan of scores": stages.scan, "scores": stages.scores, "scores and ranks": stages.ranks}
    works |= {"the scan of all": stages.scan_all, "everything": stages.everything}
    works |= {PEER: lambda: in_polars(path)}
    taken: dict[str, list[Taken]] = {name: [] for name in works}
    for _ in range(rounds):
        for name, work in works.items():
            taken[name].append(best(work))
    least = {name: Taken(*map(min, zip(*each, strict=True))) for name, each in taken.items()}
    lines = []
    for name, each in least.items():
        floor = least["the scan of all" if name in ("everything", PEER) else "the scan of scores"]
        clock, ratio = each.seconds / floor.seconds, each.processor / floor.processor
        reached = verdict(clock <= TARGETS[name]) if name in TARGETS else ""
        target = f"at most {TARGETS[name]:g}" if name in TARGETS else ""
        lines.append([name, f"{ratio:.1f}", f"{clock:.1f}", target, reached, f"{each.seconds:.2f}"])
    print(f"{rows:,} rows in Parquet, {kind} scores, {SKILLS:,} skills, {os.cpu_count()} processors\n")
    print(table(["times its scan", "processor time", "time", "target", "", "seconds"], lines), "\n")
    beside = least["everything"].processor / least[PEER].processor
    print(
        f"everything: {beside:.2f} times the processor time of {PEER}; at most {BESIDE:g}: {verdict(beside <= BESIDE)}"
    )
    print(f"the same finals, ranks and flags: {verdict(_is_same(stages, path))}\n")


def _is_same(stages: Stages, path: Path) -> bool:
    """Whether the peer computes what the plan does: the sums over all rows."""
    peer = in_polars(path)
    flags = [f"{name}_flagged" for name in DIMENSIONS]
    (ours,) = stages.connection.sql(
        f"SELECT CAST(sum(final) * 100 AS BIGINT), sum(rank), {', '.join(f'count_if({name})' for name in flags)} "
        f"FROM ({stages.query(stages.layout())})"
    ).fetchall()
    theirs = [peer["final"].sum(), sum(peer["rank"].to_list()), *(int(peer[name].sum()) for name in flags)]
    return [int(value) for value in ours] == [int(value) for value in theirs]


def show_memory(path: Path) -> None:
    """The peak of a process that does everything once."""
    code = f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r}); import columns, pathlib\n"
    code += f"columns.Stages(pathlib.Path({str(path)!r})).everything()"
    process = subprocess.Popen([PYTHON, "-c", code])
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    peak = used.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    print(
        f"peak memory of everything: {peak / 1e9:.2f} GB, target under {MEMORY / 1e9:g} GB: {verdict(peak < MEMORY)}\n"
    )


def show_small(folder: Path, rounds: int) -> None:
    """A thousand rows in memory: what somebody waits for."""
    import pyarrow.parquet as pq

    write_evaluations(folder / "small.parquet", 1_000)
    evaluations = pq.read_table(folder / "small.parquet")
    terms = terms_of(load_rubric("default"))
    small = best(lambda: score_table(evaluations, terms), 4 * rounds).seconds
    print(f"1,000 rows, Arrow in, Arrow out: {small * 1e3:.0f} ms, under {SMALL:g} s: {verdict(small < SMALL)}\n")


def show_growth(folder: Path, sizes: list[int], kind: str) -> None:
    """The command itself, from a file to a file: with the memory there is, and with little of it."""
    lines = []
    for rows in sizes:
        source, target = folder / f"{rows}.parquet", folder / "out.parquet"
        write_evaluations(source, rows, kind)
        for memory in [None, LITTLE[rows]] if rows in LITTLE else [None]:
            settings = ["--set", "output.overwrite=true"] + (["--set", f"table.memory={memory}"] if memory else [])
            used = run([EVENHAND, "table", str(source), str(target), *settings], folder)
            each, peak = used.seconds / rows * 1e6, used.peak_kib * 1024 / 1e9
            lines.append([f"{rows:,}", memory or "all", f"{used.seconds:.1f}", f"{each:.2f}", f"{peak:.2f} GB"])
        source.unlink()
    print(table(["rows", "memory", "seconds", "microseconds a row", "peak memory"], lines))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--scores", choices=KINDS, default="whole", help="how scores are written")
    parser.add_argument("--growth", action="store_true", help="also the command on 1 and 10 million rows")
    parser.add_argument("--hundred", action="store_true", help="with --growth, also on 100 million rows; takes long")
    parser.add_argument("--spark", metavar="MASTER", nargs="?", const="local[2]", help="only Spark beside DuckDB")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path = folder / "evaluations.parquet"
        write_evaluations(path, asked.rows, asked.scores)
        if asked.spark:
            show_spark(path, asked.rows, asked.spark)
            return
        show_stages(path, asked.rows, asked.rounds, asked.scores)
        show_memory(path)
        show_small(folder, asked.rounds)
        path.unlink()
        if asked.growth or asked.hundred:
            show_growth(folder, [10**6, 10**7, *([10**8] if asked.hundred else [])], asked.scores)


if __name__ == "__main__":
    main()
