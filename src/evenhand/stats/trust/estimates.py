"""The mean people would give, from many judged and few labelled items: prediction-powered inference (PPI++). Pure.

    estimate = mean(label) + slope * (mean(judge, all) - mean(judge, labelled))

The slope is that of the labels on the judge's scores, so it brings them to the labels' scale, whatever theirs is and
also where they fall as people's rise. It is used only where it predicts labels that it was not fitted to better than
their mean does; else the labels count alone. The judge's bias cancels. The labelled items must be a random sample of
all, or have known chances of being labelled; then each counts by one over its chance, of which only the proportions
matter.

There are two intervals. The first is for the mean of *these* outputs, and ends at a point when all of them are
labelled. `beyond` is for all outputs there could be like them; the two differ where a good part of them is labelled.

Every labelled item has a share in the error: its distance from what the others predict, its label left out. The
variance is that of the shares, added up by cluster where items belong together. The interval is Student's, bent by the
skewness of the shares, since scores crowd at the top of a scale.

References: Angelopoulos, Duchi, Zrnic, PPI++ (2023); Zrnic and Candes, Active Statistical Inference (2024); Hajek
1971 on unequal chances; Kish 1965 on effective numbers; Satterthwaite 1946; Cochran 1977 on finite populations;
Willink, A confidence interval and test for the mean of an asymmetric distribution (2005).
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import chain
from math import cbrt, ceil, sqrt
from typing import Annotated, NamedTuple, TypedDict

from evenhand.core.history import two_sided
from evenhand.core.published import SixPlaces
from evenhand.stats.arrays import Array, require_arrays
from evenhand.stats.clusters import Clusters, cluster_count, clustered, too_few_clusters
from evenhand.stats.student import quantile

CONFIDENCE = 0.95

LEAST_LABELS = 30
"""With fewer, the interval holds less often than it says."""

LEAST_WORTH = 80
"""How many labels drawn with equal chances the labels must be worth where chances differ. More than for equal chances:
rare failures with a large weight are missed more easily."""

SHOW_FAILURES = 60
"""With this many labels, failures that matter show among them."""

LABELS_PER_SKEWNESS = 8
"""Labels needed for each unit of squared skewness. Cochran's rule for Student's interval is 25; this one is bent."""

LABELS_PER_WEIGHTED_SKEWNESS = 5
"""The same where chances differ or items belong together. Refusing more would keep the samples in which rare failures
do not show, and their intervals hold less often."""

NOT_RANDOM = 0.001
"""Labelled items whose judge scores differ from the rest by less than this chance are not a random sample: so often are
random ones refused at most."""

_DRAWS = 9_999

student_quantile = lru_cache(maxsize=256)(quantile)


class Interval(TypedDict):
    """The ends of an interval."""

    low: float
    high: float


class MeanInterval(Interval):
    """A mean and its interval."""

    value: float


def write_interval(parts: tuple[float, float, float]) -> MeanInterval:
    """A mean and its interval with six decimals."""
    value, low, high = (round(part, 6) for part in parts)
    return {"value": value, "low": low, "high": high}


def write_ends(parts: tuple[float, float]) -> Interval:
    """The ends of an interval with six decimals."""
    return {"low": round(parts[0], 6), "high": round(parts[1], 6)}


Ends = Annotated[tuple[float, float], {"shape": Interval, "write": write_ends}]


class Estimate(NamedTuple):
    """A mean or a difference of means, in the unit of the labels."""

    value: SixPlaces
    low: SixPlaces
    high: SixPlaces
    """The interval for these outputs; of a difference, `beyond` them."""
    confidence: Annotated[float, {"places": 17}]
    labels: int
    unlabelled: int
    slope: SixPlaces
    """How many points one point of the judge's counts for; 0 where the labels count alone."""
    judge_alone: SixPlaces
    """The mean of the judge's scores over all items, its bias included."""
    labels_alone: Annotated[tuple[float, float, float], {"shape": MeanInterval, "write": write_interval}]
    """The mean of the labels and its interval, without the judge."""
    beyond: Ends
    """The interval for all outputs there could be like these."""
    clusters: int | None = None
    """How many clusters the labelled items come from, where they belong together."""


class Sample(NamedTuple):
    """What is known of one system, or of the differences of two."""

    judged: Sequence[float]
    """The judge's scores of the labelled items."""
    labels: Sequence[float]
    """People's scores of the same items, in the same order."""
    unlabelled: Sequence[float]
    """The judge's scores of the items without a label."""


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


def effective_labels(chances: Sequence[float]) -> float:
    """How many labels drawn with equal chances would be as precise (Kish): all of them when the chances are equal."""
    weights = [1 / chance for chance in chances]
    return sum(weights) ** 2 / sum(weight**2 for weight in weights) if weights else 0.0


class Weighed(NamedTuple):
    """The items as arrays: labelled ones with how many items each stands for, and the judge's scores of all."""

    judged: Array
    labels: Array
    everyone: Array
    stands_for: Array
    """How many items each labelled one stands for; they add up to all items."""
    left: Array
    """The share of the items each stands for that are not itself: 1 - its chance of being labelled."""
    units: Array
    """The number of each item's cluster, labelled ones first."""

    @property
    def of_many(self) -> Weighed:
        """The same items as a sample of endlessly many."""
        return self._replace(left=self.left * 0 + 1)

    @property
    def mean_label(self) -> float:
        """By the labels alone."""
        return float(self.stands_for @ self.labels / len(self.everyone))

    @property
    def mean_judged(self) -> float:
        """The mean over all items, estimated from the judge's scores of the labelled ones."""
        return float(self.stands_for @ self.judged / len(self.everyone))

    @property
    def mean_judge(self) -> float:
        """The mean of the judge's scores of all items."""
        return float(self.everyone.mean())

    def corrected(self, slope: float) -> float:
        """The estimate with this slope."""
        return self.mean_label + slope * (self.mean_judge - self.mean_judged)


def weighed(sample: Sample, design: Design) -> Weighed:
    """A sample as arrays."""
    require_arrays("an estimate")
    import numpy as np

    judged, labels, rest = (np.asarray(values, dtype=float) for values in sample)
    everyone = np.concatenate([judged, rest])
    stands_for = 1 / np.asarray(design.chances, dtype=float)
    stands_for *= len(everyone) / stands_for.sum()
    units = np.arange(len(everyone))
    if clustered(design.clusters):
        number = {name: place for place, name in enumerate(dict.fromkeys(design.clusters or ()))}
        units = np.array([number[name] for name in design.clusters or ()])
    left = np.clip(1 - 1 / np.maximum(stands_for, 1), 0, 1)
    return Weighed(judged, labels, everyone, stands_for, left, units)


def fitted_slope(judged: Array, labels: Array, weights: Array) -> float:
    """The slope of labels on a judge's scores, by weighted least squares; 0 where the scores do not differ."""
    total = weights.sum()
    moves = judged - weights @ judged / total
    spread = weights @ moves**2
    return float(weights @ (moves * (labels - weights @ labels / total)) / spread) if spread > 1e-12 * total else 0.0


def left_out(judged: Array, labels: Array, weights: Array, slope: float) -> Array:
    """How far each label is from what the others predict: its distance from the line, over one minus its leverage.

    Measured from a line that was fitted to it too, a label would seem nearer than the next one will be, the more so the
    fewer labels there are and the more its judge's score stands out.
    """
    total = weights.sum()
    moves = judged - weights @ judged / total
    far = labels - weights @ labels / total - slope * moves
    leverage = weights / total
    if slope:
        leverage = leverage + weights * moves**2 / (weights @ moves**2)
    import numpy as np

    far[np.abs(far) < 1e-9 * max(1.0, float(np.abs(labels).max()))] = 0.0  # what rounding leaves of no distance
    return far / np.maximum(1 - leverage, 1e-9)


class Shares(NamedTuple):
    """The share of each unit, an item or a cluster, in the error of an estimate with its slope."""

    slope: float
    these: Array
    """The part in an estimate for these outputs."""
    bends: Array
    """Their part in its third moment, whose sign turns once more than half of the items are labelled."""
    beyond: Array
    """The part in an estimate for all outputs there could be."""


def shares_of(items: Weighed, slope: float) -> Shares:
    """The shares by unit, those with labels first."""
    import numpy as np

    number = len(items.labels)
    total, count = len(items.everyone), int(items.units.max()) + 1
    own = items.stands_for * left_out(items.judged, items.labels, items.stands_for, slope) / total
    turned = np.cbrt(items.left * (2 * items.left - 1))
    with_all = slope * (items.everyone - items.everyone.mean()) / total
    with_all[:number] += own
    labelled = items.units[:number]
    these, bends = (
        np.bincount(labelled, weights=own * part, minlength=count) for part in (np.sqrt(items.left), turned)
    )
    return Shares(slope, these, bends, np.bincount(items.units, weights=with_all, minlength=count))


def best_shares(items: Weighed) -> tuple[Shares, Shares]:
    """The shares with the judge, where it predicts labels that it has not seen, and by the labels alone."""
    alone = shares_of(items, 0.0)
    slope = fitted_slope(items.judged, items.labels, items.stands_for)
    if not slope:
        return alone, alone
    powered = shares_of(items, slope)
    helps = (powered.these**2).sum() < (alone.these**2).sum() or (powered.beyond**2).sum() < (alone.beyond**2).sum()
    return (powered if helps else alone), alone


def estimate_mean(
    sample: Sample, design: Design | None = None, *, confidence: float = CONFIDENCE, beyond: bool = False
) -> Estimate:
    """The mean people would give. Ask `refusal` first. With `beyond`, the main interval is the one beyond these."""
    design = design or equal_chances(sample)
    items = weighed(sample, design)
    powered, alone = best_shares(items)
    value = items.corrected(powered.slope)
    freedom = _freedom(design, powered)
    tail = student_quantile((1 - confidence) / 2, freedom)
    reached = skewed_interval(value, *_moments(powered.beyond, powered.beyond), tail)
    ends, labels_ends = (
        reached if beyond and part is powered
        else skewed_interval(mean, *_moments(*((part.beyond,) * 2 if beyond else (part.these, part.bends))), tail)
        for mean, part in ((value, powered), (items.mean_label, alone))
    )  # fmt: skip
    return Estimate(
        value=value,
        low=ends[0],
        high=ends[1],
        confidence=confidence,
        labels=len(sample.labels),
        unlabelled=len(sample.unlabelled),
        slope=powered.slope,
        judge_alone=items.mean_judge,
        labels_alone=(items.mean_label, *labels_ends),
        beyond=reached,
        clusters=cluster_count(design.labelled_clusters) if clustered(design.clusters) else None,
    )


def _moments(shares: Array, bends: Array) -> tuple[float, float]:
    return sqrt(float((shares**2).sum())), float((bends**3).sum())


def _freedom(design: Design, shares: Shares) -> int:
    """Degrees of freedom: the mean and the slope are fitted to the labels."""
    freedom = max(1, int(design.worth) - 2)
    if not design.complex:
        return freedom
    return min(freedom, satterthwaite(shares.beyond[: cluster_count(design.labelled_clusters)]))


def satterthwaite(shares: Array | Sequence[float]) -> int:
    """The degrees of freedom of a variance from these shares (Satterthwaite 1946): few when few of them make it up."""
    squares = float(sum(share**2 for share in shares))
    scatter = float(sum(share**4 for share in shares)) - squares**2 / len(shares)
    return len(shares) if scatter <= 1e-12 * squares**2 else max(2, int(2 * squares**2 / scatter))


def labels_for(
    sample: Sample,
    reach: float,
    design: Design | None = None,
    *,
    confidence: float = CONFIDENCE,
    beyond: bool = False,
) -> int | None:
    """How many labels, of the items judged, bring the interval to plus or minus `reach`; None if not even all do.

    Judged by the scatter seen so far; for these outputs, or `beyond` them.
    """
    design = design or equal_chances(sample)
    items = weighed(sample, design)
    powered, _ = best_shares(items)
    number, total = len(items.labels), len(items.everyone)
    far = left_out(items.judged, items.labels, items.stands_for, powered.slope)
    own = shares_of(items.of_many, powered.slope).these
    per_label = float((own**2).sum()) * number if design.complex else float((far**2).sum()) / number

    others = powered.slope**2 * float(items.everyone.var()) / total if beyond else 0.0

    def enough(count: int) -> bool:
        error = sqrt(per_label / count * (1.0 if beyond else 1 - count / total) + others)
        return student_quantile((1 - confidence) / 2, count - 2) * error <= reach

    return fewest_labels(enough, total)


def fewest_labels(enough: Callable[[int], bool], total: int) -> int | None:
    """The fewest labels that are enough, as more of them always are; None if not even all are."""
    if total < LEAST_LABELS or not enough(total):
        return None
    return LEAST_LABELS + bisect_left(range(LEAST_LABELS, total), True, key=enough)


def refusal(sample: Sample, design: Design | None = None) -> str | None:
    """Why no honest interval for a mean can be given, or None."""
    design = design or equal_chances(sample)
    few = too_few(design)
    if few is not None:
        return few
    items = weighed(sample, design)
    needed, worth = labels_for_shape(items, design), int(design.worth)
    if worth < needed:
        if not design.complex:
            return (
                f"the scores are lopsided, as when a few outputs fail badly: with {worth} labels the interval would be "
                f"too narrow; it needs at least {needed}"
            )
        kind = "labels worth" if design.clusters is None else "clusters:"
        return (
            f"the weighted scores are lopsided: with {kind} {worth} the interval would be too narrow; it needs at "
            f"least {needed}"
        )
    return not_drawn_so(sample, design, items)


def too_few(design: Design) -> str | None:
    """Why these labels, clusters and chances allow no interval; None when they do."""
    number, worth = len(design.chances), effective_labels(design.chances)
    if number < LEAST_LABELS:
        return f"{number} labelled items are too few; an interval needs at least {LEAST_LABELS}"
    if len(set(design.chances)) > 1 and worth < LEAST_WORTH:
        return (
            f"{number} labelled items, whose chances of being labelled differ, are worth {int(worth)} drawn with equal "
            f"chances; an interval needs at least {LEAST_WORTH}"
        )
    return too_few_clusters(design.labelled_clusters) if clustered(design.clusters) else None


def labels_for_shape(items: Weighed, design: Design) -> int:
    """How many labels or clusters the skewness asks for, before and after correction by the judge.

    Fewer than `SHOW_FAILURES` labels may miss rare failures altogether, and refusing those that show some would keep
    the samples that do not; then the skewness of the judge's scores decides, of which there are many.
    """
    if not design.complex and len(items.labels) < SHOW_FAILURES and float(items.everyone.var()):
        worst = abs(skewness(items.everyone))
    else:
        units = cluster_count(design.labelled_clusters)
        slopes = (0.0, fitted_slope(items.judged, items.labels, items.stands_for))
        worst = max(abs(skewness(shares_of(items.of_many, slope).these[:units])) for slope in slopes)
    return ceil((LABELS_PER_WEIGHTED_SKEWNESS if design.complex else LABELS_PER_SKEWNESS) * worst**2)


def not_drawn_so(sample: Sample, design: Design, items: Weighed) -> str | None:
    """Why the labelled items cannot have been drawn with these chances, or None."""
    if not design.complex:
        chance = chance_of_split(sample.judged, sample.unlabelled)
        means = f"{items.mean_judged:.2f} against {_mean(sample.unlabelled):.2f}" if sample.unlabelled else ""
        return None if chance >= NOT_RANDOM else (
            f"the labelled items are not a random sample: the judge scores them differently from the rest ({means}, "
            f"chance {chance:.1g}); draw the items to label at random"
        )  # fmt: skip
    shares = shares_of(items._replace(labels=items.judged), 0.0)
    error = sqrt(float((shares.these**2).sum()))
    apart = items.mean_judged - items.mean_judge
    units = cluster_count(design.labelled_clusters)
    freedom = min(max(1, int(design.worth) - 1), satterthwaite(shares.beyond[:units]))
    if error <= 1e-9 or two_sided(apart / error, freedom) >= NOT_RANDOM:
        return None
    return (
        "the labelled items do not fit their chances: weighted by one over them, the judge scores the labelled "
        f"ones {items.mean_judged:.2f} and all {items.mean_judge:.2f}; draw the items to label at random"
    )


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


def skewed_interval(mean: float, error: float, third: float, reach: float) -> tuple[float, float]:
    """Student's interval, bent by the skewness of the mean (Willink 2005): longer where the long tail may hide."""
    bend = third / (6 * error**3) if error > 1e-12 else 0.0
    if abs(bend) < 1e-9:
        return mean - reach * error, mean + reach * error

    def bent(quantile: float) -> float:
        return (cbrt(1 + 6 * bend * (quantile - bend)) - 1) / (2 * bend)

    return mean - bent(reach) * error, mean - bent(-reach) * error


def skewness(values: Array | Sequence[float]) -> float:
    """The third moment over the deviation cubed; 0 for equal values."""
    n, mean = len(values), sum(values) / len(values)
    squares = sum((value - mean) ** 2 for value in values) / n
    if squares <= 1e-12 * max(abs(value) for value in values) ** 2:
        return 0.0
    return float(sum((value - mean) ** 3 for value in values) / n / squares**1.5)
