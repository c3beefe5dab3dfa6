"""Calibration files, and the `calibration` field of a scorecard: written and read back. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evenhand.core.basics.canonical import canonical_text, sha256
from evenhand.core.documents.records import document_of, record_from
from evenhand.core.trust.calibration import HIGHEST, LOWEST
from evenhand.core.trust.calibration_file import FIELDS
from evenhand.core.values.calibration import CalibratedScores, Calibration, Curve
from evenhand.errors import DocumentError

SCHEMA = "evenhand/calibration/v1"
_NUMBERS = ("bias", "raw_error", "error", "reach", "confidence")


def calibration_document(calibration: Calibration) -> dict[str, Any]:
    """A calibration in its published shape; numbers have four decimals."""
    document = _unsigned(calibration)
    return {**document, "sha256": sha256(canonical_text(document))}


def signed(calibration: Calibration) -> Calibration:
    """The calibration as its file has it: numbers rounded, with its hash."""
    return calibration_from(calibration_document(calibration))


def calibration_from(document: Any) -> Calibration:
    """The calibration in a document. DocumentError when it is none, or was changed after it was made."""
    if not isinstance(document, Mapping) or document.get("schema") != SCHEMA:
        raise DocumentError(f'not a calibration: "schema" must be "{SCHEMA}"; make one with: evenhand calibrate')
    if [*map(float, document.get("scale") or ())] != [LOWEST, HIGHEST]:
        raise DocumentError(f"the calibration is for scores on another scale than {LOWEST:.0f} to {HIGHEST:.0f}")
    try:
        made = Calibration(
            judge={str(key): str(value) for key, value in document["judge"].items()},
            rubric=str(document["rubric"]["name"]),
            rubric_sha256=str(document["rubric"]["sha256"]),
            created=str(document["created"]),
            raters=tuple(map(str, document["raters"])),
            curves={field: _curve(document["curves"][field]) for field in FIELDS if field in document["curves"]},
            left_out={str(key): str(value) for key, value in document["left_out"].items()},
            sha256=str(document["sha256"]),
        )
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        raise DocumentError(f"not a whole calibration: {error!r} is missing or of the wrong kind") from None
    if not made.curves or sha256(canonical_text(_unsigned(made))) != made.sha256:
        raise DocumentError("the calibration was changed after it was made; make it again with: evenhand calibrate")
    return made


def _unsigned(calibration: Calibration) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "judge": dict(calibration.judge),
        "rubric": {"name": calibration.rubric, "sha256": calibration.rubric_sha256},
        "scale": [LOWEST, HIGHEST],
        "created": calibration.created,
        "raters": list(calibration.raters),
        "curves": {field: _curve_document(curve) for field, curve in calibration.curves.items()},
        "left_out": dict(calibration.left_out),
    }


def _curve_document(curve: Curve) -> dict[str, Any]:
    numbers = {name: round(getattr(curve, name), 4) for name in _NUMBERS}
    return {
        "method": curve.method,
        "labels": curve.labels,
        "range": [round(curve.low, 4), round(curve.high, 4)],
        "knots": [[round(x, 4), round(y, 4)] for x, y in curve.knots],
        **numbers,
    }


def _curve(document: Mapping[str, Any]) -> Curve:
    method = document["method"]
    if method not in ("shift", "monotone"):
        raise ValueError(method)
    knots = tuple((float(x), float(y)) for x, y in document["knots"])
    if not knots or sorted(knots) != list(knots):
        raise ValueError("knots")
    low, high = map(float, document["range"])
    numbers = {name: float(document[name]) for name in _NUMBERS}
    return Curve(method=method, knots=knots, low=low, high=high, labels=int(document["labels"]), **numbers)


def calibrated_json(scores: CalibratedScores) -> str:
    """The `calibration` field of a scorecard, as canonical text."""
    return canonical_text(document_of(scores))


def calibrated_from(value: Any, where: str) -> CalibratedScores:
    """The field read back."""
    return record_from(CalibratedScores, value, "scorecard", where)
