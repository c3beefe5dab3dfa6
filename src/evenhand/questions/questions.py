"""The questions that a judge answers about a submission, one call each. Pure."""

from __future__ import annotations

from typing import Literal, NamedTuple

from evenhand.core.values.rubric import RedFlag, Rubric


class Question(NamedTuple):
    """What a judge is asked in one call."""

    kind: Literal["dimension", "claims", "all", "pair"]
    dimension: str | None = None
    """The dimension in question; None unless the kind is `dimension`."""
    reports: tuple[RedFlag, ...] = ()
    """For `claims`: statements to decide on instead of the rubric's red flags and bonuses."""

    @property
    def name(self) -> str:
        """The dimension, `claims`, `all` or `pair`."""
        return self.dimension or self.kind

    def about(self, rubric: Rubric) -> Rubric:
        """The rubric with the points that this question asks about, for the reply's schema and its reader."""
        return rubric._replace(red_flags=self.reports, bonuses=()) if self.reports else rubric


def questions(rubric: Rubric, economy: bool = False) -> tuple[Question, ...]:
    """One question per dimension, then the red flags and bonuses; with `economy`, all of it in one question."""
    if economy:
        return (Question("all"),)
    dimensions = tuple(Question("dimension", name) for name in rubric.dimensions)
    return (*dimensions, Question("claims")) if rubric.red_flags or rubric.bonuses else dimensions
