"""The published shapes of scorecards, calibrations, rankings and verifications.

The JSON Schemas in `evenhand/schemas` are generated from these types.
A published field is neither renamed nor retyped; fields may be added. The scorecard and its lines
are declared in `documents.fields`; their types here are made from that.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, Any, Literal, NotRequired, TypedDict

from evenhand.core.advice import Recommendation
from evenhand.core.comparison import Comparison
from evenhand.core.curve import CalibratedScores, Calibration, Curve
from evenhand.core.finding import Bound, Ended, Expected, Finding, Lifted
from evenhand.core.judgement import Evidence, Member, Panel
from evenhand.core.scorecard import AuditLine, Interval, NextStep, Receipt, Review, SuitePlace, Total
from evenhand.documents.calibration import SCHEMA as CALIBRATION
from evenhand.documents.kinds import Field
from evenhand.documents.scorecards import fields, lines
from evenhand.files import codec
from evenhand.files.shapes import Letter, Number, Score, Weight, for_each_dimension, shape_of


def _document(name: str, summary: str, declared: Iterable[Field], **more: str) -> Any:
    """The type of an object with declared fields; pydantic looks the names of their types up in this module."""
    types = {field.name: NotRequired[field.kind.shape] if field.optional else field.kind.shape for field in declared}
    shape: Any = TypedDict(name, types | more)  # type: ignore[misc]
    shape.__doc__ = summary
    return shape


class Described:
    """Puts the schema that the codec makes of a dataclass inside one that is made of these types."""

    def __init__(self, kind: type, **added: Any) -> None:
        """`added` are fields that the writer adds."""
        self._kind, self._added = kind, added

    def __get_pydantic_json_schema__(self, shape: Any, handler: Any) -> Any:
        whole = codec.schema(self._kind)
        definitions = whole.pop("$defs", {})
        whole["properties"] |= self._added
        whole["required"] += self._added
        return _inlined({name: part for name, part in whole.items() if name[0] != "$"}, definitions)


def _inlined(schema: Any, definitions: dict[str, Any]) -> Any:
    if isinstance(schema, list):
        return [_inlined(item, definitions) for item in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        return _inlined(definitions[schema["$ref"].rpartition("/")[2]], definitions)
    return {name: _inlined(part, definitions) for name, part in schema.items()}


_CHECKSUMS = {
    "description": "A checksum of each field that cannot be computed again.",
    "type": "object",
    "additionalProperties": {"type": "string"},
}


class CalibratedRubricDocument(TypedDict):
    """The rubric that a calibration holds for."""

    name: str
    sha256: str


if TYPE_CHECKING:
    CalibrationDocument = dict[str, Any]
else:
    CalibrationDocument = shape_of(
        Calibration,
        CALIBRATION,
        rubric=CalibratedRubricDocument,
        scale=list[float],
        curves=dict[str, shape_of(Curve)],
    )


EvidenceDocument: Any = shape_of(Evidence)


class SpanDocument(TypedDict):
    """The least and the greatest value, as fractions."""

    low: str
    high: str


class CriterionDocument(TypedDict):
    """A criterion with the verdict on it, or a group of them, which has a title, a weight and criteria."""

    id: str
    sentence: NotRequired[str]
    points: NotRequired[Number | str]
    requires: NotRequired[list[str]]
    unmet: NotRequired[Literal["no", "does not apply"]]
    applies_when: NotRequired[str]
    verdict: NotRequired[Literal["yes", "no", "partly", "does not apply", "cannot tell"]]
    reason: NotRequired[str]
    evidence: NotRequired[list[EvidenceDocument]]
    by: NotRequired[str]
    votes: NotRequired[dict[str, int]]
    title: NotRequired[str]
    weight: NotRequired[Number | str]
    value: NotRequired[str | SpanDocument | None]
    criteria: NotRequired[list[CriterionDocument]]


class CriteriaDocument(TypedDict):
    """The criteria that give a dimension's score, and what they are worth together: a fraction, or its two ends."""

    value: str | SpanDocument | None
    partly: NotRequired[str]
    criteria: list[CriterionDocument]


class ScoreIntervalDocument(TypedDict):
    """Where the score of a dimension lies when some of its criteria could not be told."""

    low: Score
    high: Score


if TYPE_CHECKING:
    DimensionDocument = dict[str, Any]
    ScorecardDocument = dict[str, Any]
else:
    FindingDocument = shape_of(Finding, id=str)
    ExpectationDocument = shape_of(Expected)
    LiftedDocument = shape_of(Lifted)
    EndedDocument = shape_of(Ended)
    BoundDocument = shape_of(Bound)
    CalibratedDocument = shape_of(CalibratedScores)
    MemberDocument = shape_of(Member, grade=Letter | None)
    PanelDocument = shape_of(
        Panel,
        members=list[MemberDocument],
        spread=dict[str, Number],
        disputed=list[str],
        decisive=list[str],
        grade_probabilities=dict[Letter, Weight],
        deductions=dict[str, Number],
    )
    HistoryDocument = Annotated[dict[str, Any], Described(Comparison)]
    for _line in lines.LINES:
        globals()[_line.shape] = _document(_line.shape, _line.summary, _line.fields)
    DimensionsDocument = for_each_dimension("DimensionsDocument", "All seven dimensions.", DimensionDocument)
    ReviewDocument = Annotated[dict[str, Any], Described(Review)]
    SuitePlaceDocument = Annotated[dict[str, Any], Described(SuitePlace)]
    TotalDocument = Annotated[dict[str, Any], Described(Total)]
    IntervalDocument = Annotated[dict[str, Any], Described(Interval)]
    NextStepDocument = Annotated[dict[str, Any], Described(NextStep)]
    RecommendationDocument = Annotated[dict[str, Any], Described(Recommendation)]
    AuditDocument = Annotated[dict[str, Any], Described(AuditLine)]
    ReceiptDocument = Annotated[dict[str, Any], Described(Receipt, fields=_CHECKSUMS)]
    ScorecardDocument = _document(
        "ScorecardDocument",
        "The methodology applied to one judgement.",
        fields.FIELDS,
    )


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
