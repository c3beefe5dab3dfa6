"""The questions that a judge answers about a submission, one call each. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from evenhand.core.rubric import Answer, RedFlag, Rubric

Calls = Literal["two", "each", "one"]
"""How a judge is asked: about flags, then about all scores; each score in a call of its own; all in one call."""


class AskedCriterion(NamedTuple):
    """A criterion as a judge is asked about it."""

    id: str
    sentence: str
    answers: tuple[Answer, ...]
    """What it may be answered with."""
    applies_when: str = ""


class Question(NamedTuple):
    """What a judge is asked in one call."""

    kind: Literal["flags", "scores", "all", "reports", "pair", "criteria"]
    dimensions: tuple[str, ...] = ()
    """For `scores` and `all`: the dimensions to score."""
    reports: tuple[RedFlag, ...] = ()
    """For `reports`: statements of others to decide on."""
    criteria: tuple[AskedCriterion, ...] = ()
    """For `criteria`: the criteria to answer, one or several."""
    facts: str = ""
    """For `flags` and `all`: what a program saw of the work, shown to the judge as it is."""

    @property
    def name(self) -> str:
        """The only dimension or the ids of criteria, else the kind."""
        if self.kind == "scores" and len(self.dimensions) == 1:
            return self.dimensions[0]
        return ", ".join(criterion.id for criterion in self.criteria) or self.kind

    @property
    def asks_flags(self) -> bool:
        """Whether it asks about red flags, bonuses and words to a grader."""
        return self.kind in ("flags", "all")

    def about(self, rubric: Rubric) -> Rubric:
        """The rubric with the points that this question asks about, for the reply's schema and its reader."""
        return rubric._replace(red_flags=self.reports, bonuses=()) if self.kind == "reports" else rubric


def flags_question(facts: str = "") -> Question:
    """What is asked first: red flags, bonuses, and which passages address whoever grades the work."""
    return Question("flags", facts=facts)


def score_questions(names: Sequence[str], calls: Calls) -> tuple[Question, ...]:
    """The questions that ask for scores."""
    if calls == "each":
        return tuple(Question("scores", (name,)) for name in names)
    return (Question("scores", tuple(names)),) if names else ()


def questions(names: Sequence[str], calls: Calls, facts: str = "") -> tuple[Question, ...]:
    """The questions about a whole submission but those about criteria, in their order."""
    if calls == "one":
        return (Question("all", tuple(names), facts=facts),)
    return (flags_question(facts), *score_questions(names, calls))
