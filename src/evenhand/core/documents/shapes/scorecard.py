"""The published shape of every document. The JSON Schemas in `evenhand/schemas` are generated from these types.

A published field is neither renamed nor retyped; fields may be added. Nothing here runs: the
documents themselves are written in `documents`.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired, TypedDict

from evenhand.core.basics.methodology import HIGHEST, LOWEST


class AtLeast:
    """A bound that stands in the JSON Schema; the generator asks every annotation for its part in it."""

    def __init__(self, low: int) -> None:
        self._bounds = {"minimum": low}

    def __get_pydantic_json_schema__(self, shape: Any, handler: Any) -> Any:
        return handler(shape) | self._bounds


class Between(AtLeast):
    """Bounds on both sides."""

    def __init__(self, low: int, high: int) -> None:
        super().__init__(low)
        self._bounds["maximum"] = high


Number = int | float
"""A JSON number with at most two decimals; weights may have more."""

Score = Annotated[Number, Between(LOWEST // 100, HIGHEST // 100)]
Weight = Annotated[Number, Between(0, 1)]
Letter = Literal["A+", "A", "A-", "B+", "B", "B-", "C+", "C", "C-", "D+", "D", "F"]


class EvidenceDocument(TypedDict):
    """A verbatim quote, and whether and where it stands in the output."""

    quote: str
    verified: bool | None
    line: NotRequired[int]
    offset: NotRequired[int]
    source: NotRequired[str]


class DimensionDocument(TypedDict):
    """One dimension of a scorecard."""

    score: Score | None
    unscored: NotRequired[str]
    weight: Weight
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

    low: Score
    high: Score
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


class DimensionHistoryDocument(TypedDict):
    """One dimension against the skill's last ten evaluations."""

    mean: float
    deviation: float | None
    delta: float
    flagged: bool
    provisional: bool
    reason: str
    strength: float | None


class DriftDocument(TypedDict):
    """The moving average of the final scores against the skill's first ten."""

    alarm: bool
    baseline: float
    deviation: float
    average: float
    limit: float
    since: int


class HistoryDocument(TypedDict):
    """How a scorecard stands to its skill's earlier ones; it changes no score."""

    n: int
    flags: list[str]
    other_rubric: int
    other_judge: int
    dimensions: dict[str, DimensionHistoryDocument]
    drift: DriftDocument | None


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


class MemberDocument(TypedDict):
    """One judge of a panel, and what it said."""

    judge: dict[str, str]
    scores: dict[str, Score | None]
    unscored: dict[str, str]
    distributions: dict[str, dict[str, int]]
    red_flags: list[str]
    bonuses: list[str]
    abstained: str | None
    grade: Letter | None


class DiscountedDocument(TypedDict):
    """A claim of a judge that does not count."""

    kind: Literal["red_flag", "bonus", "observation"]
    id: str
    judge: str
    reason: Literal["unverified", "unlisted", "outvoted"]
    explanation: str
    evidence: list[EvidenceDocument]


class EscalationDocument(TypedDict):
    """A stronger judge asked only where it was needed."""

    to: str
    asked: dict[str, str]
    saved_calls: int


class CondensedDocument(TypedDict):
    """A transcript that was too long for a judge's window."""

    judge: str
    kept: int
    shortened: int
    elided: int
    why: str


class CallsDocument(TypedDict):
    """What asking took."""

    asked: int
    stored: int
    repairs: int
    input_tokens: int
    output_tokens: int
    cost: Number | None


class PanelDocument(TypedDict):
    """How models came to a judgement, and how far they agree."""

    members: list[MemberDocument]
    quorum: int | None
    spread: dict[str, Number]
    disputed: list[str]
    decisive: list[str]
    grade_probabilities: dict[Letter, Weight]
    deductions: dict[str, Number]
    discounted: list[DiscountedDocument]
    escalation: EscalationDocument | None
    condensed: list[CondensedDocument]
    calls: CallsDocument
    criteria: dict[str, str]


class ScorecardDocument(TypedDict):
    """The methodology applied to one judgement."""

    schema: Literal["evenhand/scorecard/v1"]
    id: str
    skill: str
    created: str
    rubric: RubricNameDocument
    methodology: str
    judge: dict[str, str]
    task: NotRequired[str]
    output: NotRequired[str]
    dimensions: DimensionsDocument
    composite: Score | None
    red_flags: list[RedFlagDocument]
    deduction: TotalDocument
    after_deductions: Score | None
    bonuses: list[BonusDocument]
    bonus: TotalDocument
    final: Score | None
    grade: Letter | None
    label: str | None
    interval: NotRequired[IntervalDocument]
    pass_mark: Score
    passed: bool | None
    next_step: NextStepDocument | None
    audit: NotRequired[list[AuditDocument]]
    evidence_share: NotRequired[Weight]
    rescored_from: NotRequired[str]
    history: HistoryDocument | None
    panel: NotRequired[PanelDocument]
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

    correctness: Weight
    completeness: Weight
    adherence: Weight
    actionability: Weight
    efficiency: Weight
    safety: Weight
    consistency: Weight


class ListedFlagDocument(TypedDict):
    """A red flag a rubric lists."""

    id: str
    description: str
    deduction: Number
    detect: NotRequired[str]


class ListedBonusDocument(TypedDict):
    """A bonus a rubric lists."""

    id: str
    description: str
    detect: NotRequired[str]


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
    pass_mark: Score
    pass_mark_reason: str
    dimensions: CriteriaByDimensionDocument
    red_flags: list[ListedFlagDocument]
    bonuses: list[ListedBonusDocument]


class DifferenceDocument(TypedDict):
    """A field that does not say what it should."""

    field: str
    problem: str


class VerificationDocument(TypedDict):
    """What checking a scorecard found."""

    schema: Literal["evenhand/verification/v1"]
    id: str
    ok: bool
    differences: list[DifferenceDocument]
    checked: list[str]
    unchecked: list[str]


class EvidenceInput(TypedDict):
    """A quote; what else a scorecard says of it is ignored and checked anew."""

    quote: str
    verified: NotRequired[bool | None]
    line: NotRequired[int]
    offset: NotRequired[int]
    source: NotRequired[str]


class OpinionInput(TypedDict):
    """What a judge says of one dimension: a score, or the reason why there is none."""

    score: NotRequired[Score | str]
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

    correctness: Score | str | OpinionInput
    completeness: Score | str | OpinionInput
    adherence: Score | str | OpinionInput
    actionability: Score | str | OpinionInput
    efficiency: Score | str | OpinionInput
    safety: Score | str | OpinionInput
    consistency: Score | str | OpinionInput


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
