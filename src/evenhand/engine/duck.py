"""Scores a table in files with embedded DuckDB, which reads and writes within its memory limit.

A table that fits into memory, at about a hundred bytes per row, is ranked and compared by the kernel, which is several
times faster. Larger tables, and tables that are only scored, go through the plan in SQL, and DuckDB spills to disk.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from threading import Event, Thread
from typing import TYPE_CHECKING, Any, NamedTuple

from evenhand.core.values.rubric import Terms
from evenhand.engine.columns import Layout, make_layout
from evenhand.engine.dialect import DUCKDB
from evenhand.engine.inputs import Source, open_source
from evenhand.engine.kernel.reasons import repeated
from evenhand.engine.kernel.table import MOST_ROWS, Rejected, Table
from evenhand.engine.outputs import Output
from evenhand.engine.plan import ROW, Plan, inner
from evenhand.errors import InputError, Problem, Unavailable

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from duckdb import DuckDBPyConnection

ROW_BYTES = 130
"""The most bytes the kernel keeps per row."""

WRITTEN_BYTES, MOST_WRITTEN = 3 * ROW_BYTES, 500_000_000
"""Bytes per row while it is read and written, and the most for all of them, since they are processed in batches."""

THREAD_BYTES = 250_000_000
"""The memory DuckDB needs per thread."""

BATCH = 1 << 16
"""Rows per batch."""

Progress = Callable[[str, int, int], None]
"""Called with the current step, the rows done and the rows in total; during a query, with the share DuckDB reports.
Possibly from another thread."""

CHANGED = "changed while it was being scored; leave it alone during a run"

_LOOK = 0.2
"""Seconds between two progress reports of a query."""


class Changed(Exception):
    """The number of rows changed between two reads of a table."""


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
    kernel: bool | None = None
    """Whether the kernel ranks and compares; None decides by the size of the table."""


def score_files(path: str, output: Output, terms: Terms, options: BatchOptions, progress: Progress | None) -> Done:
    """Score every row of the files that `path` names, and write them; all or nothing."""
    # Four fifths of the machine's memory.
    memory = options.memory or (os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") * 4 // 5)
    with output, open_connection(output, memory) as connection:
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
            run = _Scoring(connection, source, layout, terms, output, rows, progress)
            fits = _fits(rows, memory) if options.kernel is None else options.kernel
            done = run.by_kernel() if fits and run.suits_kernel() else run.by_query()
        except engine_errors() as error:
            raise explained(error, path, output) from None
        output.keep()
        return done


def _fits(rows: int, memory: int) -> bool:
    """Whether a table of this many rows fits into memory for the kernel."""
    needed = rows * ROW_BYTES + min(rows * WRITTEN_BYTES, MOST_WRITTEN)
    return rows <= MOST_ROWS and needed <= memory


class _Scoring:
    """One table being scored, by the kernel or by SQL."""

    def __init__(
        self,
        connection: DuckDBPyConnection,
        source: Source,
        layout: Layout,
        terms: Terms,
        output: Output,
        rows: int,
        progress: Progress | None,
    ) -> None:
        self.connection, self.source, self.layout, self.terms = connection, source, layout, terms
        self.output, self.rows, self.progress = output, rows, progress
        self.plan = Plan(terms, layout, numbered=True)

    # --- by the kernel -----------------------------------------------------------------------------------

    def suits_kernel(self) -> bool:
        """Whether there is more to do than scoring, and no two skills or groups share a hash."""
        if not (self.layout.rank or self.layout.history):
            return False
        names = [self.layout.roles["skill"].name] if self.layout.history else []
        names += [self.layout.rank_by] if self.layout.rank and self.layout.rank_by is not None else []
        counts = [f"count(DISTINCT {name}) = count(DISTINCT hash({name}))" for name in map(DUCKDB.name_of, names)]
        test = f"SELECT {' AND '.join(counts) or 'TRUE'} FROM {self.source.relation}"
        return bool(self.connection.execute(test).fetchall()[0][0])

    def by_kernel(self) -> Done:
        table = Table(self.terms, self.layout, self.rows)
        table.add(
            self._counted("reading", self._scan(f"SELECT {', '.join(self._by_role())} FROM {self.source.relation}"))
        )
        table.finish(self._ids_of)
        schema = self._schema()
        everything = self._scan(f"SELECT * FROM {self.source.relation}")
        joined = self._counted("writing", self._joined(everything, table, schema))
        self.output.write_batches(joined, schema, self.source.json)
        self._write_rejected(table.rejected)
        return Done(self.rows, table.accepted, len(table.rejected), self._counts())

    def _scan(self, query: str) -> Iterator[pa.RecordBatch]:
        """Every row, up to the number counted at the start: a log may grow while it is scored."""
        left = self.rows
        for batch in self.connection.sql(query).to_arrow_reader(BATCH):
            left -= batch.num_rows
            if left < 0:
                raise Changed(CHANGED)
            yield batch
        if left:
            raise Changed(CHANGED)

    def _by_role(self) -> Iterator[str]:
        """The columns with a role; names only as hashes, since all that matters is whether two are equal."""
        for role, column in self.layout.roles.items():
            name = DUCKDB.name_of(column.name)
            if role == "id":
                yield f"hash({name}) AS {role}"
            elif role == "skill":
                yield f"CASE WHEN {name} IS NOT NULL THEN hash({name}) END AS {role}"
            else:
                yield f"{name} AS {role}"
        if self.layout.rank_by is not None:
            name = DUCKDB.name_of(self.layout.rank_by)
            yield f'CASE WHEN {name} IS NOT NULL THEN hash({name}) END AS "group"'

    def _joined(self, batches: Iterator[pa.RecordBatch], table: Table, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
        """The input's columns and the results of the same rows."""
        import pyarrow as pa

        start = filled = 0
        for batch in batches:
            good = table.good[start : start + batch.num_rows]
            start += batch.num_rows
            kept = batch if good.all() else batch.filter(pa.array(good))
            results = table.results(filled, filled + kept.num_rows)
            filled += kept.num_rows
            plain = [column.cast(pa.string()) if pa.types.is_dictionary(column.type) else column for column in results]
            yield pa.RecordBatch.from_arrays([*kept.columns, *plain], schema=schema)

    def _schema(self) -> pa.Schema:
        import pyarrow as pa

        inputs = self.connection.sql(f"SELECT * FROM {self.source.relation} LIMIT 0").to_arrow_table().schema
        empty = Table(self.terms, self.layout, 0)
        return pa.schema([*inputs, *empty.result_fields()])

    def _ids_of(self, rows: np.ndarray[Any, Any]) -> pa.Array:
        """The ids of some rows as text, in the given order."""
        import pyarrow as pa

        self.connection.register("evenhand_requested", pa.table({"row": rows, "place": range(len(rows))}))
        id = DUCKDB.order_text(self.layout.roles["id"])
        numbered = f"SELECT {id} AS id, row_number() OVER () - 1 AS row FROM {self.source.relation}"
        query = f"SELECT id FROM ({numbered}) JOIN evenhand_requested USING (row) ORDER BY place"
        return self.connection.sql(query).to_arrow_table().column("id").combine_chunks()

    def _counted(self, doing: str, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        done = 0
        for batch in batches:
            yield batch
            done += batch.num_rows
            if self.progress is not None:
                self.progress(doing, done, self.rows)

    # --- by the plan in SQL ------------------------------------------------------------------------------

    def by_query(self) -> Done:
        numbered = f"(SELECT *, row_number() OVER () AS {ROW} FROM {self.source.relation}) {inner('numbered')}"
        with self._watched("checking"):
            rejected = [Rejected(*row) for row in self.connection.execute(self.plan.rejected(numbered)).fetchall()]
        if self.layout.history and "id" in self.layout.roles:
            with self._watched("comparing ids"):
                numbered, again = self._without_repeated(numbered)
            rejected = sorted(rejected + again)
        names = [column.name for column in self.source.columns]
        with self._watched("scoring"):
            scored = self.output.write_query(self.connection, self.plan.query(numbered, names), self.source.json)
        self._write_rejected(rejected)
        return Done(self.rows, scored, len(rejected), self._counts())

    @contextmanager
    def _watched(self, doing: str) -> Iterator[None]:
        """Report DuckDB's progress from another thread, since this one waits for the query."""
        if self.progress is None:
            yield
            return
        progress, ended = self.progress, Event()

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

    def _without_repeated(self, numbered: str) -> tuple[str, list[Rejected]]:
        id = DUCKDB.name_of(self.layout.roles["id"].name)
        accepted = f"(SELECT {ROW}, {id} FROM {numbered} WHERE {self.plan.valid()}) {inner('ids')}"
        twice = self.connection.execute(f"SELECT count({id}) <> count(DISTINCT {id}) FROM {accepted}").fetchall()[0][0]
        if not twice:
            return numbered, []
        statement = f"CREATE TEMP TABLE {inner('repeated')} AS {self.plan.repeated(accepted)}"
        self.connection.execute(statement)
        rows = self.connection.execute(f"SELECT row, CAST(id AS VARCHAR), first FROM {inner('repeated')}").fetchall()
        kept = f"(SELECT * FROM {numbered} WHERE {ROW} NOT IN (SELECT row FROM {inner('repeated')})) {inner('once')}"
        return kept, [Rejected(row, repeated(id, first)) for row, id, first in rows]

    def _counts(self) -> bool:
        """Whether red flags are counts; text may be either."""
        flags = self.layout.roles.get("red_flags")
        if flags is None or flags.kind != "text":
            return flags is not None and flags.kind != "list"
        counted = f"SELECT 1 FROM {self.source.relation} WHERE {DUCKDB.is_count(flags)} LIMIT 1"
        return bool(self.connection.execute(counted).fetchall())

    # --- what was rejected -------------------------------------------------------------------------------

    def _write_rejected(self, rejected: list[Rejected]) -> None:
        if not rejected:
            return
        files = self.source.files
        sizes = [self.rows]
        if len(files) > 1:
            # Row numbers run through all files; the reader of a report needs the row within its file.
            per_file = [open_source(self.connection, file).relation for file in files]
            sizes = [self.connection.execute(f"SELECT count(*) FROM {file}").fetchall()[0][0] for file in per_file]
        self.output.write_rejected(_located(rejected, files, sizes))


def _located(rejected: list[Rejected], files: tuple[str, ...], sizes: list[int]) -> Iterator[dict[str, Any]]:
    place = passed = 0
    for row, reason in rejected:
        while row - passed > sizes[place]:
            passed += sizes[place]
            place += 1
        yield {"file": files[place], "row": row - passed, "reason": reason}


def open_connection(output: Output, memory: int) -> DuckDBPyConnection:
    """A connection that stays within this much memory, and spills next to the output."""
    import duckdb

    settings: dict[str, Any] = {"memory_limit": f"{memory * 4 // 5 // 1024}KiB", "temp_directory": str(output.spill)}
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

    message = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
    if CHANGED in str(error):  # raised inside a query, which wraps the message
        return InputError(Problem(CHANGED, path))
    reason = next((words for words in _NO_ROOM if words.lower() in str(error).lower()), None)
    if reason is not None:
        return Unavailable(str(Problem(f"cannot be written: {reason}", output.shown)))
    if isinstance(error, duckdb.OutOfMemoryException | MemoryError):
        return InputError(Problem("does not fit into the allowed memory; allow more with `memory`", path))
    if isinstance(error, OSError):
        return InputError(Problem(f"cannot be used: {error.strerror or message}", str(error.filename or path)))
    return InputError(Problem(f"cannot be read: {message}", path))
