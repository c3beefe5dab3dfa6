"""What a store keeps beside evaluations, table by table, so that a copy loses nothing: labels, rounds of review with
drafts and decisions, notes and tags, runs of suites with baselines, judges' cards, anchors with their runs.

The dashboard's log and its secret stay where they are: a log that could be imported would prove nothing.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from evenhand.core.receipt import sha256
from evenhand.errors import NUL, DocumentError
from evenhand.store.tables.anchors import Anchor, AnchorRun
from evenhand.store.tables.judge_cards import StoredCard
from evenhand.store.tables.notes import Note
from evenhand.store.tables.reviews import Correction, Decision, ReviewItem, ReviewRound
from evenhand.store.tables.suites import BaselineRow, StoredSuite, SuiteResultRow, Suites
from evenhand.work.label import Label

Row = dict[str, Any]
"""The values of a row by the names of its columns."""


class Table(NamedTuple):
    """A table and what its rows hold; what is not named here is text."""

    name: str
    columns: tuple[str, ...]
    key: tuple[str, ...]
    numbers: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()
    documents: tuple[str, ...] = ()
    """Columns that hold an object as JSON."""
    hashes: tuple[tuple[str, str], ...] = ()
    """A column with the hash of another."""
    within: tuple[str, str] | None = None
    """A column that names a row of another table by its id."""


_MINE: Final = ("round", "place", "person")
TABLES: Final = (
    Table("labels", Label._fields, ("kind", "item", "rater", "field"), ("imported",), ("rule",)),
    Table("review_rubrics", ("sha256", "document"), ("sha256",), (), (), ("document",), (("sha256", "document"),)),
    Table("review_texts", ("submission", "document"), ("submission",), (), (), ("document",)),
    Table("review_rounds", ReviewRound._fields, ("id",), ("population", "size"), ("skill", "rubric")),
    Table("review_items", ReviewItem._fields, ("round", "place"), ("place",), within=("round", "review_rounds")),
    Table("reviews", Decision._fields, _MINE, ("place",), within=("round", "review_rounds")),
    Table(
        "review_corrections",
        Correction._fields,
        (*_MINE, "evaluation"),
        ("place",),
        within=("round", "review_rounds"),
    ),
    Table("review_works", ("submission", "evaluation"), ("submission", "evaluation")),
    Table(
        "review_drafts",
        (*_MINE, "version", "saved", "content"),
        (*_MINE, "version"),
        ("place", "version"),
        (),
        ("content",),
        within=("round", "review_rounds"),
    ),
    Table("transcripts", ("submission", "document"), ("submission",), (), (), ("document",)),
    Table("notes", Note._fields, Note._fields),
    Table("suite_runs", StoredSuite._fields, ("id",), (), (), ("document",)),
    Table(
        "suite_results",
        SuiteResultRow._fields,
        ("run", "case_id", "variant", "repeat_number"),
        ("repeat_number",),
        (),
        ("document",),
        within=("run", "suite_runs"),
    ),
    Table("suite_baselines", BaselineRow._fields, ("suite", "name"), within=("run", "suite_runs")),
    Table("judge_cards", StoredCard._fields, ("id",), (), (), ("document",)),
    Table(
        "anchors",
        Anchor._fields,
        ("set_name", "submission", "rubric_sha256"),
        (),
        (),
        ("text", "rubric"),
        (("rubric_sha256", "rubric"),),
    ),
    Table("anchor_runs", AnchorRun._fields, ("id",), ("alarm",), (), ("document",)),
    Table("judge_calibrations", ("judge", "created", "sha256"), ("judge", "created", "sha256")),
)
"""Every table in an order in which a row comes after those it names."""

BY_NAME: Final = {table.name: table for table in TABLES}
_LARGEST: Final = {"imported": 2**63}
"""Other numbers have 32 bits in PostgreSQL."""


class KeptRows(Suites):
    """Those tables over a connection that runs statements."""

    _run: StoredSuite | None = None
    """The run whose results were added last."""

    def kept_rows(self) -> Iterator[tuple[str, Row]]:
        """Every row with the name of its table. One whose round or run was added meanwhile is left out, like that."""
        ids: dict[str, set[str]] = {table.within[1]: set() for table in TABLES if table.within is not None}
        for table in TABLES:
            order = ", ".join(table.key)
            for values in self._stream(f"SELECT {', '.join(table.columns)} FROM {table.name} ORDER BY {order}"):
                row = dict(zip(table.columns, values, strict=True))
                if table.name in ids:
                    ids[table.name].add(row["id"])
                if table.within is None or row[table.within[0]] in ids[table.within[1]]:
                    yield table.name, row

    def add_kept_row(self, name: str, row: Row) -> bool:
        """Add a row unless it is there. DocumentError when another has its key, or what it belongs to is missing.

        Inside a transaction only. A decision ends its drafts, whichever of them comes first.
        """
        table = BY_NAME[name]
        stored = self._kept(table, {column: row[column] for column in table.key})
        if stored is not None:
            if stored != row:
                key = ", ".join(str(row[column]) for column in table.key)
                raise DocumentError(f"the store already has a different row of {name} with the key {key}")
            return False
        if table.within is not None and self._kept(BY_NAME[table.within[1]], {"id": row[table.within[0]]}) is None:
            raise DocumentError(f'a row of {name} belongs to "{row[table.within[0]]}", which {table.within[1]} lacks')
        mine = [row.get(column) for column in _MINE]
        same_item = " AND ".join(f"{column} = ?" for column in _MINE)
        if name == "review_drafts" and self._rows(f"SELECT 1 FROM reviews WHERE {same_item}", mine):
            return False
        self.add_plain_row(name, table.columns, [row[column] for column in table.columns])
        if name == "reviews":
            self._write(f"DELETE FROM review_drafts WHERE {same_item}", [mine])
        if name == "suite_runs":
            self.list_suite_run(StoredSuite(**row))
        if name == "suite_results":
            if self._run is None or self._run.id != row["run"]:
                self._run = StoredSuite(**(self._kept(BY_NAME["suite_runs"], {"id": row["run"]}) or {}))
            self.list_results(self._run, [SuiteResultRow(**row)])
        return True

    def add_plain_row(self, name: str, columns: Sequence[str], values: Sequence[Any]) -> None:
        """Add a row as it is. Inside a transaction only."""
        marks = ", ".join("?" * len(columns))
        self._write(f"INSERT INTO {name} ({', '.join(columns)}) VALUES ({marks})", [values])

    def _kept(self, table: Table, key: Mapping[str, Any]) -> Row | None:
        where = " AND ".join(f"{column} = ?" for column in key)
        rows = self._rows(f"SELECT {', '.join(table.columns)} FROM {table.name} WHERE {where}", list(key.values()))
        return dict(zip(table.columns, rows[0], strict=True)) if rows else None


def check_row(name: object, row: object) -> None:
    """Raise DocumentError unless this is a row of a table that is copied."""
    table = BY_NAME.get(name) if isinstance(name, str) else None
    if table is None:
        raise DocumentError(f'"table" must be one of {", ".join(BY_NAME)}')
    if not isinstance(row, dict) or row.keys() != set(table.columns):
        raise DocumentError(f"a row of {table.name} has exactly these columns: {', '.join(table.columns)}")
    for column, value in row.items():
        wrong = _wrong(table, column, value)
        if wrong:
            raise DocumentError(f"{column} of a row of {table.name} {wrong}")
    for digest, column in table.hashes:
        if sha256(row[column]) != row[digest]:
            raise DocumentError(f"the row of {table.name} was changed: {digest} is not the hash of {column}")
    _check_document(table, row)


def _check_document(table: Table, row: Row) -> None:
    """DocumentError when what reads a table's documents would refuse this one."""
    from evenhand.decisions.suite_run import result_from, run_from
    from evenhand.stats.trust.judge_card import card_from  # loaded here: every command opens a store

    reading: dict[str, Any] = {"suite_runs": run_from, "suite_results": result_from, "judge_cards": card_from}
    if table.name in reading:
        try:
            reading[table.name](json.loads(row["document"]))
        except DocumentError as error:
            raise DocumentError(f"document of a row of {table.name}: {error.problems[0].message}") from None


def _wrong(table: Table, column: str, value: object) -> str:
    """What is wrong with a value; empty if nothing is."""
    if column in table.numbers:
        largest = _LARGEST.get(column, 2**31)
        return "" if type(value) is int and -largest <= value < largest else "must be a whole number"
    if value is None and column in table.optional:
        return ""
    if not isinstance(value, str):
        return "must be text"
    if "\0" in value:
        return NUL
    if any("\ud800" <= letter <= "\udfff" for letter in value):
        return "holds half of a surrogate pair, which is not valid text"
    if column in table.documents:
        try:
            whole = isinstance(json.loads(value), dict)
        except (ValueError, RecursionError):
            whole = False
        return "" if whole else "must be an object as JSON"
    return ""
