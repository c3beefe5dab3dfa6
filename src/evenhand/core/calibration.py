"""A calibration of a judge applied to a scorecard, and the official score where a rubric asks for that one. Pure."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from operator import itemgetter
from typing import Final, NamedTuple

from evenhand.core.curve import CalibratedScore, CalibratedScores, Calibration, Curve, Use
from evenhand.core.numbers import exact, half_up, hundredths, points, whole
from evenhand.core.receipt import names_text, sha256
from evenhand.core.rules import DIMENSIONS
from evenhand.core.scorecard import Scorecard
from evenhand.core.scoring import officially, unofficial

# --- calibration -----------------------------------------------------------------------------------------------------
# From a judge's scores to people's, by a curve that `stats/calibration_curves.py` fits.


LOWEST, HIGHEST = 1.0, 10.0
BEYOND = 1.0
"""How far, in points, a score may lie beyond the labelled ones; further out nobody knows what people would say."""


_WHOLE = 10_000


Knot = tuple[float, float]
"""A judge's score, and the people's score that belongs to it."""


def at(knots: Sequence[Knot], x: float) -> float:
    """The curve's value at a judge's score."""
    place = bisect_left(knots, x, key=itemgetter(0))
    if place == 0:
        return knots[0][1]
    if place == len(knots):
        return knots[-1][1]
    (left, low), (right, high) = knots[place - 1], knots[place]
    return low + (high - low) * (x - left) / (right - left)


class Calibrated(NamedTuple):
    """A calibrated score and the interval for what people would say."""

    value: float
    low: float
    high: float


def calibrated(curve: Curve, score: float) -> Calibrated:
    """One score through the curve; score and interval stay on the scale."""
    value = _on_scale(at(curve.knots, score))
    return Calibrated(value, _on_scale(value - curve.reach), _on_scale(value + curve.reach))


def exactly_calibrated(curve: Curve, score: Decimal) -> CalibratedScore:
    """One score through the curve without a binary float, rounded once, halves up (R1, R2): it may become official."""
    knots = [(_whole(x), _whole(y)) for x, y in curve.knots]
    numerator, denominator = _exactly_at(knots, hundredths(score) * _WHOLE // 100)
    low, high = _whole(LOWEST) * denominator, _whole(HIGHEST) * denominator
    value = min(high, max(low, numerator))
    reach = _whole(curve.reach) * denominator
    ends = (value, max(low, value - reach), min(high, value + reach))
    return CalibratedScore(*(points(half_up(end * 100, denominator * _WHOLE)) for end in ends))


def in_range(curve: Curve, score: float) -> bool:
    """Whether a score is near enough to the labelled ones to be calibrated."""
    return curve.low - BEYOND <= score <= curve.high + BEYOND


def exactly_in_range(curve: Curve, score: Decimal) -> bool:
    """Whether a score is near enough to the labelled ones, without a binary float; both ends included."""
    return exact(curve.low) - exact(BEYOND) <= score <= exact(curve.high) + exact(BEYOND)


def _exactly_at(knots: Sequence[tuple[int, int]], x: int) -> tuple[int, int]:
    """The curve's value at a judge's score, as a fraction. Everything is in ten-thousandths."""
    place = bisect_left(knots, x, key=itemgetter(0))
    if place in (0, len(knots)):
        return knots[min(place, len(knots) - 1)][1], 1
    (left, low), (right, high) = knots[place - 1], knots[place]
    return low * (right - left) + (high - low) * (x - left), right - left


def _whole(number: float) -> int:
    """A number of a calibration file, which has four decimals, in ten-thousandths."""
    return whole(exact(number), _WHOLE)


def _on_scale(score: float) -> float:
    return min(HIGHEST, max(LOWEST, score))


# --- calibration file ------------------------------------------------------------------------------------------------
# A calibration bound to one judge, rubric and prompt: whether it fits a scorecard, and the scores it gives. Pure.


FIELDS: Final = ("final", *DIMENSIONS)
"""What can be calibrated."""

MISFIT: Final = "the calibration does not fit"
UNFIT: Final = "its judge cannot be used to gate at the pass mark"
NOT_SHOWN: Final = "it is not shown yet that its judge can be used to gate at the pass mark"


def misfit(
    calibration: Calibration,
    judge: Mapping[str, str],
    rubric_sha256: str | None = None,
    served: Iterable[str] = (),
) -> str | None:
    """Why a calibration does not hold for this judge, prompt, rubric or model that answered; None when it does."""
    made_for = calibration.judge
    if judge_hash(made_for) != judge_hash(judge):
        differing = [key for key in sorted({*made_for, *judge} - {"prompt"}) if made_for.get(key) != judge.get(key)]
        settings = ", ".join(f"{key} {_short(made_for.get(key))}, now {_short(judge.get(key))}" for key in differing)
        return f"it was made for another judge ({settings})"
    if made_for.get("prompt") != judge.get("prompt"):
        return f"it was made with another prompt ({_short(made_for.get('prompt'))}, now {_short(judge.get('prompt'))})"
    if rubric_sha256 is not None and calibration.rubric_sha256 != rubric_sha256:
        return (
            f"it was made with another rubric ({calibration.rubric} {_short(calibration.rubric_sha256)}, now "
            f"{_short(rubric_sha256)})"
        )
    different = sorted({*served} - {*calibration.served})
    if calibration.served and different:
        known = ", ".join(calibration.served)
        return f"another model version answers ({known}, now {', '.join(different)})"
    return None


def served_by(card: Scorecard) -> tuple[str, ...]:
    """The models that answered for a scorecard, as their servers name them; none where that was not kept."""
    return () if card.panel is None else card.panel.calls.served


def worse_than_constant(calibration: Calibration) -> str | None:
    """Why a calibration says nothing: one score for every output would be as near to people's; None when it is not."""
    curve = calibration.curves.get("final")
    if curve is None or curve.error < curve.constant_error:
        return None
    return f"its error of {curve.error:.2f} is not below that of one score for everything, {curve.constant_error:.2f}"


def _short(value: str | None) -> str:
    """A name as it is, and of a hash the beginning."""
    return "none" if value is None else value if len(value) < 40 else value[:12]


def judge_hash(judge: Mapping[str, str]) -> str:
    """The hash of a judge's identity without its prompt, which is compared on its own."""
    return sha256(names_text({key: value for key, value in judge.items() if key != "prompt"}))


def calibrate_card(calibration: Calibration, card: Scorecard) -> CalibratedScores:
    """The scorecard's scores as people would give them. The calibration must fit.

    Where the calibrated score is official, the arithmetic is exact. Elsewhere it is in floats.
    """
    scores: dict[str, CalibratedScore] = {}
    left_out = dict(calibration.left_out)
    official = card.official is not None
    for field, score in _scores(card):
        curve = calibration.curves.get(field)
        if curve is None:
            continue
        if score is None:
            left_out[field] = "it has no score"
        elif not (exactly_in_range(curve, score) if official else in_range(curve, float(score))):
            left_out[field] = outside(curve, score)
        else:
            scores[field] = exactly_calibrated(curve, score) if official else _shown(curve, score)
    final = calibration.curves.get("final")
    confidence = next(iter(calibration.curves.values())).confidence
    return CalibratedScores(
        sha256=calibration.sha256,
        confidence=Decimal(str(confidence)),
        labels=0 if final is None else final.labels,
        scores=scores,
        left_out=left_out,
        uses={entry.use: entry.verdict for entry in calibration.uses},
    )


def outside(curve: Curve, score: Decimal) -> str:
    """Why a score beyond the labelled ones is not calibrated."""
    return f"{score} is outside the range of the labelled outputs, {curve.low:.2f} to {curve.high:.2f}"


def _shown(curve: Curve, score: Decimal) -> CalibratedScore:
    return CalibratedScore(*(Decimal(f"{part:.2f}") for part in calibrated(curve, float(score))))


class CalibrationLimits(NamedTuple):
    """What a gate asks of a calibration besides fitting; None asks nothing."""

    least_agreement: float | None = None
    """Spearman's rank correlation of the judge with people."""
    greatest_width: float | None = None
    """Points from one end of the interval to the other."""
    made_since: str | None = None
    """The earliest moment at which it may have been made."""


def beyond_limits(calibration: Calibration, limits: CalibrationLimits) -> str | None:
    """Why a calibration does not meet what is asked of it, or None."""
    curve = calibration.curves.get("final")
    if curve is None:
        return None
    agreement, width = curve.agreement, 2 * curve.reach
    if limits.least_agreement is not None and (agreement is None or agreement < limits.least_agreement):
        known = "cannot be told" if agreement is None else f"is {agreement:.2f}"
        return f"its agreement with people {known}, and {limits.least_agreement:g} is asked for"
    if limits.greatest_width is not None and width > limits.greatest_width:
        return f"its interval is {width:.2f} points wide, and at most {limits.greatest_width:g} are allowed"
    if limits.made_since is not None and calibration.created < limits.made_since:
        return f"it was made on {calibration.created[:10]}, before {limits.made_since[:10]}; calibrate again"
    return None


def shortcoming(
    card: Scorecard, calibration: Calibration | None = None, limits: CalibrationLimits | None = None
) -> str | None:
    """Why a scorecard has no calibrated final score: by the file given, or else by the one it was judged with."""
    if calibration is None:
        scores = card.calibration
        if scores is None:
            return "its judge is not calibrated"
        answer = scores.uses.get("gate")
        unfit = None if answer == "yes" else UNFIT if answer == "no" else f"{NOT_SHOWN}; see: evenhand trust calibrate"
    else:
        reason = misfit(calibration, card.judge, card.receipt.rubric, served_by(card))
        reason = reason or worse_than_constant(calibration) or beyond_limits(calibration, limits or CalibrationLimits())
        if reason is not None:
            return f"{MISFIT}: {reason}"
        scores = calibrate_card(calibration, card)
        unfit = unfit_for("gate", calibration)
    if "final" not in scores.scores:
        return f"not calibrated: {scores.left_out.get('final', 'it has no final score')}"
    return unfit


def unfit_for(use: Use, calibration: Calibration) -> str | None:
    """Why a judge is not shown to be fit for a use by the labels behind its calibration; None where it is."""
    entry = next((entry for entry in calibration.uses if entry.use == use), None)
    if entry is None:
        return f"{NOT_SHOWN}: the calibration does not say; make it again"
    if entry.verdict == "yes":
        return None
    more = "" if entry.more is None else f"; about {entry.more} more labels would tell"
    return f"{UNFIT if entry.verdict == 'no' else NOT_SHOWN}: {entry.says}{more}"


def _scores(card: Scorecard) -> Iterator[tuple[str, Decimal | None]]:
    yield "final", card.raw_final
    for name, line in card.dimensions.items():
        yield name, line.score


# --- official score --------------------------------------------------------------------------------------------------
# The official score of a scorecard whose rubric makes the calibrated one official. Pure.


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
    return officially(card, hundredths(_official(curve, low)), hundredths(_official(curve, high)))


def official_final(card: Scorecard, raw: Decimal) -> Decimal | None:
    """The official final score that a raw one would give; None where the card has no calibration that reaches it."""
    calibration = None if card.official is None or card.no_official is not None else card.official.calibration
    curve = None if calibration is None else calibration.curves.get("final")
    return None if curve is None or not exactly_in_range(curve, raw) else _official(curve, raw)


def _official(curve: Curve, raw: Decimal) -> Decimal:
    return exactly_calibrated(curve, raw).value
