"""Scorecards compared with their skill's history and stored, one or many at a time."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, cast

from evenhand import clock
from evenhand.core.comparison import MOST_LEFT_OUT, Change, Timeline
from evenhand.core.history import changed, compare, of_card, of_document
from evenhand.core.numbers import hundredths
from evenhand.core.scorecard import Scorecard
from evenhand.errors import NUL, InputError, StoreUnavailable
from evenhand.judging.evaluated import Evaluated
from evenhand.options.settings import Keep
from evenhand.store.evaluation_store import next_id
from evenhand.store.in_list import PREVIEW, nothing_scored
from evenhand.store.record import REVIEW, Record, fingerprint, judge_text, record_of, scores_of
from evenhand.work.submission import Submission

if TYPE_CHECKING:
    from evenhand.store.evaluation_store import EvaluationStore
    from evenhand.store.protocol import Store

BATCH_SIZE = 1_000
"""How many evaluations from a file are committed at once; each is shown only once its batch is committed."""

_HISTORY = Scorecard._fields.index("history")


class Keeper:
    """Keeps evaluations in a store, or only scores them when there is none or it fails."""

    def __init__(self, store: EvaluationStore | None, *, keep: Keep = "text") -> None:
        self._store = store
        self._kept = keep
        self.failure: StoreUnavailable | None = None
        """Why nothing more is stored; the scorecards are still made."""
        self.already_stored: list[str] = []
        """The ids of evaluations that were in the store already."""
        self.renamed: list[str] = []
        """The ids of evaluations that were given the id of another one: further evaluations of its case."""
        self._texts: dict[str, tuple[Scorecard, str]] = {}

    def secret(self) -> bytes:
        """The secret kept with the store; a random one without a store, or if it fails."""
        if self._store is not None:
            try:
                return self._store.secret()
            except StoreUnavailable as error:
                self.failure = error
                self._store = None
        return os.urandom(32)

    def keep(self, evaluated: Evaluated) -> Scorecard:
        """One evaluation, compared and stored; StoreUnavailable when it cannot be."""
        if self._store is None:
            return evaluated.card
        with self._store.transaction():
            return self.keep_within(evaluated)

    def keep_within(self, evaluated: Evaluated) -> Scorecard:
        """Keep it inside a transaction that the caller began, to write more in it."""
        if self._store is None:
            return evaluated.card
        store = _Transaction(self._store, [evaluated])
        card = self._append(store, evaluated)
        store.write()
        return card

    def stored_text(self, card: Scorecard) -> str | None:
        """The document of a scorecard from the latest batch as it was stored, so that it need not be written twice."""
        kept, text = self._texts.pop(card.id, (None, ""))
        return text if kept is card else None

    def keep_each(
        self, results: Iterable[Evaluated | InputError], *, batch_size: int = BATCH_SIZE
    ) -> Iterator[Scorecard | InputError]:
        """Results in their order. A store that fails is noted in `failure`, and the scoring goes on without it."""
        waiting = iter(results)
        while batch := list(islice(waiting, batch_size if self._store is not None else 1)):
            yield from self.keep_batch(batch)

    def keep_batch(self, batch: list[Evaluated | InputError]) -> list[Scorecard | InputError]:
        """Some results, committed together."""
        self._texts.clear()
        if self._store is not None and not all(isinstance(result, InputError) for result in batch):
            before = len(self.already_stored), len(self.renamed)
            try:
                with self._store.transaction():
                    store = _Transaction(self._store, [result for result in batch if isinstance(result, Evaluated)])
                    kept = [self._append_or_refuse(store, result) for result in batch]
                    store.write()
                return kept
            except StoreUnavailable as error:
                self._texts.clear()
                # The batch is rolled back, so its repeats are not in the store.
                del self.already_stored[before[0] :], self.renamed[before[1] :]
                self.failure = error
                self._store = None
        return [result if isinstance(result, InputError) else result.card for result in batch]

    def raise_if_not_kept(self) -> None:
        """Raise the reason an evaluation was not stored."""
        if self.failure is not None:
            raise self.failure

    def _append_or_refuse(self, store: _Transaction, result: Evaluated | InputError) -> Scorecard | InputError:
        """What cannot be stored is an error in its place, and does not stop its batch."""
        try:
            return result if isinstance(result, InputError) else self._append(store, result)
        except InputError as error:
            return error

    def _append(self, store: _Transaction, evaluated: Evaluated) -> Scorecard:
        card, submission, named = evaluated
        _refuse_nul(card)
        scores = scores_of(card)
        if self._kept == "transcript" and submission is not None and submission.events and card.receipt.submission:
            store.add_transcript(card.receipt.submission, submission)
        # The same judgement of the same submission may come again, after a crash or from another machine. It is known
        # by its id if it was given one, else by the hash of all it depends on, and compared with what preceded it then.
        known = store.find(card, named=named)
        # A review judges work that is in the history already, a suite's runs are compared with each other, and in an
        # attempt that failed there is nothing to compare: none is compared with the history or added to it.
        history = None
        if card.review is None and card.suite is None and not nothing_scored(card):
            timeline = store.timeline(card.skill, before=known)
            final = None if card.final is None else hundredths(card.final)
            history = compare(scores, final, timeline, rubric=card.receipt.rubric, judge=judge_text(card))
            if history.flags or (history.drift is not None and history.drift.alarm):
                history = replace(history, changes=store.changes(card, before=known))
        if known is not None:
            self.already_stored.append(known.id)
            case = card.case or known.document.get("case")
            return card._replace(id=known.id, created=known.created, history=history, case=case)
        card = Scorecard._make((*card[:_HISTORY], history, *card[_HISTORY + 1 :]))  # as _replace does, but quicker
        if named and store.has(card.id):  # the same case again, with another output, judgement, judge or rubric
            card = card._replace(id=store.next_id(card.id), case=card.case or card.id)
            self.renamed.append(card.id)
        # Never earlier than the latest in the store: a clock may go back, and two machines have two clocks.
        latest = store.latest()
        completed = moment(card.created) if latest is None else max(moment(card.created), latest + 1)
        keep_text = self._kept != "hash"
        record = record_of(
            card,
            completed=completed,
            submission=submission,
            keep_text=keep_text,
            scores=scores,
            preview=_preview(submission) if keep_text else None,
        )
        store.add(record, card)
        self._texts[card.id] = card, record.scorecard
        return card


def _preview(submission: Submission | None) -> str | None:
    """How the output of a transcript begins, without secrets; other outputs are kept whole."""
    if submission is None or not submission.events:
        return None
    from evenhand.judging.kept_transcript import redacted  # few evaluations are of transcripts

    return redacted(submission.output[: 20 * PREVIEW])


def keep_one(store: EvaluationStore, evaluated: Evaluated, keep: Keep = "text") -> Scorecard:
    """One evaluation, compared and stored; StoreUnavailable or InputError when it cannot be."""
    keeper = Keeper(store, keep=keep)
    card = keeper.keep(evaluated)
    keeper.raise_if_not_kept()
    return card


class _Transaction:
    """A store within a transaction: no one else appends, so its history is read only once.

    Evaluations are collected and written together at the end.
    """

    def __init__(self, store: EvaluationStore, coming: Sequence[Evaluated]) -> None:
        self._store = store
        self._timelines: dict[str, Timeline] = {}
        self._latest: int | None = None
        self._new: list[Record] = []
        self._transcripts: dict[str, str] = {}
        self._by_key: dict[str, Record] = {}
        self._newest: dict[str, Scorecard] = {}
        """The newest evaluation that this transaction adds to each skill's history."""
        self._cases: dict[str, list[str]] = {}
        """The ids that this transaction adds, by case; some may be in the store by now."""
        self._there = store.present(
            [evaluated.card.id for evaluated in coming if evaluated.named and "\0" not in evaluated.card.id],
            [key for evaluated in coming if (key := fingerprint(evaluated.card)) is not None],
        )

    def find(self, card: Scorecard, *, named: bool) -> Record | None:
        """The very same evaluation, stored before or just now: by its fingerprint, or else by the id that was given."""
        key = fingerprint(card)
        if key is not None:
            return self._find(key, id=None, fingerprint=key)
        if not named or not self.has(card.id):
            return None
        earlier = (self._find(id, id=id, fingerprint=None) for id in {card.id: 0} | dict.fromkeys(self._ids(card.id)))
        return next((record for record in earlier if record is not None and _same(record, card)), None)

    def has(self, id: str) -> bool:
        """Whether an evaluation has this id, of those whose ids were given."""
        return id in self._by_key or id in self._there

    def next_id(self, case: str) -> str:
        """An id for a further evaluation of a case."""
        ids = self._ids(case)
        while (id := next_id(case, ids)) in self._by_key or self._store.present([id], []):
            ids.append(id)  # someone gave it to an evaluation of another case
        return id

    def _find(self, key: str, *, id: str | None, fingerprint: str | None) -> Record | None:
        if key in self._by_key:
            return self._by_key[key]
        return self._store.find(id, fingerprint) if key in self._there or id is not None else None

    def _ids(self, case: str) -> list[str]:
        """The ids of a case's evaluations, stored before or just now."""
        return [*self._store.case_ids(case), *self._cases.get(case, ())]

    def timeline(self, skill: str, before: Record | None = None) -> Timeline:
        """A skill's evaluations so far, or those before one of them."""
        if before is not None:
            self.write()
            return self._store.timeline(skill, before)
        if skill not in self._timelines:
            self._timelines[skill] = self._store.timeline(skill)
        return self._timelines[skill]

    def changes(self, card: Scorecard, before: Record | None) -> tuple[Change, ...]:
        """What changed since the evaluation before."""
        if before is not None:
            self.write()
        elif card.skill in self._newest:
            return changed(of_card(self._newest[card.skill]), of_card(card))
        previous = self._store.previous(card.skill, before)
        return () if previous is None else changed(of_document(previous.document), of_card(card))

    def add_transcript(self, digest: str, submission: Submission) -> None:
        """Keep a transcript with the evaluations of it."""
        if digest not in self._transcripts:
            from evenhand.judging.kept_transcript import kept_transcript  # few ask for it

            self._transcripts[digest] = kept_transcript(submission)

    def latest(self) -> int | None:
        """When the newest evaluation of all was completed."""
        if self._latest is None:
            self._latest = self._store.latest()
        return self._latest

    def add(self, record: Record, card: Scorecard) -> None:
        """Append an evaluation, completed after all others."""
        self._new.append(record)
        self._by_key[record.id] = record
        if record.fingerprint is not None:
            self._by_key[record.fingerprint] = record
        self._cases.setdefault(card.id if card.case is None else card.case, []).append(record.id)
        self._latest = record.completed
        if record.in_history >= REVIEW:
            return
        # What this transaction adds is not in the store yet, and the next one must be compared with it all the same.
        timeline = self.timeline(record.skill)
        if record.final is not None and record.in_history:
            self._newest[record.skill] = card
            timeline = timeline.followed_by(record.past, record.final, record.completed)
        else:
            timeline = timeline._replace(left_out=min(timeline.left_out + 1, MOST_LEFT_OUT))
        self._timelines[record.skill] = timeline

    def write(self) -> None:
        """Hand what was collected to the store."""
        if self._new:
            self._store.add_all(self._new)
            self._new = []
        if self._transcripts:
            cast("Store", self._store).add_transcripts(self._transcripts)  # whoever asks for them opened all of it
            self._transcripts = {}


def _same(known: Record, card: Scorecard) -> bool:
    """Whether a stored evaluation is this very one: the same judgement of the same submission by the same rubric."""
    receipt = known.document.get("receipt")
    if not isinstance(receipt, dict):
        raise known.damaged("it has no receipt")
    stored = (known.skill, *(receipt.get(part) for part in ("rubric", "judgement", "submission", "calibration")))
    ours = card.receipt
    return stored == (card.skill, ours.rubric, ours.judgement, ours.submission, ours.calibration)


def _refuse_nul(card: Scorecard) -> None:
    """PostgreSQL takes no NUL in a text, and SQLite cuts it off there in some of its functions."""
    if "\0" not in card.id + card.skill + card.rubric + card.created:
        return
    for field, value in (("id", card.id), ("skill", card.skill), ("rubric", card.rubric), ("created", card.created)):
        if "\0" in value:
            raise InputError(f"the {field} of an evaluation {NUL}")


@lru_cache(maxsize=16)
def moment(created: str) -> int:
    """A moment in microseconds. InputError for what is not one."""
    try:
        return clock.microseconds(created)
    except ValueError:
        raise InputError(f'created is "{created}"; it must be a moment such as 2026-01-31T12:00:00Z') from None
