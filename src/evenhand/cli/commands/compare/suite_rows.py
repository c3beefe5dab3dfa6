"""A row for every run of a suite: as results that can be merged, and as CSV or Parquet for evenhand table."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from decimal import Decimal
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from evenhand.cli.presenter import Writer, write
from evenhand.errors import InputError

if TYPE_CHECKING:
    from evenhand.decisions.suite_run import SuiteRun
    from evenhand.work.agent_run import CaseResult

_ROWS_AT_ONCE: Final = 10_000
_WHOLE: Final = ("repeat", "met", "expectations", "tokens")
_MEASURED: Final = ("seconds", "cost")


def row_writers(run: SuiteRun, results: Iterable[CaseResult]) -> dict[str, Writer]:
    """The formats with a row for every run, written as they come, so that a large run needs little memory."""

    def lines() -> None:
        from evenhand.suites.results.suite_results import results_text

        for line in results_text(run, results):
            write(line)

    return {"csv": lambda: _write_csv(results), "parquet": lambda: _write_parquet(results), "results": lines}


def _write_csv(results: Iterable[CaseResult]) -> None:
    import csv
    import io

    from evenhand.reports.exchange.result_rows import result_rows

    text = io.StringIO()
    writer = csv.DictWriter(text, _columns(), restval="", extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    for row in result_rows(results):
        writer.writerow(row)
        if text.tell() > 1_000_000:
            write(text.getvalue())
            text.seek(0)
            text.truncate()
    write(text.getvalue())


def _write_parquet(results: Iterable[CaseResult]) -> None:
    """Rows with types: scores are decimals, and what is missing is null."""
    if sys.stdout.isatty():
        raise InputError("Parquet is not text; name a file, such as -o results.parquet")
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise InputError(
            "writing Parquet needs the package pyarrow; install it with: pip install 'evenhand[batch]'"
        ) from None
    from evenhand.core.rules import DIMENSIONS
    from evenhand.reports.exchange.result_rows import result_rows

    scores = ("score", *DIMENSIONS)
    types = dict.fromkeys(_WHOLE, pa.int64()) | dict.fromkeys(_MEASURED, pa.float64())
    types |= dict.fromkeys(scores, pa.decimal128(4, 2))
    schema = pa.schema([(name, types.get(name, pa.string())) for name in _columns()])
    waiting = iter(result_rows(results))
    with pq.ParquetWriter(sys.stdout.buffer, schema) as writer:
        while rows := list(islice(waiting, _ROWS_AT_ONCE)):
            typed = [row | _typed(row, scores) for row in rows]
            writer.write_batch(pa.RecordBatch.from_pylist(typed, schema))


def _typed(row: dict[str, Any], scores: Iterable[str]) -> dict[str, Any]:
    """Scores are hundredths, of which the shortest text is exact."""
    decimals = {name: None if row.get(name) is None else Decimal(str(row[name])) for name in scores}
    return {**decimals, "reason": row["reason"] or None}


def _columns() -> list[str]:
    from evenhand.core.rules import DIMENSIONS
    from evenhand.reports.exchange.result_rows import ROW_COLUMNS

    return [*ROW_COLUMNS, *DIMENSIONS]
