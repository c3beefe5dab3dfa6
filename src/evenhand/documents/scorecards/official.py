"""The official score of a scorecard's document, where its rubric makes the calibrated one official: to plain values and
back. It holds the whole calibration, so that the score can be computed again. Pure.
"""

from __future__ import annotations

from typing import Any

from evenhand.core.curve import Calibration
from evenhand.core.numbers import exact, plain
from evenhand.core.rubric import CALIBRATED
from evenhand.core.scorecard import Official, RawResult
from evenhand.documents.calibration import calibration_document, calibration_from
from evenhand.documents.scorecards.fields import NOT_WHOLE, malformed
from evenhand.errors import DocumentError, Problem
from evenhand.files import codec


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
