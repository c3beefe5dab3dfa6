"""Two sets of final scores against each other: is the difference real? Pure; resampling is seeded.

Scores are whole hundredths. Pairs are compared as the cases of a suite are, by `core.history.case_verdicts`; sets that
cannot be paired by `core.history.unpaired`. The exact sign-flip test is for others to use: of all ways to swap the two
members of each pair, how many give a mean difference at least as large? (Where these are too many to count, a seeded
sample.)
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import comb, lcm, pi, sqrt
from random import Random
from typing import Annotated, Literal, NamedTuple

from evenhand.core.history import two_sided
from evenhand.decisions.sets.case_verdicts import RELEVANT, compare_within, verdict_on
from evenhand.decisions.sets.unpaired import higher, is_mean_claimed
from evenhand.decisions.sets.weighted import by_cluster
from evenhand.decisions.values.decision import CaseDifference, Claim, Difference, Verdict
from evenhand.files.published import Json, SixPlaces, Weight
from evenhand.stats.sign_test import POWER
from evenhand.stats.student import quantile

MOST_SUMS = 200_000
"""The most different sums the exact test counts; all of 29 pairs of scores in hundredths have at most 52,201."""

ASSIGNMENTS = 20_000
"""How many sign assignments are drawn when there are more sums than that; at p = 0.05 they are off by 0.0015."""

CONFIDENCE = 0.95

RESAMPLES = 2000

RANK_REACH = sqrt(pi / 3)
"""A test of single scores detects normal differences so many times larger than one of the mean does."""


class PairedComparison(NamedTuple):
    """B minus A, in points."""

    pairs: int
    """How many; 0 when the sets could not be paired."""
    mean: SixPlaces
    deviation: SixPlaces | None
    low: SixPlaces | None
    """The confidence interval of what is claimed: of the mean difference, or of the typical difference of pairs that
    differ; None with too few pairs."""
    high: SixPlaces | None
    p_value: Annotated[float | None, Json(places=6, shape=Weight)]
    test: Literal["sign", "sign-and-t", "t", "welch", "brunner-munzel", "none"]
    """ "sign" (exact) where cases are counted, "t" for the mean, "sign-and-t" where chance may have made differences
    skewed (the larger p-value of both counts); where nothing could be paired "welch" for the mean, "brunner-munzel" for
    single scores; "none" with too few."""
    detectable: SixPlaces | None
    """The smallest mean difference this many pairs would detect four times in five; None when unknown."""
    stability: Annotated[float, Json(places=6, shape=Weight)]
    """The share of resamples in which the better set stays the better."""
    verdict: Verdict = "undecided"
    """Of B: better, worse, no difference shown, or undecided."""
    claim: Claim | Literal["scores"] | None = None
    """Whether the verdict counts cases, or is about the mean, or, where nothing could be paired, about whether a score
    of B is higher than one of A; None with fewer than two."""
    better: int = 0
    worse: int = 0
    """In how many pairs B is better, and in how many worse; where nothing could be paired, of all pairs of a score of B
    and one of A."""
    typical: SixPlaces | None = None
    """The median difference of the pairs that differ; None when none does."""
    clusters: Annotated[int | None, Json(optional=True)] = None
    """How many clusters the pairs belong to, where some belong together; a cluster then counts as one."""

    @property
    def shown(self) -> bool:
        """Whether B is better or worse."""
        return self.verdict in ("better", "worse")


def compare_pairs(
    differences: Sequence[Fraction], *, clusters: Sequence[str] | None = None, seed: int = 0
) -> PairedComparison:
    """Compare paired scores by their differences in hundredths, B minus A; those of a cluster count as one."""
    n = len(differences)
    mean = float(sum(differences) / n) / 100
    names = [""] * n if clusters is None else clusters
    cases = [
        CaseDifference("", *both) for both in zip(differences, [Fraction(1)] * n, [Fraction(0)] * n, names, strict=True)
    ]
    units = by_cluster(cases)
    count = None if len(units) == n else len(units)
    if len(units) < 2:
        return PairedComparison(n, mean, None, None, None, None, "none", None, 1.0, clusters=count)
    result = compare_within(cases, "final score", 1 - CONFIDENCE)
    return PairedComparison(
        pairs=n,
        mean=mean,
        deviation=_deviation([unit.value for unit in units]),
        low=result.low,
        high=result.high,
        p_value=result.p_value,
        test="t" if result.claim == "mean" else "sign-and-t" if result.test == "sign-and-t" else "sign",
        detectable=result.detectable,
        stability=_stability([unit.value * unit.weight for unit in units], seed),
        verdict=verdict_on(result, result.p_value, 1 - CONFIDENCE, RELEVANT["final score"]),
        claim=result.claim,
        better=result.better,
        worse=result.worse,
        typical=result.typical,
        clusters=count,
    )


def detectable(deviation: float, n: int, level: float) -> float:
    """The smallest mean difference that a test at this one-sided level shows with the usual power."""
    return (quantile(level, n - 1) + quantile(1 - POWER, n - 1)) * deviation / sqrt(n)


def sign_flip(differences: Sequence[Fraction], *, one_sided: bool = False) -> float:
    """The share of all sign assignments whose sum is at least as extreme; one-sided: at least as low.

    Exact, by counting how often each sum is reached. Means over unequal numbers of repeats have so many different
    sums that they cannot all be counted; then a seeded sample of assignments, including the observed one, is used.
    """
    scale = lcm(*(difference.denominator for difference in differences))
    whole = [int(difference * scale) for difference in differences]
    observed = sum(whole)
    counts = {0: 1}
    for value in whole:
        counts = _one_more(counts, value)
        if len(counts) > MOST_SUMS:
            return _sampled(whole, observed, one_sided)
    if one_sided:
        extreme = sum(ways for total, ways in counts.items() if total <= observed)
    else:
        extreme = sum(ways for total, ways in counts.items() if abs(total) >= abs(observed))
    return float(Fraction(extreme, 2 ** len(whole)))


def _one_more(counts: dict[int, int], value: int) -> dict[int, int]:
    """How often each sum is reached with one more value of either sign."""
    following: dict[int, int] = {}
    for total, ways in counts.items():
        for reached in (total + value, total - value):
            following[reached] = following.get(reached, 0) + ways
    return following


def _sampled(whole: Sequence[int], observed: int, one_sided: bool) -> float:
    """That share among random sign assignments, including the observed one, so that it is never zero."""
    draw = Random(0)
    total, extreme = sum(whole), 1
    for _ in range(ASSIGNMENTS):
        signs = draw.getrandbits(len(whole))
        flipped = total - 2 * sum(value for place, value in enumerate(whole) if signs >> place & 1)
        extreme += flipped <= observed if one_sided else abs(flipped) >= abs(observed)
    return extreme / (ASSIGNMENTS + 1)


def compare_unpaired(first: Sequence[float], second: Sequence[float], *, seed: int = 0) -> PairedComparison:
    """Compare two sets that cannot be paired: their means, or how often a score of one is higher than one of the other.

    It takes more evaluations for the same power.
    """
    sizes = len(first), len(second)
    means = sum(first) / sizes[0] / 100, sum(second) / sizes[1] / 100
    mean = means[1] - means[0]
    if min(sizes) < 2:
        return PairedComparison(0, mean, None, None, None, None, "none", None, 1.0)
    level = 1 - CONFIDENCE
    parts = [_variance(values) / len(values) for values in (first, second)]
    error = sqrt(sum(parts))
    # Never below 1, since a set has at least two scores: one whose equal scores add nothing leaves n - 1 of the other.
    freedom = (
        int(sum(parts) ** 2 / sum(part**2 / (n - 1) for part, n in zip(parts, sizes, strict=True))) if error else 1
    )
    least = (quantile(level / 2, freedom) + quantile(1 - POWER, freedom)) * error
    if is_mean_claimed(first, second, freedom):
        reach = quantile(level / 2, freedom) * error
        p_value = two_sided(mean / error, freedom)
        result = Difference(0, mean, mean - reach, mean + reach, p_value, "t", least, claim="mean")
        result = result._replace(mean_low=result.low, mean_high=result.high)
        claim: Literal["mean", "scores"] = "mean"
    else:
        found = higher(first, second)
        # No division of the scores is rarer than one with every score of a set above the other.
        can_show = bool(error) and 2 / comb(sum(sizes), sizes[0]) <= level
        reach = RANK_REACH * least
        result = Difference(0, mean, None, None, found.p_value, "none", reach if can_show else None, claim="cases")
        result = result._replace(better=found.better, worse=found.worse, mean_low=mean - reach, mean_high=mean + reach)
        claim = "scores"
    draw = Random(seed)
    ahead = sum(
        (_mean(draw.choices(second, k=sizes[1])) > _mean(draw.choices(first, k=sizes[0]))) == (mean > 0)
        for _ in range(RESAMPLES)
    )
    return PairedComparison(
        pairs=0,
        mean=mean,
        deviation=None,
        low=result.low,
        high=result.high,
        p_value=result.p_value,
        test="welch" if claim == "mean" else "brunner-munzel",
        detectable=result.detectable,
        stability=ahead / RESAMPLES,
        verdict=verdict_on(result, result.p_value, level, RELEVANT["final score"]),
        claim=claim,
        better=result.better,
        worse=result.worse,
    )


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _variance(values: Sequence[float]) -> float:
    """In points squared."""
    mean = _mean(values)
    return sum((value - mean) ** 2 for value in values) / (len(values) - 1) / 10_000


def _deviation(differences: Sequence[Fraction]) -> float:
    n = len(differences)
    mean = sum(differences) / n
    return sqrt(float(sum((difference - mean) ** 2 for difference in differences) / (n - 1))) / 100


def _stability(differences: Sequence[Fraction], seed: int) -> float:
    draw = Random(seed)
    total = sum(differences)
    if total == 0:
        return 0.5
    rises, values = total > 0, [float(difference) for difference in differences]
    better = sum((sum(draw.choices(values, k=len(values))) > 0) == rises for _ in range(RESAMPLES))
    return better / RESAMPLES
