"""Existing evaluations scored again under a changed rubric. No judge is asked."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from evenhand import clock
from evenhand.core.bounds import bounded
from evenhand.core.criteria import answered_again
from evenhand.core.curve import Calibration
from evenhand.core.judgement import Claim, Discounted, Judgement, Opinion, Panel, Unscored
from evenhand.core.panel import SINGULAR, Kind, official_verdict, with_panel
from evenhand.core.receipt import criteria_of, receipt_for, sha256, terms_of
from evenhand.core.rubric import Rubric, Terms
from evenhand.core.rules import DIMENSIONS
from evenhand.core.scorecard import Scorecard
from evenhand.core.scoring import score
from evenhand.documents.restore import is_scorecard, restore
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
    from evenhand.documents.verification import refuse_changed

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


# --- An existing judgement under a changed rubric: pure ---------------------------------------------------------------
#
# No judge is asked again, so anything the judges were never asked about cannot count, and a warning names whatever
# has been reworded since.


def under(judgement: Judgement, terms: Terms) -> tuple[Judgement, tuple[str, ...]]:
    """The judgement with only the claims these terms list, and a warning that names the others."""
    flags = [claim for claim in judgement.red_flags if claim.id not in terms.red_flags]
    bonuses = [claim for claim in judgement.bonuses if claim.id not in terms.bonuses]
    gone = [f"red flag {claim.id}" for claim in flags] + [f"bonus {claim.id}" for claim in bonuses]
    judgement = _by_criteria(judgement, terms)
    reduced = judgement._replace(
        red_flags=tuple(claim for claim in judgement.red_flags if claim not in flags),
        bonuses=tuple(claim for claim in judgement.bonuses if claim not in bonuses),
        panel=None
        if judgement.panel is None
        else _panel(judgement.panel, terms, {"red_flags": flags, "bonuses": bonuses}),
    )
    return reduced, (f"the rubric no longer lists {_and(gone)}; it does not count",) if gone else ()


def _by_criteria(judgement: Judgement, terms: Terms) -> Judgement:
    """The judgement with the scores that its verdicts give under these criteria, capped as before."""
    if not terms.trees and not any(opinion.verdicts for opinion in judgement.opinions.values()):
        return judgement
    if judgement.checked is not None:
        readers = judgement.checked.uncapped
        opinions = {
            name: opinion._replace(score=readers.get(name, opinion.score))
            for name, opinion in judgement.opinions.items()
        }
        judgement = judgement._replace(opinions=opinions, checked=judgement.checked._replace(uncapped={}))
    judgement = answered_again(judgement, terms.trees)
    if judgement.panel is not None and len(judgement.panel.members) > 1:
        judgement = judgement._replace(opinions=_medians(judgement, judgement.panel))
    return bounded(judgement, terms)


def _medians(judgement: Judgement, panel: Panel) -> dict[str, Opinion]:
    """The opinions with the medians of the judges' scores."""
    official = {name: official_verdict(panel.members, name, panel.quorum) for name in DIMENSIONS}
    return {
        name: opinion._replace(score=official[name] or Unscored("too few judges answered its criteria"))
        for name, opinion in judgement.opinions.items()
    }


def _panel(panel: Panel, terms: Terms, gone: Mapping[Kind, Iterable[Claim]]) -> Panel:
    """Remove votes for claims that are no longer listed from each judge, and record them as unlisted."""
    lost = [
        Discounted(SINGULAR[kind], claim.id, member.judge["name"], "unlisted", claim.explanation, claim.evidence)
        for member in panel.members
        for kind, claims in gone.items()
        for claim in claims
        if claim.id in getattr(member, kind)
    ]
    return panel._replace(
        members=tuple(
            member._replace(
                red_flags=tuple(id for id in member.red_flags if id in terms.red_flags),
                bonuses=tuple(id for id in member.bonuses if id in terms.bonuses),
            )
            for member in panel.members
        ),
        discounted=(*(_still(claim, terms) for claim in panel.discounted), *lost),
    )


def _still(claim: Discounted, terms: Terms) -> Discounted:
    listed = terms.red_flags if claim.kind == "red_flag" else terms.bonuses
    return claim if claim.id in listed else claim._replace(reason="unlisted")  # an observation is unlisted anyway


def changed_since(then: Mapping[str, str], now: Mapping[str, str]) -> tuple[str, ...]:
    """Warnings about criteria that differ from those the judges were asked about."""
    changed = [name for name in now if name in then and then[name] != now[name]]
    new = [name for name in now if name not in then]
    warnings = []
    bands = [name for name in DIMENSIONS if name in changed]
    if bands:
        warnings.append(
            f"the criteria for {_and(bands)} have changed since the judging; the scores are for the old criteria"
        )
    words = [_claim(name) for name in changed if "." in name]
    if words:
        warnings.append(f"reworded since the judging: {_and(words)}; the judges answered the old wording")
    if "summary" in changed:
        warnings.append("the rubric's introduction has changed since the judging; the scores are for the old one")
    if new:
        warnings.append(f"the judges were not asked about {_and(map(_claim, new))}; the rubric did not list it then")
    return tuple(warnings)


def rescored_note(card: Scorecard) -> str:
    """The warning on a rescored scorecard that names the original."""
    was = f"{card.final} ({card.grade.letter})" if card.final is not None and card.grade else "without a final score"
    return (
        f"rescored from {card.id}, which was {was} under rubric {card.rubric} "
        f"(sha256 {card.receipt.rubric[:12]}); no judge was asked again"
    )


def _claim(name: str) -> str:
    kind, _, id = name.partition(".")
    return f"{'red flag' if kind == 'red_flags' else 'bonus'} {id}"


def _and(names: Iterable[str]) -> str:
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last
