"""The published shape of a judgement, as people and agents write it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NotRequired, TypedDict

from evenhand.core.basics.published import Score
from evenhand.core.documents.records import for_each_dimension

AnswerInput = Literal["yes", "no", "partly", "does not apply", "cannot tell"] | bool
"""YAML reads yes and no as true and false."""


class EvidenceInput(TypedDict):
    """A quote; its other fields are ignored and determined again."""

    quote: str
    verified: NotRequired[bool | None]
    line: NotRequired[int]
    offset: NotRequired[int]
    source: NotRequired[str]


class VerdictInput(TypedDict):
    """The answer to one criterion, with the reason and quotes."""

    answer: AnswerInput
    reason: NotRequired[str]
    evidence: NotRequired[list[str | EvidenceInput]]


class OpinionInput(TypedDict):
    """A judge's opinion on one dimension: a score, the reason why there is none, or an answer to each criterion where
    the rubric has some."""

    score: NotRequired[Score | str]
    unscored: NotRequired[str]
    criteria: NotRequired[dict[str, AnswerInput | VerdictInput]]
    justification: NotRequired[str]
    evidence: NotRequired[list[str | EvidenceInput]]


class ClaimInput(TypedDict):
    """A red flag raised or a bonus earned."""

    id: str
    explanation: NotRequired[str]
    evidence: NotRequired[list[str | EvidenceInput]]


if TYPE_CHECKING:
    ScoresInput = dict[str, Any]
else:
    ScoresInput = for_each_dimension(
        "ScoresInput", "All seven; a bare number may replace each object.", Score | str | OpinionInput
    )


class JudgementDocument(TypedDict):
    """What a judge writes: seven scores, the red flags raised and the bonuses earned."""

    schema: NotRequired[Literal["evenhand/judgement/v1"]]
    skill: NotRequired[str]
    rubric: NotRequired[str]
    id: NotRequired[str | int]
    judge: NotRequired[str | dict[str, str]]
    output: NotRequired[str]
    task: NotRequired[str]
    scores: ScoresInput
    red_flags: NotRequired[list[str | ClaimInput]]
    bonuses: NotRequired[list[str | ClaimInput]]
