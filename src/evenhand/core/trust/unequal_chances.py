"""The mean people would give, when the labelled items had different chances of being labelled. Pure.

    estimate = weight * mean(judge, all) + mean(label - weight * judge, labelled, each by 1 / its chance)

Prediction-powered inference with inverse-probability weights (Hajek 1971; Zrnic and Candes, Active Statistical
Inference, 2024). Only the proportions of the chances count, so it does not matter that people labelled only the
first part of what was drawn, in random order. Every item must have had some chance.

The interval is Student's, bent by the skewness, as for equal chances. Its size is that of the labels' effective number
(Kish 1965): 100 labels of which ten carry most of the weight are worth little more than ten.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, sqrt
from typing import NamedTuple

from evenhand.core.history.student import two_sided
from evenhand.core.trust.estimates import (
    CONFIDENCE,
    NOT_RANDOM,
    Estimate,
    Sample,
    skewed_interval,
    skewness,
    student_quantile,
)

LEAST_WORTH = 80
"""How many labels drawn with equal chances the labels must be worth. More than for equal chances: rare failures with a
large weight are missed more easily."""

LABELS_PER_WEIGHTED_SKEWNESS = 5
"""Labels needed for each unit of squared skewness of the weighted scores. Refusing more would keep the samples in which
rare failures do not show, and their intervals hold less often."""


class _Parts(NamedTuple):
    """An item's share in the error of the estimate is `labels + weight * judge`; items without a label come last."""

    labels: list[float]
    judge: list[float]
    mean_label: float
    """Of all items, by the labels alone."""
    mean_judged: float
    """Of all items, by the judge's scores of the labelled ones."""
    mean_judge: float
    """Of all items, by the judge's scores of all."""


def estimate_weighted(sample: Sample, chances: Sequence[float], *, confidence: float = CONFIDENCE) -> Estimate:
    """The mean people would give over all items; a chance for each labelled one. Ask `weighted_refusal` first."""
    parts = _parts(sample, chances)
    weight = _best_weight(parts)
    value = parts.mean_label + weight * (parts.mean_judge - parts.mean_judged)
    low, high = _interval(value, _shares(parts, weight), chances, confidence)
    alone = _interval(parts.mean_label, _shares(parts, 0.0), chances, confidence)
    return Estimate(
        value=value,
        low=low,
        high=high,
        confidence=confidence,
        labels=len(sample.labels),
        unlabelled=len(sample.unlabelled),
        weight=weight,
        judge_alone=parts.mean_judge,
        labels_alone=(parts.mean_label, *alone),
    )


def effective_labels(chances: Sequence[float]) -> float:
    """How many labels drawn with equal chances would be as precise (Kish): all of them when the chances are equal."""
    weights = [1 / chance for chance in chances]
    return sum(weights) ** 2 / sum(weight**2 for weight in weights) if weights else 0.0


def weighted_refusal(sample: Sample, chances: Sequence[float]) -> str | None:
    """Why no honest interval can be given, or None."""
    number, worth = len(chances), effective_labels(chances)
    if worth < LEAST_WORTH:
        return (
            f"{number} labelled items, whose chances of being labelled differ, are worth {int(worth)} drawn with equal "
            f"chances; an interval needs at least {LEAST_WORTH}"
        )
    parts = _parts(sample, chances)
    needed = _for_shape(parts, number)
    if worth < needed:
        return (
            f"the weighted scores are lopsided: with labels worth {int(worth)} the interval would be too narrow; it "
            f"needs at least {needed}"
        )
    error = sqrt(sum(share**2 for share in parts.judge)) / len(parts.judge)
    apart = parts.mean_judged - parts.mean_judge
    if error > 1e-9 and two_sided(apart / error, int(worth) - 1) < NOT_RANDOM:
        return (
            "the labelled items do not fit their chances: weighted by one over them, the judge scores the labelled "
            f"ones {parts.mean_judged:.2f} and all {parts.mean_judge:.2f}"
        )
    return None


def _for_shape(parts: _Parts, number: int) -> int:
    """How many labels the skewness asks for, before and after correction by the judge."""
    shares = [_shares(parts, weight)[:number] for weight in (0.0, _best_weight(parts))]
    return ceil(LABELS_PER_WEIGHTED_SKEWNESS * max(abs(skewness(values)) for values in shares) ** 2)


def _parts(sample: Sample, chances: Sequence[float]) -> _Parts:
    judged, labels, unlabelled = sample
    everyone = [*judged, *unlabelled]
    total = sum(1 / chance for chance in chances)
    scales = [len(everyone) / (chance * total) for chance in chances]
    mean_judge = sum(everyone) / len(everyone)
    mean_label, mean_judged = (
        sum(scale * value for scale, value in zip(scales, values, strict=True)) / len(everyone)
        for values in (labels, judged)
    )
    rest = [0.0] * len(unlabelled)
    # Each item pulls the weighted mean towards itself, so its distance is too small; a jackknife corrects it like this.
    pulls = [scale / (1 - scale / len(everyone)) for scale in scales]
    of_labels = [pull * (label - mean_label) for pull, label in zip(pulls, labels, strict=True)]
    of_judged = [pull * (score - mean_judged) for pull, score in zip(pulls, judged, strict=True)]
    of_judge = [score - mean_judge - own for score, own in zip(everyone, [*of_judged, *rest], strict=True)]
    return _Parts([*of_labels, *rest], of_judge, mean_label, mean_judged, mean_judge)


def _best_weight(parts: _Parts) -> float:
    """The weight with the smallest variance, kept between 0 and 1."""
    spread = sum(share**2 for share in parts.judge)
    if spread == 0:
        return 0.0
    together = sum(label * judge for label, judge in zip(parts.labels, parts.judge, strict=True))
    return min(1.0, max(0.0, -together / spread))


def _shares(parts: _Parts, weight: float) -> list[float]:
    return [label + weight * judge for label, judge in zip(parts.labels, parts.judge, strict=True)]


def _interval(
    value: float, shares: Sequence[float], chances: Sequence[float], confidence: float
) -> tuple[float, float]:
    worth, count = effective_labels(chances), len(shares)
    # The weight is fitted to the same labels, so it costs a degree of freedom as a slope does.
    error = sqrt(sum(share**2 for share in shares) * worth / (worth - 2)) / count
    third = sum(share**3 for share in shares) / count**3
    freedom = min(int(worth) - 2, _freedom(shares[: len(chances)]))
    return skewed_interval(value, error, third, student_quantile((1 - confidence) / 2, freedom))


def _freedom(shares: Sequence[float]) -> int:
    """The degrees of freedom of a variance from these shares (Satterthwaite 1946): few when few of them make it up."""
    squares = sum(share**2 for share in shares)
    scatter = sum(share**4 for share in shares) - squares**2 / len(shares)
    return len(shares) if scatter <= 0 else max(2, int(2 * squares**2 / scatter))
