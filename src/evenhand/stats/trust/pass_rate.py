"""The share of outputs people would pass, from many judged and few labelled ones: PPI++ for verdicts. Pure.

A pass counts 1 and a fail 0, and their mean is estimated as any other, with the slope of people's verdicts on the
judge's. A judge of no use costs nothing; no error rate is divided by.

Close to 0 % and 100 % an interval of plus and minus would leave the scale, so it is Wilson's, for as many labels as
would be as precise without the judge. How much the judge adds is estimated with one more label of each kind
(passed and failed by people and by the judge): with few labels, no error seen does not mean that there is none.

References: Angelopoulos, Duchi, Zrnic, PPI++ (2023); Wilson 1927; Kish 1965 on effective numbers.
"""

from __future__ import annotations

from math import inf, sqrt
from typing import Annotated, NamedTuple

from evenhand.core.published import ALWAYS, SixPlaces
from evenhand.stats.clusters import cluster_count, clustered
from evenhand.stats.trust.estimates import (
    CONFIDENCE,
    Design,
    Ends,
    MeanInterval,
    Sample,
    Weighed,
    effective_labels,
    fewest_labels,
    fitted_slope,
    left_out,
    not_drawn_so,
    satterthwaite,
    shares_of,
    student_quantile,
    too_few,
    weighed,
    write_interval,
)

LONGER = 1.025
"""Wilson's interval holds as often as it says on average over rates, and at some rates less often. So much longer, it
does at every rate that was tried."""


class PassRate(NamedTuple):
    """Shares from 0 to 1."""

    value: SixPlaces
    low: SixPlaces
    high: SixPlaces
    """The interval for these outputs."""
    confidence: Annotated[float, {"places": 17}]
    judge_alone: SixPlaces
    """The share of all items the judge passes, its errors included."""
    sensitivity: Annotated[float | None, {"places": 6}] = None
    """The share of what people pass that the judge passes; None when people passed nothing."""
    specificity: Annotated[float | None, {"places": 6}] = None
    """The share of what people fail that the judge fails; None when people failed nothing."""
    slope: Annotated[SixPlaces, ALWAYS] = 0.0
    """How far a verdict of the judge's moves the rate; 0 where the labels count alone."""
    labels_alone: Annotated[
        tuple[float, float, float], {"shape": MeanInterval, "write": write_interval, "always": True}
    ] = (
        0.0,
        0.0,
        1.0,
    )
    """The share that people passed and its interval, without the judge."""
    beyond: Annotated[Ends, ALWAYS] = (0.0, 1.0)
    """The interval for all outputs there could be like these."""
    clusters: int | None = None
    """How many clusters the labelled items come from, where they belong together."""


def pass_refusal(sample: Sample, design: Design) -> str | None:
    """Why no honest interval can be given, or None."""
    return too_few(design) or not_drawn_so(sample, design, weighed(sample, design))


class _Gain(NamedTuple):
    """What the judge adds, and what labelling part of the outputs adds: shares of the variance of the labels alone."""

    slope: float
    these: float
    """The part of the error that remains for these outputs, by the labels alone."""
    left: float
    """The share that remains where only these outputs count, with or without the judge."""
    beyond: float


def estimate_pass_rate(sample: Sample, design: Design, *, confidence: float = CONFIDENCE) -> PassRate:
    """The rate over all items and its interval. Ask `pass_refusal` first."""
    items = weighed(sample, design)
    gain = _gain(items)
    value = _share(items.corrected(gain.slope))
    worth = _worth_alone(items, design)
    freedom = max(1, int(design.worth) - 2)
    if design.complex:
        units = cluster_count(design.labelled_clusters)
        freedom = min(freedom, satterthwaite(shares_of(items, gain.slope).beyond[:units]))
    reach = student_quantile((1 - confidence) / 2, freedom) * LONGER
    return PassRate(
        value,
        *wilson(value, _over(worth, gain.these * gain.left), reach),
        confidence,
        judge_alone=items.mean_judge,
        sensitivity=_agreed(sample, design, 1.0),
        specificity=_agreed(sample, design, 0.0),
        slope=gain.slope,
        labels_alone=(items.mean_label, *wilson(items.mean_label, _over(worth, gain.left), reach)),
        beyond=wilson(value, _over(worth, gain.beyond), reach),
        clusters=cluster_count(design.labelled_clusters) if clustered(design.clusters) else None,
    )


def labels_for(sample: Sample, design: Design, reach: float, *, confidence: float = CONFIDENCE) -> int | None:
    """How many labels, of the items judged, bring the interval to plus or minus `reach`; None if not even all do.

    Supposes that the rate, the judge's errors and the likeness of clusters stay as they are.
    """
    items = weighed(sample, design)
    gain = _gain(items)
    number, total = len(sample.labels), len(sample.labels) + len(sample.unlabelled)
    per_label = _worth_alone(items, design) / number
    value = _share(items.mean_label)

    def enough(count: int) -> bool:
        quantile = student_quantile((1 - confidence) / 2, count - 2) * LONGER
        low, high = wilson(value, _over(per_label * count, gain.these * (1 - count / total)), quantile)
        return high - low <= 2 * reach

    return fewest_labels(enough, total)


def _over(number: float, part: float) -> float:
    return number / part if part > 1e-9 else inf


def wilson(share: float, number: float, reach: float) -> tuple[float, float]:
    """Wilson's interval for a share; `reach` is the quantile."""
    squared = reach**2 / number
    centre = (share + squared / 2) / (1 + squared)
    half = reach * sqrt(share * (1 - share) / number + squared / (4 * number)) / (1 + squared)
    return min(share, _share(centre - half)), max(share, _share(centre + half))


def _gain(items: Weighed) -> _Gain:
    import numpy as np

    total, mean_weight = len(items.everyone), items.stands_for.mean()
    judged = np.concatenate([items.judged, (0.0, 0.0, 1.0, 1.0)])
    labels = np.concatenate([items.labels, (0.0, 1.0, 0.0, 1.0)])
    weights = np.concatenate([items.stands_for, np.full(4, mean_weight)])
    units = np.concatenate([items.units[: len(items.labels)], total + np.arange(4)])

    def variance(slope: float) -> float:
        shares = weights * left_out(judged, labels, weights, slope) / total
        return float((np.bincount(units, weights=shares) ** 2).sum())

    slope = fitted_slope(judged, labels, weights)
    alone, powered = variance(0.0), variance(slope)
    own = (items.stands_for * (items.labels - items.mean_label)) ** 2
    left = float(own @ items.left / own.sum()) if own.sum() else float(items.left.mean())
    if powered >= alone:
        return _Gain(0.0, 1.0, left, 1.0)
    ratio, shares = powered / alone, shares_of(items.of_many, slope)
    others = max(0.0, float((shares.beyond**2).sum() - (shares.these**2).sum()))
    return _Gain(slope, ratio, left, min(1.0, ratio + others / alone))


def _worth_alone(items: Weighed, design: Design) -> float:
    """How many independent labels the labels are worth: fewer where chances differ or items of a cluster are alike."""
    number = effective_labels(design.chances)
    if not design.complex:
        return number
    rate, variance = items.mean_label, float((shares_of(items, 0.0).beyond ** 2).sum())
    if not 0 < rate < 1 or variance == 0:
        return design.worth
    return min(number, rate * (1 - rate) / variance)


def _agreed(sample: Sample, design: Design, verdict: float) -> float | None:
    """The weighted share of what people give a verdict that the judge gives the same."""
    weights = [
        (1 / chance, judge)
        for judge, people, chance in zip(sample.judged, sample.labels, design.chances, strict=True)
        if people == verdict
    ]
    total = sum(weight for weight, _ in weights)
    return sum(weight for weight, judge in weights if judge == verdict) / total if total else None


def _share(value: float) -> float:
    return min(1.0, max(0.0, value))
