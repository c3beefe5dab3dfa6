"""Rounds of review in a SQL store: what was chosen, what people have drafted, what they decided.

A draft is kept as versions that are only added: saving names the version it builds on, and a save that builds on an old
one is refused. Older versions go when there are many, and all of them once the review is decided.

A decision that was corrected stays, and so does every correction; the newest counts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Final, NamedTuple

from evenhand.store.sql_connection import SqlConnection

VERSIONS_KEPT: Final = 20
"""How many versions of a draft are kept."""


class ReviewRound(NamedTuple):
    """One row of the rounds, in the order of its columns."""

    id: str
    created: str
    person: str
    """Who started it."""
    method: Annotated[str, {"enum": ("sample", "doubt")}]
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


class Correction(NamedTuple):
    """A decision that replaces an earlier one of the same person."""

    round: str
    place: int
    person: str
    decided: str
    evaluation: str
    replaces: str
    """The evaluation that counted until then."""
    reason: str


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
        self,
        round: ReviewRound,
        items: Sequence[ReviewItem],
        rubrics: Mapping[str, str],
        texts: Mapping[str, str],
        works: Sequence[tuple[str, str]] = (),
    ) -> None:
        """Start a round of review, with the rubrics and transcripts it needs. Inside a transaction only.

        `works` are all evaluations of the work to review, each with the hash of the submission.
        """
        self._write("INSERT INTO review_rubrics VALUES (?, ?) ON CONFLICT DO NOTHING", list(rubrics.items()))
        self._write("INSERT INTO review_texts VALUES (?, ?) ON CONFLICT DO NOTHING", list(texts.items()))
        self._insert(ReviewRound, "review_rounds", [round])
        self._insert(ReviewItem, "review_items", items)
        self._write("INSERT INTO review_works VALUES (?, ?) ON CONFLICT DO NOTHING", works)

    def review_rounds(self, *, limit: int = 100) -> list[ReviewRound]:
        """Rounds of review, newest first."""
        return self._select(ReviewRound, "review_rounds", "ORDER BY created DESC, id DESC LIMIT ?", (limit,))

    def review_round(self, id: str) -> ReviewRound | None:
        """The round with this id."""
        return next(iter(self._select(ReviewRound, "review_rounds", "WHERE id = ?", (id,))), None)

    def review_items(self, round: str) -> list[ReviewItem]:
        """The items of a round in their order."""
        return self._select(ReviewItem, "review_items", "WHERE round = ? ORDER BY place", (round,))

    def review_rubric(self, sha256: str) -> str | None:
        """A rubric that a round needs, as canonical text."""
        document: str | None = self._first("SELECT document FROM review_rubrics WHERE sha256 = ?", (sha256,))
        return document

    def kept_rubric(self, sha256: str) -> str | None:
        """A rubric that was kept for a round or an anchor, as canonical text."""
        either = (
            "SELECT document FROM review_rubrics WHERE sha256 = ? "
            "UNION ALL SELECT rubric FROM anchors WHERE rubric_sha256 = ? LIMIT 1"
        )
        document: str | None = self._first(either, (sha256, sha256))
        return document

    def review_text(self, submission: str) -> str | None:
        """A transcript that a round needs, by the hash of the submission."""
        document: str | None = self._first("SELECT document FROM review_texts WHERE submission = ?", (submission,))
        return document

    def review_progress(self, rounds: Sequence[str]) -> dict[str, list[Progress]]:
        """Who has drafted or decided which item of some rounds."""
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
        """A person's draft, the newest version or a given one; version 0 when there is none."""
        wanted, values = ("AND version = ?", (version,)) if version is not None else ("", ())
        newest = f"WHERE {_MINE} {wanted} ORDER BY version DESC LIMIT 1"
        drafts = self._select(Draft, "review_drafts", newest, (round, place, person, *values))
        return drafts[0] if drafts else Draft(0, "", "{}")

    def add_draft(self, round: str, place: int, person: str, draft: Draft) -> None:
        """Add a version of a draft. Inside a transaction only."""
        self._write("INSERT INTO review_drafts VALUES (?, ?, ?, ?, ?, ?)", [(round, place, person, *draft)])
        self._write(
            f"DELETE FROM review_drafts WHERE {_MINE} AND version <= ?",
            [(round, place, person, draft.version - VERSIONS_KEPT)],
        )

    def decisions(self, round: str, place: int) -> list[Decision]:
        """Who has decided on an item, each with the decision that counts: the newest."""
        first = self._select(
            Decision, "reviews", "WHERE round = ? AND place = ? ORDER BY decided, person", (round, place)
        )
        newest = {correction.person: Decision(*correction[:5]) for correction in self.corrections(round, place)}
        return [newest.get(decision.person, decision) for decision in first]

    def corrections(self, round: str, place: int) -> list[Correction]:
        """Every correction of a decision on an item, oldest first."""
        order = "WHERE round = ? AND place = ? ORDER BY decided, evaluation"
        return self._select(Correction, "review_corrections", order, (round, place))

    def add_correction(self, correction: Correction) -> None:
        """Replace a decision, which stays, and drop the draft. Inside a transaction only."""
        self._insert(Correction, "review_corrections", [correction])
        self._write(f"DELETE FROM review_drafts WHERE {_MINE}", [correction[:3]])

    def add_decision(self, decision: Decision) -> None:
        """Note what a review became, and drop its draft. Inside a transaction only."""
        self._insert(Decision, "reviews", [decision])
        self._write(f"DELETE FROM review_drafts WHERE {_MINE}", [decision[:3]])
