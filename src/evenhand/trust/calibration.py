"""Calibrations made from labels, and written to their files."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from evenhand import clock
from evenhand.core.calibration import FIELDS, Knot, calibrated
from evenhand.core.curve import Calibration, Curve, UseVerdict
from evenhand.documents.calibration import calibration_document, signed
from evenhand.errors import InputError
from evenhand.in_words import counted
from evenhand.judging.rubric_choice import log_warnings
from evenhand.stats.calibration_curves import CONFIDENCE, calibrate, labels_needed, needlessness, uselessness
from evenhand.stats.clusters import Clusters, cluster_count, clustered, too_few_clusters
from evenhand.stats.trust.use_verdicts import LabelledOutput, judge_uses
from evenhand.store.protocol import Store
from evenhand.store.record import Record
from evenhand.trust.judge_uses import chosen_by_doubt, labelled_outputs
from evenhand.trust.labels.judged_items import JudgedItem, JudgeKey, clusters_of, judged_items, scores_of


def calibrate_store(
    store: Store,
    *,
    skill: str | None = None,
    judge: str | None = None,
    rubric: str | None = None,
    like: JudgeKey | None = None,
    confidence: float = CONFIDENCE,
    notice: Callable[[str], None] | None = None,
) -> Calibration:
    """A calibration of a judge from the labels in a store. `notice` is told what to know about the labels; else the
    logger is. Labels of outputs that were chosen by doubt are left out; InputError where too few are left without them.
    """
    key, items = judged_items(store, skill=skill, judge=judge, rubric=rubric, like=like)
    kept = [item.unlabelled() if item.people and chosen_by_doubt(item) else item for item in items]
    left_out = sum(bool(item.people) for item in items) - sum(bool(item.people) for item in kept)
    if not left_out:
        return calibrate_items(key, items, confidence=confidence)
    try:
        calibration = calibrate_items(key, kept, confidence=confidence)
    except InputError as error:
        raise InputError(f"{error}. {left_out} more {_DOUBTFUL}") from None
    (notice or _log)(f"{counted(left_out, 'label is', 'labels are')} left out: those outputs {_DOUBTFUL}")
    return calibration


_DOUBTFUL = (
    "were chosen for review by doubt; outputs that were not in doubt had no chance, and weights cannot make up for "
    "that. Review a random sample with: evenhand trust review --sample N"
)


def _log(warning: str) -> None:
    log_warnings([warning])


def calibrate_items(key: JudgeKey, items: Sequence[JudgedItem], *, confidence: float = CONFIDENCE) -> Calibration:
    """A calibration from items that a judge scored and people labelled."""
    labelled = [item for item in items if item.people]
    clusters = clusters_of(labelled)
    rows = {field: [next(iter(scores_of([item], field)), (0.0, None)) for item in labelled] for field in FIELDS}
    kept = {field: [place for place, row in enumerate(rows[field]) if row[1] is not None] for field in FIELDS}
    raters = frozenset[str]().union(*(item.raters for item in items))
    served = {name for item in labelled for name in _served(item)}
    outputs = labelled_outputs(labelled)
    return calibrate_pairs(
        key,
        {field: labelled_pairs(rows[field]) for field in FIELDS},
        raters=sorted(raters),
        confidence=confidence,
        served=sorted(served),
        skills=sorted({item.record.skill for item in labelled}),
        lengths=sorted(length for item in labelled if (length := output_length(item.record)) is not None),
        clusters=None if clusters is None else {field: [clusters[place] for place in kept[field]] for field in FIELDS},
        outputs=outputs,
    )


def output_length(record: Record) -> float | None:
    """The length of a judged output in characters; None where only its hash is kept."""
    return None if record.submission is None else float(len(json.loads(record.submission)["output"]))


def _served(item: JudgedItem) -> Sequence[str]:
    panel = item.record.document.get("panel")
    return () if panel is None else panel.get("calls", {}).get("served", ())


def calibrate_pairs(
    key: JudgeKey,
    pairs: Mapping[str, Sequence[Knot]],
    *,
    raters: Sequence[str] = (),
    confidence: float = CONFIDENCE,
    served: Sequence[str] = (),
    clusters: Mapping[str, Clusters] | None = None,
    skills: Sequence[str] = (),
    lengths: Sequence[float] = (),
    outputs: Sequence[LabelledOutput] | None = None,
) -> Calibration:
    """A calibration from pairs of scores by field, with what they say the judge can be used for; `outputs` are the
    labelled ones where more is known of them than the pairs.

    InputError when no field has enough of them, or when the judge does not beat one score for every output.
    """
    needed = labels_needed(confidence)
    together = max(clusters.values(), key=len, default=()) if clusters else ()
    if clustered(together) and (few := too_few_clusters(together)) is not None:
        raise InputError(f"no calibration: {few}")
    curves = {}
    left_out: dict[str, str] = {}
    useless: dict[str, str] = {}
    uses: tuple[UseVerdict, ...] = ()
    for field in FIELDS:
        given = pairs.get(field, ())
        if len(given) >= needed:
            curve = calibrate(given, confidence=confidence, clusters=None if clusters is None else clusters[field])
            reason = uselessness(curve)
            reason = None if reason is None else f"no curve beats one score for every output: {reason}"
            if field == "final":
                uses = _uses(key, given, None if clusters is None else clusters[field], curve, outputs)
                level = next(entry for entry in uses if entry.use == "level")
                reason = f"the judge cannot give a level: {level.says}" if level.verdict == "no" else reason
            if reason is not None:
                useless[field] = left_out[field] = reason
                continue
            reason = needlessness(curve)
            if reason is not None:
                left_out[field] = f"no calibration is needed: {reason}"
                continue
            curves[field] = curve
        elif given:
            left_out[field] = f"{len(given)} labelled outputs; a {confidence:.0%} interval needs {needed}"
        else:
            left_out[field] = "no one labelled it"
    if "final" in useless or (useless and not curves):
        field, reason = next(iter(useless.items()))
        raise InputError(f"no calibration of {key}: {field}: {reason}; use another judge, or label more outputs")
    if not curves and any(len(given) >= needed for given in pairs.values()):
        field, reason = next((field, left_out[field]) for field in FIELDS if len(pairs.get(field, ())) >= needed)
        raise InputError(f"no calibration of {key}: {field}: {reason}")
    if not curves:
        most = max((len(given) for given in pairs.values()), default=0)
        raise InputError(
            f"{most} labelled outputs are too few to calibrate {key}: a {confidence:.0%} interval needs {needed}; "
            "label more, or ask for less with `confidence`"
        )
    return signed(
        Calibration(
            judge=key.identity,
            rubric=key.rubric,
            rubric_sha256=key.rubric_sha256,
            created=clock.now(),
            raters=tuple(raters),
            curves=curves,
            left_out=left_out,
            sha256="",
            served=tuple(served),
            clusters=None if clusters is None else cluster_count(max(clusters.values(), key=len)),
            skills=tuple(skills),
            seen=_seen(pairs, lengths) if skills else {},
            uses=uses,
        )
    )


def _uses(
    key: JudgeKey,
    pairs: Sequence[Knot],
    clusters: Clusters | None,
    curve: Curve,
    outputs: Sequence[LabelledOutput] | None,
) -> tuple[UseVerdict, ...]:
    """What the judge can be used for. A gate looks at the calibrated score where the rubric makes that official."""
    mark = key.pass_mark
    if outputs is None:
        cases = range(len(pairs)) if clusters is None else clusters
        outputs = [
            LabelledOutput(case, judge, people, None, None if mark is None else people >= mark, mark)
            for case, (judge, people) in zip(cases, pairs, strict=True)
        ]

    def passes(score: float) -> bool | None:
        return None if mark is None else (calibrated(curve, score).value if key.official else score) >= mark

    return judge_uses(
        output._replace(judge_passes=None if output.judge is None else passes(output.judge)) for output in outputs
    )


def _seen(pairs: Mapping[str, Sequence[Knot]], lengths: Sequence[float]) -> dict[str, tuple[float, ...]]:
    """What the labelled outputs were like: the judge's scores by field, and the lengths of the outputs."""
    seen = {field: tuple(sorted(judge for judge, _ in given)) for field, given in pairs.items() if given}
    return seen | ({"length": tuple(lengths)} if lengths else {})


def labelled_pairs(rows: Sequence[tuple[float, float | None]]) -> list[Knot]:
    """The rows that people labelled."""
    return [(judge, people) for judge, people in rows if people is not None]


def note_calibration(store: Store, calibration: Calibration) -> None:
    """Note in a store with anchors of the judge that it was calibrated: that settles an alarm of its anchors."""
    if not store.anchor_runs(judge=calibration.judge["name"]):
        return
    with store.transaction():
        store.note_calibration(calibration.judge["name"], calibration.created, calibration.sha256)


def write_calibration(calibration: Calibration, path: str | Path) -> None:
    """A calibration's file, complete or not at all; what is not a report of evenhand is not replaced."""
    from evenhand.files.output_files import OutputFile
    from evenhand.reports.report_file import is_report

    text = json.dumps(calibration_document(calibration), indent=2, ensure_ascii=False) + "\n"
    refusal = "exists, and is not a report that evenhand wrote; name another file, or remove it"
    with OutputFile(path, replaceable=is_report, refusal=refusal).open() as file:
        file.write(text.encode())
