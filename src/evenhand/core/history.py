"""A scorecard against its skill's earlier ones: R13 to R18, drift, and what changed. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from math import atan, cos, expm1, inf, log1p, pi, sin, sqrt
from typing import Any, Final, NamedTuple

from evenhand.core.comparison import KEPT, OF, REACH, Change, Comparison, DimensionComparison, Drift, Timeline
from evenhand.core.rules import DEVIATIONS, DIMENSIONS, WINDOW
from evenhand.core.scorecard import Scorecard

# --- Consistency with earlier evaluations (R13 to R18), and a drift alarm beside it ----------------------------------
#
# The literal rule (R14) is decided in whole numbers. It often flags by chance, so each dimension also carries a
# `strength`: how surprising its score is for a skill that has not changed (R17). Nothing here touches a score or a
# grade (R16).


_NEXT = [0.0, *(sqrt(1 + 1 / n) for n in range(1, WINDOW + 1))]
"""How many deviations a further score lies from the mean of n, on average: its own spread and that of the mean."""

ZERO_VARIANCE = "zero-variance"
_SEVEN = len(DIMENSIONS)


def two_sided(t: float, freedom: int) -> float:
    """The probability that |T| is at least |t|: the strength of a flag, before seven are looked at together (R17)."""
    t = abs(t)
    if freedom == 9:  # a window of ten, by far the most frequent: the same sum without the loop
        tangent = t / 3.0
        squared = 1 / (1 + tangent * tangent)
        series = 1 + squared * (2 / 3 + squared * (8 / 15 + squared * (16 / 35)))
        left = 1 - 2 / pi * (atan(tangent) + tangent * squared * series)
        return left if left > 0.0 else 0.0
    if t == inf:
        return 0.0
    angle = atan(t / sqrt(freedom))
    squared = cos(angle) ** 2
    if freedom % 2:
        term, total = cos(angle), 0.0
        for place in range(3, freedom + 1, 2):
            total += term
            term *= squared * (place - 1) / place
        inside = 2 / pi * (angle + sin(angle) * total)
    else:
        term, total = 1.0, 0.0
        for place in range(2, freedom + 1, 2):
            total += term
            term *= squared * (place - 1) / place
        inside = sin(angle) * total
    return min(1.0, max(0.0, 1 - inside))


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
    """Compare an evaluation, its scores in hundredths in the order of the dimensions, with its skill's earlier ones.

    What comes out is shown beside a scorecard and changes nothing on it (R16). How many of the window had another
    rubric or judge is counted (R18).
    """
    window = timeline.window
    n = len(window)
    dimensions = {}
    if n:
        for name, score, (total, squares) in zip(DIMENSIONS, scores, timeline.sums, strict=True):
            if score is not None:
                dimensions[name] = compare_dimension(score, n, total, squares)
    other_rubric = n - [past.rubric for past in window].count(rubric)
    other_judge = n - [past.judge for past in window].count(judge)
    return Comparison(n, dimensions, other_rubric, other_judge, _drift(final, timeline), timeline.left_out)


def compare_dimension(score: int, n: int, total: int, squares: int) -> DimensionComparison:
    """One score against n earlier ones, in hundredths: their sum, and that of their squares (R14, R15)."""
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


# --- drift course ----------------------------------------------------------------------------------------------------
# When a skill's final scores drifted: every stretch of drift alarms in a history, and where each began. Pure.
#
# An alarm comes some evaluations after the change that causes it. The onset is the most likely place of a single
# step away from the baseline's mean (Samuel, Pignatiello and Calvin, 1998): the t for which n * (mean of t..a -
# baseline)^2 is largest, where a is the evaluation that raised the alarm and n the number of evaluations from t to
# a.


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


# --- circumstances ---------------------------------------------------------------------------------------------------
# Under which circumstances evaluations were made, and what changed from one to the next. Pure.


UNKNOWN = "not given"
_HASH = 12
"""The characters of a hash that are shown."""
_LONG = 40
_LABELS = {"judges": "judges of the panel", "identities": "how the panel's judges are asked (a hash)"}
"""Names for parts of a judge's identity whose own names say too little."""


class Circumstances(NamedTuple):
    """What may change a score besides the work."""

    skill_version: str | None
    rubric: str
    """Its name and version, and the beginning of its hash."""
    judge: Mapping[str, str]
    served: tuple[str, ...]
    """The models that answered, as their servers name them."""


def of_card(card: Scorecard) -> Circumstances:
    """The circumstances of a scorecard."""
    served = () if card.panel is None else card.panel.calls.served
    rubric = _rubric(card.rubric, card.rubric_version, card.receipt.rubric)
    return Circumstances(card.skill_version, rubric, card.judge, served)


def of_document(document: Mapping[str, Any]) -> Circumstances:
    """The circumstances that a scorecard's document gives."""
    rubric, panel = document.get("rubric") or {}, document.get("panel") or {}
    return Circumstances(
        document.get("skill_version"),
        _rubric(rubric.get("name", ""), document.get("rubric_version"), rubric.get("sha256", "")),
        document.get("judge") or {},
        tuple((panel.get("calls") or {}).get("served", ())),
    )


def changed(before: Circumstances, after: Circumstances) -> tuple[Change, ...]:
    """What differs between two evaluations, the skill's version first; what neither knows is not a change."""
    return () if before == after else changed_between([before], [after])


def changed_between(before: Iterable[Circumstances], after: Iterable[Circumstances]) -> tuple[Change, ...]:
    """What differs between two sets of evaluations: all the values of each.

    A hash of how a panel's judges are asked follows from who they are, so it is left out.
    """
    first, second = list(before), list(after)
    changes = []
    for what, values in (
        ("skill version", lambda card: [card.skill_version or UNKNOWN]),
        ("rubric", lambda card: [card.rubric]),
        *((_LABELS.get(key, f"judge's {key}"), _part(key)) for key in _keys(first, second)),
        ("model as served", lambda card: card.served),
    ):
        old, new = (_distinct(values(card) for card in some) for some in (first, second))
        if old != new and (old or new) and not (what == "model as served" and not (old and new)):
            changes.append(Change(what, ", ".join(old) or UNKNOWN, ", ".join(new) or UNKNOWN))
    others = {change.what for change in changes} & {"judge's name", _LABELS["judges"]}
    return tuple(change for change in changes if not (others and change.what == _LABELS["identities"]))


def changes_words(changes: Sequence[Change]) -> str:
    """Changes in a clause: `judge's model: a -> b; rubric: c -> d`."""
    return "; ".join(f"{change.what}: {change.before} -> {change.after}" for change in changes)


def _keys(first: Sequence[Circumstances], second: Sequence[Circumstances]) -> list[str]:
    """The parts of a judge's identity, its name first."""
    return list({"name": 0} | {key: 0 for card in (*first, *second) for key in card.judge})


def _part(key: str) -> Any:
    return lambda card: [_short(card.judge[key])] if key in card.judge else []


def _distinct(values: Iterable[Iterable[str]]) -> list[str]:
    return sorted({value for some in values for value in some})


def _rubric(name: str, version: str | None, sha256: str) -> str:
    shown = f"{name} {version}" if version else name
    return f"{shown} ({sha256[:_HASH]})" if sha256 else shown


def _short(text: str) -> str:
    return text if len(text) <= _LONG else f"{text[:_HASH]}..."
