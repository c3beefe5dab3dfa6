"""The published shapes of scorecards, rankings and verifications.

The JSON Schemas in `evenhand/schemas` are generated from these types.
A published field is neither renamed nor retyped; fields may be added. The scorecard and its lines
are declared in `documents.fields`; their types here are made from that.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Literal, NotRequired, TypedDict

from evenhand.core.documents import fields, lines
from evenhand.core.documents.kinds import Field
from evenhand.core.documents.shapes.bounded_numbers import Letter, Number, Score, Weight
from evenhand.core.documents.shapes.calibration import CalibrationDocument


def _document(name: str, summary: str, declared: Iterable[Field], **more: str) -> Any:
    """The type of an object with declared fields; pydantic looks the names of their types up in this module."""
    types = {field.name: NotRequired[field.kind.shape] if field.optional else field.kind.shape for field in declared}
    shape: Any = TypedDict(name, types | more)  # type: ignore[misc]
    shape.__doc__ = summary
    return shape


class EvidenceDocument(TypedDict):
    """A verbatim quote, and whether and where it is in the output."""

    quote: str
    verified: bool | None
    line: NotRequired[int]
    offset: NotRequired[int]
    source: NotRequired[str]


if TYPE_CHECKING:
    DimensionDocument = dict[str, Any]
    ScorecardDocument = dict[str, Any]
else:
    for _line in lines.LINES:
        globals()[_line.shape] = _document(_line.shape, _line.summary, _line.fields)
    ReceiptDocument = _document(
        lines.RECEIPT.shape, lines.RECEIPT.summary, lines.RECEIPT.fields, fields="dict[str, str]"
    )
    _EARLIER = (
        "schema id skill created rubric methodology judge task output dimensions composite red_flags deduction "
        "after_deductions bonuses bonus final grade label interval pass_mark passed next_step audit evidence_share "
        "rescored_from history panel warnings receipt"
    ).split()
    """The order in which the schema lists what was published first; what was added later follows."""
    ScorecardDocument = _document(
        "ScorecardDocument",
        "The methodology applied to one judgement.",
        sorted(fields.V1.fields, key=lambda field: (*_EARLIER, field.name).index(field.name)),
    )


class FindingDocument(TypedDict):
    """One thing a check looked at: a fault, or something that is fine."""

    id: str
    check: str
    dimension: str
    severity: Literal["minor", "major", "critical"] | None
    message: str
    precise: bool
    red_flag: NotRequired[str]
    quote: NotRequired[str]
    verified: NotRequired[bool | None]
    line: NotRequired[int]
    offset: NotRequired[int]
    source: NotRequired[str]
    source_line: NotRequired[int]


class ExpectationDocument(TypedDict):
    """A case's expectation, and whether it was met."""

    expectation: str
    result: Literal["met", "unmet", "undecided"]
    dimension: str
    severity: Literal["minor", "major", "critical"]
    message: str
    quote: NotRequired[str]
    offset: NotRequired[int]
    source: NotRequired[str]
    source_line: NotRequired[int]


class LiftedDocument(TypedDict):
    """A fault that no longer counts, and why."""

    finding: str
    by: str
    reason: str


class BoundDocument(TypedDict):
    """The highest score that the faults found in a dimension leave possible."""

    at_most: Score
    checks: list[str]


class DimensionsDocument(TypedDict):
    """All seven dimensions."""

    correctness: DimensionDocument
    completeness: DimensionDocument
    adherence: DimensionDocument
    actionability: DimensionDocument
    efficiency: DimensionDocument
    safety: DimensionDocument
    consistency: DimensionDocument


class CalibratedScoreDocument(TypedDict):
    """What people would give, and the interval that holds what one of them says."""

    calibrated: Score
    low: Score
    high: Score


class CalibratedDocument(TypedDict):
    """The scores as people would give them, by a calibration of the judge; `sha256` is that of its file."""

    sha256: str
    confidence: Weight
    labels: int
    scores: dict[str, CalibratedScoreDocument]
    left_out: dict[str, str]


class RawIntervalDocument(TypedDict):
    """Where the raw final score can lie."""

    low: Score
    high: Score
    grades: list[Letter]


class RawDocument(TypedDict):
    """The result by the judge's own scores, where the calibrated score is official."""

    final: Score | None
    grade: Letter | None
    passed: bool | None
    interval: NotRequired[RawIntervalDocument]


class OfficialDocument(TypedDict):
    """Which final score is official where the rubric says so, the raw result, and the calibration between the two;
    `unscored` says why there is no official score."""

    score: Literal["calibrated"]
    raw: RawDocument
    unscored: NotRequired[str]
    calibration: NotRequired[CalibrationDocument]


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
    """A scorecard compared with its skill's earlier ones; it changes no score."""

    n: int
    flags: list[str]
    other_rubric: int
    other_judge: int
    dimensions: dict[str, DimensionHistoryDocument]
    drift: DriftDocument | None
    left_out: NotRequired[int]


class MemberDocument(TypedDict):
    """One judge of a panel, with its scores and claims."""

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


class ReadingDocument(TypedDict):
    """One of several readings of the same work by the same judge."""

    variant: Literal["first", "withheld", "upward", "downward"]
    scores: dict[str, Score | None]
    unscored: dict[str, str]


class InfluenceDocument(TypedDict):
    """Passages that may address a judge, and whether they have any power over it."""

    judge: str
    passages: int
    readings: list[ReadingDocument]
    counts: Literal["first", "withheld", "upward", "downward"] | None
    why: str


class CallsDocument(TypedDict):
    """The model calls of a run."""

    asked: int
    stored: int
    repairs: int
    input_tokens: int
    output_tokens: int
    cached_tokens: NotRequired[int]
    estimated: NotRequired[int]
    cost: Number | None


class PanelDocument(TypedDict):
    """How models reached a judgement, and how far they agree."""

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
    influence: NotRequired[list[InfluenceDocument]]


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
    at_best: Score | None
    below: int
    above: int


class RankingDocument(TypedDict):
    """Scorecards in order, best first."""

    schema: Literal["evenhand/ranking/v1"]
    entries: list[RankedEntryDocument]
    unranked: list[UnrankedDocument]
    warnings: list[str]


class DifferenceDocument(TypedDict):
    """A field with the wrong value."""

    field: str
    problem: str


class VerificationDocument(TypedDict):
    """The result of verifying a scorecard."""

    schema: Literal["evenhand/verification/v1"]
    id: str
    ok: bool
    differences: list[DifferenceDocument]
    checked: list[str]
    unchecked: list[str]
