"""The published shapes of a calibration and of an estimate. Nothing here runs."""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict

from evenhand.core.basics.published import Weight


class CalibratedRubricDocument(TypedDict):
    """The rubric that a calibration holds for."""

    name: str
    sha256: str


class CurveDocument(TypedDict):
    """From a judge's scores to people's, for the final score or one dimension."""

    method: Literal["shift", "monotone"]
    labels: int
    range: list[float]
    knots: list[list[float]]
    bias: float
    raw_error: float
    error: float
    reach: float
    confidence: Weight


class CalibrationDocument(TypedDict):
    """A calibration file: it holds for one judge, prompt and rubric. `sha256` is of all other fields."""

    schema: Literal["evenhand/calibration/v1"]
    judge: dict[str, str]
    rubric: CalibratedRubricDocument
    scale: list[float]
    created: str
    raters: list[str]
    curves: dict[str, CurveDocument]
    left_out: dict[str, str]
    sha256: str


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
