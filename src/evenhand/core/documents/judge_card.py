"""Judges' cards as JSON: written, and read back from a store. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from evenhand.core.documents.records import document_of, record_from
from evenhand.core.trust.judge_card import JudgeCard, ProbeChange
from evenhand.core.trust.probe_effects import Effect, Probe, ProbeResult
from evenhand.errors import DocumentError

SCHEMA = "evenhand/judge-card/v1"
_PLACES = 4


def card_document(
    card: JudgeCard, since: JudgeCard | None = None, changes: Sequence[ProbeChange] = ()
) -> dict[str, Any]:
    """A card in its published shape; `since` is the card before, `changes` how the effects differ from it."""
    return {
        **document_of(card, SCHEMA),
        "probes": [_result(result) for result in card.results],
        "since": None if since is None else {"id": since.id, "created": since.created, "served": list(since.served)},
        "changes": [
            {
                "probe": change.name,
                **document_of(change.effect),
                "p_value": round(change.p_value, 6),
                "shown": change.shown,
            }
            for change in changes
        ],
    }


def _result(result: ProbeResult) -> dict[str, Any]:
    probe = result.probe
    return {
        "name": probe.name,
        "expectation": probe.expectation,
        "variants": [probe.first, probe.second],
        "final": None if result.final is None else document_of(result.final),
        "dimension": None
        if probe.dimension is None or result.dimension is None
        else {"name": probe.dimension, **document_of(result.dimension)},
        "verdict": result.verdict,
        "against": result.against,
        "says": {"up": probe.up, "down": probe.down},
        "p_value": None if result.p_value is None else round(result.p_value, 6),
        "missing": result.missing,
        "changes": {
            item: None if change is None else round(change, _PLACES) for item, change in result.changes.items()
        },
    }


def card_from(document: Any) -> JudgeCard:
    """The card in a document. DocumentError when it is none, or not whole."""
    if not isinstance(document, Mapping) or document.get("schema") != SCHEMA:
        raise DocumentError(f'not a judge\'s card: "schema" must be "{SCHEMA}"; make one with: evenhand probe')
    try:
        results = tuple(map(_result_from, document["probes"]))
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise DocumentError(f"not a whole judge's card: {error!r} is missing or of the wrong kind") from None
    return record_from(JudgeCard, document, "judge's card", results=results)


def _result_from(document: Mapping[str, Any]) -> ProbeResult:
    first, second = document["variants"]
    dimension, final = document["dimension"], document["final"]
    probe = Probe(
        name=document["name"],
        expectation=document["expectation"],
        first=first,
        second=second,
        dimension=None if dimension is None else dimension["name"],
        up=document["says"]["up"],
        down=document["says"]["down"],
    )
    return ProbeResult(
        probe=probe,
        final=None if final is None else Effect(**final),
        dimension=None
        if dimension is None
        else Effect(**{name: value for name, value in dimension.items() if name != "name"}),
        changes=dict(document["changes"]),
        verdict=document["verdict"],
        against=bool(document["against"]),
        p_value=document["p_value"],
        missing=int(document["missing"]),
    )
