"""Golden examples of a rubric, and what a test of the rubric with them found. Immutable values; nothing here counts."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Annotated, NamedTuple

from evenhand.core.published import ALWAYS, Count
from evenhand.core.rubric import Answer
from evenhand.work.submission import Submission


class GoldenVerdict(NamedTuple):
    """What people say about one criterion of an example."""

    answers: tuple[Answer, ...]
    """The expected answers, one for each person."""
    why: str = ""


class GoldenExample(NamedTuple):
    """An output whose verdicts are known."""

    name: str
    submission: Submission
    verdicts: Mapping[str, GoldenVerdict]
    """By the id of the criterion; one that is left out is not tested with this example."""


class GoldenMiss(NamedTuple):
    """A verdict that is not the expected one."""

    example: str
    criterion: str
    judge: str
    """Empty where a program decides."""
    expected: str
    answer: str
    why: Annotated[str, ALWAYS] = ""
    """Why the example expects it."""
    reason: Annotated[str, ALWAYS] = ""
    """What the judge gave as its reason."""
    votes: Mapping[str, int] = {}
    """How many samples gave each answer."""


class GoldenCriterion(NamedTuple):
    """How one criterion fared over all examples and judges."""

    id: str
    dimension: str
    sentence: str
    decided_by: str
    """The check or `expectation` that decides it; empty where judges are asked."""
    verdicts: Count
    """The answers that were compared with what people say."""
    agreed: Count
    unanswered: Count
    """Questions that got no usable answer. They are not verdicts, and a test with some does not pass."""
    expected: Mapping[str, int]
    """How many examples expect each answer."""
    answers: Mapping[str, int]
    """How often each answer was given."""
    split_samples: Annotated[tuple[str, ...], ALWAYS] = ()
    """The examples on which the samples of a judge differ."""
    split_judges: Annotated[tuple[str, ...], ALWAYS] = ()
    """The examples on which the judges differ."""
    split_people: Annotated[tuple[str, ...], ALWAYS] = ()
    """The examples on which people differ."""
    separates: Annotated[bool | None, ALWAYS] = None
    """False when every answer is the same though people's differ; null when people's are all the same."""
    together: Annotated[int | None, ALWAYS] = None
    """How many agreed when several criteria were asked at once; null when that was not tried."""


class GoldenJudge(NamedTuple):
    """How often one judge gave the expected verdict."""

    judge: str
    verdicts: Count
    agreed: Count
    unanswered: Annotated[Count, ALWAYS] = 0


class Together(NamedTuple):
    """What asking several criteria in one call costs in agreement, over the verdicts that both ways gave."""

    per_call: int
    verdicts: Count
    alone: Count
    """How many agreed when asked one at a time."""
    together: Count
    lost: Count
    """Right when asked alone, wrong together."""
    gained: Count
    """Wrong when asked alone, right together."""
    unanswered: Annotated[Count, ALWAYS] = 0
    """Questions about several at once that brought no usable answer."""


class GoldenResult(NamedTuple):
    """A test of a rubric with its golden examples."""

    rubric: str
    sha256: str
    golden: tuple[str, ...]
    """The files that hold the examples."""
    examples: Count
    min_agreement: Annotated[Decimal, {"text": True}]
    """The share of verdicts that must agree, for each criterion."""
    passed: bool
    verdicts: Count
    agreed: Count
    unanswered: Count
    judges: tuple[GoldenJudge, ...]
    criteria: tuple[GoldenCriterion, ...]
    missed: tuple[GoldenMiss, ...]
    untested: tuple[str, ...]
    """The criteria that no example has a verdict on."""
    together: Annotated[Together | None, ALWAYS] = None
    calls: Annotated[Count, ALWAYS] = 0
    cost: Annotated[Decimal | None, {"minimum": 0, "always": True}] = None
    """Null when the price of a call is not known."""
