"""The published shape of a rubric's criteria."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict

from shapes.record_types import Number


class CriterionInRubric(TypedDict):
    """A criterion, or a group of them, which has a title, a weight and criteria."""

    id: str
    sentence: NotRequired[str]
    points: NotRequired[Number | str]
    requires: NotRequired[list[str]]
    unmet: NotRequired[Literal["no", "does not apply"]]
    applies_when: NotRequired[str]
    check: NotRequired[str]
    expect: NotRequired[dict[str, Any]]
    notes: NotRequired[dict[str, Any]]
    title: NotRequired[str]
    weight: NotRequired[Number | str]
    criteria: NotRequired[list[CriterionInRubric]]


class TreeDocument(TypedDict):
    """The criteria that give a dimension's score, and what `partly` is worth where that is not 1/2."""

    partly: NotRequired[str]
    criteria: list[CriterionInRubric]
