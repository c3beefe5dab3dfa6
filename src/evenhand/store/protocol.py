"""What a store is. Both stores follow it, and the tests run one suite over both."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

from evenhand.core.values.comparison import Past, Timeline
from evenhand.core.values.label import Label
from evenhand.store.anchors import Anchor, AnchorRun
from evenhand.store.browsing import MOST_COUNTED, REACH, Filter, Key, Listing, VersionCount
from evenhand.store.judge_cards import StoredCard
from evenhand.store.record import Record
from evenhand.store.reviews import Decision, Draft, Progress, ReviewItem, ReviewRound
from evenhand.store.sql_connection import ReadRow
from evenhand.store.suites import BaselineRow, StoredSuite, SuiteResultRow
from evenhand.store.web_log import LogEntry


class Store(Protocol):
    """Append-only evaluations. Every method raises StoreUnavailable when the store is out of reach."""

    url: str
    """Where it is, without a password."""

    def transaction(self) -> AbstractContextManager[None]:
        """All or nothing, and no one else appends meanwhile. What was appended is safe once this is left."""

    def find(self, id: str | None, fingerprint: str | None) -> Record | None:
        """The evaluation that has this id or this fingerprint."""

    def present(self, ids: Sequence[str], fingerprints: Sequence[str]) -> set[str]:
        """Which of these ids and fingerprints an evaluation has."""

    def timeline(self, skill: str, before: Record | None = None) -> Timeline:
        """A skill's history, up to an evaluation if one is given."""

    def window(self, skill: str) -> list[Past]:
        """The newest ten completed evaluations of a skill."""

    def latest(self) -> int | None:
        """When the newest evaluation of all was completed, scored or not."""

    def add(self, record: Record) -> None:
        """Append. Inside a transaction only."""

    def add_all(self, records: Sequence[Record]) -> None:
        """Append many, in their order. Inside a transaction only."""

    def get(self, id: str) -> Record | None:
        """The evaluation with this id, or with the only id that starts so."""

    def evaluations(
        self, skill: str | None = None, *, last: int | None = None, reviews: bool = True
    ) -> Iterator[Record]:
        """Evaluations in the order of time, of one skill or of all; only the last so many if asked; reviews or not.

        Without reviews, evaluations of suites are left out too.

        They are read as they were at the first of them: what is appended while they are gone through is left out.
        """

    def skills(self) -> list[tuple[str, int]]:
        """Every skill and how many evaluations it has, reviews aside."""

    def add_labels(self, labels: Sequence[Label]) -> None:
        """Append people's labels. Inside a transaction only."""

    def labels(self, *, fields: Iterable[str] = (), raters: Iterable[str] = ()) -> Iterator[Label]:
        """People's labels by item, field and rater; only those of some fields or raters if any are named."""

    def newest(self) -> Key | None:
        """The place of the newest evaluation of all."""

    def skill_names(self, after: str = "", *, limit: int) -> list[str]:
        """The names of skills in their order, those after one if it is given."""

    def recent_finals(self, skills: Sequence[str], *, last: int) -> dict[str, list[int]]:
        """The final scores of the newest evaluations in the history of each skill, newest first."""

    def newest_of(self, skills: Sequence[str]) -> dict[str, Record]:
        """The newest evaluation of each skill, in its history or not."""

    def counts(self, skills: Sequence[str], *, most: int = MOST_COUNTED) -> dict[str, tuple[int, int]]:
        """For each skill how many evaluations are in its history and how many are not, each counted up to `most`."""

    def listing(
        self, filter: Filter, *, before: Key | None = None, limit: int, reach: int = REACH, whole: bool = False
    ) -> Listing:
        """Evaluations newest first, before a key; as whole records if their texts are needed."""

    def rubric_versions(self, *, most: int = REACH * 4) -> list[VersionCount]:
        """The versions of rubrics that the newest `most` evaluations used, by rubric, newest first."""

    def add_log(self, entry: LogEntry) -> None:
        """Note what someone did through the dashboard. Inside a transaction only."""

    def log_entries(self, *, before: int | None = None, limit: int) -> list[tuple[int, LogEntry]]:
        """What was done through the dashboard, newest first, each with its number; only those before a number."""

    def add_round(
        self, round: ReviewRound, items: Sequence[ReviewItem], rubrics: Mapping[str, str], texts: Mapping[str, str]
    ) -> None:
        """Start a round of review, with the rubrics and transcripts it needs. Inside a transaction only."""

    def review_rounds(self, *, limit: int = 100) -> list[ReviewRound]:
        """Rounds of review, newest first."""

    def review_round(self, id: str) -> ReviewRound | None:
        """The round with this id."""

    def review_items(self, round: str) -> list[ReviewItem]:
        """The items of a round in their order."""

    def review_rubric(self, sha256: str) -> str | None:
        """A rubric that a round needs, as canonical text."""

    def kept_rubric(self, sha256: str) -> str | None:
        """A rubric that was kept for a round or an anchor, as canonical text."""

    def review_text(self, submission: str) -> str | None:
        """A transcript that a round needs, by the hash of the submission."""

    def review_progress(self, rounds: Sequence[str]) -> dict[str, list[Progress]]:
        """Who has drafted or decided which item of some rounds."""

    def review_draft(self, round: str, place: int, person: str, version: int | None = None) -> Draft:
        """A person's draft, the newest version or a given one; version 0 when there is none."""

    def add_draft(self, round: str, place: int, person: str, draft: Draft) -> None:
        """Add a version of a draft. Inside a transaction only."""

    def decisions(self, round: str, place: int) -> list[Decision]:
        """Who has decided on an item."""

    def add_decision(self, decision: Decision) -> None:
        """Note what a review became, and drop its draft. Inside a transaction only."""

    def kept_rows(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Every row of what is kept beside evaluations, with the name of its table."""

    def add_kept_row(self, name: str, row: dict[str, Any]) -> bool:
        """Add a checked row of another store; False when it is there. Inside a transaction only."""

    def add_judge_card(self, card: StoredCard) -> None:
        """Append what a judge's self-test found. Inside a transaction only."""

    def judge_cards(self, *, judge: str | None = None, identity: str | None = None, limit: int) -> list[StoredCard]:
        """Judges' cards, newest first; only those of a judge's name, or of an identity."""

    def newest_judge_cards(self) -> list[StoredCard]:
        """The newest card of every judge, by name."""

    def add_suite_run(self, run: StoredSuite, results: Iterable[SuiteResultRow]) -> None:
        """Add a run of a suite with all its results. Inside a transaction only."""

    def suite_runs(self, *, suite: str | None = None, limit: int = 100) -> list[StoredSuite]:
        """Runs of suites, newest first, of one suite or of all."""

    def suite_run(self, id: str) -> StoredSuite | None:
        """The run with this id, or with the only id that starts so."""

    def suite_results(self, run: str) -> Iterator[SuiteResultRow]:
        """The results of a run by case, variant and repeat."""

    def add_baseline(self, baseline: BaselineRow) -> None:
        """Name a run. Inside a transaction only; the caller has made sure that the name is free."""

    def baselines(self, suite: str | None = None) -> list[BaselineRow]:
        """The named runs, of one suite or of all, oldest first."""

    def add_anchors(self, anchors: Sequence[Anchor]) -> None:
        """Freeze submissions. Inside a transaction only."""

    def anchors(self, set_name: str) -> list[Anchor]:
        """The frozen submissions of a set, oldest first."""

    def anchor_sets(self) -> list[tuple[str, int]]:
        """Every set and how many anchors it has."""

    def add_anchor_run(self, run: AnchorRun) -> None:
        """Append a judging of a set. Inside a transaction only."""

    def anchor_runs(self, *, set_name: str | None = None, judge: str | None = None) -> list[AnchorRun]:
        """Judgings of anchors, oldest first; only those of a set, or by a judge's name."""

    def note_calibration(self, judge: str, created: str, sha256: str) -> None:
        """Note that a judge was calibrated. Inside a transaction only."""

    def last_calibration(self, judge: str) -> str | None:
        """When a judge was last calibrated; None if it never was."""

    def secret(self) -> bytes:
        """A random secret, made once and the same for everyone who uses the store. It is never exported or shown."""

    def migrate(self) -> list[str]:
        """Bring the tables up to date; returns the names of the migrations that ran."""

    def check(self) -> list[str]:
        """What is wrong with the store itself; nothing when it is sound."""

    def careful_rows(self, table: str, columns: Sequence[str]) -> Iterator[ReadRow]:
        """Every row of a table, going on past those that cannot be read."""

    def close(self) -> None:
        """Close the store."""
