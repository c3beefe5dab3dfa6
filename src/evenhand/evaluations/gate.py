"""A gate on scorecards: limits and a baseline in, rulings out."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from pathlib import Path

from evenhand.core.basics.methodology import GRADES
from evenhand.core.basics.numbers import exact
from evenhand.core.basics.numbers import score as checked
from evenhand.core.history.gate import Gate, Ruling
from evenhand.core.values.calibration import Calibration
from evenhand.core.values.finding import Severity
from evenhand.core.values.scorecard import Scorecard
from evenhand.errors import InputError, unknown
from evenhand.evaluations.comparisons import rule
from evenhand.judging.calibration import given_calibration
from evenhand.judging.files import Named


def gate(
    cards: Iterable[Scorecard],
    *,
    min_score: Decimal | float | str | None = None,
    min_grade: str | None = None,
    no_red_flags: Iterable[str] = (),
    no_fault: Severity | None = None,
    against: Iterable[Scorecard] | None = None,
    margin: Decimal | float | str = "0.2",
    calibration: bool | str | Path | Calibration = False,
) -> list[Ruling]:
    """The rulings of a gate on scorecards: green, red, underpowered or unscored, each with its reason.

    With `calibration=True`, a scorecard whose final score was not calibrated at judging is red; a calibration or its
    file must fit the scorecard's judge, prompt, rubric and range.

    >>> card = score({"id": "case", "scores": dict.fromkeys(DIMENSIONS, 7)})
    >>> [(ruling.colour, ruling.says) for ruling in gate([card], min_grade="B")]
    [('red', 'B- is below B')]
    """

    if min_grade is not None and min_grade not in [grade.letter for grade in GRADES]:
        raise InputError(unknown("grade", min_grade, (grade.letter for grade in GRADES)))
    try:
        limit, allowed = None if min_score is None else checked(min_score), exact(margin)
    except ValueError as error:
        raise InputError(f"the gate's limits are not valid: {error}") from None
    limits = Gate(
        min_score=limit,
        min_grade=min_grade,
        no_red_flags=tuple(no_red_flags),
        no_fault=no_fault,
        margin=allowed,
    )
    baseline = None if against is None else [Named(card.id, card) for card in against]
    loaded = None if isinstance(calibration, bool) else given_calibration(calibration)
    named = [Named(card.id, card) for card in cards]
    return rule(named, limits, baseline, calibrated=calibration is not False, calibration=loaded)
