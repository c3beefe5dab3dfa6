"""The Python API's `gate`: rulings on scorecards, with what a calibration must keep to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evenhand.api.given_settings import read_settings
from evenhand.clock import days_ago
from evenhand.core.calibration import CalibrationLimits
from evenhand.core.curve import Calibration
from evenhand.core.finding import Severity
from evenhand.core.scorecard import Scorecard
from evenhand.decisions.gate import Gate, Ruling
from evenhand.errors import InputError
from evenhand.judging.calibration import given_calibration
from evenhand.judging.files import Named
from evenhand.judging.sets.gate import checked_limits, rule, several

if TYPE_CHECKING:
    from evenhand.store.protocol import Store


def gate(
    cards: Iterable[Scorecard],
    *,
    min_score: Decimal | float | str | None = None,
    min_grade: str | None = None,
    no_red_flags: str | Iterable[str] = (),
    no_fault: Severity | None = None,
    criteria: str | Iterable[str] = (),
    against: Iterable[Scorecard] | None = None,
    calibration: bool | str | Path | Calibration = False,
    store: Store | None = None,
    settings: Mapping[str, Any] | None = None,
) -> list[Ruling]:
    """The rulings of a gate on scorecards: green, red, undecided or unscored, each with its reason.

    `criteria` must be met: ids in the rubric, or sentences that a judge was asked about. With `calibration=True`, a
    scorecard whose final score was not calibrated at judging is red; a calibration or its file must fit the scorecard's
    judge, prompt, rubric and range, and be shown to hold for the skills of these scorecards. With a `store`, new labels
    count for that, and a judge with an open alarm of its anchors is red. `settings` are `gate.margin` (a drop against
    `against` that is allowed) and what a calibration must keep to: `gate.min_agreement`, `gate.max_width` and
    `gate.max_age`.

    >>> card = score({"id": "case", "scores": dict.fromkeys(DIMENSIONS, 7)})
    >>> [(ruling.colour, ruling.says) for ruling in gate([card], min_grade="B")]
    [('red', 'B- is below B')]
    """
    given = read_settings(settings, "gate.margin", "gate.min_agreement", "gate.max_width", "gate.max_age")
    margin, max_age = given.get("margin", "0.2"), given.get("max_age")
    limits = checked_limits(min_score=min_score, min_grade=min_grade, no_fault=no_fault, margin=margin)
    baseline = None if against is None else [Named(card.id, card) for card in against]
    loaded = None if isinstance(calibration, bool) else given_calibration(calibration)
    oldest = None if max_age is None else days_ago(max_age)
    asked = CalibrationLimits(given.get("min_agreement"), given.get("max_width"), oldest)
    if loaded is None and asked != CalibrationLimits():
        raise InputError("gate.min_agreement, gate.max_width and gate.max_age need a calibration or its file")
    named = [Named(card.id, card) for card in cards]
    limits = limits._replace(no_red_flags=several(no_red_flags), criteria=several(criteria))
    if not named:
        raise InputError("cards is empty, so there is nothing to rule on; give the scorecards to rule on")
    if baseline is None and calibration is False and limits == Gate(margin=limits.margin):
        raise InputError(
            "say what the gate asks for: min_score, min_grade, no_red_flags, no_fault, criteria, against or calibration"
        )
    alarms, misplaced = {}, {}
    if calibration is not False and store is not None:
        from evenhand.trust.anchors import gate_alarms

        alarms = gate_alarms(store, loaded)
    if loaded is not None:
        from evenhand.trust.borrowed_calibrations import misplaced_skills

        misplaced = misplaced_skills(loaded, [entry.card for entry in named], store)
    return rule(
        named,
        limits,
        baseline,
        calibrated=calibration is not False,
        calibration=loaded,
        limits=asked,
        alarms=alarms,
        misplaced=misplaced,
    )
