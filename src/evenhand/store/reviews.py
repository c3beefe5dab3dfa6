"""Rounds of review in a SQL store: what was chosen, what people have drafted, what they decided.

A draft is kept as versions that are only added: saving names the version it builds on, and a save that builds on an old
one is refused. Older versions go when there are many, and all of them once the review is decided.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

from evenhand.named_tuple import NamedTuple
from evenhand.store.sql_connection import SqlConnection

if TYPE_CHECKING:
    from evenhand.core.basics.published import Json

VERSIONS_KEPT: Final = 20
"""How many versions of a draft are kept."""


class ReviewRound(NamedTuple):
    """One row of the rounds, in the order of its columns."""

    id: str
    created: str
    person: str
    """Who started it."""
    method: Annotated[str, Json(shape=Literal["sample", "doubt"])]
    population: int
    """How many items could have been chosen."""
    size: int
    """How many were."""
    seed: str
    skill: str | None
    """The skill whose evaluations were considered; None for all."""
    rubric: str | None


class ReviewItem(NamedTuple):
    """One item of a round."""

    round: str
    place: int
    """From 1, in the order of reviewing."""
    evaluation: str
    skill: str
    rubric_sha256: str
    probability: str
    """How likely it was to be chosen, as a decimal number."""
    doubts: str
    """Why it is in doubt: reasons separated by semicolons."""


class Draft(NamedTuple):
    """A version of what a person has written about an item."""

    version: int
    """From 1; 0 when nothing has been saved."""
    saved: str
    content: str
    """One line of JSON."""


class Decision(NamedTuple):
    """A review that a person has finished."""

    round: str
    place: int
    person: str
    decided: str
    evaluation: str


class Progress(NamedTuple):
    """What a person has done with an item."""

    place: int
    person: str
    done: bool
    """Whether it is decided; a draft otherwise."""


_MINE: Final = "round = ? AND place = ? AND person = ?"


class Reviews(SqlConnection):
    """Reviews over a connection that runs statements."""

    def add_round(
        self, round: ReviewRound, items: Sequence[ReviewItem], rubrics: Mapping[str, str], texts: Mapping[str, str]
    ) -> None:
        self._write("INSERT INTO review_rubrics VALUES (?, ?) ON CONFLICT DO NOTHING", list(rubrics.items()))
        self._write("INSERT INTO review_texts VALUES (?, ?) ON CONFLICT DO NOTHING", list(texts.items()))
        self._write(f"INSERT INTO review_rounds VALUES ({_marks(ReviewRound)})", [round])
        self._write(f"INSERT INTO review_items VALUES ({_marks(ReviewItem)})", items)

    def review_rounds(self, *, limit: int = 100) -> list[ReviewRound]:
        columns = ", ".join(ReviewRound._fields)
        rows = self._rows(f"SELECT {columns} FROM review_rounds ORDER BY created DESC, id DESC LIMIT ?", (limit,))
        return [ReviewRound(*row) for row in rows]

    def review_round(self, id: str) -> ReviewRound | None:
        rows = self._rows(f"SELECT {', '.join(ReviewRound._fields)} FROM review_rounds WHERE id = ?", (id,))
        return ReviewRound(*rows[0]) if rows else None

    def review_items(self, round: str) -> list[ReviewItem]:
        columns = ", ".join(ReviewItem._fields)
        rows = self._rows(f"SELECT {columns} FROM review_items WHERE round = ? ORDER BY place", (round,))
        return [ReviewItem(*row) for row in rows]

    def review_rubric(self, sha256: str) -> str | None:
        rows = self._rows("SELECT document FROM review_rubrics WHERE sha256 = ?", (sha256,))
        return rows[0][0] if rows else None

    def kept_rubric(self, sha256: str) -> str | None:
        rows = self._rows(
            "SELECT document FROM review_rubrics WHERE sha256 = ? "
            "UNION ALL SELECT rubric FROM anchors WHERE rubric_sha256 = ? LIMIT 1",
            (sha256, sha256),
        )
        return rows[0][0] if rows else None

    def review_text(self, submission: str) -> str | None:
        rows = self._rows("SELECT document FROM review_texts WHERE submission = ?", (submission,))
        return rows[0][0] if rows else None

    def review_progress(self, rounds: Sequence[str]) -> dict[str, list[Progress]]:
        progress: dict[str, list[Progress]] = {round: [] for round in rounds}
        if not rounds:
            return progress
        marks = ", ".join("?" * len(rounds))
        rows = self._rows(
            f"SELECT round, place, person, max(done) FROM (SELECT round, place, person, 1 AS done FROM reviews WHERE "
            f"round IN ({marks}) UNION ALL SELECT round, place, person, 0 FROM review_drafts WHERE round IN ({marks})) "
            "AS either GROUP BY round, place, person ORDER BY round, place, person",
            (*rounds, *rounds),
        )
        for round, place, person, done in rows:
            progress[round].append(Progress(place, person, bool(done)))
        return progress

    def review_draft(self, round: str, place: int, person: str, version: int | None = None) -> Draft:
        wanted, values = ("AND version = ?", (version,)) if version is not None else ("", ())
        rows = self._rows(
            f"SELECT version, saved, content FROM review_drafts WHERE {_MINE} {wanted} ORDER BY version DESC LIMIT 1",
            (round, place, person, *values),
        )
        return Draft(*rows[0]) if rows else Draft(0, "", "{}")

    def add_draft(self, round: str, place: int, person: str, draft: Draft) -> None:
        self._write("INSERT INTO review_drafts VALUES (?, ?, ?, ?, ?, ?)", [(round, place, person, *draft)])
        self._write(
            f"DELETE FROM review_drafts WHERE {_MINE} AND version <= ?",
            [(round, place, person, draft.version - VERSIONS_KEPT)],
        )

    def decisions(self, round: str, place: int) -> list[Decision]:
        rows = self._rows(
            f"SELECT {', '.join(Decision._fields)} FROM reviews WHERE round = ? AND place = ? ORDER BY decided, person",
            (round, place),
        )
        return [Decision(*row) for row in rows]

    def add_decision(self, decision: Decision) -> None:
        self._write(f"INSERT INTO reviews VALUES ({_marks(Decision)})", [decision])
        self._write(f"DELETE FROM review_drafts WHERE {_MINE}", [decision[:3]])


def _marks(row: Any) -> str:
    return ", ".join("?" * len(row._fields))
