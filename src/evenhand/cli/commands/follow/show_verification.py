"""evenhand show --verify: does a scorecard still hold?"""

from __future__ import annotations

from evenhand.cli.presenter import indented, lone, present, write
from evenhand.cli.shared import BAD_INPUT, DONE, SAID_NO, complain
from evenhand.documents.verification import Verification, verification_document
from evenhand.files.text import OUTPUT_LIMIT, read_text
from evenhand.judging.files import verify_files


def show_verification(
    files: tuple[str, ...], *, rubric: str | None, judged: str | None, calibration: str | None, format: str
) -> int:
    """Recompute scorecards and compare every field; with the output at hand, its hash and every quote from it too.

    Returns 1 when something differs, 2 when a file is not a scorecard or was made with another calibration.
    """
    text = None if judged is None else read_text(judged, limit=OUTPUT_LIMIT)
    loaded = None
    if calibration is not None:
        from evenhand.judging.calibration import load_calibration

        loaded = load_calibration(calibration)
    code = DONE
    documents = []
    for result in verify_files(files, rubric=rubric, output=text, calibration=loaded):
        if not isinstance(result, Verification):
            complain(result)
            code = BAD_INPUT
            continue
        if not result.ok and code == DONE:
            code = SAID_NO
        if format == "json":
            documents.append(verification_document(result))
        else:
            _show(result, format)
    if format == "json":
        write(indented(lone(documents)))
    return code


def _show(result: Verification, format: str) -> None:
    from evenhand.reports.verification import verification_report  # documents as JSON need none

    present(format, lambda: verification_document(result), report=lambda: verification_report(result))
