"""The mean people would give, when labelled items had different chances of being labelled, or belong to clusters. Pure.

    estimate = weight * mean(judge, all) + mean(label - weight * judge, labelled, each by 1 / its chance)

Prediction-powered inference with inverse-probability weights (Hajek 1971; Zrnic and Candes, Active Statistical
Inference, 2024). Only the proportions of the chances count, so it does not matter that people labelled only the
first part of what was drawn, in random order. Every item must have had some chance.

Every item has a share in the error of the estimate. The variance is that of the shares, added up by cluster where items
belong together. The interval is Student's, bent by the skewness, as for equal chances. Its size is that of the labels'
effective number (Kish 1965): 100 labels of which ten carry most of the weight are worth little more than ten.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, sqrt
from typing import NamedTuple

from evenhand.core.history import two_sided
from evenhand.stats.clusters import Clusters, cluster_count, cluster_sums, clustered, too_few_clusters
from evenhand.stats.trust.estimates import (
    CONFIDENCE,
    LEAST_LABELS,
    NOT_RANDOM,
    Estimate,
    Sample,
    chance_of_split,
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


class Design(NamedTuple):
    """How labelled items were drawn, and which items belong together."""

    chances: Sequence[float]
    """The chance of each labelled item to be labelled; only their proportions count."""
    clusters: Clusters | None = None
    """The cluster of each item, labelled ones first; None where items are independent."""

    @property
    def labelled_clusters(self) -> Clusters:
        """The clusters of the labelled items; each is its own where they are independent."""
        return range(len(self.chances)) if self.clusters is None else self.clusters[: len(self.chances)]

    @property
    def worth(self) -> float:
        """How many independent labels, drawn with equal chances, the labels count for at most."""
        worth = effective_labels(self.chances)
        return min(worth, cluster_count(self.labelled_clusters)) if clustered(self.clusters) else worth

    @property
    def complex(self) -> bool:
        """Whether chances differ or items belong together, so that variances must be taken from their shares."""
        return len(set(self.chances)) > 1 or clustered(self.clusters)


def equal_chances(sample: Sample, clusters: Clusters | None = None) -> Design:
    """The design of a simple random sample."""
    return Design([1.0] * len(sample.labels), clusters)


class Shares(NamedTuple):
    """The share of each unit, an item or a cluster, in the error of the estimate: `labels + weight * judge`."""

    labels: list[float]
    judge: list[float]
    units: int
    """How many of them have labels; they come first."""
    mean_label: float
    """Of all items, by the labels alone."""
    mean_judged: float
    """Of all items, by the judge's scores of the labelled ones."""
    mean_judge: float
    """Of all items, by the judge's scores of all."""

    def at(self, weight: float) -> list[float]:
        """The shares when the judge has this weight."""
        return [label + weight * judge for label, judge in zip(self.labels, self.judge, strict=True)]


def estimate_weighted(sample: Sample, design: Design, *, confidence: float = CONFIDENCE) -> Estimate:
    """The mean people would give over all items. Ask `weighted_refusal` first."""
    shares = shares_of(sample, design)
    weight = best_weight(shares.labels, shares.judge)
    value = shares.mean_label + weight * (shares.mean_judge - shares.mean_judged)
    total = len(sample.labels) + len(sample.unlabelled)
    low, high = _interval(value, shares.at(weight), total, design.worth, shares.units, confidence)
    alone = _interval(shares.mean_label, shares.at(0.0), total, design.worth, shares.units, confidence)
    return Estimate(
        value=value,
        low=low,
        high=high,
        confidence=confidence,
        labels=len(sample.labels),
        unlabelled=len(sample.unlabelled),
        weight=weight,
        judge_alone=shares.mean_judge,
        labels_alone=(shares.mean_label, *alone),
        clusters=cluster_count(design.labelled_clusters) if clustered(design.clusters) else None,
    )


def effective_labels(chances: Sequence[float]) -> float:
    """How many labels drawn with equal chances would be as precise (Kish): all of them when the chances are equal."""
    weights = [1 / chance for chance in chances]
    return sum(weights) ** 2 / sum(weight**2 for weight in weights) if weights else 0.0


def weighted_refusal(sample: Sample, design: Design) -> str | None:
    """Why no honest interval can be given, or None."""
    few = too_few(design)
    if few is not None:
        return few
    shares = shares_of(sample, design)
    needed, worth = _for_shape(shares), int(design.worth)
    if worth < needed:
        kind = "labels worth" if design.clusters is None else "clusters:"
        return (
            f"the weighted scores are lopsided: with {kind} {worth} the interval would be too narrow; it needs at "
            f"least {needed}"
        )
    return misfit_of_chances(sample, design, shares)


def too_few(design: Design) -> str | None:
    """Why so many labels, of so many clusters and such chances, allow no interval; None when they do."""
    number, worth = len(design.chances), effective_labels(design.chances)
    if number < LEAST_LABELS:
        return f"{number} labelled items are too few; an interval needs at least {LEAST_LABELS}"
    if len(set(design.chances)) > 1 and worth < LEAST_WORTH:
        return (
            f"{number} labelled items, whose chances of being labelled differ, are worth {int(worth)} drawn with equal "
            f"chances; an interval needs at least {LEAST_WORTH}"
        )
    return too_few_clusters(design.labelled_clusters) if clustered(design.clusters) else None


def misfit_of_chances(sample: Sample, design: Design, shares: Shares) -> str | None:
    """Why the labelled items cannot have been drawn with these chances, or None."""
    if design.complex:
        total = len(sample.labels) + len(sample.unlabelled)
        error = sqrt(sum(share**2 for share in shares.judge)) / total
        apart = shares.mean_judged - shares.mean_judge
        freedom = min(int(design.worth) - 1, satterthwaite(shares.judge[: shares.units]))
        chance = two_sided(apart / error, freedom) if error > 1e-9 else 1.0
    else:
        chance = chance_of_split(sample.judged, sample.unlabelled)
    if chance < NOT_RANDOM:
        return (
            "the labelled items do not fit their chances: weighted by one over them, the judge scores the labelled "
            f"ones {shares.mean_judged:.2f} and all {shares.mean_judge:.2f}; draw the items to label at random"
        )
    return None


def _for_shape(shares: Shares) -> int:
    """How many labels or clusters the skewness asks for, before and after correction by the judge."""
    weights = (0.0, best_weight(shares.labels, shares.judge))
    worst = max(abs(skewness(shares.at(weight)[: shares.units])) for weight in weights)
    return ceil(LABELS_PER_WEIGHTED_SKEWNESS * worst**2)


def shares_of(sample: Sample, design: Design) -> Shares:
    """The shares by item or cluster; items with labels come first."""
    judged, labels, unlabelled = sample
    everyone = [*judged, *unlabelled]
    total = sum(1 / chance for chance in design.chances)
    scales = [len(everyone) / (chance * total) for chance in design.chances]
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
    by_label, by_judge = (cluster_sums(values, design.clusters) for values in ([*of_labels, *rest], of_judge))
    units = cluster_count(design.labelled_clusters)
    return Shares(by_label, by_judge, units, mean_label, mean_judged, mean_judge)


def best_weight(labels: Sequence[float], judge: Sequence[float]) -> float:
    """The weight with the smallest variance, kept between 0 and 1."""
    spread = sum(share**2 for share in judge)
    if spread == 0:
        return 0.0
    together = sum(label * share for label, share in zip(labels, judge, strict=True))
    return min(1.0, max(0.0, -together / spread))


def _interval(
    value: float, shares: Sequence[float], total: int, worth: float, units: int, confidence: float
) -> tuple[float, float]:
    # The weight is fitted to the same labels, so it costs a degree of freedom as a slope does.
    error = sqrt(sum(share**2 for share in shares) * worth / (worth - 2)) / total
    third = sum(share**3 for share in shares) / total**3
    freedom = min(int(worth) - 2, satterthwaite(shares[:units]))
    return skewed_interval(value, error, third, student_quantile((1 - confidence) / 2, freedom))


def satterthwaite(shares: Sequence[float]) -> int:
    """The degrees of freedom of a variance from these shares (Satterthwaite 1946): few when few of them make it up."""
    squares = sum(share**2 for share in shares)
    scatter = sum(share**4 for share in shares) - squares**2 / len(shares)
    return len(shares) if scatter <= 0 else max(2, int(2 * squares**2 / scatter))
