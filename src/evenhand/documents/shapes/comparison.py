"""The published shapes of comparisons: two evaluations, two sets of them, and a gate. Nothing here runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NotRequired, TypedDict

from evenhand.decisions.gate import Ruling
from evenhand.decisions.sets.changes import Changes
from evenhand.decisions.sets.pairs import PairedComparison
from evenhand.decisions.sets.repeats import Design, Scatter
from evenhand.decisions.values.answer import Answer
from evenhand.decisions.values.decision import MoreData
from evenhand.files.published import Number, Score
from evenhand.files.records import shape_of


class SideDocument(TypedDict):
    """One of two evaluations that are compared."""

    id: str
    final: Score | None
    judges: list[str]
    spread: dict[str, Number]
    disputed: list[str]


class SetDocument(TypedDict):
    """One of two sets that are compared."""

    name: str
    n: int
    mean: float


class CriterionSharesDocument(TypedDict):
    """A criterion that is met more or less often in the second set."""

    id: str
    before: float
    """The mean of how far it is met, from 0 to 1."""
    after: float
    decided: list[int]
    """In how many scorecards of each set it was decided."""


if TYPE_CHECKING:
    RulingDocument = dict[str, Any]
    ComparisonDocument = dict[str, Any]
    SetComparisonDocument = dict[str, Any]
else:
    ComparisonDocument = shape_of(Changes, "evenhand/comparison/v1", before=SideDocument, after=SideDocument)
    RulingDocument = shape_of(Ruling)
    SetComparisonDocument = shape_of(
        PairedComparison,
        "evenhand/set-comparison/v1",
        sets=list[SetDocument],
        paired_by=str | None,
        left_out=int,
        difference_shown=bool,
        runs=list[int],
        scatter=NotRequired[shape_of(Scatter) | None],
        designs=NotRequired[list[shape_of(Design)]],
        needed=NotRequired[int],
        more=NotRequired[shape_of(MoreData) | None],
        criteria=NotRequired[list[CriterionSharesDocument]],
        answer=NotRequired[shape_of(Answer)],
    )


class GateDocument(TypedDict):
    """Whether a gate is closed, and why."""

    schema: Literal["evenhand/gate/v1"]
    red: bool
    rulings: list[RulingDocument]
    errors: list[str]
