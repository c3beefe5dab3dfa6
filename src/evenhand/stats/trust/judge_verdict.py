"""Whether to use a judge: what its card comes to, in one word with its reasons. Pure.

A judge's scores say something about quality only if it scores an empty or meaningless output clearly lower than the
output itself. A random judge passes that test in one card of a hundred for each such probe; a constant one, or one that
gives everything the same band, never does. An honest judge is practically never rejected by it: it takes five points
off, where `NOTICED` is asked for (`benchmarks/judge_probes.py` counts both).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import Final, Literal, NamedTuple

from evenhand.stats.student import one_sided
from evenhand.stats.trust.probe_effects import LEAST_PAIRS, LEAST_SPREAD, NOTICED, ProbeResult

Use = Literal["use", "use-with-calibration", "do-not-use", "undecided"]

WORTHLESS: Final = ("blank", "boilerplate")
"""Probes whose second variant says nothing at all: whoever reads it scores it lower."""

LEVEL: Final = 0.01
NOISY: Final = 0.75
"""Points by which two readings of one output may deviate before single scores must not be taken at face value."""


class JudgeVerdict(NamedTuple):
    """What a judge's card comes to."""

    use: Use
    reasons: tuple[str, ...]


def judge_verdict(results: Sequence[ProbeResult], deviation: float | None) -> JudgeVerdict:
    """The verdict on a judge, from its probes and the deviation of one reading."""
    worthless = [result for result in results if result.probe.name in WORTHLESS]
    tested = [result for result in worthless if result.deciding is not None and result.deciding.n >= LEAST_PAIRS]
    if not tested and _never_moves(results):
        return JudgeVerdict("do-not-use", ("it gives an output the same score whatever is changed in it, faults too",))
    if not tested:
        return JudgeVerdict("undecided", ("too few empty outputs got a score to tell whether it sees quality",))
    if not any(tells_apart(result) for result in tested):
        drops = ", ".join(f"{result.probe.name} {_mean(result):+.2f}" for result in tested)
        reason = (
            f"its scores say nothing about quality: outputs without any content are not shown to score more than "
            f"{NOTICED:g} point lower ({drops})"
        )
        return JudgeVerdict("do-not-use", (reason,))
    faults = [result for result in results if result.probe.expectation == "down" and result not in worthless]
    if len(faults) > 1 and all(result.verdict == "unnoticed" for result in faults):
        return JudgeVerdict("do-not-use", ("it sees an empty output, and no other fault that outputs were given",))
    reasons = [f"{result.probe.name} speaks against it" for result in results if result.against]
    if deviation is not None and deviation > NOISY:
        reasons.append(f"two readings of one output deviate by {deviation:.2f} points: take several samples")
    if reasons:
        return JudgeVerdict("use-with-calibration", tuple(reasons))
    return JudgeVerdict("use", ("it scores outputs without content far lower, and nothing on this card is against it",))


def tells_apart(result: ProbeResult) -> bool:
    """Whether outputs without content are shown to score more than `NOTICED` lower."""
    effect = result.deciding
    if effect is None or effect.n < LEAST_PAIRS:
        return False
    return one_sided(-(effect.mean + NOTICED) / (effect.deviation / sqrt(effect.n)), effect.n - 1) <= LEVEL


def _never_moves(results: Sequence[ProbeResult]) -> bool:
    """Whether no change of an output changed its score, though some put a fault into it.

    It decides where empty outputs have no score, as when a judge praises them and can quote nothing.
    """
    decided = [result for result in results if result.deciding is not None and result.deciding.n >= LEAST_PAIRS]
    has_fault = any(result.probe.expectation == "down" for result in decided)
    effects = [effect for result in decided for effect in (result.final, result.dimension) if effect is not None]
    return has_fault and all(effect.mean == 0 and effect.deviation <= LEAST_SPREAD for effect in effects)


def _mean(result: ProbeResult) -> float:
    return 0.0 if result.deciding is None else result.deciding.mean
