"""The shape of `evenhand review start|list --format json`. Nothing here runs."""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict

from evenhand.core.basics.published import Weight


class ChosenItemDocument(TypedDict):
    """One item of a round, and how likely it was to be chosen."""

    item: int
    skill: str
    probability: Weight


class ReviewRoundDocument(TypedDict):
    """A round of review by people: how its items were chosen, and how many each person has done.

    `review start` adds the items, and how many evaluations could not be chosen, by the reason.
    """

    schema: Literal["evenhand/review-round/v1"]
    id: str
    created: str
    person: str
    method: Literal["sample", "doubt"]
    population: int
    size: int
    seed: str
    skill: str | None
    rubric: str | None
    done: dict[str, int]
    items: NotRequired[list[ChosenItemDocument]]
    left_out: NotRequired[dict[str, int]]
