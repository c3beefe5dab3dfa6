"""The published shapes of a calibration and of an estimate. Nothing here runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NotRequired, TypedDict

from evenhand.core.basics.published import Weight
from evenhand.core.documents.calibration import SCHEMA
from evenhand.core.documents.records import shape_of
from evenhand.core.values.calibration import Calibration, Curve


class CalibratedRubricDocument(TypedDict):
    """The rubric that a calibration holds for."""

    name: str
    sha256: str


if TYPE_CHECKING:
    CalibrationDocument = dict[str, Any]
else:
    CalibrationDocument = shape_of(
        Calibration,
        SCHEMA,
        rubric=CalibratedRubricDocument,
        scale=list[float],
        curves=dict[str, shape_of(Curve)],
    )


class IntervalOfMeanDocument(TypedDict):
    """A mean and its interval."""

    value: float
    low: float
    high: float


class EstimateDocument(TypedDict):
    """What people would say about all outputs; a pass rate has the judge's errors, a mean the judge's weight."""

    schema: Literal["evenhand/estimate/v1"]
    what: Literal["mean", "pass-rate", "difference"]
    subject: str
    value: float
    low: float
    high: float
    confidence: Weight
    method: Literal["ppi++", "corrected-rate"]
    labels: int
    unlabelled: int
    judge_alone: float
    sensitivity: NotRequired[Weight]
    specificity: NotRequired[Weight]
    weight: NotRequired[Weight]
    labels_alone: NotRequired[IntervalOfMeanDocument]
    precision: NotRequired[float]
    labels_needed: NotRequired[int | None]
