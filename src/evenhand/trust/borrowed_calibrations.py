"""Whether a calibration holds for the outputs of a skill: what the store knows of them and of their labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from evenhand.core.calibration import calibrated, in_range
from evenhand.core.curve import Calibration
from evenhand.core.judgement import PERSON
from evenhand.core.receipt import names_text
from evenhand.core.scorecard import Scorecard
from evenhand.stats.clusters import cluster_count
from evenhand.stats.trust.calibration_transfer import Transport, transport
from evenhand.store.protocol import Store
from evenhand.store.record import Record
from evenhand.trust.calibration import output_length
from evenhand.trust.labels.judged_items import people_scores, record_clusters
from evenhand.trust.labels.label_matches import LabelledItem, judge_name, labelled_items


def check_transport(
    calibration: Calibration, cards: Sequence[Scorecard], store: Store | None
) -> Mapping[str, Transport]:
    """By skill of the scorecards: whether the calibration holds for it. Without a store no new label is known."""
    by_skill: dict[str, list[Scorecard]] = {}
    for card in cards:
        by_skill.setdefault(card.skill, []).append(card)
    return {
        skill: transport(
            skill,
            calibration.skills,
            calibration.seen,
            _now(own, store),
            [] if store is None else _residuals(calibration, skill, store),
        )
        for skill, own in by_skill.items()
    }


def misplaced_skills(calibration: Calibration, cards: Sequence[Scorecard], store: Store | None) -> dict[str, str]:
    """By skill: why the calibration is not shown to hold for it; nothing where it is."""
    found = check_transport(calibration, cards, store)
    return {skill: entry.says for skill, entry in found.items() if entry.verdict != "holds"}


def _now(cards: Sequence[Scorecard], store: Store | None) -> dict[str, list[float]]:
    """The judge's scores of some outputs by field, and their lengths as far as the store has the texts."""
    now: dict[str, list[float]] = {}
    for card in cards:
        scores = {"final": card.raw_final} | {name: line.score for name, line in card.dimensions.items()}
        for field, score in scores.items():
            if score is not None:
                now.setdefault(field, []).append(float(score))
        record = None if store is None else store.get(card.id)
        length = None if record is None else output_length(record)
        if length is not None:
            now.setdefault("length", []).append(length)
    return now


def _residuals(calibration: Calibration, skill: str, store: Store) -> list[float]:
    """People's scores less the calibrated ones, on labels of a skill that are newer than the calibration, or all of
    them where it has none of this skill: one for each case."""
    curve = calibration.curves.get("final")
    if curve is None:
        return []
    judge = names_text(calibration.judge)
    found: list[tuple[Record, float]] = []
    for item in labelled_items(store, skill=skill):
        if skill in calibration.skills:
            item = _since(item, calibration.created)
        people = people_scores(item)[0].get("final")
        records = [
            record
            for record in item.by_judges
            if (record.judge, record.rubric_sha256) == (judge, calibration.rubric_sha256)
        ]
        score = records[-1].raw_final if records else None
        if people is not None and score is not None and in_range(curve, score / 100):
            found.append((records[-1], people - calibrated(curve, score / 100).value))
    clusters = record_clusters([record for record, _ in found])
    if clusters is None or cluster_count(clusters) == len(found):
        return [residual for _, residual in found]
    by_case: dict[object, list[float]] = {}
    for cluster, (_, residual) in zip(clusters, found, strict=True):
        by_case.setdefault(cluster, []).append(residual)
    return [sum(values) / len(values) for values in by_case.values()]


def _since(item: LabelledItem, created: str) -> LabelledItem:
    """An item with only those labels and people's judgements that came after a calibration was made."""
    from evenhand import clock

    moment = clock.microseconds(created)
    return item._replace(
        labels=tuple(label for label in item.labels if label.imported > moment),
        evaluations=tuple(
            record
            for record in item.evaluations
            if not judge_name(record).startswith(PERSON) or record.completed > moment
        ),
    )
