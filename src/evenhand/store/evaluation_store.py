"""The evaluations in a store, which is all that scoring needs of it, and the number of its tables.

SQLite and PostgreSQL run the statements, and the tests run one suite over both. Statements are written with `?`; a
store puts its own placeholder in.
"""

from __future__ import annotations

import os
import re
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Self

from evenhand.core.comparison import MOST_LEFT_OUT, Past, Timeline
from evenhand.core.rules import WINDOW
from evenhand.errors import InputError, StoreUnavailable
from evenhand.store.record import CELL, COLUMNS, NEWEST, PAST_COLUMNS, REVIEW, SUITE, Record, past_of
from evenhand.store.tables.reviewed_works import ReviewedWorks
from evenhand.store.tables.word_index import WordIndex
from evenhand.store.used_rows import ROW_COLUMNS, USED, UsedRows, row_values

SCHEMA = 1
"""The number of the tables. A store with another one is refused."""

_ALL = ", ".join(COLUMNS)
_PAST = ", ".join(PAST_COLUMNS)
_INSERT = f"INSERT INTO evaluations ({', '.join(ROW_COLUMNS)}) VALUES ({', '.join('?' * len(ROW_COLUMNS))})"
_ONE = f"SELECT {_ALL} FROM evaluations WHERE in_history < {CELL} AND"
_BY_ID = f"{_ONE} id = ?"
_BY_FINGERPRINT = f"{_ONE} fingerprint = ?"
_OF_SKILL = "FROM evaluations WHERE skill = ? AND in_history = 1"
_BEFORE = "AND (completed, id) < (?, ?)"
_OLDEST = "ORDER BY completed, id LIMIT ?"

_SECRET = "SELECT value FROM secret WHERE only_row = 1"
_NEW_SECRET = "INSERT INTO secret (only_row, value) VALUES (1, ?) ON CONFLICT DO NOTHING"

_LOOKED_UP = 500
"""How many keys one statement looks up; older builds of SQLite take 999 values."""

_LAST_CHARACTER = "\U0010ffff"


class EvaluationStore(ReviewedWorks, UsedRows, WordIndex):
    """Append-only evaluations. Every method raises StoreUnavailable when the store is out of reach."""

    dialect: str
    """`sqlite` or `postgresql`."""
    url: str
    """Where it is, without a password."""

    _checked_windows: set[str]
    """The skills whose windows were found sound in this transaction, before anything was added to them."""
    _added: list[Record]
    """What this transaction added to histories, without the long texts."""
    _numbered_from: int | None = None
    """The number of the first row that this transaction added."""

    @abstractmethod
    def create(self) -> bool:
        """Make the tables, unless they are there; whether they were made."""

    @abstractmethod
    def check(self) -> list[str]:
        """What is wrong with the store itself; nothing when it is sound."""

    @abstractmethod
    def close(self) -> None:
        """Close the store."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def find(self, id: str | None, fingerprint: str | None) -> Record | None:
        """The evaluation that has this id or this fingerprint."""
        for statement, value in ((_BY_ID, id), (_BY_FINGERPRINT, fingerprint)):
            if value is not None:
                rows = self._rows(statement, (value,))
                if rows:
                    return self.record(rows[0])
        return None

    def present(self, ids: Sequence[str], fingerprints: Sequence[str]) -> set[str]:
        """Which of these ids and fingerprints an evaluation has."""
        known: set[str] = set()
        for column, values in (("id", ids), ("fingerprint", fingerprints)):
            for start in range(0, len(values), _LOOKED_UP):
                some = values[start : start + _LOOKED_UP]
                marks = ", ".join("?" * len(some))
                rows = self._rows(f"SELECT {column} FROM evaluations WHERE {column} IN ({marks})", some)
                known.update(value for (value,) in rows)
        return known

    def window(self, skill: str) -> list[Past]:
        """The newest ten completed evaluations of a skill."""
        return [past_of(row) for row in self._rows(f"SELECT {_PAST} {_OF_SKILL} {NEWEST}", (skill, WINDOW))]

    def timeline(self, skill: str, before: Record | None = None) -> Timeline:
        """A skill's history, up to an evaluation if one is given. StoreUnavailable when it is damaged.

        Inside a transaction only: otherwise another process may add to it between two looks.
        """
        if self._added:
            self._sign_windows(self._added)
            self._added = []
        stored, used = self.sound_window(skill)
        self._checked_windows.add(skill)
        newest, first = used
        condition: str = _OF_SKILL
        values: list[Any] = [skill]
        if before is not None:
            condition, values = f"{_OF_SKILL} {_BEFORE}", [skill, before.completed, before.id]
            newest = self._entries(f"{condition} {NEWEST}", (*values, USED))
            if len(newest) < USED:
                first = newest[-WINDOW:]
        window = self._rows(f"SELECT {_PAST} {condition} {NEWEST}", (*values, WINDOW))
        self.check_used(newest[:WINDOW], (*newest[WINDOW:], *first))
        return Timeline(
            [past_of(row) for row in window],
            [entry.final for entry in first[::-1]],
            [entry.final for entry in newest[:-WINDOW]],
            window[0][0] if window else None,
            min(stored.left_out, MOST_LEFT_OUT),
        )

    def previous(self, skill: str, before: Record | None = None) -> Record | None:
        """The newest evaluation in a skill's history, or the last one before an evaluation."""
        condition: str = _OF_SKILL
        values: list[Any] = [skill]
        if before is not None:
            condition, values = f"{_OF_SKILL} {_BEFORE}", [skill, before.completed, before.id]
        rows = self._rows(f"SELECT {_ALL} {condition} {NEWEST}", (*values, 1))
        return self.record(rows[0]) if rows else None

    def latest(self) -> int | None:
        """When the newest evaluation of all was completed, scored or not."""
        rows = self._rows("SELECT completed FROM evaluations ORDER BY completed DESC, id DESC LIMIT 1")
        return rows[0][0] if rows else None

    def add(self, record: Record) -> None:
        """Append. Inside a transaction only."""
        self.add_all([record])

    def add_all(self, records: Sequence[Record]) -> None:
        """Append many, in their order, unless a history they belong to is damaged. Inside a transaction only."""
        for skill in {record.skill for record in records if record.in_history in (0, 1)} - self._checked_windows:
            self.sound_window(skill)
            self._checked_windows.add(skill)
        first = 1 + int(self._first("SELECT max(number) FROM evaluations", ()) or 0)
        self._write(_INSERT, [row_values(record, number) for number, record in enumerate(records, start=first)])
        if self._numbered_from is None:
            self._numbered_from = first
        self._added += [record._replace(scorecard="", submission=None) for record in records]
        self._add_works(records)
        self._note_sound(records)

    def case_ids(self, case: str) -> list[str]:
        """The ids of the evaluations of a case, lowest number first."""
        statement = f"SELECT id FROM evaluations WHERE case_id = ? AND in_history < {CELL} ORDER BY length(id), id"
        return [id for (id,) in self._rows(statement, (case,))]

    def last_case_ids(self, case: str, *, most: int) -> list[str]:
        """The last of them."""
        statement = (
            f"SELECT id FROM evaluations WHERE case_id = ? AND in_history < {CELL} "
            "ORDER BY length(id) DESC, id DESC LIMIT ?"
        )
        return [id for (id,) in self._rows(statement, (case, most))][::-1]

    def _transaction_begins(self) -> None:
        """Called when a transaction begins."""
        self._checked_windows, self._added, self._numbered_from = set(), [], None

    def _transaction_ends(self) -> None:
        """Called before a transaction is committed: what depends on everything that it added."""
        if self._numbered_from is not None:
            self._sign_windows(self._added)
            self._index_from(self._numbered_from)
            self._added, self._numbered_from = [], None

    def get(self, id: str) -> Record | None:
        """The evaluation with this id, or the only one that starts with it; `latest` is the newest, reviews aside."""
        record = self.find(id, None)
        if record is None and id == "latest":
            record = next(self.evaluations(last=1, reviews=False), None)
        if record is not None:
            return record
        # A range of ids, unlike LIKE, is found by the index and tells A from a.
        rows = self._rows(f"{_ONE} id >= ? AND id < ? ORDER BY id LIMIT 2", (id, id + _LAST_CHARACTER))
        if len(rows) > 1:
            raise InputError(f'"{id}" matches more than one id, among them {rows[0][0]} and {rows[1][0]}')
        return self.record(rows[0]) if rows else None

    def evaluations(
        self,
        skill: str | None = None,
        *,
        last: int | None = None,
        reviews: bool = True,
        suites: bool = False,
        since: int | None = None,
    ) -> Iterator[Record]:
        """Evaluations, oldest first, of one skill or of all; only the last few if `last` is given; reviews or not.

        Without reviews, evaluations of suites are left out too; with `suites`, only they are there. With `since`, only
        those completed from that moment on, in microseconds since 1970.

        They are read as they were at the first of them: what is appended while they are gone through is left out.
        """
        conditions = [
            f"in_history = {SUITE}" if suites else f"in_history < {CELL}" if reviews else f"in_history < {REVIEW}"
        ]
        values: list[Any] = []
        if skill is not None:
            conditions, values = ["skill = ?", *conditions], [skill]
        if since is not None:
            conditions, values = [*conditions, "completed >= ?"], [*values, since]
        where = f"WHERE {' AND '.join(conditions)}"
        if last is not None:
            newest = self._rows(f"SELECT {_ALL} FROM evaluations {where} {NEWEST}", [*values, last])
            yield from (self.record(row) for row in reversed(newest))
            return
        for row in self._stream(f"SELECT {_ALL} FROM evaluations {where} ORDER BY completed, id", values):
            yield self.record(row)

    def skills(self) -> list[tuple[str, int]]:
        """Every skill and how many evaluations it has, reviews aside."""
        rows = self._rows(
            f"SELECT skill, count(*) FROM evaluations WHERE in_history < {REVIEW} GROUP BY skill ORDER BY skill"
        )
        return [*self._by_skill(rows).items()]

    def skills_in_suites(self) -> dict[str, int]:
        """How many entries of each skill belong to runs of suites, with those that no one judged."""
        rows = self._rows(
            f"SELECT skill, count(*) FROM evaluations WHERE in_history >= {SUITE} AND skill <> '' GROUP BY skill"
        )
        return self._by_skill(rows)

    def failed_attempts(self) -> dict[str, int]:
        """How many attempts of each skill failed: nothing was scored, or the agent of a suite gave nothing to judge."""
        rows = self._rows("SELECT skill, count(*) FROM evaluations WHERE state IN ('failed', 'lost') GROUP BY skill")
        return self._by_skill(rows)

    def _by_skill(self, rows: Sequence[tuple[Any, ...]]) -> dict[str, int]:
        """Counts by skill. StoreUnavailable when the name of one is not text."""
        if not all(isinstance(skill, str) for skill, _ in rows):
            raise self._damaged("the name of a skill holds bytes")
        return dict(rows)

    def secret(self) -> bytes:
        """A random secret, made once and the same for everyone who uses the store. It is never exported or shown."""
        rows = self._rows(_SECRET)
        if not rows:
            with self.transaction():  # nobody else can add one meanwhile; the first to be stored is read below
                self._write(_NEW_SECRET, [(os.urandom(32).hex(),)])
            rows = self._rows(_SECRET)
        return bytes.fromhex(rows[0][0])

    def _refuse_other(self, number: int) -> None:
        """StoreUnavailable when there are tables, but not those that this version of evenhand makes."""
        if number not in (0, SCHEMA):
            raise StoreUnavailable(
                f"{self.url} was made by another version of evenhand (its tables have number {number}, this version "
                f"knows {SCHEMA}); use that version, or choose another store with `store`"
            )


def next_id(case: str, taken: Sequence[str]) -> str:
    """The id of a further evaluation of a case: `case-0~2`, `case-0~3` and so on."""
    numbered = re.compile(re.escape(case) + r"~([1-9][0-9]{0,17})")
    numbers = [int(found[1]) for id in taken if (found := numbered.fullmatch(id))]
    return f"{case}~{max(numbers, default=1) + 1}"


def schema_of(dialect: str) -> list[str]:
    """The statements that make the tables."""
    text = (Path(__file__).parent / "schema" / "tables.sql").read_text(encoding="utf-8")
    parts = {"both": "", "SQLite": "", "PostgreSQL": ""}
    kept, name = [], "both"
    for line in text.splitlines():
        name = line[3:] if line.startswith("-- ") and line[3:] in parts else name
        if name in ("both", _NAMES[dialect]) and not line.startswith("--"):
            kept.append(line)
    statements = "\n".join(kept)
    if dialect == "postgresql":
        statements = statements.replace(" INTEGER", " BIGINT").replace(" WITHOUT ROWID", "")
        statements = re.sub(r" TEXT\b", ' TEXT COLLATE "C"', statements)
    return [statement for statement in re.split(r";\n(?=\n|\Z|CREATE)", statements) if statement.strip()]


_NAMES = {"sqlite": "SQLite", "postgresql": "PostgreSQL"}
