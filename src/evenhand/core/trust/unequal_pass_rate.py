"""The share of outputs people would pass, when the labelled items had different chances of being labelled. Pure.

A pass counts 1 and a fail 0, and their mean is estimated as any other: prediction-powered, each labelled item by one
over its chance. No error rates are divided by, so that a judge no better than chance costs precision, not truth.
"""

from __future__ import annotations

from collections.abc import Sequence

from evenhand.core.trust.estimates import CONFIDENCE, Sample
from evenhand.core.trust.pass_rate import LEAST_OF_A_KIND, PassRate
from evenhand.core.trust.unequal_chances import estimate_weighted, weighted_refusal

Labelled = Sequence[tuple[bool, bool]]
"""Whether the judge passes each labelled item, and whether people do."""


def weighted_pass_refusal(labelled: Labelled, chances: Sequence[float], rest: Sequence[bool]) -> str | None:
    """Why no honest interval can be given, or None."""
    passes = sum(people for _, people in labelled)
    if min(passes, len(labelled) - passes) < LEAST_OF_A_KIND:
        return (
            f"people passed {passes} and failed {len(labelled) - passes} of the labelled items; an interval needs at "
            f"least {LEAST_OF_A_KIND} of each; label more until there are"
        )
    return weighted_refusal(_sample(labelled, rest), chances)


def weighted_pass_rate(
    labelled: Labelled, chances: Sequence[float], rest: Sequence[bool], *, confidence: float = CONFIDENCE
) -> PassRate:
    """The rate over all items and its interval; a chance for each labelled one. Ask `weighted_pass_refusal` first."""
    estimate = estimate_weighted(_sample(labelled, rest), chances, confidence=confidence)
    return PassRate(
        value=_share(estimate.value),
        low=_share(estimate.low),
        high=_share(estimate.high),
        confidence=confidence,
        judge_alone=estimate.judge_alone,
        sensitivity=_agreed(labelled, chances, True),
        specificity=_agreed(labelled, chances, False),
    )


def _sample(labelled: Labelled, rest: Sequence[bool]) -> Sample:
    return Sample(
        judged=[float(judge) for judge, _ in labelled],
        labels=[float(people) for _, people in labelled],
        unlabelled=[float(judge) for judge in rest],
    )


def _agreed(labelled: Labelled, chances: Sequence[float], verdict: bool) -> float:
    """The weighted share of what people give a verdict that the judge gives the same."""
    weights = [
        (1 / chance, judge) for (judge, people), chance in zip(labelled, chances, strict=True) if people is verdict
    ]
    return sum(weight for weight, judge in weights if judge is verdict) / sum(weight for weight, _ in weights)


def _share(value: float) -> float:
    return min(1.0, max(0.0, value))
