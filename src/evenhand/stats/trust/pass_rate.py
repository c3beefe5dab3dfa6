"""The share of outputs people would pass, from many judged and few labelled ones: PPI++ for verdicts. Pure.

A pass counts 1 and a fail 0, and their mean is estimated as any other, prediction-powered, with the weight that makes
it most precise. A judge of no use gets the weight 0 and costs nothing; no error rate is divided by.

Close to 0 % and 100 % an interval of plus and minus would leave the scale, so it is Wilson's, for as many labels as
would be as precise without the judge. How much the judge adds is estimated with one more label of each kind
(passed and failed by people and by the judge): with few labels, no error seen does not mean that there is none.

References: Angelopoulos, Duchi, Zrnic, PPI++ (2023); Wilson 1927; Kish 1965 on effective numbers.
"""

from __future__ import annotations

from itertools import product
from math import sqrt
from typing import Annotated, NamedTuple

from evenhand.files.published import Json, SixPlaces, Weight
from evenhand.stats.clusters import cluster_count, clustered
from evenhand.stats.trust.estimates import (
    CONFIDENCE,
    MeanInterval,
    Sample,
    fewest_labels,
    student_quantile,
    write_interval,
)
from evenhand.stats.trust.weighted_estimates import (
    Design,
    Shares,
    best_weight,
    effective_labels,
    misfit_of_chances,
    satterthwaite,
    shares_of,
    too_few,
)

LONGER = 1.025
"""Wilson's interval holds as often as it says on average over rates, and at some rates less often. So much longer, it
does at every rate that was tried."""


class PassRate(NamedTuple):
    """Shares from 0 to 1."""

    value: SixPlaces
    low: SixPlaces
    high: SixPlaces
    confidence: Annotated[float, Json(places=17)]
    judge_alone: SixPlaces
    """The share of all items the judge passes, its errors included."""
    sensitivity: Annotated[float | None, Json(optional=True, places=6, shape=float)] = None
    """The share of what people pass that the judge passes; None when people passed nothing."""
    specificity: Annotated[float | None, Json(optional=True, places=6, shape=float)] = None
    """The share of what people fail that the judge fails; None when people failed nothing."""
    weight: Annotated[float, Json(places=6, shape=Weight)] = 0.0
    """How far the judge's verdicts are relied on, from 0 to 1."""
    labels_alone: Annotated[tuple[float, float, float], Json(shape=MeanInterval, write=write_interval)] = (
        0.0,
        0.0,
        1.0,
    )
    """The share that people passed and its interval, without the judge."""
    clusters: Annotated[int | None, Json(optional=True)] = None
    """How many clusters the labelled items come from, where they belong together."""


def pass_refusal(sample: Sample, design: Design) -> str | None:
    """Why no honest interval can be given, or None."""
    few = too_few(design)
    return few or misfit_of_chances(sample, design, shares_of(sample, design))


def estimate_pass_rate(sample: Sample, design: Design, *, confidence: float = CONFIDENCE) -> PassRate:
    """The rate over all items and its interval. Ask `pass_refusal` first."""
    shares = shares_of(sample, design)
    weight, ratio = _gain(sample, design, shares)
    value = _share(shares.mean_label + weight * (shares.mean_judge - shares.mean_judged))
    worth = _worth_alone(sample, design, shares)
    freedom = int(design.worth) - 2
    if design.complex:
        freedom = min(freedom, satterthwaite(shares.at(weight)[: shares.units]))
    reach = _quantile(confidence, freedom)
    return PassRate(
        value,
        *wilson(value, worth / ratio, reach),
        confidence,
        judge_alone=shares.mean_judge,
        sensitivity=_agreed(sample, design, 1.0),
        specificity=_agreed(sample, design, 0.0),
        weight=weight,
        labels_alone=(shares.mean_label, *wilson(shares.mean_label, worth, reach)),
        clusters=cluster_count(design.labelled_clusters) if clustered(design.clusters) else None,
    )


def labels_for(sample: Sample, design: Design, reach: float, *, confidence: float = CONFIDENCE) -> int | None:
    """How many labels, of the items judged, bring the interval to plus or minus `reach`; None if not even all do.

    Supposes that the rate, the judge's errors and the likeness of clusters stay as they are.
    """
    shares = shares_of(sample, design)
    _, ratio = _gain(sample, design, shares)
    number, total = len(sample.labels), len(sample.labels) + len(sample.unlabelled)
    per_label = _worth_alone(sample, design, shares) / number
    # Of the variance that labels alone would leave, the judge takes the part that it explains, as far as it is judged.
    explained = (1 - ratio) * total / (total - number) if total > number else 0.0
    value = _share(shares.mean_label)

    def enough(count: int) -> bool:
        left = max(1e-9, 1 - explained * (1 - count / total))
        low, high = wilson(value, per_label * count / left, _quantile(confidence, count - 2))
        return high - low <= 2 * reach

    return fewest_labels(enough, total)


def _quantile(confidence: float, freedom: int) -> float:
    return LONGER * student_quantile((1 - confidence) / 2, freedom)


def wilson(share: float, number: float, reach: float) -> tuple[float, float]:
    """Wilson's interval of a share among so many; `reach` is the quantile."""
    squared = reach**2 / number
    centre = (share + squared / 2) / (1 + squared)
    half = reach * sqrt(share * (1 - share) / number + squared / (4 * number)) / (1 + squared)
    return _share(centre - half), _share(centre + half)


def _gain(sample: Sample, design: Design, shares: Shares) -> tuple[float, float]:
    """The weight of the judge, and the variance with it over that of the labels alone: at most 1."""
    if not sample.unlabelled:
        return 0.0, 1.0
    total = len(sample.labels) + len(sample.unlabelled)
    scale = total / len(sample.labels)
    labels, judge = [*shares.labels], [*shares.judge]
    for people, verdict in product((0.0, 1.0), repeat=2):
        labels.append(scale * (people - 0.5))
        judge.append((1 - scale) * (verdict - 0.5))
    weight = best_weight(labels, judge)
    alone = sum(share**2 for share in labels)
    together = sum((label + weight * share) ** 2 for label, share in zip(labels, judge, strict=True))
    worth = design.worth
    return weight, min(1.0, together / alone * (worth - 1) / (worth - 2))


def _worth_alone(sample: Sample, design: Design, shares: Shares) -> float:
    """How many independent labels the labels are worth: fewer where chances differ or items of a cluster are alike."""
    number = effective_labels(design.chances)
    if not design.complex:
        return number
    rate, total = shares.mean_label, len(sample.labels) + len(sample.unlabelled)
    variance = sum(share**2 for share in shares.labels) / total**2
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
