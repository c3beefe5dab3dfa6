"""Rounds of review: which evaluations people are asked to review, chosen so that each one's probability is known."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from decimal import Decimal
from functools import lru_cache
from pathlib import Path
from secrets import token_hex
from typing import Any, Final, NamedTuple

from evenhand import clock
from evenhand.core.judgement import PERSON
from evenhand.core.receipt import canonical_rubric, canonical_text, sha256, terms_of
from evenhand.core.rubric import Rubric
from evenhand.core.scorecard import DOUBT, SAMPLE
from evenhand.errors import InputError
from evenhand.rubrics import library
from evenhand.rubrics.resolved import ResolvedRubric, installed
from evenhand.stats.trust.selection import Candidate, by_doubt, by_sample, doubts_in
from evenhand.store.protocol import Store
from evenhand.store.record import damaged
from evenhand.store.submission_text import submission_text, transcript_from
from evenhand.store.tables.review_candidates import ReviewCandidate
from evenhand.store.tables.reviews import ReviewItem, ReviewRound
from evenhand.store.tables.web_log import LogEntry
from evenhand.transcripts import read
from evenhand.work.submission import submission_sha256

LARGEST: Final = 1000
"""Items of a round."""

NO_TEXT: Final = "the store does not have their text, and no file with it was found"
OTHER_RUBRIC: Final = "their rubric has changed since, or is not here"
SAME_WORK: Final = "a later evaluation of the same work can be chosen instead"


class Request(NamedTuple):
    """What a person wants reviewed."""

    method: str
    """`sample` or `doubt`."""
    size: int
    skill: str | None = None
    rubric: ResolvedRubric | None = None
    """Only evaluations judged with this rubric; all of them if None."""
    seed: str | None = None
    """One seed always chooses the same items; a random one if None."""
    read_files: bool = False
    """Whether transcripts may be read again from the files that were judged; a server opens none."""


class Started(NamedTuple):
    """A round, and what could not be chosen."""

    round: ReviewRound
    items: list[ReviewItem]
    left_out: Mapping[str, int]
    """How many evaluations could not be chosen, by the reason."""
    new: bool
    """False when the same round had been started before."""


class _Row(NamedTuple):
    """What is remembered of an evaluation that can be chosen."""

    id: str
    skill: str
    rubric_sha256: str
    doubts: tuple[str, ...]
    submission: str
    """Its hash."""
    transcript: Mapping[str, Any] | None
    """The scorecard's document, when the text must be read from a file."""


def start_round(store: Store, request: Request, person: str, entry: LogEntry | None = None) -> Started:
    """Choose what to review, and keep it. InputError when nothing can be chosen."""
    if not 1 <= request.size <= LARGEST:
        raise InputError(f"a round has from 1 to {LARGEST} items, not {request.size}")
    if request.skill is not None and "\0" in request.skill:
        raise InputError("the skill contains a NUL character")
    seed = request.seed or token_hex(8)
    population = _Population(store, request)
    rows = population.rows
    candidates = [Candidate(key, row.doubts) for key, row in rows.items()]
    choose = {SAMPLE: by_sample, DOUBT: by_doubt}[request.method]
    chosen = choose(candidates, request.size, seed)
    if not chosen:
        raise InputError(_nothing(store, request, len(candidates), population.left_out))
    if request.method == DOUBT:
        candidates = [candidate for candidate in candidates if candidate.doubts]
    id = _round_id(request, seed, [item.key for item in chosen], len(candidates))
    rubric = None if request.rubric is None else request.rubric.found_as
    round = ReviewRound(
        id, clock.now(), person, request.method, len(candidates), len(chosen), seed, request.skill, rubric
    )
    items = [
        ReviewItem(
            round=id,
            place=place,
            evaluation=rows[item.key].id,
            skill=rows[item.key].skill,
            rubric_sha256=rows[item.key].rubric_sha256,
            probability=f"{item.recorded:f}",
            doubts="; ".join(item.doubts),
        )
        for place, item in enumerate(chosen, start=1)
    ]
    texts = _transcripts([rows[item.key] for item in chosen])
    with store.transaction():
        known = store.review_round(id)
        if known is None:
            rubrics = population.rubric_texts({item.rubric_sha256 for item in items})
            store.add_round(
                round, items, rubrics, texts, population.works({rows[item.key].submission for item in chosen})
            )
            if entry is not None:
                store.add_log(entry._replace(subject=id))
    return Started(known or round, items, population.left_out, known is None)


class _Population:
    """Everything that can be chosen: each piece of work once, by its latest evaluation."""

    def __init__(self, store: Store, request: Request) -> None:
        self._request = request
        self._rubrics: dict[tuple[str, str], Rubric | None] = {}
        self.rows: dict[str, _Row] = {}
        self.left_out: Counter[str] = Counter()
        self._evaluations: dict[str, list[str]] = {}
        """The evaluations of each submission."""
        self._store = store
        for candidate in store.review_candidates(request.skill):
            self._add(candidate)

    def _add(self, candidate: ReviewCandidate) -> None:
        submission = candidate.submission
        if submission is not None:
            self._evaluations.setdefault(submission, []).append(candidate.id)
        if candidate.rescored or self._by_a_person(candidate):
            return  # what a person has judged, and what no one has judged anew
        if self._request.rubric is not None and candidate.rubric != self._request.rubric.terms.rubric:
            return
        document = None if candidate.text_kept else self._document_with_file(candidate)
        if submission is None or not (candidate.text_kept or document):
            self.left_out[NO_TEXT] += 1
            return
        if self._rubric(candidate) is None:
            self.left_out[OTHER_RUBRIC] += 1
            return
        key = f"{submission} {candidate.rubric_sha256}"
        self.left_out[SAME_WORK] += key in self.rows
        doubts = doubts_in(candidate.final, disputed=candidate.disputed, alarm=candidate.alarm)
        self.rows[key] = _Row(candidate.id, candidate.skill, candidate.rubric_sha256, doubts, submission, document)

    def _by_a_person(self, candidate: ReviewCandidate) -> bool:
        try:
            return _is_person(candidate.judge)
        except (ValueError, LookupError, TypeError, AttributeError):
            raise damaged(candidate.id) from None

    def _document_with_file(self, candidate: ReviewCandidate) -> Mapping[str, Any] | None:
        """The document of an evaluation whose text can be read from the file that was judged."""
        record = self._store.get(candidate.id) if self._request.read_files else None
        return record.document if record is not None and transcript_text(record.document) else None

    def _rubric(self, candidate: ReviewCandidate) -> Rubric | None:
        """The rubric that an evaluation was judged with, if it is here as it was then."""
        key = (candidate.rubric, candidate.rubric_sha256)
        if key not in self._rubrics:
            self._rubrics[key] = self._look_up(*key)
        return self._rubrics[key]

    def _look_up(self, name: str, digest: str) -> Rubric | None:
        chosen = self._request.rubric
        if chosen is not None:
            return chosen.rubric if chosen.terms.sha256 == digest else None
        return installed(name, digest)

    def works(self, submissions: set[str]) -> list[tuple[str, str]]:
        """Every evaluation of some submissions: what a judge gave the same work elsewhere tells as much."""
        return [(submission, id) for submission in sorted(submissions) for id in self._evaluations[submission]]

    def rubric_texts(self, digests: set[str]) -> dict[str, str]:
        """Whole rubrics as canonical text, by their hash."""
        return {
            digest: canonical_text(canonical_rubric(rubric))
            for (_, digest), rubric in self._rubrics.items()
            if rubric is not None and digest in digests
        }


@lru_cache(maxsize=256)
def _is_person(judge: str) -> bool:
    """Whether a judge, given as canonical text, is a person."""
    name: str = json.loads(judge)["name"]
    return name.startswith(PERSON)


def _transcripts(rows: Iterable[_Row]) -> dict[str, str]:
    """The transcripts of what was chosen, by the hash of the submission."""
    texts = {row.submission: transcript_text(row.transcript) for row in rows if row.transcript is not None}
    return {submission: text for submission, text in texts.items() if text is not None}


def rubric_of(store: Store, digest: str) -> ResolvedRubric:
    """A rubric that a round is reviewed with."""
    text = store.review_rubric(digest)
    if text is None:
        raise InputError(f"the store lacks the rubric of this round (sha256 {digest[:12]}); start a new round")
    rubric = library.rubric_from(json.loads(text, parse_float=Decimal, parse_int=Decimal))
    return ResolvedRubric(rubric, terms_of(rubric), rubric.name)


def _round_id(request: Request, seed: str, keys: list[str], population: int) -> str:
    """An id from the items and how they were chosen, so that starting a round twice starts it once."""
    rubric = "" if request.rubric is None else request.rubric.terms.sha256
    parts = [request.method, seed, request.skill or "", rubric, str(population), *keys]
    return sha256(canonical_text(parts))[:12]


def _nothing(store: Store, request: Request, candidates: int, left_out: Mapping[str, int]) -> str:
    if candidates:
        return f"none of {candidates} evaluations is in doubt; choose by random sample instead: --sample {request.size}"
    reasons = "; ".join(f"{count} left out: {reason}" for reason, count in left_out.items() if count)
    narrowed = f' of the skill "{request.skill}"' if request.skill is not None else ""
    return f"{store.url} has no evaluation{narrowed} that people can review{reasons and f' ({reasons})'}"


def transcript_text(document: Mapping[str, Any]) -> str | None:
    """The transcript of a scorecard as JSON; None when its file is gone, or is no longer what was judged: a store
    keeps the texts of outputs, but of a transcript only the hash."""
    source, digest = document.get("output"), (document.get("receipt") or {}).get("submission")
    try:
        if not source or not Path(source).is_file():
            return None
        for submission in read(source):
            if isinstance(submission, InputError):
                continue
            judged = submission._replace(task=document.get("task"), reference=document.get("reference"))
            text = submission_text(judged)
            if submission_sha256(transcript_from(text)) == digest:
                return text
    except (InputError, OSError, ValueError):
        return None
    return None
