"""The published shape of a judge's card. Nothing here runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypedDict

from evenhand.core.basics.published import Weight
from evenhand.core.documents.judge_card import SCHEMA
from evenhand.core.documents.records import shape_of
from evenhand.core.trust.judge_card import JudgeCard
from evenhand.core.trust.probe_effects import Effect

if TYPE_CHECKING:
    EffectDocument = dict[str, Any]
    DimensionEffectDocument = dict[str, Any]
    JudgeCardDocument = dict[str, Any]
else:
    EffectDocument = shape_of(Effect)
    DimensionEffectDocument = shape_of(Effect, name=str)


class ProbeWordsDocument(TypedDict):
    """What a judge does that scores the second variant higher, or lower."""

    up: str
    down: str


class ProbeDocument(TypedDict):
    """One probe. `against` is whether it speaks against the judge; `p_value` is adjusted by Holm's method."""

    name: str
    expectation: Literal["repeat", "not-up", "same", "down"]
    variants: list[str]
    final: EffectDocument | None
    dimension: DimensionEffectDocument | None
    verdict: Literal["shown", "unnoticed", "not-shown", "too-few", "described"]
    against: bool
    says: ProbeWordsDocument
    p_value: Weight | None
    missing: int
    changes: dict[str, float | None]


class EarlierCardDocument(TypedDict):
    """The card that this one is compared with."""

    id: str
    created: str
    served: list[str]


if not TYPE_CHECKING:
    JudgeCardDocument = shape_of(
        JudgeCard,
        SCHEMA,
        probes=list[ProbeDocument],
        since=EarlierCardDocument | None,
        changes=list[shape_of(Effect, probe=str, p_value=Weight, shown=bool)],
    )
