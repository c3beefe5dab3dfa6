"""Whole tables through the methodology: files to a file, or a table in memory to a table."""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

from evenhand.core.numbers import hundredths, points
from evenhand.core.published import ALWAYS, Count
from evenhand.core.rubric import RAW, Rubric, Terms
from evenhand.core.rules import DEDUCTION, METHODOLOGY_VERSION
from evenhand.errors import InputError, Problem
from evenhand.files.output_files import refuse_input
from evenhand.judging.rubric_choice import log_warnings
from evenhand.rubrics import library
from evenhand.rubrics.resolved import ResolvedRubric, resolve
from evenhand.tables.duck import BatchOptions, Progress

if TYPE_CHECKING:
    import pyarrow as pa

_SHOWN = 100
"""The most problems an error lists; a table may have millions."""


class Summary(NamedTuple):
    """The result of scoring a table in files."""

    input: str
    output: str
    rejects: str | None
    """The file with the rejected rows, if any."""
    rows: Count
    scored: Count
    rejected: Count
    rubric: str
    sha256: str
    engine: Annotated[str, {"enum": ("duckdb", "spark")}]
    warnings: Annotated[tuple[str, ...], ALWAYS] = ()
    methodology: Annotated[str, ALWAYS] = METHODOLOGY_VERSION


def batch(
    table: Any,
    *,
    rubric: str | Path | Rubric | None = None,
    columns: Mapping[str, str] | None = None,
    rank: bool = True,
    rank_by: str | None = None,
    history: bool = True,
    allow_rejects: bool = False,
) -> pa.Table:
    """Score a table of evaluations: Arrow, pandas, Polars or a DuckDB relation in, Arrow out.

    The table has a column for each dimension, and may have `red_flags` and `bonuses` (lists of ids, or how
    many), `skill`, `id` and `created`. `columns` names them otherwise: {"correctness": "acc"}. The rows come back
    in their order with the results behind their own columns. Without `rubric` the default one is used.

    `history` compares each row with the ten before it of its skill, and needs `skill` and `created`. A row that
    cannot be scored raises an `InputError`, unless `allow_rejects` leaves it out.

    >>> import pyarrow as pa
    >>> rows = pa.table({"id": ["a", "b"], **{name: [9, 7] for name in DIMENSIONS}})
    >>> batch(rows, history=False).select(["id", "final", "grade", "rank"]).to_pylist()[1]
    {'id': 'b', 'final': Decimal('7.00'), 'grade': 'B-', 'rank': 2}
    """
    need("duckdb", "pyarrow")
    from evenhand.tables.duck import score_table

    resolved = batch_rubric(rubric)
    log_warnings(resolved.warnings)
    options = {"renamed": columns, "rank": rank, "rank_by": rank_by, "history": history}
    scored, rejected = score_table(_arrow(table), resolved.terms, **options)  # type: ignore[arg-type]
    if rejected and not allow_rejects:
        problems = [Problem(f"row {row}: {reason}") for row, reason in rejected[:_SHOWN]]
        left = len(rejected) - len(problems)
        raise InputError([*problems, Problem(f"and {left:,} more rows")] if left else problems)
    return scored


def batch_files(
    source: str,
    target: str,
    *,
    rubric: str | Path | Rubric | None,
    wanted: BatchOptions,
    overwrite: bool = False,
    engine: str = "duckdb",
    master: str | None = None,
    progress: Progress | None = None,
) -> Summary:
    """Score the rows of files, and write them to another: here, or on a Spark cluster."""
    resolved = batch_rubric(rubric)
    terms = resolved.terms
    refuse_input(source, target)
    if engine == "spark":
        return _on_spark(source, target, resolved, wanted, overwrite, master)
    need("duckdb", "pyarrow")
    from evenhand.tables.duck import score_files
    from evenhand.tables.outputs import Output

    output = Output(target, overwrite=overwrite)
    done = score_files(source, output, terms, wanted, progress)
    return _summary(
        source,
        target,
        resolved,
        engine=engine,
        rows=done.rows,
        scored=done.scored,
        rejected=done.rejected,
        rejects=str(output.rejected),
        counts=bool(done.counts),
    )


def batch_verdicts(
    source: str,
    target: str,
    *,
    rubric: str | Path | Rubric | None,
    columns: Mapping[str, str],
    memory: int | None = None,
    overwrite: bool = False,
) -> Summary:
    """Score a long table of verdicts in files: the scores of the dimensions that have criteria, by evaluation.

    The counts are those of evaluations. InputError when the rubric has no criteria.
    """
    resolved = batch_rubric(rubric)
    terms = resolved.terms
    if not terms.trees:
        raise InputError(f"rubric {terms.rubric} has no criteria, so verdicts give no scores; name another rubric")
    refuse_input(source, target)
    need("duckdb", "pyarrow")
    from evenhand.tables.outputs import Output
    from evenhand.tables.verdict_table import score_verdicts

    output = Output(target, overwrite=overwrite)
    done = score_verdicts(source, output, terms.trees, terms.rubric, renamed=columns, memory=memory)
    return _summary(
        source,
        target,
        resolved,
        engine="duckdb",
        rows=done.evaluations,
        scored=done.scored,
        rejected=done.rejected,
        rejects=str(output.rejected),
    )


def _on_spark(
    source: str, target: str, resolved: ResolvedRubric, wanted: BatchOptions, overwrite: bool, master: str | None
) -> Summary:
    from evenhand.tables.spark_files import score_parquet
    from evenhand.tables.spark_session import spark_session

    if wanted.memory is not None:
        raise InputError("`memory` is for one machine; a cluster has its own settings, such as spark.executor.memory")
    options: dict[str, Any] = {name: getattr(wanted, name) for name in ("renamed", "rank", "rank_by", "history")}
    with spark_session(master or "local[*]") as session:
        scored, rejected, counted = score_parquet(
            session, source, target, resolved.terms, overwrite=overwrite, **options
        )
    return _summary(
        source,
        target,
        resolved,
        engine="spark",
        rows=scored + rejected,
        scored=scored,
        rejected=rejected,
        rejects=f"{target}.rejected",
        counts=bool(counted),
    )


def _summary(
    source: str,
    target: str,
    resolved: ResolvedRubric,
    *,
    engine: str,
    rows: int,
    scored: int,
    rejected: int,
    rejects: str,
    counts: bool = False,
) -> Summary:
    """What became of the rows; `counts` when the table only counts flags, `rejects` is where rejected rows are."""
    terms = resolved.terms
    warning = other_amounts(terms) if counts else None
    return Summary(
        input=source,
        output=target,
        rejects=rejects if rejected else None,
        rows=rows,
        scored=scored,
        rejected=rejected,
        rubric=terms.rubric,
        sha256=terms.sha256,
        engine=engine,
        warnings=(*resolved.warnings, warning) if warning else resolved.warnings,
    )


def batch_rubric(rubric: str | Path | Rubric | None) -> ResolvedRubric:
    """The rubric for a table; the default one when none is named. InputError when it wants calibrated scores: a table
    does not say whose scores it holds."""
    resolved = resolve(library.DEFAULT if rubric is None else rubric)
    if resolved.terms.official != RAW:
        raise InputError(
            f"rubric {resolved.rubric.name} makes the {resolved.terms.official} score official, which is not known for "
            "a table of scores; use a rubric without official:, or judge with `calibration` FILE"
        )
    return resolved


def other_amounts(terms: Terms) -> str | None:
    """A warning for a table that only counts flags, when the rubric gives some of them another amount."""
    odd = [flag.id for flag in terms.red_flags.values() if hundredths(flag.deduction) != DEDUCTION]
    if not odd:
        return None
    return (
        f"red_flags are counts, so each takes {points(DEDUCTION)}; rubric {terms.rubric} gives other amounts to "
        f"{', '.join(odd)}: give the ids to apply them"
    )


def memory_bytes(text: str) -> int:
    """An amount of memory as a person writes it: 2GB, 500 MB, 1.5GiB."""
    match = re.fullmatch(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([KMGT]?)(i?)B?\s*", text, re.IGNORECASE | re.ASCII)
    if match is None:
        raise InputError(f'`memory` "{text}" is not an amount of memory; write it like 2GB or 500MB')
    power = " KMGT".index(match[2].upper() or " ")
    amount = int(float(match[1]) * (1024 if match[3] else 1000) ** power)
    if amount < 100_000_000:
        raise InputError(f"`memory` {text} is too little; give 100MB or more")
    return amount


def need(*modules: str) -> None:
    """Raise an error that names what to install when a module is missing."""
    missing = [name for name in modules if find_spec(name) is None]
    if missing:
        raise InputError(f"this needs {' and '.join(missing)}; install with: pip install 'evenhand[batch]'")


def _arrow(table: Any) -> pa.Table:
    import pyarrow as pa

    if isinstance(table, pa.Table):
        return table
    if hasattr(table, "to_arrow_table"):  # a DuckDB relation
        return table.to_arrow_table()
    if type(table).__module__.split(".")[0] == "pandas":
        return pa.Table.from_pandas(table, preserve_index=False)
    if hasattr(table, "__arrow_c_stream__") or hasattr(table, "__arrow_c_array__"):
        return pa.table(table)
    raise InputError(
        f"the table is of the type {type(table).__name__}; give Arrow, pandas, Polars or a DuckDB relation"
    )
