"""The published shape of a rubric."""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict

from evenhand.core.basics.published import Number, Score, Weight


class BandDocument(TypedDict):
    """What earns the scores from low to high."""

    low: int
    high: int
    criteria: str


class CriteriaDocument(TypedDict):
    """What a dimension means in the rubric's domain."""

    measures: str
    bands: list[BandDocument]


class CriteriaByDimensionDocument(TypedDict):
    """Criteria for all seven dimensions."""

    correctness: CriteriaDocument
    completeness: CriteriaDocument
    adherence: CriteriaDocument
    actionability: CriteriaDocument
    efficiency: CriteriaDocument
    safety: CriteriaDocument
    consistency: CriteriaDocument


class WeightsDocument(TypedDict):
    """One weight for each dimension; together exactly 1."""

    correctness: Weight
    completeness: Weight
    adherence: Weight
    actionability: Weight
    efficiency: Weight
    safety: Weight
    consistency: Weight


class ListedFlagDocument(TypedDict):
    """A red flag a rubric lists."""

    id: str
    description: str
    deduction: Number
    detect: NotRequired[str]


class ListedBonusDocument(TypedDict):
    """A bonus a rubric lists."""

    id: str
    description: str
    detect: NotRequired[str]


class RubricDocument(TypedDict):
    """What good means in a domain."""

    schema: Literal["evenhand/rubric/v1"]
    name: str
    title: str
    domain: str
    version: str
    summary: str
    sha256: str
    weights: WeightsDocument
    pass_mark: Score
    pass_mark_reason: str
    dimensions: CriteriaByDimensionDocument
    red_flags: list[ListedFlagDocument]
    bonuses: list[ListedBonusDocument]
    official: NotRequired[Literal["calibrated"]]
