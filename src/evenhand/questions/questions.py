"""The questions that a judge answers about a submission, one call each. Pure."""

from __future__ import annotations

from typing import Literal, NamedTuple

from evenhand.core.values import Answer, RedFlag, Rubric


class AskedCriterion(NamedTuple):
    """A criterion as a judge is asked about it."""

    id: str
    sentence: str
    answers: tuple[Answer, ...]
    """What it may be answered with."""
    applies_when: str = ""


class Question(NamedTuple):
    """What a judge is asked in one call."""

    kind: Literal["dimension", "claims", "all", "pair", "criteria"]
    dimension: str | None = None
    """The dimension in question; None unless the kind is `dimension`."""
    reports: tuple[RedFlag, ...] = ()
    """For `claims`: statements to decide on instead of the rubric's red flags and bonuses."""
    criteria: tuple[AskedCriterion, ...] = ()
    """For `criteria`: the criteria to answer, one or several."""

    @property
    def name(self) -> str:
        """The dimension, the ids of criteria, `claims`, `all` or `pair`."""
        return self.dimension or ", ".join(criterion.id for criterion in self.criteria) or self.kind

    def about(self, rubric: Rubric) -> Rubric:
        """The rubric with the points that this question asks about, for the reply's schema and its reader."""
        return rubric._replace(red_flags=self.reports, bonuses=()) if self.reports else rubric


def questions(rubric: Rubric, economy: bool = False) -> tuple[Question, ...]:
    """One question per dimension, then the red flags and bonuses; with `economy`, all of it in one question."""
    if economy and (rubric.dimensions or rubric.red_flags or rubric.bonuses):
        return (Question("all"),)
    dimensions = tuple(Question("dimension", name) for name in rubric.dimensions)
    return (*dimensions, Question("claims")) if rubric.red_flags or rubric.bonuses else dimensions
