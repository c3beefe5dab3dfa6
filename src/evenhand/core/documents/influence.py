"""Several readings of one work by one judge, to and from their part of the panel's document. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any, Final

from evenhand.core.basics.methodology import DIMENSIONS
from evenhand.core.basics.numbers import plain, score
from evenhand.core.values.opinion import Unscored
from evenhand.core.values.panel import Influence, Panel, Reading

VARIANTS: Final = ("first", "withheld", "upward", "downward")


def influence_document(influence: Influence) -> dict[str, Any]:
    """In the published shape (`shapes.InfluenceDocument`)."""
    return {**influence._asdict(), "readings": [_reading(reading) for reading in influence.readings]}


def influence_from(document: Mapping[str, Any]) -> Influence:
    """KeyError, TypeError or ValueError for anything `influence_document` did not write."""
    readings = tuple(map(_reading_from, document["readings"]))
    counts, passages = document["counts"], document["passages"]
    if counts is not None and counts not in [reading.variant for reading in readings]:
        raise ValueError("the reading that counts is one of those listed")
    if type(passages) is not int or passages < 1:
        raise ValueError("at least one passage was expected")
    return Influence(_text(document["judge"]), passages, readings, counts, _text(document["why"]))


def contradictions(panel: Panel) -> Iterator[tuple[str, str]]:
    """Where a judge that read the work several times does not have the scores of the reading that counts."""
    members = {member.judge["name"]: member.scores for member in panel.members}
    for place, influence in enumerate(panel.influence):
        scores = next((reading.scores for reading in influence.readings if reading.variant == influence.counts), {})
        for name, verdict in members.get(influence.judge, {}).items():
            if _number_of(verdict) != _number_of(scores.get(name)):
                reading = influence.counts or "no reading"
                yield f"panel.influence.{place}", f"{reading} counts, which gives {influence.judge} another {name}"


def _number_of(verdict: Decimal | Unscored | None) -> Decimal | None:
    return None if isinstance(verdict, Unscored) else verdict


def _reading(reading: Reading) -> dict[str, Any]:
    scores: dict[str, int | float | None] = {}
    unscored: dict[str, str] = {}
    for name, verdict in reading.scores.items():
        if isinstance(verdict, Unscored):
            scores[name], unscored[name] = None, verdict.reason
        else:
            scores[name] = plain(verdict)
    return {"variant": reading.variant, "scores": scores, "unscored": unscored}


def _reading_from(document: Mapping[str, Any]) -> Reading:
    scores, unscored = document["scores"], document["unscored"]
    if document["variant"] not in VARIANTS or not set(scores) <= set(DIMENSIONS):
        raise ValueError("an unknown reading or dimension")
    verdicts = {
        name: Unscored(_text(unscored[name])) if scores[name] is None else score(_number(scores[name]))
        for name in DIMENSIONS
        if name in scores
    }
    return Reading(document["variant"], verdicts)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("a text was expected")
    return value


def _number(value: Any) -> int | float:
    if type(value) not in (int, float):
        raise TypeError("a number was expected")
    number: int | float = value
    return number
