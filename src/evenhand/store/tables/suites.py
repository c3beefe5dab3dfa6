"""Runs of suites in a SQL store: what was run, what each run gave, and names for runs that others are compared with.

No result is ever changed: a run is stored whole, and a baseline's name is given once. Only how far a run is changes.
"""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from itertools import islice
from typing import Any, Final, NamedTuple

from evenhand import clock
from evenhand.core.rules import DIMENSIONS
from evenhand.errors import InputError
from evenhand.store.in_list import TITLE, billionths, flat
from evenhand.store.record import CELL, COLUMNS, SUITE, Record
from evenhand.store.sql_connection import SqlConnection, columns_of, where

_BATCH: Final = 1_000
_LAST_CHARACTER: Final = "\U0010ffff"
_NO_SCORES: Final = (None,) * len(DIMENSIONS)
_NOTHING_KNOWN: Final[dict[str, Any]] = {
    **dict.fromkeys(("kind", "title", "preview", "reason", "judge_name", "case_id"), ""),
    "state": "graded",
    "input_tokens": 0,
    "output_tokens": 0,
}
_PAID: Final = ("agent_cost", "agent_tokens", "agent_run")
_TASK_OF_CASE: Final = f"SELECT title FROM evaluations WHERE case_id = ? AND suite_run = ? AND in_history = {SUITE}"
_SPENT: Final = f"UPDATE evaluations SET {', '.join(f'{column} = ?' for column in _PAID)} WHERE id = ?"


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

    @abstractmethod
    def add_all(self, records: Sequence[Record]) -> None:
        """Append to the list."""

    def note_progress(self, progress: SuiteProgress) -> None:
        """Note the progress of a run."""
        changed = ", ".join(f"{name} = excluded.{name}" for name in SuiteProgress._fields[1:])
        marks = ", ".join("?" * len(SuiteProgress._fields))
        with self.transaction():
            self._write(
                f"INSERT INTO suite_progress ({columns_of(SuiteProgress)}) VALUES ({marks}) "
                f"ON CONFLICT (run) DO UPDATE SET {changed}",
                [progress],
            )

    def end_progress(self, run: str) -> None:
        """Note that a run has ended."""
        with self.transaction():
            self._write("DELETE FROM suite_progress WHERE run = ?", [(run,)])

    def suites_running(self, *, limit: int = 20) -> list[SuiteProgress]:
        """The runs that have not ended, those last heard of first."""
        return self._select(SuiteProgress, "suite_progress", "ORDER BY updated DESC, run LIMIT ?", (limit,))

    def add_suite_run(self, run: StoredSuite, results: Iterable[SuiteResultRow]) -> None:
        """Add a run of a suite with all its results. Inside a transaction only."""
        self._insert(StoredSuite, "suite_runs", [run])
        self.list_suite_run(run)
        waiting = iter(results)
        while batch := list(islice(waiting, _BATCH)):
            self._insert(SuiteResultRow, "suite_results", batch)
            self.list_results(run, batch)

    def list_suite_run(self, run: StoredSuite) -> None:
        """Enter what a run asked judges beside its cells into the list. Inside a transaction only."""
        calls = (_document(run.document).get("pairs") or {}).get("calls") or {}
        if calls.get("asked"):
            self.add_all([_pairs(run, calls)])

    def list_results(self, run: StoredSuite, results: Sequence[SuiteResultRow]) -> None:
        """Enter the cells that no one judged into the list, and what each agent cost. Inside a transaction only."""
        cells = []
        for result in results:
            document = _document(result.document)
            key = document.get("key") or f"{run.id} {result.case_id} {result.variant} {result.repeat_number}"
            paid_before = self._rows("SELECT 1 FROM evaluations WHERE agent_run = ? LIMIT 1", (key,))
            spent = (None, None, key) if paid_before else (_cost(document), document.get("tokens"), key)
            listed = self._rows(
                "SELECT id FROM evaluations WHERE id = ? AND suite_run = ?", (document.get("evaluation"), run.id)
            )
            if listed:
                self._write(_SPENT, [(*spent, *listed[0])])
            else:
                cost, tokens, _ = spent
                cell = _cell(run, result, document)
                task = self._first(_TASK_OF_CASE, (result.case_id, run.id))
                cell = cell if task is None else cell._replace(title=task)
                cells.append(cell._replace(agent_cost=cost, agent_tokens=tokens, agent_run=key))
        if cells:
            self.add_all(cells)

    def suite_runs(self, *, suite: str | None = None, limit: int = 100) -> list[StoredSuite]:
        """Runs of suites, newest first, of one suite or of all."""
        condition, values = where(suite=suite)
        order = f"{condition} ORDER BY created DESC, id DESC LIMIT ?"
        return self._select(StoredSuite, "suite_runs", order, [*values, limit])

    def suite_run(self, id: str) -> StoredSuite | None:
        """The run with this id, or with the only id that starts with it."""
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


def _document(text: str) -> dict[str, Any]:
    """A stored document; empty when it is damaged, which whoever shows it will say."""
    try:
        document = json.loads(text, parse_float=Decimal)
    except (ValueError, RecursionError):
        return {}
    return document if isinstance(document, dict) else {}


def _cost(document: dict[str, Any]) -> int | None:
    cost = document.get("cost")
    return None if cost is None else billionths(Decimal(str(cost)))


def _cell(run: StoredSuite, result: SuiteResultRow, document: dict[str, Any]) -> Record:
    """A cell of a suite that has no evaluation in this store."""
    final = document.get("final")
    state = "graded"
    if document.get("outcome") != "finished":
        state = "lost"
    elif final is None:  # what programs decided lacks no score: no one was to give one
        state = "unread" if document.get("expectations") and not document.get("unscored") else "failed"
    return _unjudged(run, f"{result.case_id}/{result.variant}/{result.repeat_number}")._replace(
        final=final,
        grade=document.get("grade"),
        state=state,
        kind="suite",
        title=flat(result.case_id, TITLE),
        reason=document.get("reason") or document.get("unscored") or "",
        case_id=result.case_id,
        variant=result.variant,
    )


def _pairs(run: StoredSuite, calls: dict[str, Any]) -> Record:
    """The pairs of a run that its judges compared, as one entry."""
    return _unjudged(run, "pairs")._replace(
        kind="pairs",
        title=flat(f"pairs of {run.suite}", TITLE),
        asked=calls["asked"],
        input_tokens=calls.get("input_tokens", 0),
        output_tokens=calls.get("output_tokens", 0),
        cost=_cost(calls),
    )


def _unjudged(run: StoredSuite, name: str) -> Record:
    """An entry of a run that has no scorecard."""
    skill = _document(run.document).get("skill") or ""
    try:
        moment = clock.microseconds(run.created)
    except ValueError:  # of a row that was changed: what shows the run says so
        moment = 0
    row = (f"{run.id}/{name}", skill, moment, run.created, *_NO_SCORES, None, None, "", "", "", None, "", None, CELL)
    return Record._make((*row, *(None,) * (len(COLUMNS) - len(row))))._replace(**_NOTHING_KNOWN, suite_run=run.id)
