"""A scorecard's calibrated scores, computed again from the calibration it was judged with. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from evenhand.core.documents.calibration import calibrated_json
from evenhand.core.documents.differences import Difference, compared
from evenhand.core.trust.calibration_file import calibrate_card, misfit
from evenhand.core.values.calibration import Calibration
from evenhand.core.values.scorecard import Scorecard
from evenhand.errors import DocumentError, Problem


def against_calibration(
    document: Mapping[str, Any], card: Scorecard, calibration: Calibration, named: set[str]
) -> list[Difference]:
    """Every calibrated score that differs, except those already named. DocumentError when the scorecard was made with
    another calibration, or with none."""
    written = document.get("calibration")
    if not isinstance(written, dict):
        raise DocumentError(Problem("the scorecard has no calibrated scores to compare with", path=("calibration",)))
    if written.get("sha256") != calibration.sha256:
        message = (
            f"the scorecard was calibrated with {written.get('sha256')}, and this calibration is {calibration.sha256}; "
            "pass the file that was used"
        )
        raise DocumentError(Problem(message, path=("calibration", "sha256")))
    reason = misfit(calibration, card.judge, card.receipt.rubric)
    if reason is not None:
        return [Difference("calibration", f"does not fit the scorecard: {reason}")]
    expected = json.loads(calibrated_json(calibrate_card(calibration, card)))
    return [differing for differing in compared(written, expected, "calibration") if differing.field not in named]
