"""Parquet in and out of a Spark cluster: one run from IN to OUT, both where the cluster can see them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from evenhand.core.rubric import Terms
from evenhand.errors import EvenhandError, InputError, Problem, Unavailable
from evenhand.tables.columns import make_layout
from evenhand.tables.spark import SparkTable, column_of
from evenhand.tables.spark_dialect import SPARK
from evenhand.tables.spark_output import output_at
from evenhand.tables.spark_session import first_line

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from evenhand.tables.spark_output import Output


class Counts(NamedTuple):
    """How many rows there were."""

    scored: int
    rejected: int
    flags_counted: bool
    """Whether the red flags were given as counts, without ids."""


def score_parquet(
    session: SparkSession,
    source: str,
    target: str,
    terms: Terms,
    *,
    renamed: Mapping[str, str] | None = None,
    rank: bool = True,
    rank_by: str | None = None,
    history: bool = True,
    overwrite: bool = False,
) -> Counts:
    """Score the Parquet files at `source` (a file, a folder or a glob) into a folder `target`.

    Rows that cannot be scored go to the folder `target`.rejected, as JSON lines with `file`, `row` and `reason`.
    """
    try:
        output = output_at(session, target, overwrite)
        # Without merging, Spark assumes that all files have the columns of one of them.
        frame = session.read.option("mergeSchema", "true").parquet(source)
        columns = [column_of(field.name, field.dataType) for field in frame.schema.fields]
        layout = make_layout(columns, source=source, renamed=renamed, rank=rank, rank_by=rank_by, history=history)
        if frame.isEmpty():
            raise InputError(Problem("has no rows; nothing was written", source))
        table = SparkTable(session, frame, terms, layout)
        try:
            return _run(table, output)
        finally:
            table.forget()
    except EvenhandError:
        raise
    except Exception as error:
        raise explained(error, source, target) from None


def _run(table: SparkTable, output: Output) -> Counts:
    table.leave_out_repeated()
    rejected = table.reasons.count()
    try:
        output.write(table.results(), table.rejected().coalesce(1) if rejected else None)
        scored = table.session.read.parquet(output.written).count()
        output.publish()
    except BaseException:
        output.withdraw()
        raise
    return Counts(scored, rejected, _counts_flags(table))


def _counts_flags(table: SparkTable) -> bool:
    """Whether red flags are counts; text may be either."""
    flags = table.plan.layout.roles.get("red_flags")
    if flags is None or flags.kind != "text":
        return flags is not None and flags.kind != "list"
    return not table.accepted.where(SPARK.is_count(flags)).isEmpty()


_MIXED = "its files do not match: a column does not have the same type in all of them"
_MISTAKES = {
    "PATH_NOT_FOUND": "does not exist, or the cluster cannot see it",
    "UNABLE_TO_INFER_SCHEMA": "holds no Parquet file",
    "CANNOT_MERGE_SCHEMAS": _MIXED,
    "CANNOT_MERGE_INCOMPATIBLE_DATA_TYPE": _MIXED,
    "COLUMN_ALREADY_EXISTS": "a column appears more than once; names must differ by more than case",
}
"""Spark's error classes for bad input, and our messages for them."""


def explained(error: Exception, source: str, target: str) -> EvenhandError:
    """A Spark error as one line that says what to do."""
    text = str(error)
    names = set(re.findall(r"\[([A-Z][A-Z_]+)(?:\.[A-Z_]+)?\]", text))
    if "PATH_ALREADY_EXISTS" in names:
        return InputError(Problem("already exists; name another, or use `overwrite`", target))
    for name, message in _MISTAKES.items():
        if name in names:
            return InputError(Problem(message, source))
    if "FAILED_READ_FILE" in names:
        damaged = re.search(r"reading file (?:file:)?(\S+?)\.? ", text)
        return InputError(
            Problem("is not a complete Parquet file; Spark reads Parquet only", damaged[1] if damaged else source)
        )
    return Unavailable(f"Spark could not finish: {first_line(error)}")
