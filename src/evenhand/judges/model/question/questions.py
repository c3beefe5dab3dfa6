"""The questions that a judge answers about a submission, one call each. Pure."""

from __future__ import annotations

from typing import Literal, NamedTuple

from evenhand.core.values.rubric import Rubric


class Question(NamedTuple):
    """What a judge is asked in one call."""

    kind: Literal["dimension", "claims", "all"]
    dimension: str | None = None
    """The dimension in question; None unless the kind is `dimension`."""

    @property
    def name(self) -> str:
        """The dimension, `claims` or `all`."""
        return self.dimension or self.kind


def questions(rubric: Rubric, economy: bool = False) -> tuple[Question, ...]:
    """One question per dimension, then the red flags and bonuses; with `economy`, all of it in one question."""
    if economy:
        return (Question("all"),)
    dimensions = tuple(Question("dimension", name) for name in rubric.dimensions)
    return (*dimensions, Question("claims")) if rubric.red_flags or rubric.bonuses else dimensions
