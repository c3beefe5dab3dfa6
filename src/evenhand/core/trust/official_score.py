"""The official score of a scorecard whose rubric makes the calibrated one official. Pure."""

from __future__ import annotations

from decimal import Decimal

from evenhand.core.method.official_result import officially, unofficial
from evenhand.core.trust.calibration import exactly_calibrated, exactly_in_range
from evenhand.core.trust.calibration_file import MISFIT, calibrate_card, misfit, outside, served_by, worse_than_constant
from evenhand.core.values.calibration import Calibration, Curve
from evenhand.core.values.scorecard import Scorecard


def with_calibration(card: Scorecard, calibration: Calibration) -> Scorecard:
    """The scorecard with its calibrated scores; the final one becomes official where the rubric says so."""
    official = card.official
    if official is None:
        return card._replace(calibration=calibrate_card(calibration, card))
    card = card._replace(official=official._replace(calibration=calibration))
    reason = misfit(calibration, card.judge, card.receipt.rubric, served_by(card)) or worse_than_constant(calibration)
    if reason is not None:
        return unofficial(card, f"{MISFIT}: {reason}")
    card = card._replace(calibration=calibrate_card(calibration, card))
    curve = calibration.curves.get("final")
    if curve is None:
        why = calibration.left_out.get("final", "no one labelled it")
        return unofficial(card, f"the calibration has no final score: {why}")
    return _through(curve, card)


def _through(curve: Curve, card: Scorecard) -> Scorecard:
    assert card.official is not None
    raw = card.official.raw
    low, high = (raw.final, raw.final) if raw.interval is None else (raw.interval.low, raw.interval.high)
    assert low is not None and high is not None  # without a final score there is an interval
    beyond = next((end for end in (low, high) if not exactly_in_range(curve, end)), None)
    if beyond is not None:
        return unofficial(card, outside(curve, beyond))
    step = raw.next_step
    then = _official(curve, step.final) if step is not None and exactly_in_range(curve, step.final) else None
    return officially(card, _official(curve, low), _official(curve, high), then)


def official_final(card: Scorecard, raw: Decimal) -> Decimal | None:
    """The official final score that a raw one would give; None where the card has no calibration that reaches it."""
    calibration = None if card.official is None or card.no_official is not None else card.official.calibration
    curve = None if calibration is None else calibration.curves.get("final")
    return None if curve is None or not exactly_in_range(curve, raw) else _official(curve, raw)


def _official(curve: Curve, raw: Decimal) -> Decimal:
    return exactly_calibrated(curve, raw).value
