"""The share of outputs people would pass, corrected for the judge's errors, with the uncertainty of the correction.

    rate = (p + specificity - 1) / (sensitivity + specificity - 1)

p is the share the judge passes; sensitivity and specificity come from labelled items. The interval adds the variances
of all three (delta method) with the small-sample adjustment of Lang and Reiczigel. It stays valid when good and bad
outputs are mixed in another proportion among the labelled items, as long as those of either kind are a random sample
of their kind. Pure.

References: Rogan and Gladen 1978; Lang and Reiczigel 2014, Preventive Veterinary Medicine 113; Lee, Zeng, Jeong, Sohn,
Lee, How to Correctly Report LLM-as-a-Judge Evaluations (2026).
"""

from __future__ import annotations

from math import sqrt
from statistics import NormalDist
from typing import Annotated, NamedTuple

from evenhand.core.basics.published import Json, SixPlaces

CONFIDENCE = 0.95


class Counts(NamedTuple):
    """What the judge said about outputs that people failed, passed, and did not look at."""

    passed: int
    """Of the items without a label, how many the judge passes."""
    unlabelled: int
    true_fails: int
    """Of the items people failed, how many the judge fails too."""
    fails: int
    true_passes: int
    passes: int


class PassRate(NamedTuple):
    """Shares from 0 to 1."""

    value: SixPlaces
    low: SixPlaces
    high: SixPlaces
    confidence: Annotated[float, Json(places=17)]
    judge_alone: SixPlaces
    """The share of unlabelled items the judge passes."""
    sensitivity: SixPlaces
    """The share of what people pass that the judge passes."""
    specificity: SixPlaces
    """The share of what people fail that the judge fails."""


LEAST_OF_A_KIND = 10
"""How many labelled items people must have passed, and how many failed."""


def refusal(counts: Counts) -> str | None:
    """Why no honest interval can be given, or None."""
    if min(counts.fails, counts.passes) < LEAST_OF_A_KIND:
        return (
            f"people passed {counts.passes} and failed {counts.fails} of the labelled items; the judge's errors can be "
            f"told from at least {LEAST_OF_A_KIND} of each; label more, at random, until there are"
        )
    if counts.unlabelled == 0:
        return (
            f"every item is labelled: the pass rate is {counts.passes} of {counts.passes + counts.fails}, as labelled"
        )
    specificity, sensitivity = counts.true_fails / counts.fails, counts.true_passes / counts.passes
    bounds = _bounds(counts, CONFIDENCE)
    if sensitivity + specificity <= 1 or bounds is None:
        return (
            f"the judge is no better than chance: it passes {sensitivity:.0%} of what people pass and "
            f"{1 - specificity:.0%} of what people fail, so its verdicts say nothing about the pass rate"
        )
    if bounds[0] > 1 or bounds[1] < 0:
        return (
            f"the judge passes {counts.passed / counts.unlabelled:.0%} of the unlabelled items, which does not fit its "
            "errors on the labelled ones: those are not a random sample of the same kind of output"
        )
    return None


def corrected_pass_rate(counts: Counts, *, confidence: float = CONFIDENCE) -> PassRate:
    """The corrected rate and its interval. Ask `refusal` first."""
    p = counts.passed / counts.unlabelled
    specificity, sensitivity = counts.true_fails / counts.fails, counts.true_passes / counts.passes
    value = (p + specificity - 1) / (sensitivity + specificity - 1)
    bounds = _bounds(counts, confidence)
    assert bounds is not None, "refused"
    return PassRate(_share(value), _share(bounds[0]), _share(bounds[1]), confidence, p, sensitivity, specificity)


def labels_for(counts: Counts, reach: float, *, confidence: float = CONFIDENCE) -> int | None:
    """How many labels, of the items judged, bring the interval to plus or minus `reach`; None if not even half do.

    Supposes the judge's errors and the mix of good and bad stay as they are.
    """
    labels, total = counts.fails + counts.passes, counts.fails + counts.passes + counts.unlabelled

    def enough(number: int) -> bool:
        more, fewer = number / labels, (total - number) / counts.unlabelled
        scaled = (counts.passed * fewer, counts.unlabelled * fewer, *(value * more for value in counts[2:]))
        bounds = _bounds(Counts(*scaled), confidence)  # type: ignore[arg-type]
        return bounds is not None and bounds[1] - bounds[0] <= 2 * reach

    low, high = 2 * LEAST_OF_A_KIND, total // 2
    if high < low or not enough(high):
        return None
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle + 1, high)
    return low


def _bounds(counts: Counts, confidence: float) -> tuple[float, float] | None:
    """The interval, not yet kept between 0 and 1; None where the adjusted judge is no better than chance."""
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    n, m0, m1 = counts.unlabelled + z**2, counts.fails + 2, counts.passes + 2
    p = (counts.passed + z**2 / 2) / n
    q0, q1 = (counts.true_fails + 1) / m0, (counts.true_passes + 1) / m1
    skill = q0 + q1 - 1
    if skill <= 0:
        return None
    rate = (p + q0 - 1) / skill
    parts = (1 - rate) ** 2 * q0 * (1 - q0) / m0, rate**2 * q1 * (1 - q1) / m1
    centre = rate + 2 * z**2 * (rate * q1 * (1 - q1) / m1 - (1 - rate) * q0 * (1 - q0) / m0)
    reach = z * sqrt(p * (1 - p) / n + sum(parts)) / skill
    return centre - reach, centre + reach


def _share(value: float) -> float:
    return min(1.0, max(0.0, value))
