"""Frozen submissions in a SQL store, the runs in which judges judged them again, and when judges were calibrated."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from evenhand.named_tuple import NamedTuple
from evenhand.store.sql_connection import SqlConnection


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


_ANCHOR: Final = ", ".join(Anchor._fields)
_RUN: Final = ", ".join(AnchorRun._fields)


class Anchors(SqlConnection):
    """Anchors over a connection that runs statements."""

    def add_anchors(self, anchors: Sequence[Anchor]) -> None:
        self._write(f"INSERT INTO anchors ({_ANCHOR}) VALUES (?, ?, ?, ?, ?, ?, ?)", anchors)

    def anchors(self, set_name: str) -> list[Anchor]:
        rows = self._rows(
            f"SELECT {_ANCHOR} FROM anchors WHERE set_name = ? ORDER BY added, name, submission", (set_name,)
        )
        return [Anchor(*row) for row in rows]

    def anchor_sets(self) -> list[tuple[str, int]]:
        rows = self._rows("SELECT set_name, count(*) FROM anchors GROUP BY set_name ORDER BY set_name")
        return [(name, count) for name, count in rows]

    def add_anchor_run(self, run: AnchorRun) -> None:
        self._write(f"INSERT INTO anchor_runs ({_RUN}) VALUES (?, ?, ?, ?, ?, ?, ?)", [run])

    def anchor_runs(self, *, set_name: str | None = None, judge: str | None = None) -> list[AnchorRun]:
        wanted = {"set_name": set_name, "judge": judge}
        conditions = [f"{column} = ?" for column, value in wanted.items() if value is not None]
        where = f"WHERE {' AND '.join(conditions)}" if conditions else ""
        values = [value for value in wanted.values() if value is not None]
        rows = self._rows(f"SELECT {_RUN} FROM anchor_runs {where} ORDER BY created, id", values)
        return [AnchorRun(*row) for row in rows]

    def note_calibration(self, judge: str, created: str, sha256: str) -> None:
        self._write(
            "INSERT INTO judge_calibrations (judge, created, sha256) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
            [(judge, created, sha256)],
        )

    def last_calibration(self, judge: str) -> str | None:
        rows = self._rows("SELECT max(created) FROM judge_calibrations WHERE judge = ?", (judge,))
        return rows[0][0] if rows else None
