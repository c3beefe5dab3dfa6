"""Whether a judge has moved: its scores of frozen submissions now against its first scores of them. Pure.

The test is the one of `compare`: exact below thirty pairs (of all ways to swap now and then, how many move the mean as
far?), Student's t from there on. Holm's method over the final score and the seven dimensions keeps false alarms at
`LEVEL` a run; a move below `MARGIN` raises none. `benchmarks/anchor_alarms.py` counts both kinds of alarm.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import sqrt
from typing import Annotated, Final, NamedTuple

from evenhand.core.basics.methodology import DIMENSIONS
from evenhand.core.basics.published import Json, SixPlaces, Weight, published
from evenhand.core.history.pairs import EXACT_BELOW, sign_flip
from evenhand.core.history.student import two_sided
from evenhand.core.trust.probe_effects import effect_of, holm

FIELDS: Final = ("final", *DIMENSIONS)
LEVEL: Final = 0.01
HUNDREDTHS: Final = 10
MARGIN: Final = HUNDREDTHS / 100
"""Points on average; a judge that moved by less is left alone."""
LEAST_ANCHORS: Final = 11
"""With fewer, not even all anchors going one way is an alarm: 8 * 2 / 2**10 is more than the level."""

Scores = Mapping[str, int | None]
"""By field, in hundredths; None where there is no score."""


class Movement(NamedTuple):
    """How one field moved, now minus then, in points."""

    field: str
    anchors: int
    """How many have a score both times."""
    missing: int
    mean: SixPlaces | None
    low: SixPlaces | None
    high: SixPlaces | None
    p_value: Annotated[float | None, Json(places=6, shape=Weight)]
    """Adjusted by Holm's method; None with too few anchors."""
    alarm: bool


class AnchorReport(NamedTuple):
    """One run against the judge's first."""

    set_name: Annotated[str, Json("set")]
    judge: Mapping[str, str]
    served: tuple[str, ...]
    created: str
    anchors: int
    reference: str | None
    """When the first scores were given; None when this run is the first."""
    moved: tuple[Movement, ...]
    changes: tuple[str, ...]
    """What is different about the judge since: model version, prompt, settings."""

    @property
    @published
    def alarm(self) -> bool:
        """Whether the judge is shown to have moved."""
        return any(movement.alarm for movement in self.moved)


def movements(then: Mapping[str, Scores], now: Mapping[str, Scores]) -> tuple[Movement, ...]:
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
        _movement(field, values, len(shared), p_value)
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


def _movement(field: str, differences: Sequence[Fraction], shared: int, p_value: float | None) -> Movement:
    n = len(differences)
    total = sum(differences, Fraction(0))
    mean = float(total / n) / 100 if n else None
    effect = effect_of([float(difference) / 100 for difference in differences])
    low, high = (None, None) if effect is None else (effect.low, effect.high)
    alarm = p_value is not None and p_value <= LEVEL and abs(total) >= n * HUNDREDTHS
    return Movement(field, n, shared - n, mean, low, high, p_value, alarm)
