"""Frozen submissions in a SQL store, the runs in which judges judged them again, and when judges were calibrated."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from evenhand.store.sql_connection import SqlConnection, where


class Anchor(NamedTuple):
    """One frozen submission, in the order of the table's columns. Rows are added and never changed."""

    set_name: str
    submission: str
    """The hash of the submission."""
    rubric_sha256: str
    name: str
    """The file or id it came from."""
    added: str
    text: str
    """The submission itself, as canonical text."""
    rubric: str
    """The rubric it is judged by, as canonical text."""

    @property
    def key(self) -> str:
        """What tells it from the other anchors of its set."""
        return f"{self.submission} {self.rubric_sha256}"


class AnchorRun(NamedTuple):
    """One judging of a set."""

    id: str
    created: str
    set_name: str
    judge: str
    """The judge's name."""
    identity: str
    """Everything about the judge that affects a score, as canonical text."""
    alarm: int
    """1 when the judge was shown to have moved."""
    document: str
    """Scores and movements, one line of JSON."""


class Anchors(SqlConnection):
    """Anchors over a connection that runs statements."""

    def add_anchors(self, anchors: Sequence[Anchor]) -> None:
        """Freeze submissions. Inside a transaction only."""
        self._insert(Anchor, "anchors", anchors)

    def anchors(self, set_name: str) -> list[Anchor]:
        """The frozen submissions of a set, oldest first."""
        return self._select(Anchor, "anchors", "WHERE set_name = ? ORDER BY added, name, submission", (set_name,))

    def anchor_sets(self) -> list[tuple[str, int]]:
        """Every set and how many anchors it has."""
        rows = self._rows("SELECT set_name, count(*) FROM anchors GROUP BY set_name ORDER BY set_name")
        return [(name, count) for name, count in rows]

    def add_anchor_run(self, run: AnchorRun) -> None:
        """Append a judging of a set. Inside a transaction only."""
        self._insert(AnchorRun, "anchor_runs", [run])

    def anchor_runs(self, *, set_name: str | None = None, judge: str | None = None) -> list[AnchorRun]:
        """Judgings of anchors, oldest first; only those of a set, or by a judge's name."""
        condition, values = where(set_name=set_name, judge=judge)
        return self._select(AnchorRun, "anchor_runs", f"{condition} ORDER BY created, id", values)

    def note_calibration(self, judge: str, created: str, sha256: str) -> None:
        """Note that a judge was calibrated. Inside a transaction only."""
        self._write(
            "INSERT INTO judge_calibrations (judge, created, sha256) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
            [(judge, created, sha256)],
        )

    def last_calibration(self, judge: str) -> str | None:
        """When a judge was last calibrated; None if it never was."""
        last: str | None = self._first("SELECT max(created) FROM judge_calibrations WHERE judge = ?", (judge,))
        return last
