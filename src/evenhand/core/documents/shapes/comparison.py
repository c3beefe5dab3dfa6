"""The published shapes of comparisons: two evaluations, two sets of them, and a gate. Nothing here runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NotRequired, TypedDict

from evenhand.core.basics.published import Number, Score, Weight
from evenhand.core.documents.records import shape_of
from evenhand.core.history.gate import Ruling


class SideDocument(TypedDict):
    """One of two evaluations that are compared."""

    id: str
    final: Score | None
    judges: list[str]
    spread: dict[str, Number]
    disputed: list[str]


class MoveDocument(TypedDict):
    """A dimension, red flag or bonus that differs, and its effect on the final score."""

    name: str
    before: Number | None
    after: Number | None
    points: Number | None


MovedEvidenceDocument = TypedDict("MovedEvidenceDocument", {"for": str, "quote": str, "verified": bool | None})
"""A quote that only one of the two has, and what it was given for."""


class ComparisonDocument(TypedDict):
    """From one evaluation to another. The points of all moves and the rest add up to the final one."""

    schema: Literal["evenhand/comparison/v1"]
    before: SideDocument
    after: SideDocument
    final: Number | None
    moves: list[MoveDocument]
    rest: Number | None
    new_evidence: list[MovedEvidenceDocument]
    gone_evidence: list[MovedEvidenceDocument]
    notes: list[str]


class SetDocument(TypedDict):
    """One of two sets that are compared."""

    name: str
    n: int
    mean: float


class ScatterDocument(TypedDict):
    """Where the scatter of differences comes from, as variances: from case to case, and from run to run of a case."""

    between: float
    within: float


class DesignDocument(TypedDict):
    """A comparison that could be made: the smallest difference it would detect, and what it takes."""

    cases: int
    runs: int
    detectable: float
    evaluations: int


class SetComparisonDocument(TypedDict):
    """Whether the second of two sets is better than the first."""

    schema: Literal["evenhand/set-comparison/v1"]
    sets: list[SetDocument]
    paired_by: str | None
    left_out: int
    difference_shown: bool
    runs: list[int]
    pairs: int
    mean: float
    deviation: float | None
    low: float | None
    high: float | None
    p_value: Weight | None
    test: Literal["sign-flip", "t", "welch", "none"]
    detectable: float | None
    stability: Weight
    scatter: NotRequired[ScatterDocument | None]
    designs: NotRequired[list[DesignDocument]]


if TYPE_CHECKING:
    RulingDocument = dict[str, Any]
else:
    RulingDocument = shape_of(Ruling)


class GateDocument(TypedDict):
    """Whether a gate is closed, and why."""

    schema: Literal["evenhand/gate/v1"]
    red: bool
    rulings: list[RulingDocument]
    errors: list[str]
