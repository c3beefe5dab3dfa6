"""Whether a judge's scores move when they should not, or stay when they should move. Pure.

Every probe changes the same outputs in one way; its effect is the mean change, with Student's interval over outputs.
Accusations are tested together: Holm's method keeps the chance of even one false accusation on a card at 5 %
(`benchmarks/judge_probes.py` counts them), and an effect smaller than `MARGIN` is not held against a judge at all.
What a judge must notice is one family and what must not move it the other; each has half of the 5 %.

    repeat   the same output again: a description of the noise, never an accusation
    not-up   may lower a score, must not raise it (padding): accused when raised
    same     must make no difference (an author's name): accused when higher or lower
    down     must lower the score (a changed fact): accused when it is shown to lower it by less than `NOTICED`
    noticed  should lower the score, as far as can be told from any output: never an accusation
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import sqrt
from random import Random
from typing import Annotated, Final, Literal, NamedTuple

from evenhand.core.published import SHARE
from evenhand.stats.student import one_sided, quantile

Expectation = Literal["repeat", "not-up", "same", "down", "noticed"]
Verdict = Literal["shown", "unnoticed", "not-shown", "too-few", "described"]

LEVEL = 0.05
MARGIN = 0.25
"""Points (or, for pairs, a lean from -1 to 1) below which an effect is not held against a judge."""
NOTICED = 1.0
"""Points by which a judge must lower the score of a spoilt output to have noticed: one step of a scale that most judges
use in whole points, and half of a band. Half of that could not be told from noise with ten outputs."""
LEAST_PAIRS = 5
"""With fewer usable outputs nothing is claimed."""
WIDE = 1.0
"""An interval that holds zero and reaches this far says nothing: too few to tell."""
LEAST_SPREAD = 0.05
"""The deviation is taken as at least this: equal changes do not prove that the next will be equal."""


class Probe(NamedTuple):
    """One question about a judge."""

    name: str
    expectation: Expectation
    first: str
    second: str
    dimension: str | None = None
    """The dimension most concerned; None when the final score alone is."""
    up: str = ""
    """What a judge does that scores the second variant higher, as a clause."""
    down: str = ""
    quick: bool = False
    """Whether the small test has it."""


class Effect(NamedTuple):
    """The mean change from the first variant to the second."""

    n: int
    mean: float
    low: float
    """The lower end of the 95 % interval."""
    high: float
    deviation: float


class ProbeResult(NamedTuple):
    """What a probe found."""

    probe: Annotated[Probe, {"hidden": True}]
    final: Effect | None
    """The effect on the final score, or for pairs the lean; None with fewer than two usable outputs."""
    dimension: Annotated[Effect | None, {"hidden": True}]
    """The effect on the dimension concerned."""
    changes: Mapping[str, float | None]
    """The deciding change by item; None where either reading has no score."""
    verdict: Verdict
    against: bool
    """Whether it speaks against the judge."""
    p_value: Annotated[float | None, {"places": 6, **SHARE}]
    """The p-value of the accusation, adjusted by Holm's method; None where nothing is tested."""
    missing: int
    """Outputs without a score in either reading."""
    dimensions: Mapping[str, Effect] = {}
    """The change of every dimension, where all of them are shown."""

    @property
    def deciding(self) -> Effect | None:
        """The effect that the verdict is about."""
        return self.dimension if decided_by_dimension(self.probe) else self.final


class Changes(NamedTuple):
    """The changes of one probe by item: of the final score, and of the dimension concerned."""

    probe: Probe
    final: Mapping[str, float | None]
    dimension: Mapping[str, float | None]
    dimensions: Mapping[str, Mapping[str, float | None]] = {}
    """The effect on every dimension by name, where all of them are to be shown."""


def decided_by_dimension(probe: Probe) -> bool:
    """Whether the dimension concerned decides: a spoilt fact must show in correctness."""
    return probe.expectation in ("down", "noticed") and probe.dimension is not None


def judge_probes(changes: Sequence[Changes]) -> tuple[ProbeResult, ...]:
    """The results of all probes of one test, in their order."""
    deciding = [_values(entry.dimension if decided_by_dimension(entry.probe) else entry.final) for entry in changes]
    effects = [effect_of(values) for values in deciding]
    tested = [_accusation(entry.probe, effect) for entry, effect in zip(changes, effects, strict=True)]
    accusations = holm(tested, _weights([entry.probe for entry in changes], tested))
    praises = holm([_noticed(entry.probe, effect) for entry, effect in zip(changes, effects, strict=True)])
    return tuple(
        _result(entry, effect, accusation, praise)
        for entry, effect, accusation, praise in zip(changes, effects, accusations, praises, strict=True)
    )


def effect_of(values: Sequence[float]) -> Effect | None:
    """The mean of some changes and its interval; None with fewer than two."""
    n = len(values)
    if n < 2:
        return None
    mean = sum(values) / n
    deviation = max(LEAST_SPREAD, sqrt(sum((value - mean) ** 2 for value in values) / (n - 1)))
    reach = quantile(LEVEL / 2, n - 1) * deviation / sqrt(n)
    return Effect(n, mean, mean - reach, mean + reach, deviation)


def holm(p_values: Sequence[float | None], weights: Sequence[float] | None = None) -> list[float | None]:
    """Adjusted p-values: those at or below a level are the ones that Holm's method rejects at it.

    A hypothesis with twice the weight is tested at twice the level (Holm 1979).
    """
    weights = weights or [1.0] * len(p_values)
    known = sorted((p / weights[place], place) for place, p in enumerate(p_values) if p is not None)
    adjusted: list[float | None] = [None] * len(p_values)
    left = sum(weights[place] for _, place in known)
    highest = 0.0
    for ratio, place in known:
        highest = max(highest, min(1.0, left * ratio))
        adjusted[place] = highest
        left -= weights[place]
    return adjusted


def _weights(probes: Sequence[Probe], tested: Sequence[float | None]) -> list[float]:
    """Half of the level for each family, whatever their sizes."""
    families = [probe.expectation == "down" for probe in probes]
    sizes = Counter(family for family, p in zip(families, tested, strict=True) if p is not None)
    return [1 / max(1, sizes[family]) for family in families]


def _result(entry: Changes, effect: Effect | None, accusation: float | None, praise: float | None) -> ProbeResult:
    probe = entry.probe
    by_dimension = decided_by_dimension(probe)
    changes = entry.dimension if by_dimension else entry.final
    verdict, against = _verdict(probe, effect, accusation, praise)
    final = effect_of(_values(entry.final)) if by_dimension else effect
    dimension = effect if by_dimension else effect_of(_values(entry.dimension))
    missing = sum(value is None for value in changes.values())
    every = {name: found for name, values in entry.dimensions.items() if (found := effect_of(_values(values)))}
    return ProbeResult(probe, final, dimension, changes, verdict, against, accusation, missing, every)


def _verdict(
    probe: Probe, effect: Effect | None, accusation: float | None, praise: float | None
) -> tuple[Verdict, bool]:
    if effect is None or effect.n < LEAST_PAIRS:
        return "too-few", False
    if probe.expectation == "repeat":
        return "described", False
    accused = accusation is not None and accusation <= LEVEL
    moved = not effect.low <= 0 <= effect.high and abs(effect.mean) >= MARGIN
    if probe.expectation in ("down", "noticed"):
        if moved and praise is not None and praise <= LEVEL:
            return "shown", False
        if accused:
            return "unnoticed", True
    elif moved and accused:
        return "shown", True
    wide = effect.low < 0 < effect.high and max(-effect.low, effect.high) > WIDE
    return ("too-few" if wide else "not-shown"), False


def _accusation(probe: Probe, effect: Effect | None) -> float | None:
    """The p-value of what would speak against the judge; None where nothing could."""
    if effect is None or effect.n < LEAST_PAIRS or probe.expectation in ("repeat", "noticed"):
        return None
    up = _above(effect, 0.0)
    if probe.expectation == "same":
        return 2 * min(up, 1 - up)
    return up if probe.expectation == "not-up" else _above(effect, -NOTICED)


def _noticed(probe: Probe, effect: Effect | None) -> float | None:
    """The p-value of a spoilt output being marked down."""
    if effect is None or effect.n < LEAST_PAIRS or probe.expectation not in ("down", "noticed"):
        return None
    return 1 - _above(effect, 0.0)


def _above(effect: Effect, bound: float) -> float:
    """The chance of a mean as high as this if the true one were `bound`."""
    return one_sided((effect.mean - bound) / (effect.deviation / sqrt(effect.n)), effect.n - 1)


def _values(changes: Mapping[str, float | None]) -> list[float]:
    return [value for value in changes.values() if value is not None]


CARDS: Final = 400
HONEST_DROP: Final = 2.0
"""Points that an honest judge takes off the dimension concerned, as in `benchmarks/judge_probes.py`."""


def accusation_rate(
    probes: Sequence[Probe], sizes: Mapping[str, int], differences: Sequence[float], *, cards: int = CARDS
) -> float | None:
    """The share of simulated cards with an accusation; None without any output that was read twice.

    `sizes` has the number of outputs of each probe, `differences` are those between two readings of an output.
    """
    if not differences:
        return None
    draw = Random(31)

    def change(probe: Probe) -> float:
        noise = draw.choice(differences) * draw.choice((-1, 1))
        return noise - (HONEST_DROP if probe.expectation in ("down", "noticed") else 0.0)

    accused = 0
    for _ in range(cards):
        changes = []
        for probe in probes:
            values = {str(place): change(probe) for place in range(sizes[probe.name])}
            changes.append(Changes(probe, values, values))
        accused += any(result.against for result in judge_probes(changes))
    return accused / cards
