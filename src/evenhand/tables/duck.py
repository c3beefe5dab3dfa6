"""Scores tables with embedded DuckDB, which stays within its memory limit and spills to disk beyond it."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread
from typing import TYPE_CHECKING, Any, NamedTuple

from evenhand.core.rubric import Terms
from evenhand.errors import InputError, Problem, Unavailable
from evenhand.tables.arrow import columns_of, used_columns
from evenhand.tables.columns import Layout, make_layout
from evenhand.tables.dialect import DUCKDB
from evenhand.tables.inputs import Source, open_source
from evenhand.tables.outputs import Output
from evenhand.tables.plan import ROW, Plan, inner

if TYPE_CHECKING:
    import pyarrow as pa
    from duckdb import DuckDBPyConnection

ROW_BYTES = 400
"""The memory DuckDB needs per row to put the results in order."""

THREAD_BYTES = 250_000_000
"""The memory DuckDB needs per thread."""

Progress = Callable[[str, int, int], None]
"""Called with the current step, the rows done and the rows in total: when a step begins, and during it, from another
thread, with the share DuckDB reports."""

CHANGED = "changed while it was being scored; leave it alone during a run"

_LOOK = 0.2
"""Seconds between two progress reports of a query."""


class Changed(Exception):
    """The number of rows changed between two reads of a table."""


class Rejected(NamedTuple):
    """A row that was not scored."""

    row: int
    """Its number in the input, from 1."""
    reason: str


class Done(NamedTuple):
    """The result of scoring a table."""

    rows: int
    scored: int
    rejected: int
    counts: bool
    """Whether the red flags were given as counts, without ids."""


class BatchOptions(NamedTuple):
    """The options of a batch run."""

    renamed: Mapping[str, str] = {}
    rank: bool = True
    rank_by: str | None = None
    history: bool = True
    memory: int | None = None
    """Bytes; None uses most of the machine's memory."""


def score_files(path: str, output: Output, terms: Terms, options: BatchOptions, progress: Progress | None) -> Done:
    """Score every row of the files that `path` names, and write them; all or nothing."""
    memory = options.memory or most_memory()
    with output, open_connection(output.spill, memory) as connection:
        try:
            source = open_source(connection, path, options.renamed)
            layout = make_layout(
                source.columns,
                source=path,
                renamed=options.renamed,
                rank=options.rank,
                rank_by=options.rank_by,
                history=options.history,
            )
            (rows,) = connection.execute(f"SELECT count(*) FROM {source.relation}").fetchone() or (0,)
            if not rows:
                raise InputError(Problem("has no rows; nothing was written", path))
            scoring = _Scoring(connection, source.relation, layout, terms, rows, progress)
            rejected = scoring.rejected()
            names = [column.name for column in source.columns]
            query = scoring.query(names, in_order=rows * ROW_BYTES <= memory)
            with scoring.watched("scoring"):
                scored = output.write_query(connection, query, source.json)
            if scored + len(rejected) != rows:
                raise Changed(CHANGED)
            _write_rejected(rejected, rows, connection, source, output)
            done = Done(rows, scored, len(rejected), _counts(connection, source, layout))
        except engine_errors() as error:
            raise explained(error, path, output) from None
        output.keep()
        return done


def score_table(
    table: pa.Table,
    terms: Terms,
    *,
    renamed: Mapping[str, str] | None = None,
    rank: bool = True,
    rank_by: str | None = None,
    history: bool = True,
) -> tuple[pa.Table, list[Rejected]]:
    """The rows that can be scored, in their order, with the results after their own columns; and the other rows."""
    layout = make_layout(columns_of(table.schema), renamed=renamed, rank=rank, rank_by=rank_by, history=history)
    with tempfile.TemporaryDirectory() as spill, open_connection(Path(spill), most_memory()) as connection:
        try:
            relation = inner("table")
            connection.register(relation, used_columns(table, layout))
            scoring = _Scoring(connection, relation, layout, terms, table.num_rows, None)
            rejected = scoring.rejected()
            results = connection.sql(scoring.query([], in_order=True)).to_arrow_table()
        except engine_errors() as error:
            raise InputError(f"the table cannot be read: {_first_line(error)}") from None
    kept = table.filter(_all_but(rejected, table.num_rows)) if rejected else table
    for name in layout.results:
        kept = kept.append_column(name, results.column(name))
    return kept, rejected


def _all_but(rejected: list[Rejected], rows: int) -> pa.Array:
    """A mask of the rows that were not rejected."""
    import pyarrow as pa

    mask = bytearray(b"\1") * rows
    for row, _ in rejected:
        mask[row - 1] = 0
    return pa.Array.from_buffers(pa.uint8(), rows, [None, pa.py_buffer(mask)]).cast(pa.bool_())


class _Scoring:
    """A relation being scored: first the rows that cannot be, then the others."""

    def __init__(
        self,
        connection: DuckDBPyConnection,
        relation: str,
        layout: Layout,
        terms: Terms,
        rows: int,
        progress: Progress | None,
    ) -> None:
        self.connection, self.layout, self.rows, self.progress = connection, layout, rows, progress
        self.plan = Plan(terms, layout)
        self._numbered = f"(SELECT *, row_number() OVER () AS {ROW} FROM {relation}) {inner('numbered')}"

    def rejected(self) -> list[Rejected]:
        """The rows that cannot be scored, in their order. R13: a row that repeats an earlier id is one of them."""
        with self.watched("checking"):
            query = self.plan.rejected(self._numbered)
            rejected = [Rejected(*row) for row in self.connection.execute(query).fetchall()]
        if self.layout.history and "id" in self.layout.roles:
            with self.watched("comparing ids"):
                rejected += self._leave_out_repeated()
        return sorted(rejected)

    def _leave_out_repeated(self) -> list[Rejected]:
        id = DUCKDB.name_of(self.layout.roles["id"].name)
        accepted = f"(SELECT {ROW}, {id} FROM {self._numbered} WHERE {self.plan.valid()}) {inner('ids')}"
        twice = self.connection.execute(f"SELECT count({id}) <> count(DISTINCT {id}) FROM {accepted}").fetchall()[0][0]
        if not twice:
            return []
        statement = f"CREATE TEMP TABLE {inner('repeated')} AS {self.plan.repeated(accepted)}"
        self.connection.execute(statement)
        rows = self.connection.execute(f"SELECT row, CAST(id AS VARCHAR), first FROM {inner('repeated')}").fetchall()
        others = f"SELECT * FROM {self._numbered} WHERE {ROW} NOT IN (SELECT row FROM {inner('repeated')})"
        self._numbered = f"({others}) {inner('once')}"
        return [Rejected(row, _repeated(id, first)) for row, id, first in rows]

    def query(self, columns: list[str], *, in_order: bool) -> str:
        """These columns of the accepted rows, and the results."""
        query = self.plan.query(self._numbered, columns)
        # Ranks and histories sort the rows; without them DuckDB keeps their order.
        sorted_otherwise = self.layout.rank or self.layout.history
        return f"{query}\nORDER BY {ROW}" if in_order and sorted_otherwise else query

    @contextmanager
    def watched(self, doing: str) -> Iterator[None]:
        """Report DuckDB's progress from another thread, since this one waits for the query."""
        if self.progress is None:
            yield
            return
        progress, ended = self.progress, Event()
        progress(doing, 0, self.rows)

        def watch() -> None:
            while not ended.wait(_LOOK):
                share = self.connection.query_progress() / 10**2  # percent; below 0 when DuckDB cannot tell
                if share >= 0:
                    progress(doing, int(min(share, 1) * self.rows), self.rows)

        watcher = Thread(target=watch, daemon=True)
        watcher.start()
        try:
            yield
        finally:
            ended.set()
            watcher.join()


def _repeated(id: str, first: int) -> str:
    return f'row {first} already has the id "{id}"; an evaluation counts once in a history'


def _counts(connection: DuckDBPyConnection, source: Source, layout: Layout) -> bool:
    """Whether red flags are counts; text may be either."""
    flags = layout.roles.get("red_flags")
    if flags is None or flags.kind != "text":
        return flags is not None and flags.kind != "list"
    counted = f"SELECT 1 FROM {source.relation} WHERE {DUCKDB.is_count(flags)} LIMIT 1"
    return bool(connection.execute(counted).fetchall())


def _write_rejected(
    rejected: list[Rejected], rows: int, connection: DuckDBPyConnection, source: Source, output: Output
) -> None:
    if not rejected:
        return
    sizes = [rows]
    if len(source.files) > 1:
        # Row numbers run through all files; the reader of a report needs the row within its file.
        per_file = [open_source(connection, file).relation for file in source.files]
        sizes = [connection.execute(f"SELECT count(*) FROM {file}").fetchall()[0][0] for file in per_file]
    output.write_rejected(_located(rejected, source.files, sizes))


def _located(rejected: list[Rejected], files: tuple[str, ...], sizes: list[int]) -> Iterator[dict[str, Any]]:
    place = passed = 0
    for row, reason in rejected:
        while row - passed > sizes[place]:
            passed += sizes[place]
            place += 1
        yield {"file": files[place], "row": row - passed, "reason": reason}


def most_memory() -> int:
    """Four fifths of the machine's memory."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") * 4 // 5


def open_connection(spill: Path, memory: int) -> DuckDBPyConnection:
    """A connection that stays within this much memory, and spills to a folder."""
    import duckdb

    settings: dict[str, Any] = {"memory_limit": f"{memory * 4 // 5 // 1024}KiB", "temp_directory": str(spill)}
    settings["threads"] = max(1, min(os.cpu_count() or 1, memory // THREAD_BYTES))
    connection = duckdb.connect(config=settings)
    # Progress is tracked, but not printed by DuckDB itself.
    connection.execute("SET TimeZone = 'UTC'; SET enable_progress_bar = true; SET enable_progress_bar_print = false")
    return connection


def engine_errors() -> tuple[type[Exception], ...]:
    """What DuckDB and Arrow raise for files and memory."""
    import duckdb
    import pyarrow as pa

    return (duckdb.Error, pa.ArrowException, OSError, Changed)


_NO_ROOM = ("No space left on device", "File too large", "Disk quota exceeded", "Read-only file system")
"""Error messages of a disk that cannot be written to."""


def explained(error: Exception, path: str, output: Output) -> InputError | Unavailable:
    """An error as one line: bad input, or a problem with the disk or memory."""
    import duckdb

    message = _first_line(error)
    if CHANGED in str(error):  # raised inside a query, which wraps the message
        return InputError(Problem(CHANGED, path))
    reason = next((words for words in _NO_ROOM if words.lower() in str(error).lower()), None)
    if reason is not None:
        return Unavailable(str(Problem(f"cannot be written: {reason}", output.shown)))
    # An Arrow reader wraps the error.
    if isinstance(error, duckdb.OutOfMemoryException | MemoryError) or "Out of Memory Error" in str(error):
        return InputError(Problem("does not fit into the allowed memory; allow more with `memory`", path))
    if isinstance(error, OSError):
        return InputError(Problem(f"cannot be used: {error.strerror or message}", str(error.filename or path)))
    return InputError(Problem(f"cannot be read: {message}", path))


def _first_line(error: Exception) -> str:
    return str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
