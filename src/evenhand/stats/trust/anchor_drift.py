"""Whether a judge has moved: its scores of frozen submissions now against its first scores of them. Pure.

The test of the mean is exact below thirty pairs (of all ways to swap now and then, how many move it as
far?), Student's t from there on. Holm's method over the final score and the seven dimensions keeps false alarms at
`LEVEL` a run; a move below `MARGIN` raises none. `benchmarks/anchor_alarms.py` counts both kinds of alarm.

Evidence adds up over runs: the mean of the later half of all runs is tested against that of the earlier half, at a
level that shrinks from run to run, so that all those looks together raise a false alarm in at most half of `LEVEL`.
That shows a slow drift, or one smaller than the noise of a single run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import lcm, sqrt
from random import Random
from typing import Annotated, Final, NamedTuple

from evenhand.core.history import two_sided
from evenhand.core.published import SHARE, SIX_PLACES, published
from evenhand.core.rules import DIMENSIONS
from evenhand.stats.sign_test import EXACT_BELOW
from evenhand.stats.trust.probe_effects import effect_of, holm

MOST_SUMS = 200_000
"""The most different sums the exact test counts; all of 29 pairs of scores in hundredths have at most 52,201."""

ASSIGNMENTS = 20_000
"""How many sign assignments are drawn when there are more sums than that; at p = 0.05 they are off by 0.0015."""


def sign_flip(differences: Sequence[Fraction], *, one_sided: bool = False) -> float:
    """The share of all sign assignments whose sum is at least as extreme; one-sided: at least as low.

    Exact, by counting how often each sum is reached. Means over unequal numbers of repeats have too many different
    sums that they cannot all be counted; then a seeded sample of assignments, including the observed one, is used.
    """
    scale = lcm(*(difference.denominator for difference in differences))
    whole = [int(difference * scale) for difference in differences]
    observed = sum(whole)
    counts = {0: 1}
    for value in whole:
        counts = _one_more(counts, value)
        if len(counts) > MOST_SUMS:
            return _sampled(whole, observed, one_sided)
    if one_sided:
        extreme = sum(ways for total, ways in counts.items() if total <= observed)
    else:
        extreme = sum(ways for total, ways in counts.items() if abs(total) >= abs(observed))
    return float(Fraction(extreme, 2 ** len(whole)))


def _one_more(counts: dict[int, int], value: int) -> dict[int, int]:
    """How often each sum is reached with one more value of either sign."""
    following: dict[int, int] = {}
    for total, ways in counts.items():
        for reached in (total + value, total - value):
            following[reached] = following.get(reached, 0) + ways
    return following


def _sampled(whole: Sequence[int], observed: int, one_sided: bool) -> float:
    """That share among random sign assignments, including the observed one, so that it is never zero."""
    draw = Random(0)
    total, extreme = sum(whole), 1
    for _ in range(ASSIGNMENTS):
        signs = draw.getrandbits(len(whole))
        flipped = total - 2 * sum(value for place, value in enumerate(whole) if signs >> place & 1)
        extreme += flipped <= observed if one_sided else abs(flipped) >= abs(observed)
    return extreme / (ASSIGNMENTS + 1)


FIELDS: Final = ("final", *DIMENSIONS)
LEVEL: Final = 0.01
HUNDREDTHS: Final = 10
MARGIN: Final = HUNDREDTHS / 100
"""Points on average; a judge that moved by less is left alone."""
LEAST_ANCHORS: Final = 11
"""With fewer, not even all anchors going one way is an alarm: 8 * 2 / 2**10 is more than the level."""

LEAST_RUNS: Final = 4
"""From this many runs on, the first included, evidence is added up."""

Scores = Mapping[str, int | Fraction | None]
"""By field, in hundredths; None where there is no score."""


class Movement(NamedTuple):
    """How one field moved, now minus then, in points."""

    field: str
    anchors: int
    """How many have a score both times."""
    missing: int
    mean: Annotated[float | None, SIX_PLACES]
    low: Annotated[float | None, SIX_PLACES]
    high: Annotated[float | None, SIX_PLACES]
    p_value: Annotated[float | None, {"places": 6, **SHARE}]
    """Adjusted by Holm's method; None with too few anchors."""
    alarm: bool


class AnchorReport(NamedTuple):
    """One run against the judge's first."""

    set_name: Annotated[str, {"name": "set"}]
    judge: Mapping[str, str]
    served: tuple[str, ...]
    created: str
    anchors: int
    reference: str | None
    """When the first scores were given; None when this run is the first."""
    moved: tuple[Movement, ...]
    changes: tuple[str, ...]
    """What is different about the judge since: model version, prompt, settings."""
    gathered: tuple[Movement, ...] = ()
    """How the later half of all runs differs from the earlier half; empty with fewer than `LEAST_RUNS`."""

    @property
    @published
    def alarm(self) -> bool:
        """Whether the judge is shown to have moved, in this run or over all of them."""
        return any(movement.alarm for movement in (*self.moved, *self.gathered))


def gathered_movements(runs: Sequence[Mapping[str, Scores]]) -> tuple[Movement, ...]:
    """How each field moved from the earlier half of all runs, oldest first, to the later half.

    The level of the k-th look is LEVEL / (k (k + 1)); over all looks from the fourth run on that adds up to LEVEL / 3.
    """
    count = len(runs)
    if count < LEAST_RUNS:
        return ()
    half = count // 2
    return movements(_means(runs[:half]), _means(runs[half:]), level=LEVEL / ((count - 1) * count))


def _means(runs: Sequence[Mapping[str, Scores]]) -> dict[str, dict[str, Fraction | None]]:
    """Each anchor's mean score by field, over the runs in which it has one."""
    means: dict[str, dict[str, Fraction | None]] = {}
    for anchor in dict.fromkeys(anchor for run in runs for anchor in run):
        means[anchor] = {}
        for field in FIELDS:
            given = [score for run in runs if (score := run.get(anchor, {}).get(field)) is not None]
            means[anchor][field] = sum(map(Fraction, given), Fraction(0)) / len(given) if given else None
    return means


def movements(then: Mapping[str, Scores], now: Mapping[str, Scores], *, level: float = LEVEL) -> tuple[Movement, ...]:
    """How each field moved, over the anchors that were judged both times."""
    shared = [anchor for anchor in now if anchor in then]
    differences = {
        field: [
            Fraction(after - before)
            for anchor in shared
            if (before := then[anchor].get(field)) is not None and (after := now[anchor].get(field)) is not None
        ]
        for field in FIELDS
    }
    adjusted = holm([_p_value(values) for values in differences.values()])
    return tuple(
        _movement(field, values, len(shared), p_value, level)
        for (field, values), p_value in zip(differences.items(), adjusted, strict=True)
    )


def _p_value(differences: Sequence[Fraction]) -> float | None:
    """How often a judge that has not moved differs as much; None with too few anchors."""
    n = len(differences)
    if n < LEAST_ANCHORS:
        return None
    if n < EXACT_BELOW:
        return sign_flip(differences)
    effect = effect_of([float(difference) / 100 for difference in differences])
    assert effect is not None  # there are more than two
    return two_sided(effect.mean / (effect.deviation / sqrt(n)), n - 1)


def _movement(
    field: str, differences: Sequence[Fraction], shared: int, p_value: float | None, level: float
) -> Movement:
    n = len(differences)
    total = sum(differences, Fraction(0))
    mean = float(total / n) / 100 if n else None
    effect = effect_of([float(difference) / 100 for difference in differences])
    low, high = (None, None) if effect is None else (effect.low, effect.high)
    alarm = p_value is not None and p_value <= level and abs(total) >= n * HUNDREDTHS
    return Movement(field, n, shared - n, mean, low, high, p_value, alarm)
