"""The mean people would give, from many judged and few labelled items: prediction-powered inference (PPI++). Pure.

    estimate = mean(label) + weight * (mean(judge, unlabelled) - mean(judge, labelled))

The weight is the one that makes the estimate most precise, between 0 (labels alone) and 1. A judge of no use makes it
no worse than the labels alone, whatever the judge's bias. The labelled items must be a random sample of all.

The interval is Student's, bent by the skewness of the estimate: scores crowd at the top of a scale. Its variance is
that of labels predicted without themselves.

References: Angelopoulos, Duchi, Zrnic, PPI++: Efficient Prediction-Powered Inference (2023); Willink, A confidence
interval and test for the mean of an asymmetric distribution (2005).
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import chain
from math import cbrt, ceil, sqrt
from typing import Annotated, NamedTuple, TypedDict

from evenhand.files.published import Json, SixPlaces, Weight
from evenhand.stats.arrays import require_arrays
from evenhand.stats.student import quantile

CONFIDENCE = 0.95

LEAST_LABELS = 30
"""With fewer, the interval holds less often than it says."""

SHOW_FAILURES = 60
"""With so many labels, failures that matter show among them."""

LABELS_PER_SKEWNESS = 8
"""Labels needed for each unit of squared skewness. Cochran's rule for Student's interval is 25; this one is bent."""

NOT_RANDOM = 0.001
"""Labelled items whose judge scores differ from the rest by less than this chance are not a random sample: so often are
random ones refused at most."""

_DRAWS = 9_999

student_quantile = lru_cache(maxsize=256)(quantile)


class MeanInterval(TypedDict):
    """A mean and its interval."""

    value: float
    low: float
    high: float


def write_interval(parts: tuple[float, float, float]) -> MeanInterval:
    """A mean and its interval with six decimals."""
    value, low, high = (round(part, 6) for part in parts)
    return {"value": value, "low": low, "high": high}


class Estimate(NamedTuple):
    """A mean or a difference of means, in the unit of the scores."""

    value: SixPlaces
    low: SixPlaces
    high: SixPlaces
    confidence: Annotated[float, Json(places=17, shape=Weight)]
    labels: int
    unlabelled: int
    weight: Annotated[float, Json(places=6, shape=Weight)]
    """How far the judge's scores are relied on, from 0 to 1."""
    judge_alone: SixPlaces
    """The mean of the judge's scores over all items, its bias included."""
    labels_alone: Annotated[tuple[float, float, float], Json(shape=MeanInterval, write=write_interval)]
    """The mean of the labels and its interval, without the judge."""
    clusters: Annotated[int | None, Json(optional=True)] = None
    """How many clusters the labelled items come from, where they belong together."""


class Sample(NamedTuple):
    """What is known of one system, or of the differences of two."""

    judged: Sequence[float]
    """The judge's scores of the labelled items."""
    labels: Sequence[float]
    """People's scores of the same items, in the same order."""
    unlabelled: Sequence[float]
    """The judge's scores of the items without a label."""


def estimate_mean(sample: Sample, *, confidence: float = CONFIDENCE) -> Estimate:
    """The mean people would give over all items. Ask `refusal` first."""
    judged, labels, unlabelled = sample
    n, rest = len(labels), len(unlabelled)
    weight = best_weight(sample)
    value = _mean(labels) + (weight * (_mean(unlabelled) - _mean(judged)) if rest else 0.0)
    corrected = _left_out(sample)
    spread = _spread(corrected)
    error = sqrt(spread / n + (weight**2 * _variance(unlabelled) / rest if rest else 0.0))
    third = _third_moment(corrected) / n**2 + (weight**3 * _third_moment(unlabelled) / rest**2 if rest else 0.0)
    tail = (1 - confidence) / 2
    low, high = skewed_interval(value, error, third, student_quantile(tail, n - 2))
    mean = _mean(labels)
    alone_error, alone_third = sqrt(_variance(labels) / n), _third_moment(labels) / n**2
    alone = skewed_interval(mean, alone_error, alone_third, student_quantile(tail, n - 1))
    return Estimate(
        value=value,
        low=low,
        high=high,
        confidence=confidence,
        labels=n,
        unlabelled=rest,
        weight=weight,
        judge_alone=_mean([*judged, *unlabelled]),
        labels_alone=(mean, *alone),
    )


def best_weight(sample: Sample) -> float:
    """The weight with the smallest variance: cov(label, judge) / ((1 + n/N) var(judge)), kept between 0 and 1."""
    return _weight(_covariance(sample.judged, sample.labels), _judge_spread(sample))


def _weight(together: float, spread: float) -> float:
    return min(1.0, max(0.0, together / spread)) if spread else 0.0


def _judge_spread(sample: Sample) -> float:
    """(1 + n/N) var(judge); 0 where the judge can say nothing about other items."""
    judged, labels, unlabelled = sample
    return (1 + len(labels) / len(unlabelled)) * _variance([*judged, *unlabelled]) if unlabelled else 0.0


def _corrected_spread(sample: Sample, weight: float) -> float:
    """The variance of the labels less what the judge explains."""
    return _variance([label - weight * score for label, score in zip(sample.labels, sample.judged, strict=True)])


def _spread(moves: Sequence[float]) -> float:
    return sum(move**2 for move in moves) / (len(moves) - 1)


def _left_out(sample: Sample) -> list[float]:
    """How far each label, corrected by the judge, is from the mean and the weight of the other labels.

    Measured by a weight that was fitted to it too, a label would seem nearer than the next one will be, the more so the
    fewer labels there are and the more its judge's score stands out.
    """
    judged, labels, _ = sample
    n, spread = len(labels), _judge_spread(sample)
    means = _mean(judged), _mean(labels)
    moves = [(score - means[0], label - means[1]) for score, label in zip(judged, labels, strict=True)]
    total = sum(x * y for x, y in moves)
    # The covariance without one label, over its n - 1; without it, the means move too: hence n / (n - 1).
    return [(y - _weight((total - x * y * n / (n - 1)) / (n - 1), spread) * x) * n / (n - 1) for x, y in moves]


def labels_for(sample: Sample, reach: float, *, confidence: float = CONFIDENCE) -> int | None:
    """How many labels, of the items judged, bring the interval to plus or minus `reach`; None if not even all do.

    Judged by the scatter seen so far; a label more is an unlabelled item less.
    """
    judged, labels, unlabelled = sample
    total = len(labels) + len(unlabelled)
    together = _covariance(judged, labels)
    judge_spread = _variance([*judged, *unlabelled])
    fitted = _corrected_spread(sample, best_weight(sample))
    # What leaving labels out adds to the variance; of twice as many labels, each adds half as much.
    added = len(labels) * (_spread(_left_out(sample)) / fitted - 1) if fitted else 0.0

    def enough(count: int) -> bool:
        weight = 0.0
        if count < total and judge_spread:
            weight = min(1.0, max(0.0, together / ((1 + count / (total - count)) * judge_spread)))
        spread = _corrected_spread(sample, weight) * (1 + added / count)
        rest = weight**2 * judge_spread / (total - count) if count < total else 0.0
        return student_quantile((1 - confidence) / 2, count - 2) * sqrt(spread / count + rest) <= reach

    return fewest_labels(enough, total)


def fewest_labels(enough: Callable[[int], bool], total: int) -> int | None:
    """The fewest labels that are enough, as more of them always are; None if not even all are."""
    if total < LEAST_LABELS or not enough(total):
        return None
    return LEAST_LABELS + bisect_left(range(LEAST_LABELS, total), True, key=enough)


def refusal(sample: Sample) -> str | None:
    """Why no honest interval can be given, or None."""
    judged, labels, unlabelled = sample
    n = len(labels)
    if n < LEAST_LABELS:
        return f"{n} labelled items are too few; an interval needs at least {LEAST_LABELS}"
    needed = labels_for_shape(sample)
    if n < needed:
        return (
            f"the scores are lopsided, as when a few outputs fail badly: with {n} labels the interval would be too "
            f"narrow; it needs at least {needed}"
        )
    chance = chance_of_split(judged, unlabelled)
    if chance < NOT_RANDOM:
        means = f"{_mean(judged):.2f} against {_mean(unlabelled):.2f}"
        return (
            f"the labelled items are not a random sample: the judge scores them differently from the rest ({means}, "
            f"chance {chance:.1g}); draw the items to label at random"
        )
    return None


def labels_for_shape(sample: Sample) -> int:
    """How many labels the skewness asks for: of the labels, before and after correction by the judge.

    Fewer than `SHOW_FAILURES` labels may miss rare failures altogether, and refusing those that show some would keep
    the samples that do not; then the skewness of the judge's scores decides, of which there are many.
    """
    scores = [*sample.judged, *sample.unlabelled]
    if len(sample.labels) < SHOW_FAILURES and _variance(scores):
        worst = abs(skewness(scores))
    else:
        weight = best_weight(sample)
        corrected = [label - weight * score for label, score in zip(sample.labels, sample.judged, strict=True)]
        worst = max(abs(skewness(values)) for values in (sample.labels, corrected))
    return ceil(LABELS_PER_SKEWNESS * worst**2)


def chance_of_split(labelled: Sequence[float], rest: Sequence[float]) -> float:
    """How often a random draw of the labelled items sets their mean as far from that of all: the randomisation test.

    Two values, as of passes, are counted exactly (Fisher); others by drawing, which has the stated level too. An
    approximation by a normal law refuses many random samples where passes are rare.
    """
    n, total = len(labelled), len(labelled) + len(rest)
    if not n or not rest:
        return 1.0
    counts = Counter(chain(labelled, rest))
    if len(counts) < 2:
        return 1.0
    require_arrays("an estimate")
    import numpy as np
    from scipy.stats import fisher_exact

    values = sorted(counts)
    if len(values) == 2:
        high = sum(value == values[1] for value in labelled)
        table = [[high, n - high], [counts[values[1]] - high, len(rest) - counts[values[1]] + high]]
        return float(fisher_exact(table)[1])
    mean = sum(value * count for value, count in counts.items()) / total
    apart = abs(sum(labelled) / n - mean)
    spread = sum(count * (value - mean) ** 2 for value, count in counts.items()) / total
    if apart < 3 * sqrt(spread * (1 / n - 1 / total)):  # far from any refusal
        return 1.0
    draws = np.random.default_rng(0).multivariate_hypergeometric([counts[value] for value in values], n, _DRAWS)
    means = draws @ np.array(values) / n
    return float((1 + np.count_nonzero(np.abs(means - mean) >= apart - 1e-9)) / (_DRAWS + 1))


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _variance(values: Sequence[float]) -> float:
    if len(values) < 2:
        return 0.0
    mean = _mean(values)
    return sum((value - mean) ** 2 for value in values) / (len(values) - 1)


def _covariance(first: Sequence[float], second: Sequence[float]) -> float:
    """Over n, not n - 1, as the method is published: the weight is then a trifle cautious."""
    means = _mean(first), _mean(second)
    return sum((x - means[0]) * (y - means[1]) for x, y in zip(first, second, strict=True)) / len(first)


def _third_moment(values: Sequence[float]) -> float:
    mean = _mean(values)
    return sum((value - mean) ** 3 for value in values) / len(values)


def skewed_interval(mean: float, error: float, third: float, reach: float) -> tuple[float, float]:
    """Student's interval, bent by the skewness of the mean (Willink 2005): longer where the long tail may hide."""
    bend = third / (6 * error**3) if error else 0.0
    if abs(bend) < 1e-9:
        return mean - reach * error, mean + reach * error

    def bent(quantile: float) -> float:
        return (cbrt(1 + 6 * bend * (quantile - bend)) - 1) / (2 * bend)

    return mean - bent(reach) * error, mean - bent(-reach) * error


def skewness(values: Sequence[float]) -> float:
    """The third moment over the deviation cubed; 0 for equal values."""
    n, mean = len(values), _mean(values)
    squares = sum((value - mean) ** 2 for value in values) / n
    return 0.0 if squares < 1e-12 else sum((value - mean) ** 3 for value in values) / n / squares**1.5
