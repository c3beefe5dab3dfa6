"""Anchors: frozen submissions that a judge judges again, to tell its own drift from a skill's.

The reference of an anchor is the judge's first score of it, after its newest calibration if there is one. Anchors and
their runs are kept apart from evaluations and never enter a skill's window.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from evenhand import clock
from evenhand.core.curve import Calibration
from evenhand.core.numbers import hundredths
from evenhand.core.receipt import canonical_rubric, canonical_text, names_text, terms_of
from evenhand.core.rubric import Rubric
from evenhand.core.scorecard import Scorecard
from evenhand.errors import InputError, Problem, StoreUnavailable, Unavailable
from evenhand.judging.kept.found_cards import not_found
from evenhand.judging.panels.panel import OpenPanel, run_to_the_end
from evenhand.judging.panels.panel_judging import PanelJudging
from evenhand.judging.steps import Steps, read_submissions
from evenhand.options.model_options import OPTIONS, ModelOptions
from evenhand.rubrics import library
from evenhand.stats.trust.anchor_drift import AnchorReport, Scores, gathered_movements, movements
from evenhand.store.stored_cards import submission_of
from evenhand.store.submission_text import submission_text, transcript_from
from evenhand.store.tables.anchors import Anchor, AnchorRun
from evenhand.work.submission import Submission, submission_sha256

if TYPE_CHECKING:
    from evenhand.store.protocol import Store

SET = "default"
"""The set that is used when none is named."""


class OpenAlarm(NamedTuple):
    """A judge that moved and was neither calibrated again nor found stable since."""

    judge: str
    raised: str
    since: str | None
    """The last run in which it was in order."""
    says: str


def add_anchors(
    store: Store,
    names: Iterable[str],
    *,
    set_name: str = SET,
    rubric: str | None = None,
    task: str | None = None,
) -> tuple[int, int]:
    """Freeze the submissions of files and of stored evaluations; returns how many were new, and how many were there."""
    steps = Steps(rubric)
    anchors: dict[str, Anchor] = {}
    for name, submission, own_rubric in _named(store, names, task):
        chosen = (Steps(own_rubric) if own_rubric is not None and rubric is None else steps).resolve(submission).rubric
        if any(image.sha256 for image in (*submission.images, *(i for e in submission.events for i in e.images))):
            raise InputError(Problem("has pictures, which cannot be frozen; give outputs without any", name))
        text = submission_text(submission)
        digest = submission_sha256(transcript_from(text))
        anchor = Anchor(
            set_name, digest, terms_of(chosen).sha256, name, clock.now(), text, canonical_text(canonical_rubric(chosen))
        )
        anchors.setdefault(anchor.key, anchor)
    with store.transaction():
        known = {anchor.key for anchor in store.anchors(set_name)}
        new = [anchor for key, anchor in anchors.items() if key not in known]
        if new:
            store.add_anchors(new)
    return len(new), len(anchors) - len(new)


def _named(store: Store, names: Iterable[str], task: str | None) -> Iterable[tuple[str, Submission, str | None]]:
    """Submissions by file name or by id, each with its rubric's name where that is known; a file comes first."""
    for name in names:
        if Path(name).exists():
            for submission in read_submissions([name], task=task):
                if isinstance(submission, InputError):
                    raise submission
                yield submission.id or submission.source or name, submission, None
            continue
        record = store.get(name)
        if record is None:
            raise InputError(f"{name}: {not_found(name, store)}")
        kept = submission_of(record)
        if kept is None:
            raise InputError(f"{name}: the store keeps only the hash of this submission; name its file instead")
        yield record.id, kept, record.rubric


def run_anchors(
    store: Store,
    options: ModelOptions,
    *,
    judge: str | None = None,
    set_name: str = SET,
    notice: Callable[[str], None] | None = None,
) -> AnchorReport:
    """Judge a set again, and keep the run. Unless a judge is named, it is that of the last run, asked as it was then,
    but for options that are given now."""
    anchors = frozen(store, set_name)
    last = None if judge is not None else _AskedLast(store, set_name)
    spec = judge if last is None else last.spec
    assert spec is not None
    options = options if last is None else last.options(options)
    panel = OpenPanel((spec,), options, notice=notice)
    if last is not None:
        try:
            last.refuse_another_address(panel.judge.identity, options)
        except InputError:
            run_to_the_end(panel.close())
            raise
    scores = run_to_the_end(_judged(panel, anchors))
    if panel.stopped is not None or panel.never_answered is not None:
        raise Unavailable(f"{panel.stopped or panel.never_answered}; replies already paid for are kept; run it again")
    if options.replies is not None:
        Path(options.replies).unlink(missing_ok=True)
    identity, name = panel.judge.identity, panel.judge.identity["name"]
    created = clock.now()
    earlier = _since_calibration(store, name, store.anchor_runs(set_name=set_name, judge=name))
    report = _report(set_name, identity, panel.served, created, scores, earlier)
    document = {
        "spec": panel.chosen.spec if panel.chosen is not None else spec,
        "judge": dict(identity),
        "served": list(panel.served),
        "scores": scores,
        "asked": _asked(options),
    }
    with store.transaction():
        store.add_anchor_run(
            AnchorRun(
                clock.new_id(),
                created,
                set_name,
                name,
                names_text(identity),
                int(report.alarm),
                canonical_text(document),
            )
        )
    return report


def frozen(store: Store, set_name: str) -> list[Anchor]:
    """The anchors of a set, each still what its hash says."""
    anchors = store.anchors(set_name)
    if not anchors:
        known = ", ".join(name for name, _ in store.anchor_sets())
        has = f"; it has {known}" if known else ""
        raise InputError(
            f'no anchors in the set "{set_name}" of {store.url}{has}; add some with: evenhand trust anchors add'
        )
    for anchor in anchors:
        if submission_sha256(transcript_from(anchor.text)) != anchor.submission:
            raise StoreUnavailable(f"the anchor {anchor.name} is damaged: its text is not the one that was frozen")
    return anchors


def reports(store: Store, set_name: str) -> list[AnchorReport]:
    """Every run of a set against its reference, oldest first."""
    found_reports = []
    runs = store.anchor_runs(set_name=set_name)
    for place, run in enumerate(runs):
        earlier = [previous for previous in runs[:place] if previous.judge == run.judge]
        document = _document(run)
        after = _since_calibration(store, run.judge, earlier, run.created)
        found_reports.append(
            _report(set_name, document["judge"], tuple(document["served"]), run.created, document["scores"], after)
        )
    return found_reports


def open_alarms(store: Store) -> dict[str, OpenAlarm]:
    """The alarms that are open, by judge: raised in a judge's last run, and not followed by a calibration."""
    alarms: dict[str, OpenAlarm] = {}
    last: dict[tuple[str, str], AnchorRun] = {}
    clean: dict[tuple[str, str], str] = {}
    for run in store.anchor_runs():
        last[run.judge, run.set_name] = run
        if not run.alarm:
            clean[run.judge, run.set_name] = run.created
    for (judge, set_name), run in last.items():
        calibrated = store.last_calibration(judge)
        if run.alarm and (calibrated is None or calibrated < run.created):
            report = next(candidate for candidate in reports(store, set_name)[::-1] if candidate.created == run.created)
            shown = [entry for entry in (*report.moved, *report.gathered) if entry.alarm]
            moved = ", ".join(dict.fromkeys(f"{entry.field} {entry.mean:+.2f}" for entry in shown))
            alarms[judge] = OpenAlarm(judge, run.created, clean.get((judge, set_name)), moved)
    return alarms


def alarm_words(alarm: OpenAlarm) -> str:
    """What is wrong with a calibration of a judge that moved."""
    return f"its judge moved on the anchors ({alarm.says}; {alarm.raised[:10]}): calibrate it again"


def moved_since(store: Store, calibration: Calibration) -> str | None:
    """Why a calibration is out of date: its judge moved on the anchors after it was made; None when it did not."""
    name = calibration.judge["name"]
    alarm = open_alarms(store).get(name)
    if alarm is not None and calibration.created < alarm.raised:
        return alarm_words(alarm)
    newest = store.last_calibration(name)
    if newest is None or newest <= calibration.created:
        return None
    last: dict[str, AnchorRun] = {}
    for run in store.anchor_runs(judge=name):
        if calibration.created < run.created <= newest:
            last[run.set_name] = run
    moved = next((run for run in last.values() if run.alarm), None)
    if moved is None:
        return None
    return (
        f"its judge moved on the anchors on {moved.created[:10]} and was calibrated again since: use that calibration"
    )


def gate_alarms(store: Store, calibration: Calibration | None) -> dict[str, str]:
    """What a gate says of each judge whose anchors raised an alarm that is still open, or since its calibration."""
    alarms = {judge: alarm_words(alarm) for judge, alarm in open_alarms(store).items()}
    moved = None if calibration is None else moved_since(store, calibration)
    return alarms if moved is None or calibration is None else {calibration.judge["name"]: moved, **alarms}


def judge_alarm(card: Scorecard, alarms: Mapping[str, OpenAlarm]) -> OpenAlarm | None:
    """The open alarm of a scorecard's judge that its drift cannot be told from; None when there is none."""
    drift = card.history.drift if card.history is not None else None
    if drift is None or not drift.alarm:
        return None
    members = card.panel.members if card.panel is not None else ()
    names = {card.judge.get("name", ""), *(member.judge.get("name", "") for member in members)}
    for name in sorted(names):
        alarm = alarms.get(name)
        if alarm is not None and (alarm.since is None or card.created > alarm.since):
            return alarm
    return None


async def _judged(panel: OpenPanel, anchors: Sequence[Anchor]) -> dict[str, dict[str, int | None]]:
    """Each anchor's scores in hundredths, by its key."""
    by_rubric: dict[str, list[Anchor]] = {}
    for anchor in anchors:
        by_rubric.setdefault(anchor.rubric, []).append(anchor)
    scores: dict[str, dict[str, int | None]] = {}
    async with panel:
        for text, some in by_rubric.items():
            judging = PanelJudging(panel, Steps(_rubric(text)))
            cards = await judging.cards([transcript_from(anchor.text) for anchor in some])
            scores |= {anchor.key: _scores(card) for anchor, card in zip(some, cards, strict=True) if card is not None}
    return scores


def _scores(card: Scorecard) -> dict[str, int | None]:
    given = {"final": card.raw_final, **{name: line.score for name, line in card.dimensions.items()}}
    return {name: None if score is None else hundredths(score) for name, score in given.items()}


def _rubric(text: str) -> Rubric:
    return library.rubric_from(json.loads(text, parse_float=Decimal, parse_int=Decimal))


_ASKED = [name for name, option in OPTIONS.items() if option.asked]
"""The options that decide which server gets the texts, and what it is asked."""
_HOW = "[`thorough`=true] [`samples`=N] [`temperature`=N]"


def _asked(options: ModelOptions) -> dict[str, Any]:
    """How a judge was asked, to be kept. Never a key: an address that holds one is left empty."""
    asked = {name: getattr(options, name) for name in _ASKED if name in options.given()}
    if "@" in asked.get("base_url", "") or "?" in asked.get("base_url", ""):
        asked["base_url"] = ""
    return asked


class _AskedLast:
    """The last run of a set, whose judge is asked again in the way it was asked then."""

    def __init__(self, store: Store, set_name: str) -> None:
        runs = store.anchor_runs(set_name=set_name)
        if not runs:
            raise InputError(f'no judge has judged the set "{set_name}" yet; name one with `judge`')
        document = _document(runs[-1])
        self.spec = str(document["spec"])
        self._set = set_name
        self._address = document["judge"].get("address")
        self._asked: Mapping[str, Any] = document["asked"]

    def options(self, given: ModelOptions) -> ModelOptions:
        """The options given now, and for the others those of the run. InputError when it did not keep the address."""
        kept = {name: self._asked[name] for name in _ASKED if name in self._asked and name not in given.given()}
        if kept.get("base_url") == "":
            raise self._refused("does not say where its judge was asked, since the address held a key")
        return replace(given, **kept)

    def refuse_another_address(self, judge: Mapping[str, str], options: ModelOptions) -> None:
        """InputError when the judge would now be asked elsewhere, as after a change of settings."""
        now = judge.get("address")
        if now != self._address and options.base_url == self._asked.get("base_url"):
            earlier, current = (address or "its own address" for address in (self._address, now))
            raise self._refused(f"asked its judge at {earlier}, and now it would be asked at {current}")

    def _refused(self, reason: str) -> InputError:
        address = f"`base_url` {self._address}" if self._address else "[`base_url` URL]"
        how = f"`judge` {self.spec} {address} {_HOW}"
        return InputError(f'the last run of the set "{self._set}" {reason}; name the judge and how to ask it: {how}')


def _since_calibration(
    store: Store, judge: str, runs: Sequence[AnchorRun], before: str | None = None
) -> list[AnchorRun]:
    """The runs after a judge's newest calibration (before a moment, if one is given); all of them if it has none."""
    calibrated = store.last_calibration(judge)
    if calibrated is None or (before is not None and calibrated > before):
        return list(runs)
    return [run for run in runs if run.created > calibrated]


def _report(
    set_name: str,
    judge: Mapping[str, str],
    served: tuple[str, ...],
    created: str,
    scores: Mapping[str, Scores],
    earlier: Sequence[AnchorRun],
) -> AnchorReport:
    first: dict[str, Scores] = {}
    for run in earlier:
        first = {**_document(run)["scores"], **first}
    changes = _changes(_document(earlier[0]), judge, served) if earlier else ()
    return AnchorReport(
        set_name=set_name,
        judge=judge,
        served=served,
        created=created,
        anchors=len(scores),
        reference=earlier[0].created if earlier else None,
        moved=movements(first, scores) if earlier else (),
        changes=changes,
        gathered=gathered_movements([*(_document(run)["scores"] for run in earlier), scores]),
    )


def _changes(before: Mapping[str, Any], judge: Mapping[str, str], served: tuple[str, ...]) -> tuple[str, ...]:
    """What is different about a judge: the model that answers, its prompt, its settings."""
    old = before["judge"]
    lines = [
        f"{key}: {str(old.get(key, 'none'))[:16]}, now {str(judge.get(key, 'none'))[:16]}"
        for key in sorted({*old, *judge})
        if old.get(key) != judge.get(key)
    ]
    if tuple(before["served"]) != served:
        lines.append(f"the model that answers: {', '.join(before['served'])}, now {', '.join(served)}")
    return tuple(lines)


def _document(run: AnchorRun) -> dict[str, Any]:
    try:
        document = json.loads(run.document)
    except ValueError:
        document = None
    if not isinstance(document, dict) or not {"spec", "judge", "served", "scores"} <= document.keys():
        raise StoreUnavailable(f"the stored run {run.id} of anchors is damaged")
    return document
