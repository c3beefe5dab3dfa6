"""Compared differences to a verdict: better, worse, no difference shown, or undecided. Pure.

Whatever compares (`run`, `suite show`, `better`, `compare`) asks here, so that the same data give the same verdict.
"""

from __future__ import annotations

from collections.abc import Sequence

from evenhand.decisions.sets.weighted import compare_cases, others
from evenhand.decisions.values.decision import CaseDifference, Difference, Measure, Verdict

LEVEL = 0.05
"""How often chance alone may call any of the variants better or worse."""

RELEVANT: dict[Measure, float] = {"final score": 0.5, "expectations met": 0.1}
"""The difference that a suite should be able to show, unless told otherwise: half a point, a tenth of expectations."""

RANGE: dict[Measure, float] = {"final score": 9.0, "expectations met": 1.0}
"""No mean difference is larger than this; intervals end there."""


def compare_within(differences: Sequence[CaseDifference], measure: Measure, level: float) -> Difference:
    """The differences compared; no interval reaches further than the measure does."""
    result = compare_cases(differences, level)
    if result.mean is None or result.mean_low is None or result.mean_high is None:
        return result
    most = RANGE[measure]
    ends = result.mean_low, result.mean_high
    if not result.error:
        # All cases have the same difference; some like those that were not drawn may not.
        reach = others(result.units, level) * most
        ends = result.mean - reach, result.mean + reach
        result = result._replace(detectable=None if result.detectable is None else reach)
    low, high = max(ends[0], -most), min(ends[1], most)
    if result.claim == "mean" or result.typical is None:
        result = result._replace(low=low, high=high)
    elif result.low is not None and result.high is not None:
        result = result._replace(low=max(result.low, -most), high=min(result.high, most))
    return result._replace(mean_low=low, mean_high=high)


def is_shown(adjusted: float | None, level: float) -> bool:
    return adjusted is not None and adjusted <= level


def verdict_on(difference: Difference, adjusted: float | None, level: float, relevant: float) -> Verdict:
    """What the differences show, given their p-value after the correction for several comparisons."""
    if is_shown(adjusted, level):
        if difference.is_contradicted:
            return "undecided"
        return "better" if difference.way > 0 else "worse"
    if difference.detectable is None or difference.mean_low is None or difference.mean_high is None:
        return "undecided"
    ruled_out = -relevant <= difference.mean_low and difference.mean_high <= relevant
    return "no difference shown" if ruled_out or difference.detectable <= relevant else "undecided"
