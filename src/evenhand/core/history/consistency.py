"""A scorecard against its skill's earlier ones: rules R13 to R18, and a drift alarm beside them. Pure.

The literal rule (R14) is decided in whole numbers. It often flags by chance, so each dimension also
carries a `strength`: how surprising its score is for a skill that has not changed (R17). Nothing
here touches a score or a grade (R16).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import expm1, log1p, sqrt
from operator import mul

from evenhand.core.basics.methodology import DEVIATIONS, DIMENSIONS, WINDOW
from evenhand.core.student import two_sided
from evenhand.core.values.comparison import KEPT, OF, REACH, Comparison, DimensionComparison, Drift, Timeline

_NEXT = [0.0, *(sqrt(1 + 1 / n) for n in range(1, WINDOW + 1))]
"""How many deviations a further score lies from the mean of n, on average: its own spread and that of the mean."""

ZERO_VARIANCE = "zero-variance"
_SEVEN = len(DIMENSIONS)

SMOOTHING = (OF - KEPT) / OF
"""Lambda of the moving average: how much the newest evaluation counts."""

LIMIT = 3.0
"""L: how many standard errors the moving average may lie from the baseline."""


LEAST_SPREAD = 0.05
"""The baseline's deviation is taken as at least this: ten equal scores do not prove that the eleventh must be."""

_WHOLE: int = 100 * OF**REACH
"""What one point counts in a timeline's `recent`."""

_REST: float = (1 - SMOOTHING) ** REACH
"""What the baseline's mean counts beside them."""


def compare(
    scores: Sequence[int | None], final: int | None, timeline: Timeline, *, rubric: str, judge: str
) -> Comparison:
    """Compare an evaluation, its scores in hundredths in the order of the dimensions, with its skill's earlier ones."""
    window = timeline.window
    n = len(window)
    dimensions = {}
    if n:
        for name, score, (total, squares) in zip(DIMENSIONS, scores, timeline.sums, strict=True):
            if score is not None:
                dimensions[name] = _compare(score, n, total, squares)
    other_rubric = n - [past.rubric for past in window].count(rubric)
    other_judge = n - [past.judge for past in window].count(judge)
    return Comparison(n, dimensions, other_rubric, other_judge, _drift(final, timeline), timeline.left_out)


def compare_dimension(score: int, window: Sequence[int]) -> DimensionComparison:
    """One score against earlier ones of its dimension, in hundredths (R14, R15)."""
    return _compare(score, len(window), sum(window), sum(map(mul, window, window)))


def _compare(score: int, n: int, total: int, squares: int) -> DimensionComparison:
    """One score against n earlier ones, of which only their sum and that of their squares matter."""
    mean = total / n / 100
    off = n * score - total
    delta = off / n / 100
    if n == 1:
        return DimensionComparison(mean, None, delta, False, False, "one earlier evaluation: difference only", None)
    spread = n * squares - total * total
    # |x - S/n| > 2 s, both sides squared and multiplied out, so that no root and no fraction decides.
    flagged = (n - 1) * off * off > DEVIATIONS * DEVIATIONS * n * spread
    if spread == 0:
        reason = ZERO_VARIANCE if flagged else "as always"
        return DimensionComparison(mean, 0.0, delta, flagged, n < WINDOW, reason, None)
    deviation = sqrt(spread / (n * (n - 1))) / 100
    probability = two_sided(delta / (deviation * _NEXT[n]), n - 1)
    # Sidak: the chance that any of seven dimensions looks this surprising.
    strength = -expm1(_SEVEN * log1p(-probability)) if probability < 1 else 1.0
    reason = "within the usual range"
    if flagged:
        reason = f"more than {DEVIATIONS} deviations {'above' if delta > 0 else 'below'} the mean"
    return DimensionComparison(mean, deviation, delta, flagged, n < WINDOW, reason, strength)


def _drift(final: int | None, timeline: Timeline) -> Drift | None:
    """An EWMA chart of the final scores on the frozen baseline of the skill's first ten."""
    if final is None or len(timeline.baseline) < WINDOW:
        return None
    mean, deviation = baseline_of(tuple(timeline.baseline))
    average = _average(mean, timeline)
    average += SMOOTHING * (final / 100 - average)
    since = len(timeline.since) + 1
    limit = LIMIT * deviation * errors_after(since)
    return Drift(abs(average - mean) > limit, mean, deviation, average, limit, since)


@lru_cache(maxsize=REACH + 1)
def errors_after(since: int) -> float:
    """How many deviations the moving average lies from the baseline's mean by chance."""
    kept = (1 - SMOOTHING) ** since
    # The average's own variance, and that of the baseline's mean, from which it started.
    return sqrt(SMOOTHING / (2 - SMOOTHING) * (1 - kept**2) + (1 - kept) ** 2 / WINDOW)


def _average(mean: float, timeline: Timeline) -> float:
    """The moving average of the scores that followed a baseline."""
    if len(timeline.since) == REACH:
        return mean * _REST + timeline.recent / _WHOLE
    for value in timeline.since[::-1]:
        mean += SMOOTHING * (value / 100 - mean)
    return mean


@lru_cache(maxsize=256)
def baseline_of(baseline: tuple[int, ...]) -> tuple[float, float]:
    """Mean and deviation of a skill's first ten; they stay the same for all that follow."""
    values = [value / 100 for value in baseline]
    mean = sum(values) / WINDOW
    return mean, max(LEAST_SPREAD, sqrt(sum((value - mean) ** 2 for value in values) / (WINDOW - 1)))
