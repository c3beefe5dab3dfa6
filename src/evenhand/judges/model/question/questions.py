"""What a judge is asked about a submission, one call each. Pure."""

from __future__ import annotations

from typing import Literal, NamedTuple

from evenhand.core.values.rubric import Rubric


class Question(NamedTuple):
    """One thing a judge is asked in one call."""

    kind: Literal["dimension", "claims", "all"]
    dimension: str | None = None
    """The dimension that is asked about; None unless the kind is `dimension`."""

    @property
    def name(self) -> str:
        """A word for it: the dimension, `claims` or `all`."""
        return self.dimension or self.kind


def questions(rubric: Rubric, economy: bool = False) -> tuple[Question, ...]:
    """What is asked about a submission: each dimension, then the flags and bonuses; or, to save, all of it at once."""
    if economy:
        return (Question("all"),)
    asked = tuple(Question("dimension", name) for name in rubric.dimensions)
    return (*asked, Question("claims")) if rubric.red_flags or rubric.bonuses else asked
