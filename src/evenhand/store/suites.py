"""Runs of suites in a SQL store: what was run, what each run gave, and names for runs that others are compared with.

Nothing here is ever changed: a run is stored whole, and a baseline's name is given once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, Final

from evenhand.errors import InputError
from evenhand.named_tuple import NamedTuple
from evenhand.store.sql_connection import SqlConnection

_BATCH: Final = 1_000
_LAST_CHARACTER: Final = "\U0010ffff"


class StoredSuite(NamedTuple):
    """One row of the runs, in the order of its columns."""

    id: str
    suite: str
    created: str
    document: str


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

    def add_suite_run(self, run: StoredSuite, results: Iterable[SuiteResultRow]) -> None:
        self._write("INSERT INTO suite_runs VALUES (?, ?, ?, ?)", [run])
        waiting = iter(results)
        while batch := list(islice(waiting, _BATCH)):
            self._write("INSERT INTO suite_results VALUES (?, ?, ?, ?, ?)", batch)

    def suite_runs(self, *, suite: str | None = None, limit: int = 100) -> list[StoredSuite]:
        where, values = ("WHERE suite = ?", (suite,)) if suite is not None else ("", ())
        rows = self._rows(
            f"SELECT {_columns(StoredSuite)} FROM suite_runs {where} ORDER BY created DESC, id DESC LIMIT ?",
            (*values, limit),
        )
        return [StoredSuite(*row) for row in rows]

    def suite_run(self, id: str) -> StoredSuite | None:
        statement = f"SELECT {_columns(StoredSuite)} FROM suite_runs WHERE id >= ? AND id < ? ORDER BY id LIMIT 2"
        rows = [StoredSuite(*row) for row in self._rows(statement, (id, id + _LAST_CHARACTER))]
        if len(rows) > 1 and rows[0].id != id:
            raise InputError(f'"{id}" matches more than one id, among them {rows[0].id} and {rows[1].id}')
        return rows[0] if rows else None

    def suite_results(self, run: str) -> Iterator[SuiteResultRow]:
        statement = (
            f"SELECT {_columns(SuiteResultRow)} FROM suite_results WHERE run = ? "
            "ORDER BY case_id, variant, repeat_number"
        )
        for row in self._stream(statement, (run,)):
            yield SuiteResultRow(*row)

    def add_baseline(self, baseline: BaselineRow) -> None:
        self._write("INSERT INTO suite_baselines VALUES (?, ?, ?, ?)", [baseline])

    def baselines(self, suite: str | None = None) -> list[BaselineRow]:
        where, values = ("WHERE suite = ?", (suite,)) if suite is not None else ("", ())
        rows = self._rows(
            f"SELECT {_columns(BaselineRow)} FROM suite_baselines {where} ORDER BY suite, created, name", values
        )
        return [BaselineRow(*row) for row in rows]


def _columns(row: Any) -> str:
    return ", ".join(row._fields)
