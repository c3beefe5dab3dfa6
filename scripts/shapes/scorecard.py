"""The published shapes of scorecards, calibrations, rankings and verifications.

The JSON Schemas in `evenhand/schemas` are generated from these types.
A published field is neither renamed nor retyped; fields may be added. The scorecard and its lines
are declared in `documents.fields`; their types here are made from that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal, NotRequired, TypedDict

from evenhand.core.advice import Recommendation
from evenhand.core.comparison import Comparison
from evenhand.core.curve import Calibration, Curve
from evenhand.core.finding import Finding
from evenhand.core.judgement import Evidence, Member, Panel
from evenhand.core.scorecard import (
    AuditLine,
    Award,
    Deduction,
    Interval,
    NextStep,
    Receipt,
    Review,
    ScoredDimension,
    SuitePlace,
    Total,
)
from evenhand.documents import fields
from evenhand.documents.calibration import SCHEMA as CALIBRATION
from evenhand.documents.criteria import CriteriaDocument, CriterionDocument
from evenhand.files import codec
from shapes.record_types import Letter, Number, Score, Weight, for_each_dimension, shape_of


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


def _described(kind: type, **added: Any) -> Any:
    return Annotated[dict[str, Any], Described(kind, **added)]


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


CriterionDocument.__annotations__["evidence"] = NotRequired[list[EvidenceDocument]]  # as its record is published


class ScoreIntervalDocument(TypedDict):
    """Where the score of a dimension lies when some of its criteria could not be told."""

    low: Score
    high: Score


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


if TYPE_CHECKING:
    ScorecardDocument = dict[str, Any]
else:
    ScorecardDocument = shape_of(
        fields.ScorecardDocument,
        fields.SCHEMA,
        "ScorecardDocument",
        rubric=shape_of(fields.RubricName),
        dimensions=for_each_dimension(
            "DimensionsDocument",
            "All seven dimensions.",
            shape_of(
                ScoredDimension,
                "",
                "DimensionDocument",
                uncapped=NotRequired[Score | None],
                interval=NotRequired[ScoreIntervalDocument],
                criteria=NotRequired[CriteriaDocument],
            ),
        ),
        red_flags=list[shape_of(Deduction, "", "RedFlagDocument")],
        bonuses=list[shape_of(Award, "", "BonusDocument")],
        deduction=_described(Total),
        bonus=_described(Total),
        next_step=_described(NextStep) | None,
        history=_described(Comparison) | None,
        official=NotRequired[OfficialDocument],
        review=NotRequired[_described(Review)],
        suite=NotRequired[_described(SuitePlace)],
        findings=NotRequired[list[shape_of(Finding, id=str)]],
        interval=NotRequired[_described(Interval)],
        audit=NotRequired[list[_described(AuditLine)]],
        recommendations=NotRequired[list[_described(Recommendation)]],
        panel=NotRequired[
            shape_of(
                Panel,
                members=list[shape_of(Member, grade=Letter | None)],
                spread=dict[str, Number],
                disputed=list[str],
                decisive=list[str],
                grade_probabilities=dict[Letter, Weight],
                deductions=dict[str, Number],
            )
        ],
        receipt=_described(Receipt, fields=_CHECKSUMS),
    )
