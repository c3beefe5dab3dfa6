"""The rows that a comparison uses, checked for damage before anything is compared with them or appended."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any
from zlib import crc32

from evenhand.core.receipt import sha256
from evenhand.errors import StoreUnavailable
from evenhand.named_tuple import NamedTuple
from evenhand.store.record import COLUMNS, Record
from evenhand.store.sql_connection import SqlConnection

_REMEMBERED = 10_000
"""How many ids of sound rows are remembered, so that a long run reads each row once."""

_LOOKED_UP = 100
"""How many rows one statement reads."""

_SUBMISSIONS = 1024 * 1024
"""Submissions are checked up to about this many characters in all: what was judged may be long."""

_SCORECARD = COLUMNS.index("scorecard")
_SHORT = tuple(name for name in COLUMNS if name not in ("scorecard", "submission"))
"""In the order of a record: `in_history` comes last, after the two that are left out."""
# The scorecard first: what comes after it is then taken from the row too, and not from the index that led there.
_ROW = f"SELECT scorecard, {', '.join(_SHORT)} FROM evaluations WHERE id"
_SUBMISSION = "SELECT submission FROM evaluations WHERE id = ?"


class Entry(NamedTuple):
    """What the index of a skill's history says about an evaluation."""

    id: str
    completed: int
    final: int
    checksum: int


ENTRY = ", ".join(Entry._fields)


class UsedRows(SqlConnection):
    """Checks over a connection that runs statements."""

    sound_rows: set[str]
    """The ids of rows that were checked, or written, by this process."""

    _unindexed: dict[str, list[tuple[int, str]]] | None = None
    """When the newest evaluations of each skill were completed, and their ids, until the skill's index was checked."""

    def _newest_rows(self) -> Iterable[tuple[str, int, str]]:
        """The skill, completion and id of the newest evaluations, read without an index.

        None where the database vouches for its indexes.
        """
        return ()

    @abstractmethod
    def _damaged(self, what: str) -> StoreUnavailable:
        """What to raise when something in the store is not as it was stored."""

    def _check_complete(self, skill: str, entries: Sequence[Entry], most: int) -> None:
        """StoreUnavailable when the index of a skill's history lacks one of its newest evaluations.

        An entry whose skill was changed is not found any more, and nothing in those that are tells so. `most` is how
        many were asked for: older ones are not missed. One process looks once, since it knows what it adds itself.
        """
        if self._unindexed is None:
            self._unindexed = {}
            for other, completed, id in self._newest_rows():
                self._unindexed.setdefault(other, []).append((completed, id))
        known = {entry.id for entry in entries}
        oldest = (entries[-1].completed, entries[-1].id) if len(entries) == most else None
        for completed, id in self._unindexed.pop(skill, ()):
            if id not in known and (oldest is None or (completed, id) > oldest):
                raise self._damaged(f"the index of the history of {skill} lacks the evaluation {id}")

    def _check_used(self, window: Sequence[Entry], others: Iterable[Entry]) -> None:
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
            for scorecard, *values in self._rows(f"{_ROW} IN ({', '.join('?' * len(some))})", some):
                *head, in_history = values
                record = Record._make((*head, scorecard, None, in_history))
                records[record.id] = record
        return records

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
            ((submission,),) = self._rows(_SUBMISSION, (record.id,))
            if submission is None:
                continue
            checked += len(submission)
            # With pictures the hash is over more than is kept, which a thorough check knows.
            if not isinstance(submission, str) or f'"{sha256(submission)}"' not in record.scorecard:
                self._check_thoroughly(record._replace(submission=submission))

    def _check_thoroughly(self, record: Record) -> None:
        from evenhand.store.record_check import check_record  # loaded here: it verifies scorecards, which few rows need

        for problem in check_record(record):
            raise self._damaged(f"the evaluation {problem}")


def checksum_of(record: Record) -> int:
    """A checksum of every column but the submission, which has its hash on the scorecard."""
    head = [*record[:_SCORECARD], record.in_history]
    start = crc32("\0".join(["\1" if value is None else str(value) for value in head]).encode())
    return crc32(record.scorecard.encode(), start)


def row_values(record: Record) -> tuple[Any, ...]:
    """A record with its checksum, in the order of `ROW_COLUMNS`."""
    return (*record, checksum_of(record))


ROW_COLUMNS = (*COLUMNS, "checksum")
