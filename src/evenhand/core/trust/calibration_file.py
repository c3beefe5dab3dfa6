"""A calibration bound to one judge, rubric and prompt: whether it fits a scorecard, and the scores it gives. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from typing import Final, NamedTuple

from evenhand.core.basics.canonical import names_text, sha256
from evenhand.core.basics.methodology import DIMENSIONS
from evenhand.core.trust.calibration import calibrated, exactly_calibrated, exactly_in_range, in_range
from evenhand.core.values.calibration import CalibratedScore, CalibratedScores, Calibration, Curve, Use
from evenhand.core.values.scorecard import Scorecard

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
    """Of a judge's identity without its prompt, which is compared on its own."""
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
        unfit = None if answer == "yes" else UNFIT if answer == "no" else f"{NOT_SHOWN}; see: evenhand calibrate"
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
