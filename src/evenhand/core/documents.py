"""The published shape of every document, and the values of `core` put into it. Pure.

The JSON Schemas in `evenhand/schemas` are generated from the types here. A field that is
published is neither renamed nor retyped; fields may be added.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NotRequired, TypedDict

from evenhand.core.model import Award, Deduction, Evidence, Ranking, Rubric, Scorecard, ScoredDimension
from evenhand.core.numbers import plain
from evenhand.core.receipt import canonical_rubric, field_digests, sha256

Number = int | float
Letter = Literal["A+", "A", "A-", "B+", "B", "B-", "C+", "C", "C-", "D+", "D", "F"]


class EvidenceDocument(TypedDict):
    """A verbatim quote, and whether and where it stands in the output."""

    quote: str
    verified: bool | None
    line: NotRequired[int]
    offset: NotRequired[int]


class DimensionDocument(TypedDict):
    """One dimension of a scorecard."""

    score: Number | None
    unscored: NotRequired[str]
    weight: Number
    points: Number | None
    justification: str
    evidence: list[EvidenceDocument]


class DimensionsDocument(TypedDict):
    """All seven dimensions."""

    correctness: DimensionDocument
    completeness: DimensionDocument
    adherence: DimensionDocument
    actionability: DimensionDocument
    efficiency: DimensionDocument
    safety: DimensionDocument
    consistency: DimensionDocument


class RedFlagDocument(TypedDict):
    """A red flag that was raised."""

    id: str
    description: str
    explanation: str
    evidence: list[EvidenceDocument]
    deduction: Number


class BonusDocument(TypedDict):
    """A bonus that was earned."""

    id: str
    description: str
    explanation: str
    evidence: list[EvidenceDocument]
    bonus: Number


class TotalDocument(TypedDict):
    """A sum before and after its cap."""

    nominal: Number
    applied: Number


class IntervalDocument(TypedDict):
    """Where the final score can lie."""

    low: Number
    high: Number
    grades: list[Letter]


class NextStepDocument(TypedDict):
    """What would raise the score most."""

    dimension: str | None
    gain: Number
    final: Number
    grade: Letter
    next_grade: Letter | None
    distance: Number


class AuditDocument(TypedDict):
    """One line of the arithmetic."""

    rule: str
    text: str


class RubricNameDocument(TypedDict):
    """Which rubric was used."""

    name: str
    sha256: str


class ReceiptDocument(TypedDict):
    """The hashes a scorecard can be recomputed from."""

    methodology: str
    rubric: str
    judgement: str
    submission: str | None
    fields: dict[str, str]


class ScorecardDocument(TypedDict):
    """The methodology applied to one judgement."""

    schema: Literal["evenhand/scorecard/v1"]
    id: str
    skill: str
    created: str
    rubric: RubricNameDocument
    methodology: str
    judge: dict[str, str]
    output: NotRequired[str]
    dimensions: DimensionsDocument
    composite: Number | None
    red_flags: list[RedFlagDocument]
    deduction: TotalDocument
    after_deductions: Number | None
    bonuses: list[BonusDocument]
    bonus: TotalDocument
    final: Number | None
    grade: Letter | None
    label: str | None
    interval: NotRequired[IntervalDocument]
    pass_mark: Number
    passed: bool | None
    next_step: NextStepDocument | None
    audit: list[AuditDocument]
    warnings: list[str]
    receipt: ReceiptDocument


class RankedEntryDocument(TypedDict):
    """One place of a ranking."""

    rank: int
    id: str
    skill: str
    final: Number
    grade: Letter
    equivalent_to: list[str]
    decided_by: (
        Literal[
            "final",
            "correctness",
            "safety",
            "completeness",
            "actionability",
            "adherence",
            "efficiency",
            "consistency",
            "red_flags",
            "bonuses",
            "equivalent",
        ]
        | None
    )


class UnrankedDocument(TypedDict):
    """A scorecard without a final score."""

    id: str
    skill: str
    reason: str


class RankingDocument(TypedDict):
    """Scorecards in order, best first."""

    schema: Literal["evenhand/ranking/v1"]
    entries: list[RankedEntryDocument]
    unranked: list[UnrankedDocument]
    warnings: list[str]


class BandDocument(TypedDict):
    """What earns the scores from low to high."""

    low: int
    high: int
    criteria: str


class CriteriaDocument(TypedDict):
    """What a dimension means in the rubric's domain."""

    measures: str
    bands: list[BandDocument]


class CriteriaByDimensionDocument(TypedDict):
    """Criteria for all seven dimensions."""

    correctness: CriteriaDocument
    completeness: CriteriaDocument
    adherence: CriteriaDocument
    actionability: CriteriaDocument
    efficiency: CriteriaDocument
    safety: CriteriaDocument
    consistency: CriteriaDocument


class WeightsDocument(TypedDict):
    """One weight for each dimension; together exactly 1."""

    correctness: Number
    completeness: Number
    adherence: Number
    actionability: Number
    efficiency: Number
    safety: Number
    consistency: Number


class ListedFlagDocument(TypedDict):
    """A red flag a rubric lists."""

    id: str
    description: str
    deduction: Number


class ListedBonusDocument(TypedDict):
    """A bonus a rubric lists."""

    id: str
    description: str


class RubricDocument(TypedDict):
    """What good means in a domain."""

    schema: Literal["evenhand/rubric/v1"]
    name: str
    title: str
    domain: str
    version: str
    summary: str
    sha256: str
    weights: WeightsDocument
    pass_mark: Number
    pass_mark_reason: str
    dimensions: CriteriaByDimensionDocument
    red_flags: list[ListedFlagDocument]
    bonuses: list[ListedBonusDocument]


class EvidenceInput(TypedDict):
    """A quote; what else a scorecard says of it is ignored and checked anew."""

    quote: str
    verified: NotRequired[bool | None]
    line: NotRequired[int]
    offset: NotRequired[int]


class OpinionInput(TypedDict):
    """What a judge says of one dimension: a score, or the reason why there is none."""

    score: NotRequired[Number | str]
    unscored: NotRequired[str]
    justification: NotRequired[str]
    evidence: NotRequired[list[str | EvidenceInput]]


class ClaimInput(TypedDict):
    """A red flag raised or a bonus earned."""

    id: str
    explanation: NotRequired[str]
    evidence: NotRequired[list[str | EvidenceInput]]


class ScoresInput(TypedDict):
    """All seven; a bare number may stand in place of each object."""

    correctness: Number | str | OpinionInput
    completeness: Number | str | OpinionInput
    adherence: Number | str | OpinionInput
    actionability: Number | str | OpinionInput
    efficiency: Number | str | OpinionInput
    safety: Number | str | OpinionInput
    consistency: Number | str | OpinionInput


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


def scorecard_document(card: Scorecard) -> dict[str, Any]:
    """A scorecard in its published shape (`ScorecardDocument`), receipt and all."""
    document: dict[str, Any] = {
        "schema": "evenhand/scorecard/v1",
        "id": card.id,
        "skill": card.skill,
        "created": card.created,
        "rubric": {"name": card.rubric, "sha256": card.receipt.rubric},
        "methodology": card.receipt.methodology,
        "judge": dict(card.judge),
        "dimensions": {name: _dimension(line) for name, line in card.dimensions.items()},
        "composite": _maybe(card.composite),
        "red_flags": [{**_claim(flag), "deduction": plain(flag.deduction)} for flag in card.red_flags],
        "deduction": {"nominal": plain(card.deduction.nominal), "applied": plain(card.deduction.applied)},
        "after_deductions": _maybe(card.after_deductions),
        "bonuses": [{**_claim(bonus), "bonus": plain(bonus.bonus)} for bonus in card.bonuses],
        "bonus": {"nominal": plain(card.bonus.nominal), "applied": plain(card.bonus.applied)},
        "final": _maybe(card.final),
        "grade": card.grade.letter if card.grade else None,
        "label": card.grade.label if card.grade else None,
        "pass_mark": plain(card.pass_mark),
        "passed": card.passed,
        "next_step": None,
        "audit": [{"rule": line.rule, "text": line.text} for line in card.audit],
        "warnings": list(card.warnings),
    }
    if card.output is not None:
        document["output"] = card.output
    if card.interval is not None:
        document["interval"] = {
            "low": plain(card.interval.low),
            "high": plain(card.interval.high),
            "grades": list(card.interval.grades),
        }
    if card.next_step is not None:
        step = card.next_step
        document["next_step"] = {
            "dimension": step.dimension,
            "gain": plain(step.gain),
            "final": plain(step.final),
            "grade": step.grade,
            "next_grade": step.next_grade,
            "distance": plain(step.distance),
        }
    document["receipt"] = {
        "methodology": card.receipt.methodology,
        "rubric": card.receipt.rubric,
        "judgement": card.receipt.judgement,
        "submission": card.receipt.submission,
        "fields": field_digests(document),
    }
    return document


def ranking_document(ranking: Ranking) -> dict[str, Any]:
    """A ranking in its published shape (`RankingDocument`)."""
    return {
        "schema": "evenhand/ranking/v1",
        "entries": [
            {
                "rank": entry.rank,
                "id": entry.id,
                "skill": entry.skill,
                "final": plain(entry.final),
                "grade": entry.grade,
                "equivalent_to": list(entry.equivalent_to),
                "decided_by": entry.decided_by,
            }
            for entry in ranking.entries
        ],
        "unranked": [{"id": each.id, "skill": each.skill, "reason": each.reason} for each in ranking.unranked],
        "warnings": list(ranking.warnings),
    }


def rubric_document(rubric: Rubric) -> dict[str, Any]:
    """A rubric in its published shape (`RubricDocument`)."""
    canonical = canonical_rubric(rubric)
    return {"schema": "evenhand/rubric/v1", **canonical, "sha256": sha256(canonical)}


def _dimension(line: ScoredDimension) -> dict[str, Any]:
    document = {
        "score": _maybe(line.score),
        "weight": plain(line.weight),
        "points": _maybe(line.points),
        "justification": line.justification,
        "evidence": _evidence(line.evidence),
    }
    if line.unscored is not None:
        document["unscored"] = line.unscored
    return document


def _claim(claim: Deduction | Award) -> dict[str, Any]:
    return {
        "id": claim.id,
        "description": claim.description,
        "explanation": claim.explanation,
        "evidence": _evidence(claim.evidence),
    }


def _evidence(evidence: Sequence[Evidence]) -> list[dict[str, Any]]:
    return [
        {"quote": each.quote, "verified": True, "line": each.line, "offset": each.offset}
        if each.verified
        else {"quote": each.quote, "verified": each.verified}
        for each in evidence
    ]


def _maybe(number: Any) -> int | float | None:
    return None if number is None else plain(number)


