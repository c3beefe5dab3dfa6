"""The fields that few scorecards have, to text and back: what checks found, calibrated and official scores, a panel, a
review, a run of a suite. Pure. Loaded where a scorecard has one of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from evenhand.core.audit import audit
from evenhand.core.curve import CalibratedScores, Calibration
from evenhand.core.finding import Bound, Checked, Ended, Expected, Finding, Lifted
from evenhand.core.judgement import Agreement, Panel
from evenhand.core.numbers import exact, plain
from evenhand.core.receipt import canonical_text
from evenhand.core.rubric import CALIBRATED
from evenhand.core.scorecard import Official, RawResult, Review, SuitePlace
from evenhand.core.scoring import finding_id
from evenhand.documents.kinds import malformed, table
from evenhand.errors import DocumentError
from evenhand.files import codec

__all__ = ["audit"]


def panel_parts(panel: tuple[Panel, Agreement]) -> tuple[str, list[str]]:
    """A panel, and the entries of the receipt for its parts."""
    from evenhand.documents.scorecards.panel import panel_json  # only where models judged

    text, checksums = panel_json(*panel)
    return text, [f'"{path}":"{digest}"' for path, digest in checksums.items()]


def panel_and_deductions(value: Any, where: str) -> tuple[Panel, dict[str, Decimal]]:
    """How models came to the judgement, and what each flag takes away that one of them raised."""
    from evenhand.documents.scorecards.panel import deductions_from, panel_from

    return panel_from(value, where), deductions_from(value, where)


def panel_checksums(value: Any) -> dict[str, str]:
    """A checksum of each part of a panel."""
    from evenhand.documents.scorecards.panel import panel_checksums

    return panel_checksums(value)


def review_from(value: Any, where: str) -> Review:
    """Which evaluation a person reviewed."""
    return codec.read(Review, value, part_of="scorecard", where=where)


def suite_from(value: Any, where: str) -> SuitePlace:
    """The run of a suite that it belongs to."""
    return codec.read(SuitePlace, value, part_of="scorecard", where=where)


def calibrated_json(scores: CalibratedScores) -> str:
    """The calibrated scores."""
    return canonical_text(codec.document(scores))


def calibrated_from(value: Any, where: str) -> CalibratedScores:
    """The calibrated scores from their published form."""
    return codec.read(CalibratedScores, value, part_of="scorecard", where=where)


def official_json(official: Official) -> str:
    """The field as canonical text. It holds the whole calibration, so that the score can be computed again."""
    written: dict[str, Any] = {"score": CALIBRATED, "raw": _raw(official.raw)}
    if official.unscored is not None:
        written["unscored"] = official.unscored
    if official.calibration is not None:
        from evenhand.documents.calibration import calibration_document

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
        written["interval"] = codec.document(raw.interval)
    return written


def official_from(value: Any, where: str) -> tuple[Calibration | None]:
    """The calibration in the field, if there is one; the rest of the field is computed again."""
    from evenhand.documents.calibration import calibration_from

    calibration = table(value, where).get("calibration")
    if calibration is None:
        return (None,)
    try:
        return (calibration_from(calibration),)
    except DocumentError:
        raise malformed(f"{where}.calibration", "a calibration that was not changed after it was made") from None


def findings_json(findings: tuple[Finding, ...]) -> str:
    """The published list of findings, each with its id."""
    return canonical_text([{"id": finding_id(finding), **codec.document(finding)} for finding in findings])


def findings_from(value: Any, where: str) -> tuple[Finding, ...]:
    """Findings from their published form."""
    return codec.read_list(Finding, value, "scorecard", where)


def records_json(records: tuple[Expected, ...] | tuple[Lifted, ...] | tuple[Ended, ...]) -> str:
    """The published list of expectations with their results, of lifted findings, or of how things ended."""
    return canonical_text([*map(codec.document, records)])


def expected_from(value: Any, where: str) -> tuple[Expected, ...]:
    """Expectations from their published form."""
    return codec.read_list(Expected, value, "scorecard", where)


def lifted_from(value: Any, where: str) -> tuple[Lifted, ...]:
    """Lifted findings from their published form."""
    return codec.read_list(Lifted, value, "scorecard", where)


def endings_from(value: Any, where: str) -> tuple[Ended, ...]:
    """How things ended, from the published form."""
    return codec.read_list(Ended, value, "scorecard", where)


def bounds_json(bounds: Mapping[str, Bound]) -> str:
    """The published bounds by dimension."""
    return canonical_text({name: codec.document(bound) for name, bound in bounds.items()})


def checked_from(values: Mapping[str, Any], uncapped: Mapping[str, Decimal]) -> Checked | None:
    """The results of checks and expectations, from a document's fields; None when no checks ran."""
    if values["checks"] is None:
        return None
    return Checked(
        checks=values["checks"],
        findings=values["findings"] or (),
        coverage=values["coverage"] or (),
        expectations=values["expectations"] or (),
        lifted=values["lifted"] or (),
        uncapped=uncapped,
        endings=values["endings"] or (),
    )
