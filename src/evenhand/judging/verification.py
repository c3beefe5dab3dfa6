"""A scorecard recomputed from its own inputs, and compared with a rubric and an output."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evenhand.core.rubric import Rubric
from evenhand.core.scorecard import Scorecard
from evenhand.documents.scorecard import scorecard_document
from evenhand.rubrics.resolved import installed, resolve
from evenhand.work.submission import Submission

if TYPE_CHECKING:
    from evenhand.core.curve import Calibration
    from evenhand.documents.verification import Verification


def verify(
    scorecard: Scorecard | Mapping[str, Any],
    *,
    rubric: str | Path | Rubric | None = None,
    output: str | Submission | None = None,
    calibration: str | Path | Calibration | None = None,
) -> Verification:
    """Recompute a scorecard from its own inputs and receipt.

    Without `rubric`, the rubric the scorecard names is used, if it has not changed since. With the `calibration` it was
    judged with, or its file, the calibrated scores are computed again as well.

    >>> document_of = document(score({"scores": dict.fromkeys(DIMENSIONS, 8)}))
    >>> verify(document_of).ok
    True
    >>> [difference.field for difference in verify(document_of | {"final": 9}).differences]
    ['final']
    """
    from evenhand.documents import verification
    from evenhand.judging.calibration import given_calibration

    document = scorecard_document(scorecard) if isinstance(scorecard, Scorecard) else scorecard
    if isinstance(output, str):
        task, reference = (
            text if isinstance(text := document.get(name), str) else None for name in ("task", "reference")
        )
        output = Submission(output=output, task=task, reference=reference)
    return verification.verify(
        document,
        rubric=_same_rubric(document) if rubric is None else resolve(rubric).rubric,
        submission=output,
        calibration=None if calibration is None else given_calibration(calibration),
    )


def _same_rubric(document: Mapping[str, Any]) -> Rubric | None:
    """The rubric a scorecard names, if the one here is identical."""
    named = document.get("rubric") if isinstance(document, Mapping) else None
    if not isinstance(named, Mapping) or not isinstance(named.get("name"), str):
        return None
    return installed(named["name"], str(named.get("sha256")))
