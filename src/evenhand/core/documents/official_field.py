"""The `official` field of a scorecard whose rubric makes the calibrated score official: written and read back. Pure."""

from __future__ import annotations

from typing import Any

from evenhand.core.basics.canonical import canonical_text
from evenhand.core.basics.numbers import exact, plain
from evenhand.core.documents.calibration import calibration_document, calibration_from
from evenhand.core.documents.kinds import malformed, table
from evenhand.core.values.calibration import Calibration
from evenhand.core.values.rubric import CALIBRATED
from evenhand.core.values.scorecard import Official, RawResult
from evenhand.errors import DocumentError


def official_json(official: Official) -> str:
    """The field as canonical text. It holds the whole calibration, so that the score can be computed again."""
    written: dict[str, Any] = {"score": CALIBRATED, "raw": _raw(official.raw)}
    if official.unscored is not None:
        written["unscored"] = official.unscored
    if official.calibration is not None:
        written["calibration"] = _plain(calibration_document(official.calibration))
    return canonical_text(written)


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
        low, high, grades = raw.interval
        written["interval"] = {"low": plain(low), "high": plain(high), "grades": list(grades)}
    return written


def official_from(value: Any, where: str) -> tuple[Calibration | None]:
    """The calibration in the field, if there is one; the rest of the field is computed again."""
    calibration = table(value, where).get("calibration")
    if calibration is None:
        return (None,)
    try:
        return (calibration_from(calibration),)
    except DocumentError:
        raise malformed(f"{where}.calibration", "a calibration that was not changed after it was made") from None
