"""Calibrations read from their files, applied to scorecards, and refused where they do not fit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from evenhand.core.calibration import MISFIT, misfit, with_calibration
from evenhand.core.curve import Calibration
from evenhand.core.rubric import RAW, Terms
from evenhand.core.scorecard import Scorecard
from evenhand.documents.calibration import calibration_from
from evenhand.errors import DocumentError, InputError, Problem
from evenhand.files.json_values import load_json
from evenhand.files.text import read_text, shown_name

_STALE = "the calibrated scores are out of date: "
_UNTESTED = "the calibration was not tested for"
LEAST_LABELS = 8
"""The number of a skill's labels that tells whether a calibration holds for it."""


def load_calibration(path: str | Path) -> Calibration:
    """A calibration file. InputError when it cannot be read, is none, or was changed."""
    name = shown_name(str(path))
    try:
        return calibration_from(load_json(read_text(str(path)), name).value)
    except DocumentError as error:
        raise InputError([Problem(problem.message, name) for problem in error.problems]) from None


def given_calibration(given: str | Path | Calibration) -> Calibration:
    """A calibration, or the one in a file."""
    return given if isinstance(given, Calibration) else load_calibration(given)


def refuse_misfit(calibration: Calibration, judge: Mapping[str, str], rubric_sha256: str | None = None) -> None:
    """InputError when a calibration was made for another judge, prompt or rubric."""
    reason = misfit(calibration, judge, rubric_sha256)
    if reason is not None:
        raise InputError(f"{MISFIT}: {reason}; make one for this with: evenhand trust calibrate")


def refuse_stale(out_of_date: str | None, terms: Terms) -> None:
    """InputError where the calibrated score is official and the calibration no longer holds."""
    if out_of_date is not None and terms.official != RAW:
        raise InputError(f"{MISFIT}: {out_of_date}, with: evenhand trust calibrate")


def stale_note(out_of_date: str) -> str:
    """The note on scores whose calibration no longer holds."""
    return f"{_STALE}{out_of_date}"


def is_stale_note(warning: str) -> bool:
    """Whether a warning of a scorecard is such a note: another calibration has its own."""
    return warning.startswith((_STALE, _UNTESTED))


def untested_note(calibration: Calibration, skill: str) -> list[str]:
    """The note on a skill whose outputs the calibration was not learned from."""
    if skill in calibration.skills:
        return []
    return [
        f"{_UNTESTED} {skill}: {LEAST_LABELS} labels of this skill would tell whether it holds (evenhand trust review "
        f"--skill {skill} --sample 20)"
    ]


def calibrated_card(card: Scorecard, calibration: Calibration) -> Scorecard:
    """A scorecard with its calibrated scores; the receipt names the calibration where it made the score official."""
    card = with_calibration(card, calibration)
    card = card._replace(warnings=(*card.warnings, *untested_note(calibration, card.skill)))
    if card.official is None:
        return card
    return card._replace(receipt=replace(card.receipt, calibration=calibration.sha256))
