"""The published shape of a judge's card. Nothing here runs."""

from __future__ import annotations

from typing import Literal, TypedDict

from evenhand.core.basics.published import Weight


class EffectDocument(TypedDict):
    """A mean change in points with its 95 % interval."""

    n: int
    mean: float
    low: float
    high: float
    deviation: float


class DimensionEffectDocument(EffectDocument):
    """The change of the dimension most concerned."""

    name: str


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


class NoiseDocument(TypedDict):
    """Two readings of each output as it is."""

    n: int
    mean_difference: float
    largest: float
    same: int
    deviation: float


class ScaleUseDocument(TypedDict):
    """How often each score was given."""

    counts: dict[str, int]
    highest: float | None
    lowest: float | None
    unscored: int


class EarlierCardDocument(TypedDict):
    """The card that this one is compared with."""

    id: str
    created: str
    served: list[str]


class ProbeChangeDocument(EffectDocument):
    """How an effect differs from the one on the card before."""

    probe: str
    p_value: Weight
    shown: bool


class JudgeCardDocument(TypedDict):
    """A judge's self-test."""

    schema: Literal["evenhand/judge-card/v1"]
    id: str
    created: str
    judge: dict[str, str]
    served: list[str]
    size: Literal["quick", "full"]
    material: str
    readings: int
    calls: int
    cost: float | None
    probes: list[ProbeDocument]
    skipped: dict[str, str]
    noise: NoiseDocument | None
    scale: ScaleUseDocument
    since: EarlierCardDocument | None
    changes: list[ProbeChangeDocument]
