"""evenhand verify: does a scorecard still hold?"""

from __future__ import annotations

import click

from evenhand.cli.presenter import console, format_option, indented, lone, present, write
from evenhand.cli.shared import BAD_INPUT, DONE, SAID_NO, complain, files_argument, rubric_option
from evenhand.documents.scorecards.verification import Verification, verification_document
from evenhand.files.text import OUTPUT_LIMIT, read_text
from evenhand.judging.files import verify_files


@click.command("verify")
@files_argument
@rubric_option
@click.option("--judged", metavar="FILE", help="The output that was judged.")
@click.option("--calibration", metavar="FILE", help="The calibration that the scorecards were judged with.")
@format_option()
def command(
    files: tuple[str, ...], rubric: str | None, judged: str | None, calibration: str | None, format: str
) -> int:
    """Recompute scorecards and compare every field.

    Everything on a scorecard is computed again from its own scores, weights, flags and bonuses, and
    its hashes are checked; any change is named. No judge is asked. With the output at hand, its hash
    and every quote from it are checked as well; with the calibration, every calibrated score.

    \b
    Examples:
      evenhand verify scorecard.json
      evenhand verify scorecard.json --judged review.md --rubric code-review
      evenhand verify scorecards.jsonl --format json
      evenhand verify scorecard.json --calibration judge.calibration.json

    Exit code 1 when something differs, 2 when a file is not a scorecard, or was made with another calibration.
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
    def terminal() -> None:
        from evenhand.reports.terminal.reports import print_verification

        print_verification(result, console())

    def markdown() -> str:
        from evenhand.reports.markdown import verification_markdown

        return verification_markdown(result)

    present(format, lambda: verification_document(result), terminal=terminal, markdown=markdown)
