"""Judges' cards as JSON: written, and read back from a store. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from evenhand.core.basics.numbers import plain
from evenhand.core.trust.judge_card import JudgeCard, Noise, ProbeChange, ScaleUse
from evenhand.core.trust.probe_effects import Effect, Probe, ProbeResult
from evenhand.errors import DocumentError

SCHEMA = "evenhand/judge-card/v1"
_PLACES = 4


def card_document(
    card: JudgeCard, since: JudgeCard | None = None, changes: Sequence[ProbeChange] = ()
) -> dict[str, Any]:
    """A card in its published shape; `since` is the card before, `changes` how the effects differ from it."""
    return {
        "schema": SCHEMA,
        "id": card.id,
        "created": card.created,
        "judge": dict(card.judge),
        "served": list(card.served),
        "size": card.size,
        "material": card.material,
        "readings": card.readings,
        "calls": card.calls,
        "cost": None if card.cost is None else plain(card.cost),
        "probes": [_result(result) for result in card.results],
        "skipped": dict(card.skipped),
        "noise": None if card.noise is None else _rounded(card.noise._asdict()),
        "scale": {
            "counts": dict(card.scale.counts),
            "highest": None if card.scale.highest is None else plain(card.scale.highest),
            "lowest": None if card.scale.lowest is None else plain(card.scale.lowest),
            "unscored": card.scale.unscored,
        },
        "since": None if since is None else {"id": since.id, "created": since.created, "served": list(since.served)},
        "changes": [
            {"probe": change.name, **_effect(change.effect), "p_value": round(change.p_value, 6), "shown": change.shown}
            for change in changes
        ],
    }


def _result(result: ProbeResult) -> dict[str, Any]:
    probe = result.probe
    return {
        "name": probe.name,
        "expectation": probe.expectation,
        "variants": [probe.first, probe.second],
        "final": None if result.final is None else _effect(result.final),
        "dimension": None
        if probe.dimension is None or result.dimension is None
        else {"name": probe.dimension, **_effect(result.dimension)},
        "verdict": result.verdict,
        "against": result.against,
        "says": {"up": probe.up, "down": probe.down},
        "p_value": None if result.p_value is None else round(result.p_value, 6),
        "missing": result.missing,
        "changes": {
            item: None if change is None else round(change, _PLACES) for item, change in result.changes.items()
        },
    }


def _effect(effect: Effect) -> dict[str, Any]:
    return _rounded(effect._asdict())


def _rounded(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: round(value, _PLACES) if isinstance(value, float) else value for name, value in values.items()}


def card_from(document: Any) -> JudgeCard:
    """The card in a document. DocumentError when it is none, or not whole."""
    if not isinstance(document, Mapping) or document.get("schema") != SCHEMA:
        raise DocumentError(f'not a judge\'s card: "schema" must be "{SCHEMA}"; make one with: evenhand probe')
    try:
        scale = document["scale"]
        return JudgeCard(
            id=str(document["id"]),
            created=str(document["created"]),
            judge={str(key): str(value) for key, value in document["judge"].items()},
            served=tuple(map(str, document["served"])),
            size=str(document["size"]),
            material=str(document["material"]),
            readings=int(document["readings"]),
            calls=int(document["calls"]),
            cost=_decimal(document["cost"]),
            results=tuple(map(_result_from, document["probes"])),
            skipped={str(key): str(value) for key, value in document["skipped"].items()},
            noise=None if document["noise"] is None else Noise(**document["noise"]),
            scale=ScaleUse(
                {str(key): int(value) for key, value in scale["counts"].items()},
                _decimal(scale["highest"]),
                _decimal(scale["lowest"]),
                int(scale["unscored"]),
            ),
        )
    except (KeyError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
        raise DocumentError(f"not a whole judge's card: {error!r} is missing or of the wrong kind") from None


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


def _decimal(value: Any) -> Decimal | None:
    return None if value is None else Decimal(str(value))
