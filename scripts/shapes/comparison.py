"""The published shapes of comparisons: two evaluations, two sets of them, and a gate. Nothing here runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypedDict

from evenhand.decisions.changes import Changes
from evenhand.decisions.gate import Ruling
from shapes.record_types import Number, Score, shape_of


class SideDocument(TypedDict):
    """One of two evaluations that are compared."""

    id: str
    final: Score | None
    judges: list[str]
    spread: dict[str, Number]
    disputed: list[str]


if TYPE_CHECKING:
    RulingDocument = dict[str, Any]
    ComparisonDocument = dict[str, Any]
else:
    ComparisonDocument = shape_of(Changes, "evenhand/comparison/v1", before=SideDocument, after=SideDocument)
    RulingDocument = shape_of(Ruling)


class GateDocument(TypedDict):
    """Whether a gate is closed, and why."""

    schema: Literal["evenhand/gate/v1"]
    red: bool
    rulings: list[RulingDocument]
    errors: list[str]
