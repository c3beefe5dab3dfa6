"""The published shape of a run of anchors. Nothing here runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypedDict

from evenhand.core.basics.published import Weight
from evenhand.core.documents.records import shape_of
from evenhand.core.trust.anchor_drift import Movement

if TYPE_CHECKING:
    MovementDocument = dict[str, Any]
else:
    MovementDocument = shape_of(Movement)


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
