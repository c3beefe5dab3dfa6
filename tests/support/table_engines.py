"""Every way a table of evaluations can go through the methodology here, behind one function each.

A way takes rows as dictionaries and a rubric, and gives the scored rows and the rejected ones. The suite in
`test_engine` runs over all of them; an engine joins it with an entry in `WAYS`.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

import evenhand
from evenhand.core.receipt import terms_of
from evenhand.core.rubric import Rubric
from evenhand.judging.batch import batch_files
from evenhand.tables.duck import BatchOptions, score_table

Row = dict[str, Any]


class Outcome(NamedTuple):
    """What an engine made of a table."""

    scored: list[Row]
    rejected: list[tuple[int, str]]


Way = Callable[..., Outcome]


def table_of(rows: Sequence[Mapping[str, Any]], types: Mapping[str, pa.DataType]) -> pa.Table:
    """Rows as Arrow; `types` gives the type of the scores and others."""
    usual = {"id": pa.string(), "skill": pa.string(), "created": pa.timestamp("us", "UTC")}
    usual |= dict.fromkeys(("red_flags", "bonuses"), pa.list_(pa.string()))
    names = list(rows[0]) if rows else ["id", "skill", "created", *evenhand.DIMENSIONS]
    fields = [pa.field(name, types.get(name, usual.get(name, pa.float64()))) for name in names]
    return pa.Table.from_pylist([dict(row) for row in rows], schema=pa.schema(fields))


def memory(table: pa.Table, rubric: Rubric, **wanted: Any) -> Outcome:
    """From an Arrow table to another."""
    scored, rejected = score_table(table, terms_of(rubric), **wanted)
    return Outcome(scored.to_pylist(), [tuple(each) for each in rejected])


def files(table: pa.Table, rubric: Rubric, **wanted: Any) -> Outcome:
    """From a Parquet file to another, as the command does it."""
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder, "in.parquet"), Path(folder, "out.parquet")
        pq.write_table(table, source, row_group_size=7)
        done = batch_files(str(source), str(target), rubric=rubric, wanted=BatchOptions(**wanted))
        scored = pq.read_table(target).to_pylist()
        lines = Path(done.rejects).read_text(encoding="utf-8").splitlines() if done.rejects else []
        return Outcome(scored, [(line["row"], line["reason"]) for line in map(json.loads, lines)])


WAYS: dict[str, Way] = {"memory": memory, "files": files}
