"""evenhand show --verify: does a scorecard still hold?"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from evenhand.cli.presenter import indented, lone, present, write
from evenhand.cli.shared import BAD_INPUT, DONE, SAID_NO, complain, needed_store
from evenhand.core.curve import Calibration
from evenhand.documents.verification import Verification, verification_document
from evenhand.errors import InputError
from evenhand.files.text import OUTPUT_LIMIT, read_text
from evenhand.judging.files import verify_files
from evenhand.judging.kept.rubric_texts import rubric_of_card
from evenhand.judging.verification import verify
from evenhand.store.stored_cards import card_of, stored_submission


def show_verification(
    targets: tuple[str, ...],
    *,
    rubric: str | None,
    judged: str | None,
    calibration: str | None,
    store: str | None,
    format: str,
) -> int:
    """Recompute scorecards, in files or stored, and compare every field; with the output at hand, its hash and quotes.

    Returns 1 when something differs, 2 when a file is not a scorecard or was made with another calibration.
    """
    text = None if judged is None else read_text(judged, limit=OUTPUT_LIMIT)
    loaded = None
    if calibration is not None:
        from evenhand.judging.calibration import load_calibration

        loaded = load_calibration(calibration)
    code = DONE
    documents = []
    for result in _verified(targets, rubric, text, loaded, store):
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


def _verified(
    targets: tuple[str, ...], rubric: str | None, output: str | None, calibration: Calibration | None, store: str | None
) -> Iterator[Verification | InputError]:
    """What each target comes to. A name that is neither a file nor looks like one is an id."""
    for target in targets:
        if target == "-" or Path(target).exists() or Path(target).suffix or "/" in target:
            yield from verify_files([target], rubric=rubric, output=output, calibration=calibration)
        else:
            yield _verified_id(target, rubric, output, calibration, store)


def _verified_id(
    id: str, rubric: str | None, output: str | None, calibration: Calibration | None, store: str | None
) -> Verification | InputError:
    """A stored evaluation, against the output and the rubric that the store keeps unless others are given."""
    kept = needed_store(store)
    record = kept.get(id)
    if record is None:
        return InputError(f"{id}: no such file, and no evaluation in {kept.url} has this id; see: evenhand history")
    used = rubric_of_card(card_of(record), kept) if rubric is None else rubric
    text = stored_submission(kept, record) if output is None else output
    return verify(record.document, rubric=used, output=text, calibration=calibration)


def _show(result: Verification, format: str) -> None:
    from evenhand.reports.verification import verification_report  # documents as JSON need none

    present(format, lambda: verification_document(result), report=lambda: verification_report(result))
