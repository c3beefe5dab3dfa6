"""Runs of suites in a SQL store: what was run, what each run gave, and names for runs that others are compared with.

No result is ever changed: a run is stored whole, and a baseline's name is given once. Only how far a run is changes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Final

from evenhand.errors import InputError
from evenhand.named_tuple import NamedTuple
from evenhand.store.sql_connection import SqlConnection, columns_of, where

_BATCH: Final = 1_000
_LAST_CHARACTER: Final = "\U0010ffff"


class StoredSuite(NamedTuple):
    """One row of the runs, in the order of its columns."""

    id: str
    suite: str
    created: str
    document: str


class SuiteProgress(NamedTuple):
    """How far a run is that has not ended."""

    run: str
    suite: str
    started: str
    updated: str
    """When it was last heard of."""
    done: int
    total: int
    """At most: a run may stop early."""
    failed: int


class SuiteResultRow(NamedTuple):
    """One row of the results, in the order of its columns."""

    run: str
    case_id: str
    variant: str
    repeat_number: int
    document: str


class BaselineRow(NamedTuple):
    """One row of the baselines, in the order of its columns."""

    suite: str
    name: str
    run: str
    created: str


class Suites(SqlConnection):
    """Runs of suites over a connection that runs statements."""

    def note_progress(self, progress: SuiteProgress) -> None:
        """Say how far a run is."""
        changed = ", ".join(f"{name} = excluded.{name}" for name in SuiteProgress._fields[1:])
        marks = ", ".join("?" * len(SuiteProgress._fields))
        with self.transaction():
            self._write(
                f"INSERT INTO suite_progress ({columns_of(SuiteProgress)}) VALUES ({marks}) "
                f"ON CONFLICT (run) DO UPDATE SET {changed}",
                [progress],
            )

    def end_progress(self, run: str) -> None:
        """A run has ended, whichever way."""
        with self.transaction():
            self._write("DELETE FROM suite_progress WHERE run = ?", [(run,)])

    def suites_running(self, *, limit: int = 20) -> list[SuiteProgress]:
        """The runs that have not ended, those last heard of first."""
        return self._select(SuiteProgress, "suite_progress", "ORDER BY updated DESC, run LIMIT ?", (limit,))

    def add_suite_run(self, run: StoredSuite, results: Iterable[SuiteResultRow]) -> None:
        """Add a run of a suite with all its results. Inside a transaction only."""
        self._insert(StoredSuite, "suite_runs", [run])
        waiting = iter(results)
        while batch := list(islice(waiting, _BATCH)):
            self._insert(SuiteResultRow, "suite_results", batch)

    def suite_runs(self, *, suite: str | None = None, limit: int = 100) -> list[StoredSuite]:
        """Runs of suites, newest first, of one suite or of all."""
        condition, values = where(suite=suite)
        order = f"{condition} ORDER BY created DESC, id DESC LIMIT ?"
        return self._select(StoredSuite, "suite_runs", order, [*values, limit])

    def suite_run(self, id: str) -> StoredSuite | None:
        """The run with this id, or with the only id that starts so."""
        wanted = "WHERE id >= ? AND id < ? ORDER BY id LIMIT 2"
        rows = self._select(StoredSuite, "suite_runs", wanted, (id, id + _LAST_CHARACTER))
        if len(rows) > 1 and rows[0].id != id:
            raise InputError(f'"{id}" matches more than one id, among them {rows[0].id} and {rows[1].id}')
        return rows[0] if rows else None

    def suite_results(self, run: str) -> Iterator[SuiteResultRow]:
        """The results of a run by case, variant and repeat."""
        statement = (
            f"SELECT {columns_of(SuiteResultRow)} FROM suite_results WHERE run = ? "
            "ORDER BY case_id, variant, repeat_number"
        )
        for row in self._stream(statement, (run,)):
            yield SuiteResultRow(*row)

    def add_baseline(self, baseline: BaselineRow) -> None:
        """Name a run. Inside a transaction only; the caller has made sure that the name is free."""
        self._insert(BaselineRow, "suite_baselines", [baseline])

    def baselines(self, suite: str | None = None) -> list[BaselineRow]:
        """The named runs, of one suite or of all, oldest first."""
        condition, values = where(suite=suite)
        return self._select(BaselineRow, "suite_baselines", f"{condition} ORDER BY suite, created, name", values)
