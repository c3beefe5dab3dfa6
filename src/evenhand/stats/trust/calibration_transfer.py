"""Whether a calibration holds for other outputs than those it was made from. Pure.

Two questions. Are these outputs like the labelled ones: the judge's scores and the lengths of both are compared by the
test of Kolmogorov and Smirnov, corrected by Holm. And is the error the same on labels of this skill that the
calibration has not seen: the mean of what people gave less what the calibration says is tested against 0.

Labels decide where there are enough of them. Without them a calibration holds only for skills that were labelled, and
for outputs that are not shown to be of another kind.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from math import exp, sqrt
from typing import Final, Literal, NamedTuple

from evenhand.core.history import two_sided
from evenhand.stats.student import quantile
from evenhand.stats.trust.probe_effects import holm

LEVEL: Final = 0.01
"""How often a calibration that holds may be said not to."""
LEAST_OUTPUTS: Final = 10
"""With fewer outputs, it is not tested whether they are alike."""
LEAST_LABELS: Final = 8
MOVED: Final = 0.5
"""Points, the width of a grade: a smaller mean error is not held against a calibration."""
WIDE: Final = 1.0
"""Points: where the mean error could be larger than this either way, the labels are too few to tell."""

Verdict = Literal["holds", "does not hold", "unknown"]


class Unlike(NamedTuple):
    """One property in which outputs differ from the labelled ones."""

    field: str
    p_value: float
    """Adjusted by Holm's method."""
    labelled: float
    """The median of the labelled outputs."""
    now: float


class Transport(NamedTuple):
    """Whether a calibration holds for some outputs, and why."""

    verdict: Verdict
    says: str
    unlike: tuple[Unlike, ...] = ()
    labels: int = 0
    error: float | None = None
    """The mean of people's scores less the calibrated ones, on new labels."""
    low: float | None = None
    high: float | None = None


def transport(
    skill: str,
    known_skills: Sequence[str],
    seen: Mapping[str, Sequence[float]],
    now: Mapping[str, Sequence[float]],
    residuals: Sequence[float],
) -> Transport:
    """Whether a calibration holds for outputs of a skill. `residuals` are people's scores less the calibrated ones on
    labels that the calibration has not seen, one for each case."""
    unlike = differing(seen, now)
    if len(residuals) >= LEAST_LABELS:
        return _by_labels(skill, residuals, unlike)
    lacking = LEAST_LABELS - len(residuals)
    what = f"outputs of {lacking} or more other cases" if residuals else f"{LEAST_LABELS} or more outputs"
    advice = f"label {what} of {skill} (evenhand trust review --skill {skill} --sample 20)"
    if skill not in known_skills:
        kinds = ", ".join(known_skills) or "outputs whose skill is not recorded"
        return Transport("unknown", f"it was made from labels of {kinds}, none of {skill}: {advice}", unlike)
    if unlike:
        says = "; ".join(f"{entry.field} {entry.now:g}, labelled ones {entry.labelled:g}" for entry in unlike)
        return Transport("unknown", f"these outputs are not like the labelled ones (median {says}): {advice}", unlike)
    return Transport("holds", "the outputs are of a labelled skill, and not shown to be of another kind", unlike)


def _by_labels(skill: str, residuals: Sequence[float], unlike: tuple[Unlike, ...]) -> Transport:
    n = len(residuals)
    mean = sum(residuals) / n
    error = max(0.02, sqrt(sum((value - mean) ** 2 for value in residuals) / (n - 1) / n))
    reach = quantile(0.025, n - 1) * error
    found = Transport("holds", "", unlike, n, mean, mean - reach, mean + reach)
    figures = f"{mean:+.2f} on {n} labels of {skill}, 95% from {mean - reach:+.2f} to {mean + reach:+.2f}"
    if two_sided(mean / error, n - 1) <= LEVEL and abs(mean) >= MOVED:
        return found._replace(
            verdict="does not hold", says=f"people differ from the calibrated scores by {figures}: calibrate with them"
        )
    if reach > WIDE:
        return found._replace(
            verdict="unknown", says=f"too few labels to tell whether it holds ({figures}): label more"
        )
    return found._replace(says=f"people differ from the calibrated scores by {figures}")


def differing(seen: Mapping[str, Sequence[float]], now: Mapping[str, Sequence[float]]) -> tuple[Unlike, ...]:
    """The properties in which outputs are shown to differ from the labelled ones."""
    fields = [field for field in seen if min(len(seen[field]), len(now.get(field, ()))) >= LEAST_OUTPUTS]
    adjusted = holm([smirnov(seen[field], now[field]) for field in fields])
    return tuple(
        Unlike(field, p, _median(seen[field]), _median(now[field]))
        for field, p in zip(fields, adjusted, strict=True)
        if p is not None and p <= LEVEL
    )


def smirnov(first: Sequence[float], second: Sequence[float]) -> float:
    """The p-value of the two-sample test of Kolmogorov and Smirnov, by its limiting distribution with Stephens'
    correction; equal values make it larger."""
    left, right = sorted(first), sorted(second)
    apart = max(
        abs(bisect_right(left, value) / len(left) - bisect_right(right, value) / len(right))
        for value in {*left, *right}
    )
    size = sqrt(len(left) * len(right) / (len(left) + len(right)))
    scaled = (size + 0.12 + 0.11 / size) * apart
    if scaled < 0.3:
        return 1.0  # where the series does not converge, the chance is 1 to five digits
    terms = [exp(-2 * (k * scaled) ** 2) for k in range(1, 101)]
    return min(1.0, 2 * (sum(terms[::2]) - sum(terms[1::2])))


def _median(values: Sequence[float]) -> float:
    ordered = sorted(values)
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2
