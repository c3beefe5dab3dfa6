"""Calibration files: written and read back. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from evenhand.core.calibration import FIELDS, HIGHEST, LOWEST
from evenhand.core.curve import Calibration, Curve
from evenhand.core.numbers import exact, plain
from evenhand.core.receipt import canonical_text, sha256
from evenhand.core.rubric import CALIBRATED
from evenhand.core.scorecard import Official, RawResult
from evenhand.documents.fields import NOT_WHOLE, malformed
from evenhand.errors import DocumentError, Problem
from evenhand.files import codec

SCHEMA = "evenhand/calibration/v1"


def calibration_document(calibration: Calibration) -> dict[str, Any]:
    """A calibration in its published shape; numbers have four decimals."""
    document = _unsigned(calibration)
    return {**document, "sha256": sha256(canonical_text(document))}


def signed(calibration: Calibration) -> Calibration:
    """The calibration as its file has it: numbers rounded, with its hash."""
    return calibration_from(calibration_document(calibration))


def calibration_from(document: Any) -> Calibration:
    """The calibration in a document. DocumentError when it is not one, or was changed after it was made."""
    if not isinstance(document, Mapping) or document.get("schema") != SCHEMA:
        raise DocumentError(f'not a calibration: "schema" must be "{SCHEMA}"; make one with: evenhand trust calibrate')
    if document.get("scale") != [LOWEST, HIGHEST]:
        raise DocumentError(f"the calibration is for scores on another scale than {LOWEST:.0f} to {HIGHEST:.0f}")
    curves, rubric = document.get("curves"), document.get("rubric")
    if not isinstance(curves, Mapping) or not isinstance(rubric, Mapping) or not {"name", "sha256"} <= rubric.keys():
        raise DocumentError("not a whole calibration: it must have curves, and a rubric with its name and sha256")
    calibration = codec.read(
        Calibration,
        document,
        part_of="calibration",
        rubric=str(rubric["name"]),
        rubric_sha256=str(rubric["sha256"]),
        curves={field: _curve(curves[field], f"curves.{field}") for field in FIELDS if field in curves},
    )
    if not calibration.curves or sha256(canonical_text(_unsigned(calibration))) != calibration.sha256:
        raise DocumentError(
            "the calibration was changed after it was made; make it again with: evenhand trust calibrate"
        )
    return calibration


def _unsigned(calibration: Calibration) -> dict[str, Any]:
    document = codec.document(calibration, SCHEMA) | {
        "rubric": {"name": calibration.rubric, "sha256": calibration.rubric_sha256},
        "scale": [LOWEST, HIGHEST],
        "curves": {field: codec.document(curve) for field, curve in calibration.curves.items()},
    }
    del document["sha256"]
    return document


def _curve(document: Any, where: str) -> Curve:
    span = document.get("range") if isinstance(document, Mapping) else None
    if (
        not isinstance(span, list | tuple)
        or len(span) != 2
        or not all(type(end) in (int, float, Decimal) for end in span)
    ):
        raise DocumentError(f"not a whole calibration: {where}.range must be a list of 2 numbers")
    curve = codec.read(Curve, document, part_of="calibration", where=where, low=float(span[0]), high=float(span[1]))
    if not curve.knots or sorted(curve.knots) != list(curve.knots):
        raise DocumentError(f"not a whole calibration: {where}.knots must be a list of pairs in order")
    return curve


# --- The official score on a scorecard --------------------------------------------------------------------------------


def official_document(official: Official) -> dict[str, Any]:
    """The field in its published shape."""
    written: dict[str, Any] = {"score": CALIBRATED, "raw": _raw(official.raw)}
    if official.unscored is not None:
        written["unscored"] = official.unscored
    if official.calibration is not None:
        written["calibration"] = _plain(calibration_document(official.calibration))
    return written


def _plain(value: Any) -> Any:
    """The value with its numbers as a scorecard writes them, 4.0 as 4: they are hashed that way."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return plain(exact(value)) if isinstance(value, float) else value


def _raw(raw: RawResult) -> dict[str, Any]:
    written: dict[str, Any] = {
        "final": None if raw.final is None else plain(raw.final),
        "grade": None if raw.grade is None else raw.grade.letter,
        "passed": raw.passed,
    }
    if raw.interval is not None:
        written["interval"] = codec.document(raw.interval)
    return written


def calibration_of(official: Any) -> Calibration | None:
    """The calibration in the field, if there is one; the rest of the field is computed again."""
    if not isinstance(official, dict):
        raise malformed("official", "an object")
    calibration = official.get("calibration")
    try:
        return None if calibration is None else calibration_from(calibration)
    except DocumentError as error:
        problem = error.problems[0]
        kind, inside, said = problem.message.partition("not a whole calibration: ")
        if kind or not inside:
            valid = "a calibration that was not changed after it was made"
            raise malformed("official.calibration", valid) from None
        message = f"{NOT_WHOLE}: official.calibration.{said}"
        place = problem.path or codec.field_path(said.partition(" ")[0])
        raise DocumentError(Problem(message, path=("official", "calibration", *place))) from None
