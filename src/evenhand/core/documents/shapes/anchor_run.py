"""The published shape of a run of anchors. Nothing here runs."""

from __future__ import annotations

from typing import Literal, TypedDict

from evenhand.core.basics.published import Weight


class MovementDocument(TypedDict):
    """How the final score or a dimension moved, in points; `p_value` is adjusted by Holm's method."""

    field: str
    anchors: int
    missing: int
    mean: float | None
    low: float | None
    high: float | None
    p_value: Weight | None
    alarm: bool


class AnchorRunDocument(TypedDict):
    """A judging of anchors against the judge's first."""

    schema: Literal["evenhand/anchor-run/v1"]
    set: str
    judge: dict[str, str]
    served: list[str]
    created: str
    anchors: int
    reference: str | None
    alarm: bool
    level: Weight
    margin: float
    moved: list[MovementDocument]
    changes: list[str]
