"""When a skill's final scores drifted: every stretch of drift alarms in a history, and where each began. Pure.

An alarm comes some evaluations after the change that causes it. The onset is the most likely place of a single step
away from the baseline's mean (Samuel, Pignatiello and Calvin, 1998): the t for which n * (mean of t..a - baseline)^2 is
largest, where a is the evaluation that raised the alarm and n the number of evaluations from t to a.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from evenhand.core.basics.methodology import WINDOW
from evenhand.core.history.consistency import LIMIT, SMOOTHING, baseline_of, errors_after
from evenhand.core.values.comparison import REACH
from evenhand.named_tuple import NamedTuple

APART: Final = WINDOW
"""Alarms with fewer evaluations between them belong to one stretch."""


class DriftStretch(NamedTuple):
    """Alarms that belong together, by the places of evaluations in the history."""

    onset: int
    """Where the scores began to differ, as far as they tell."""
    raised: int
    """The first evaluation with an alarm."""
    last: int
    """The last one with an alarm."""
    baseline: float
    """The mean of the skill's first ten."""
    average: float
    """The moving average at the last alarm."""
    open: bool
    """Whether the newest evaluation of all still has an alarm."""


def drift_stretches(finals: Sequence[int]) -> list[DriftStretch]:
    """Every stretch of alarms over final scores in hundredths, in the order of time."""
    if len(finals) <= WINDOW:
        return []
    mean, deviation = baseline_of(tuple(finals[:WINDOW]))
    spread = LIMIT * deviation
    settled = spread * errors_after(REACH + 1)
    average = mean
    stretches: list[tuple[int, int, float]] = []
    for place in range(WINDOW, len(finals)):
        average += SMOOTHING * (finals[place] / 100 - average)
        since = place - WINDOW + 1
        limit = settled if since > REACH else spread * errors_after(since)
        if abs(average - mean) > limit:
            if stretches and place - stretches[-1][1] <= APART and (stretches[-1][2] > mean) == (average > mean):
                stretches[-1] = (stretches[-1][0], place, average)
            else:
                stretches.append((place, place, average))
    return [
        DriftStretch(_onset(finals, raised, mean), raised, last, mean, average, last == len(finals) - 1)
        for raised, last, average in stretches
    ]


def _onset(finals: Sequence[int], raised: int, mean: float) -> int:
    """Where a step away from the mean most likely was, up to the evaluation that raised the alarm."""
    best, onset = -1.0, raised
    total = 0.0
    for start in range(raised, max(WINDOW, raised - REACH) - 1, -1):
        total += finals[start] / 100 - mean
        gain = total * total / (raised - start + 1)
        if gain > best:
            best, onset = gain, start
    return onset
