"""From a judge's scores to people's: a curve, its cross-validated error, and an interval for one label. Pure.

With `MONOTONE_FROM` labels or more the curve is a monotone regression. With fewer, every score is moved by the
same amount: a curve with a dozen bends fitted to two dozen labels follows their noise (`benchmarks/trust.py` shows
the error of both by number of labels).

The interval is conformal: the curve is fitted without a tenth of the labels at a time, and its errors on those are
ranked. Of the next outputs of the same kind, the wished share has a people's score within the ranked error.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import ceil
from typing import Literal, NamedTuple

from evenhand.core.trust.isotonic import Knot, at, fit

MONOTONE_FROM = 40
"""From this many labels on, a monotone curve; with fewer, a shift."""

FOLDS = 10
LOWEST, HIGHEST = 1.0, 10.0
CONFIDENCE = 0.95

Method = Literal["shift", "monotone"]


class Curve(NamedTuple):
    """A judge's scores mapped to people's, for one dimension or for the final score."""

    method: Method
    knots: tuple[Knot, ...]
    low: float
    """The lowest judge score that has a label."""
    high: float
    labels: int
    bias: float
    """The judge's mean error before: its score minus people's."""
    raw_error: float
    """The mean absolute error of the judge's own scores."""
    error: float
    """The mean absolute error of calibrated scores, cross-validated."""
    reach: float
    """Half the width of the interval around a calibrated score."""
    confidence: float


class Calibrated(NamedTuple):
    """A calibrated score and the interval for what people would say."""

    value: float
    low: float
    high: float


def labels_needed(confidence: float = CONFIDENCE) -> int:
    """The fewest labels with which an interval of this confidence exists."""
    return ceil(confidence / (1 - confidence) - 1e-9)


def calibrate(pairs: Sequence[Knot], *, confidence: float = CONFIDENCE, method: Method | None = None) -> Curve:
    """A curve from pairs of a judge's and people's scores; there must be at least `labels_needed`."""
    chosen: Method = method or ("monotone" if len(pairs) >= MONOTONE_FROM else "shift")
    ordered = sorted(pairs)
    errors = sorted(held_out_errors(ordered, FITS[chosen]))
    rank = ceil((len(errors) + 1) * confidence - 1e-9)
    return Curve(
        method=chosen,
        knots=FITS[chosen](ordered),
        low=ordered[0][0],
        high=ordered[-1][0],
        labels=len(ordered),
        bias=sum(x - y for x, y in ordered) / len(ordered),
        raw_error=sum(abs(x - y) for x, y in ordered) / len(ordered),
        error=sum(errors) / len(errors),
        reach=errors[rank - 1],
        confidence=confidence,
    )


def calibrated(curve: Curve, score: float) -> Calibrated:
    """One score through the curve; score and interval stay on the scale."""
    value = _on_scale(at(curve.knots, score))
    return Calibrated(value, _on_scale(value - curve.reach), _on_scale(value + curve.reach))


def held_out_errors(ordered: Sequence[Knot], fitted: Callable[[Sequence[Knot]], tuple[Knot, ...]]) -> list[float]:
    """How far each label is from a curve fitted without it. The folds take turns along the judge's scores."""
    folds = min(FOLDS, len(ordered))
    errors = []
    for fold in range(folds):
        curve = fitted([pair for place, pair in enumerate(ordered) if place % folds != fold])
        errors += [abs(y - _on_scale(at(curve, x))) for x, y in ordered[fold::folds]]
    return errors


def shift(pairs: Sequence[Knot]) -> tuple[Knot, ...]:
    """Every score moved by the mean difference between people and judge."""
    moved = sum(y - x for x, y in pairs) / len(pairs)
    return ((LOWEST, LOWEST + moved), (HIGHEST, HIGHEST + moved))


FITS: dict[Method, Callable[[Sequence[Knot]], tuple[Knot, ...]]] = {"shift": shift, "monotone": fit}


def _on_scale(score: float) -> float:
    return min(HIGHEST, max(LOWEST, score))
