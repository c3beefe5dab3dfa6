"""Judges' cards as JSON: written, and read back from a store. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from evenhand.errors import DocumentError
from evenhand.files import codec
from evenhand.stats.trust.judge_card import JudgeCard, ProbeChange
from evenhand.stats.trust.probe_effects import Effect, Probe, ProbeResult

SCHEMA = "evenhand/judge-card/v1"


def card_document(
    card: JudgeCard, since: JudgeCard | None = None, changes: Sequence[ProbeChange] = ()
) -> dict[str, Any]:
    """A card in its published shape; `since` is the card before, `changes` how the effects differ from it."""
    return {
        **codec.document(card, SCHEMA),
        "probes": [_result(result) for result in card.results],
        "since": None if since is None else {"id": since.id, "created": since.created, "served": list(since.served)},
        "uses": [codec.document(verdict) for verdict in card.uses],
        "changes": [
            {
                "probe": change.name,
                **codec.document(change.effect),
                "p_value": round(change.p_value, 6),
                "shown": change.shown,
            }
            for change in changes
        ],
    }


def _result(result: ProbeResult) -> dict[str, Any]:
    probe, effect = result.probe, result.dimension
    return {
        "name": probe.name,
        "expectation": probe.expectation,
        "variants": [probe.first, probe.second],
        "says": {"up": probe.up, "down": probe.down},
        "dimension": None if effect is None else {"name": probe.dimension, **codec.document(effect)},
        **codec.document(result),
    }


def card_from(document: Any) -> JudgeCard:
    """The card in a document. DocumentError when it is none, or not whole."""
    if not isinstance(document, Mapping) or document.get("schema") != SCHEMA:
        raise DocumentError(f'not a judge\'s card: "schema" must be "{SCHEMA}"; make one with: evenhand trust probe')
    try:
        results = tuple(_result_from(row, f"probes.{place}") for place, row in enumerate(document["probes"]))
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise DocumentError(f"not a whole judge's card: {error!r} is missing or of the wrong kind") from None
    return codec.read(JudgeCard, document, part_of="judge's card", results=results)


def _result_from(document: Mapping[str, Any], where: str) -> ProbeResult:
    (first, second), says, dimension = document["variants"], document["says"], document["dimension"]
    named, effect = None, None
    if dimension is not None:
        named, effect = (
            dimension["name"],
            codec.read(Effect, dimension, part_of="judge's card", where=f"{where}.dimension"),
        )
    probe = Probe(document["name"], document["expectation"], first, second, named, says["up"], says["down"])
    return codec.read(ProbeResult, document, part_of="judge's card", where=where, probe=probe, dimension=effect)
