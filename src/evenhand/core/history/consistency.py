"""A scorecard against its skill's earlier ones: rules R13 to R18, and a drift alarm beside them. Pure.

The literal rule (R14) is decided in whole numbers. It often flags by chance, so each dimension also
carries a `strength`: how surprising its score is for a skill that has not changed (R17). Nothing
here touches a score or a grade (R16).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from math import expm1, log1p, sqrt

from evenhand.core.basics.methodology import DEVIATIONS, DIMENSIONS, WINDOW
from evenhand.core.basics.numbers import hundredths
from evenhand.core.history.student import two_sided
from evenhand.core.values.comparison import Comparison, DimensionComparison, Drift, Timeline

ZERO_VARIANCE = "zero-variance"

SMOOTHING = 0.2
"""Lambda of the moving average: how much the newest evaluation counts."""

LIMIT = 3.0
"""L: how many standard errors the moving average may lie from the baseline."""


LEAST_SPREAD = 0.05
"""The baseline's deviation is taken as at least this: ten equal scores do not prove that the eleventh must be."""


def compare(
    scores: Mapping[str, Decimal | None], final: Decimal | None, timeline: Timeline, *, rubric: str, judge: str
) -> Comparison:
    """Compare an evaluation with its skill's earlier ones."""
    window = timeline.window
    columns = list(zip(*(past.scores for past in window), strict=True))
    dimensions = {}
    for place, name in enumerate(DIMENSIONS):
        score = scores[name]
        if window and score is not None:
            dimensions[name] = compare_dimension(hundredths(score), columns[place])
    return Comparison(
        n=len(window),
        dimensions=dimensions,
        other_rubric=sum(past.rubric != rubric for past in window),
        other_judge=sum(past.judge != judge for past in window),
        drift=_drift(final, timeline),
        left_out=timeline.left_out,
    )


def compare_dimension(score: int, window: Sequence[int]) -> DimensionComparison:
    """One score against earlier ones of its dimension, in hundredths (R14, R15)."""
    n = len(window)
    total = sum(window)
    mean = total / n / 100
    delta = (n * score - total) / n / 100
    if n == 1:
        return DimensionComparison(mean, None, delta, False, False, "one earlier evaluation: difference only", None)
    spread = n * sum(value * value for value in window) - total * total
    deviation = sqrt(spread / (n * (n - 1))) / 100
    # |x - S/n| > 2 s, both sides squared and multiplied out, so that no root and no fraction decides.
    flagged = (n - 1) * (n * score - total) ** 2 > DEVIATIONS**2 * n * spread
    if spread == 0:
        reason = ZERO_VARIANCE if flagged else "as always"
        return DimensionComparison(mean, 0.0, delta, flagged, n < WINDOW, reason, None)
    strength = _any_of_seven(two_sided(delta / (deviation * sqrt(1 + 1 / n)), n - 1))
    side = "above" if delta > 0 else "below"
    reason = f"more than {DEVIATIONS} deviations {side} the mean" if flagged else "within the usual range"
    return DimensionComparison(mean, deviation, delta, flagged, n < WINDOW, reason, strength)


def _any_of_seven(probability: float) -> float:
    """Sidak: the chance that any of seven dimensions looks this surprising."""
    if probability >= 1:
        return 1.0
    return -expm1(len(DIMENSIONS) * log1p(-probability))


def _drift(final: Decimal | None, timeline: Timeline) -> Drift | None:
    """An EWMA chart of the final scores on the frozen baseline of the skill's first ten."""
    if final is None or len(timeline.baseline) < WINDOW:
        return None
    baseline = [value / 100 for value in timeline.baseline]
    mean = sum(baseline) / WINDOW
    deviation = max(LEAST_SPREAD, sqrt(sum((value - mean) ** 2 for value in baseline) / (WINDOW - 1)))
    average = mean
    for value in (*reversed(timeline.since), hundredths(final)):
        average += SMOOTHING * (value / 100 - average)
    since = len(timeline.since) + 1
    kept = (1 - SMOOTHING) ** since
    # The average's own variance, and that of the baseline's mean, from which it started.
    variance = SMOOTHING / (2 - SMOOTHING) * (1 - kept**2) + (1 - kept) ** 2 / WINDOW
    limit = LIMIT * deviation * sqrt(variance)
    return Drift(abs(average - mean) > limit, mean, deviation, average, limit, since)
