"""Existing evaluations scored again under a changed rubric. No judge is asked."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from evenhand import clock
from evenhand.core.curve import Calibration
from evenhand.core.panel import with_panel
from evenhand.core.receipt import criteria_of, receipt_for, sha256, terms_of
from evenhand.core.rescoring import changed_since, rescored_note, under
from evenhand.core.rubric import Rubric, Terms
from evenhand.core.scorecard import Scorecard
from evenhand.core.scoring import score
from evenhand.documents.scorecards.restore import is_scorecard, restore
from evenhand.errors import DocumentError, InputError, StoreUnavailable
from evenhand.files.documents import open_documents
from evenhand.files.text import STDIN
from evenhand.judging.calibration import calibrated_card, is_stale_note, refuse_misfit, refuse_stale, stale_note
from evenhand.judging.evaluated import Evaluated
from evenhand.judging.keeper import Keeper
from evenhand.rubrics.resolved import installed, resolve
from evenhand.store.protocol import Store
from evenhand.store.record import Record, kept_submission
from evenhand.work.submission import Submission


class Rescored(NamedTuple):
    """A scorecard under the new rubric, and the original."""

    before: Scorecard
    card: Scorecard


class Rescorer:
    """Rescores under one rubric, whichever the judges used."""

    def __init__(
        self,
        rubric: str | Path | Rubric,
        *,
        judged_with: str | Path | Rubric | None = None,
        calibration: Calibration | None = None,
        out_of_date: str | None = None,
    ) -> None:
        """`out_of_date` says why the calibration no longer holds, if that is so."""
        chosen = resolve(rubric)
        self._terms = chosen.terms
        self._warnings = chosen.warnings
        self._rubric_version = chosen.rubric.version or None
        self._calibration = calibration
        self._out_of_date = out_of_date
        self._known_criteria: dict[str, Mapping[str, str] | None] = {self._terms.sha256: self._terms.criteria}
        if judged_with is not None:
            old = resolve(judged_with).rubric
            self._known_criteria[terms_of(old).sha256] = criteria_of(old)

    def rescore(self, document: Mapping[str, Any], *, created: str | None = None) -> Rescored:
        """One scorecard's document under the new rubric. A scorecard already under it is returned unchanged, unless
        there is a calibration to apply."""
        before, judgement, old = restore(document)
        terms = self._terms
        calibration = self._calibration
        if before.receipt.rubric == terms.sha256 and calibration is None:
            return Rescored(before, before)
        if calibration is not None:
            refuse_misfit(calibration, before.judge, terms.sha256)
            refuse_stale(self._out_of_date, terms)
        settled, gone = under(judgement, terms)
        card = score(
            settled,
            terms,
            # Deterministic, so saving twice adds nothing.
            id=sha256("\n".join([before.rescored_from or before.id, terms.sha256, *_hash_of(calibration)]))[:24],
            created=created or clock.now(),
            receipt=replace(receipt_for(settled, terms, None), submission=before.receipt.submission),
            warnings=(
                *(warning for warning in before.warnings if not is_stale_note(warning)),
                rescored_note(before),
                *self._warnings,
                *gone,
                *self._since(before, old),
                *([] if self._out_of_date is None else [stale_note(self._out_of_date)]),
            ),
        )
        card = with_panel(card, settled, terms)
        if calibration is not None:
            card = calibrated_card(card, calibration)
        return Rescored(
            before,
            card._replace(**_kept_from(before), rubric_version=self._rubric_version),
        )

    def _since(self, before: Scorecard, old: Terms) -> tuple[str, ...]:
        """Warnings about what has changed since the judging, as far as is known."""
        criteria = before.panel.criteria if before.panel is not None and before.panel.criteria else self._criteria(old)
        if criteria is None:
            return (
                f"changes to the criteria since the judging cannot be detected: the rubric {old.rubric} as it was then "
                f"(sha256 {old.sha256[:12]}) is not available; pass it with --set score.judged_with=NAME",
            )
        return changed_since(criteria, self._terms.criteria)

    def _criteria(self, old: Terms) -> Mapping[str, str] | None:
        """The criteria judged with, if that rubric is available: passed by the user, or unchanged under its name."""
        if old.sha256 not in self._known_criteria:
            rubric = installed(old.rubric, old.sha256)
            self._known_criteria[old.sha256] = None if rubric is None else criteria_of(rubric)
        return self._known_criteria[old.sha256]


def _kept_from(before: Scorecard) -> dict[str, Any]:
    """What a rescored scorecard has from the original; one of a suite stays in its suite, out of the history."""
    kept = {name: getattr(before, name) for name in ("case", "review", "suite", "skill_version")}
    return {"rescored_from": before.rescored_from or before.id, **kept}


def _hash_of(calibration: Calibration | None) -> list[str]:
    return [] if calibration is None else [calibration.sha256]


def rescore_each(
    names: Iterable[str],
    store: Store | None,
    rescorer: Rescorer,
    *,
    last: int | None = None,
    keeper: Keeper | None = None,
) -> Iterator[Rescored | InputError]:
    """Every named evaluation, in order; those to be kept are stored before they are yielded."""
    for document, submission, record in _sources(names, store, last):
        if isinstance(document, InputError):
            yield document
            continue
        try:
            rescored = rescorer.rescore(document)
        except InputError as error:
            if record is not None and isinstance(error, DocumentError):
                error = InputError(str(record.damaged(error.problems[0].message)))
            yield error
            continue
        if keeper is not None and rescored.card is not rescored.before:
            kept = next(keeper.keep_each([Evaluated(rescored.card, submission, True)], batch_size=1))
            assert isinstance(kept, Scorecard)
            rescored = rescored._replace(card=kept)
        yield rescored


def keep_rescored(store: Store, rescored: Rescored) -> Scorecard:
    """A rescored evaluation kept beside the original, with its text where the store has that."""
    keeper = Keeper(store)
    if rescored.card is rescored.before:
        return rescored.card
    record = store.find(rescored.before.id, None)
    same = record is not None and record.document["receipt"].get("submission") == rescored.before.receipt.submission
    submission = _stored(record)[1] if record is not None and same else None
    return keeper.keep(Evaluated(rescored.card, submission, True))


_Source = tuple[Mapping[str, Any] | InputError, Submission | None, Record | None]
"""A scorecard's document, its text if that is kept, and the row it is stored in."""


def _sources(names: Iterable[str], store: Store | None, last: int | None) -> Iterator[_Source]:
    """Files come first, then ids, then skills, then the start of an id."""
    for name in names:
        if name == STDIN or Path(name).exists():
            yield from ((document, None, None) for document in _scorecards(name))
            continue
        record = store.get(name) if store is not None else None
        if store is not None and (record is None or record.id != name):
            skill = _of_skill(store, name, last)
            if skill:
                yield from map(_stored, skill)
                continue
        if record is not None:
            yield _stored(record)
        else:
            where = f", and {store.url} has no evaluation or skill of this name" if store is not None else ""
            yield InputError(f"{name}: no such file{where}; see: evenhand history"), None, None


def _scorecards(path: str) -> Iterator[Mapping[str, Any] | InputError]:
    """The scorecards of a file, as they were written; one that was changed since is refused."""
    from evenhand.documents.scorecards.verification import refuse_changed

    try:
        file = open_documents(path)
    except InputError as error:
        yield error
        return
    for document in file.documents:
        if isinstance(document, InputError):
            yield document
            continue
        try:
            if not is_scorecard(document.value):
                raise DocumentError("not a scorecard; a judgement is scored with: evenhand score FILE --rubric RUBRIC")
            refuse_changed(document.value)
            yield document.value
        except InputError as error:
            yield document.place_all(error)


def _of_skill(store: Store, skill: str, last: int | None) -> list[Record]:
    """A skill's evaluations, or the last of them, without those that were rescored from others.

    Those of suites are among them; rescored, they stay with their suite and out of the history.
    """
    records = [record for record in store.evaluations(skill) if not _is_rescored(record)]
    return records if last is None else records[-last:]


def _is_rescored(record: Record) -> bool:
    try:
        return "rescored_from" in record.document
    except StoreUnavailable:  # damaged; reported when it is read
        return False


def _stored(record: Record) -> _Source:
    try:
        document: Mapping[str, Any] | InputError = record.document
    except StoreUnavailable as error:
        document = InputError(str(error))
    if record.submission is None:
        return document, None, record
    return document, kept_submission(json.loads(record.submission)), record
