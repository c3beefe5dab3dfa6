"""What a comparison uses, checked for damage before anything is compared with it or appended.

A history is what its skill's window says it is: how many evaluations, and a digest of those a comparison uses, written
in the same transaction as they are. So a row that is gone, that was moved to another skill or that an index does not
name any more is missed. What the rows themselves hold is checked by their checksums and the hash of what was judged.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple
from zlib import crc32

from evenhand.core.comparison import REACH
from evenhand.core.receipt import sha256
from evenhand.core.rules import WINDOW
from evenhand.errors import StoreUnavailable
from evenhand.store.record import COLUMNS, NEWEST, Record, record_of_row
from evenhand.store.sql_connection import SqlConnection

USED = REACH + WINDOW
"""How many of the newest evaluations of a history a comparison uses, beside the first ones."""

_REMEMBERED = 10_000
"""How many ids of sound rows are remembered, so that a long run reads each row once."""

_LOOKED_UP = 100
"""How many rows one statement reads."""

_SUBMISSIONS = 1024 * 1024
"""Submissions are checked up to about this many characters in all: what was judged may be long."""

_ELSEWHERE = ("scorecard", "submission", "agent_cost", "agent_tokens", "agent_run")
"""Columns that a checksum leaves out, or adds last: the long texts, and what is known only when a suite's run ends."""

_HEAD = tuple(place for place, name in enumerate(COLUMNS) if name not in _ELSEWHERE)
_ROW = ", ".join("NULL" if name == "submission" else name for name in COLUMNS)
_OF_SKILL = "FROM evaluations WHERE skill = ? AND in_history = 1"
_OLDEST = "ORDER BY completed, id LIMIT ?"


class Entry(NamedTuple):
    """What the index of a skill's history says about an evaluation."""

    id: str
    completed: int
    final: int
    checksum: int


class Used(NamedTuple):
    """The entries of a history that a comparison uses."""

    newest: list[Entry]
    first: list[Entry]
    """The first ones, newest first, as far as a window of them is there."""


class Window(NamedTuple):
    """What a skill's history holds, as it was last written."""

    evaluations: int = 0
    left_out: int = 0
    """The skill's evaluations outside its history: no one read them, or there is no final score."""
    digest: str = ""


ENTRY = ", ".join(Entry._fields)


class UsedRows(SqlConnection):
    """Checks over a connection that runs statements."""

    sound_rows: set[str]
    """The ids of rows that were checked, or written, by this process."""

    @abstractmethod
    def _damaged(self, what: str) -> StoreUnavailable:
        """The error to raise when something in the store has changed since it was stored."""

    def sound_window(self, skill: str) -> tuple[Window, Used]:
        """A skill's window and the entries of its history. StoreUnavailable unless they are what was written."""
        window, used = self._window(skill), self._used(skill)
        problem = _differs(skill, window, used)
        if problem:
            raise self._damaged(problem)
        return window, used

    def wrong_windows(self) -> list[str]:
        """What is wrong with the windows of all skills; nothing in a sound store."""
        counted = {
            skill: (int(graded), int(left_out))
            for skill, graded, left_out in self._rows(
                "SELECT skill, sum(CASE WHEN in_history = 1 THEN 1 ELSE 0 END), "
                "sum(CASE WHEN in_history = 0 THEN 1 ELSE 0 END) FROM evaluations WHERE in_history < 2 GROUP BY skill"
            )
        }
        wrong = []
        skills = {*counted, *(skill for (skill,) in self._rows("SELECT skill FROM windows"))}
        for skill in sorted(skills, key=str):
            window, (graded, left_out) = self._window(skill), counted.get(skill, (0, 0))
            if (window.evaluations, window.left_out) != (graded, left_out):
                wrong.append(
                    f"the history of {skill} has {graded} evaluations and leaves {left_out} out, but "
                    f"{window.evaluations} and {window.left_out} were stored"
                )
            elif problem := _differs(skill, window, self._used(skill)):
                wrong.append(problem)
        return wrong

    def _window(self, skill: str) -> Window:
        rows = self._rows("SELECT evaluations, left_out, digest FROM windows WHERE skill = ?", (skill,))
        return Window(*rows[0]) if rows else Window()

    def _used(self, skill: str) -> Used:
        newest = self._entries(f"{_OF_SKILL} {NEWEST}", (skill, USED))
        first = newest[-WINDOW:]
        if len(newest) == USED:
            first = self._entries(f"{_OF_SKILL} {_OLDEST}", (skill, WINDOW))[::-1]
        return Used(newest, first)

    def _entries(self, rest: str, values: Sequence[Any]) -> list[Entry]:
        return [Entry._make(row) for row in self._rows(f"SELECT {ENTRY} {rest}", values)]

    def _sign_windows(self, added: Iterable[Record]) -> None:
        """Write what the histories hold to which evaluations were added. Inside a transaction only."""
        counts: dict[str, list[int]] = {}
        for record in added:
            if record.in_history in (0, 1):
                counts.setdefault(record.skill, [0, 0])[record.in_history] += 1
        rows = []
        for skill, (left_out, graded) in counts.items():
            before = self._window(skill)
            rows.append((skill, before.evaluations + graded, before.left_out + left_out, digest_of(self._used(skill))))
        if rows:
            self._write(
                "INSERT INTO windows (skill, evaluations, left_out, digest) VALUES (?, ?, ?, ?) ON CONFLICT (skill) DO "
                "UPDATE SET evaluations = excluded.evaluations, left_out = excluded.left_out, digest = excluded.digest",
                rows,
            )

    def check_used(self, window: Sequence[Entry], others: Iterable[Entry]) -> None:
        """StoreUnavailable when a row of the window, or one whose final score is used, is not as it was stored."""
        entries = {entry.id: entry for entry in (*others, *window) if entry.id not in self.sound_rows}
        if not entries:
            return
        if len(self.sound_rows) > _REMEMBERED:
            self.sound_rows.clear()
        records = self._records(list(entries))
        for id, entry in entries.items():
            self._check(entry, records.get(id))
        self._check_submissions([records[entry.id] for entry in window if entry.id in entries])
        self.sound_rows.update(entries)

    def _note_sound(self, records: Sequence[Record]) -> None:
        """Remember rows that were just written from whole scorecards."""
        if len(self.sound_rows) > _REMEMBERED:
            self.sound_rows.clear()
        self.sound_rows.update(record.id for record in records if record.in_history == 1)

    def _records(self, ids: list[str]) -> dict[str, Record]:
        """Rows by their id, without their submissions."""
        records = {}
        for start in range(0, len(ids), _LOOKED_UP):
            some = ids[start : start + _LOOKED_UP]
            marks = ", ".join("?" * len(some))
            for row in self._rows(f"SELECT {_ROW} FROM evaluations WHERE id IN ({marks})", some):
                record = self.record(row)
                records[record.id] = record
        return records

    def record(self, row: Sequence[Any]) -> Record:
        """A row as an evaluation; StoreUnavailable, and nothing more is added, when a column holds something else."""
        try:
            return record_of_row(row)
        except StoreUnavailable as error:
            self._damaged(str(error))
            raise

    def _check(self, entry: Entry, record: Record | None) -> None:
        if record is None:
            raise self._damaged(f"the index names the evaluation {entry.id}, which cannot be found")
        if (record.completed, record.final) != (entry.completed, entry.final):
            raise self._damaged(f"the index of the evaluation {entry.id} differs from its row")
        if entry.checksum != checksum_of(record):
            raise self._damaged(f"the evaluation {entry.id} was changed after it was stored")

    def _check_submissions(self, records: Iterable[Record]) -> None:
        """Check what was judged against the hash on the scorecard."""
        checked = 0
        for record in records:
            if checked > _SUBMISSIONS:
                return
            submission = self._first("SELECT submission FROM evaluations WHERE id = ?", (record.id,))
            if submission is None:
                continue
            if not isinstance(submission, str):
                raise self._damaged(f"the evaluation {record.id}: the column submission holds bytes")
            checked += len(submission)
            # With pictures the hash is over more than is kept, which a thorough check knows.
            if f'"{sha256(submission)}"' not in record.scorecard:
                self._check_thoroughly(record._replace(submission=submission))

    def _check_thoroughly(self, record: Record) -> None:
        from evenhand.store.record_check import check_record  # loaded here: it verifies scorecards, which few rows need

        for problem in check_record(record):
            raise self._damaged(f"the evaluation {problem}")


def digest_of(used: Used) -> str:
    """A digest of the entries that a comparison uses."""
    return sha256("\n".join(f"{entry.id} {entry.checksum}" for entry in (*used.newest, *used.first)))[:32]


def _differs(skill: str, window: Window, used: Used) -> str:
    """What tells entries from what was written of them; empty if nothing does."""
    if not used.newest and not window.evaluations:
        return ""
    if window.digest == digest_of(used) and (len(used.newest) == USED or len(used.newest) == window.evaluations):
        return ""
    found = f"{len(used.newest)}" if len(used.newest) < USED else f"at least {USED}"
    return (
        f"the history of {skill} is not what was stored: of {window.evaluations} evaluations {found} are there, or one "
        "was changed"
    )


def checksum_of(record: Record) -> int:
    """A checksum of a row, without the submission, whose hash the scorecard has, and what an agent cost."""
    head = [record[place] for place in _HEAD]
    start = crc32("\0".join(["\1" if value is None else str(value) for value in head]).encode())
    return crc32(record.scorecard.encode(), start)


def row_values(record: Record, number: int) -> tuple[Any, ...]:
    """A record with its number and its checksum, in the order of `ROW_COLUMNS`."""
    return (*record, checksum_of(record), number)


ROW_COLUMNS = (*COLUMNS, "checksum", "number")
