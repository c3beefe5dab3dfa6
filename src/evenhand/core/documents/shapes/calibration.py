"""The published shape of a calibration. Nothing here runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypedDict

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
