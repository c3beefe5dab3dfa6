"""From a judge's scores to people's: a curve, its cross-validated error, and an interval for one label. Pure.

The curve is a line by least squares, which never falls and is the nearer to people's mean the less the judge says, or a
monotone regression where that predicts labels better that it was not fitted to. The choice is part of the fit: it is
made anew without each tenth of the labels, so the errors on these are those of the next outputs.

The interval is conformal: these errors are ranked. Of the next outputs of the same kind, the wished share has a
people's score within the ranked error. A curve that is not nearer to people's scores than the judge's own is not used.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from itertools import groupby
from math import ceil, sqrt
from operator import itemgetter

from evenhand.core.calibration import HIGHEST, LOWEST, Knot, at
from evenhand.core.curve import Curve, Method
from evenhand.stats.clusters import Clusters, cluster_folds, clustered


def fit(pairs: Iterable[Knot]) -> tuple[Knot, ...]:
    """The rising curve with the least squared error, as the knots where it bends. Ties count by number."""
    xs: list[float] = []
    blocks: list[tuple[float, int, int]] = []
    for x, group in groupby(sorted(pairs), key=itemgetter(0)):
        ys = [y for _, y in group]
        xs.append(x)
        block = (sum(ys), len(ys), 1)  # the sum, how many labels, how many different judge scores
        while blocks and blocks[-1][0] * block[1] >= block[0] * blocks[-1][1]:
            before = blocks.pop()
            block = (before[0] + block[0], before[1] + block[1], before[2] + block[2])
        blocks.append(block)
    levels = [total / count for total, count, scores in blocks for _ in range(scores)]
    knots = list(zip(xs, levels, strict=True))
    return tuple(
        knot
        for place, knot in enumerate(knots)
        if place in (0, len(knots) - 1) or not knots[place - 1][1] == knot[1] == knots[place + 1][1]
    )


MONOTONE_FROM = 40
"""With fewer labels no monotone curve is tried: a dozen bends fitted to two dozen labels follow their noise."""

FOLDS = 10
CONFIDENCE = 0.95


def labels_needed(confidence: float = CONFIDENCE) -> int:
    """The fewest labels with which an interval of this confidence exists."""
    return ceil(confidence / (1 - confidence) - 1e-9)


def calibrate(pairs: Sequence[Knot], *, confidence: float = CONFIDENCE, clusters: Clusters | None = None) -> Curve:
    """A curve from pairs of a judge's and people's scores; there must be at least `labels_needed`.

    With `clusters`, one for each pair, whole clusters are left out in turn: runs of one case must not predict each
    other.
    """
    places = sorted(range(len(pairs)), key=pairs.__getitem__)
    ordered = [pairs[place] for place in places]
    belonging = [clusters[place] for place in places] if clustered(clusters) and clusters is not None else None
    method, knots = _best_fit(ordered, belonging)
    errors = sorted(_held_out(ordered, lambda rest, theirs: _best_fit(rest, theirs)[1], belonging))
    constant = _held_out(ordered, lambda rest, _: _middle(rest), belonging)
    rank = ceil((len(errors) + 1) * confidence - 1e-9)
    return Curve(
        method=method,
        knots=knots,
        low=ordered[0][0],
        high=ordered[-1][0],
        labels=len(ordered),
        bias=sum(x - y for x, y in ordered) / len(ordered),
        raw_error=sum(abs(x - y) for x, y in ordered) / len(ordered),
        error=sum(errors) / len(errors),
        reach=errors[rank - 1],
        confidence=confidence,
        constant_error=sum(constant) / len(constant),
        agreement=rank_correlation(pairs),
    )


def uselessness(curve: Curve) -> str | None:
    """Why a curve says nothing of people's scores, or None: one score for everything is as near."""
    if curve.error >= curve.constant_error:
        return (
            f"its calibrated scores are off by {curve.error:.2f} on labels they were not fitted to, and one score for "
            f"every output by {curve.constant_error:.2f}"
        )
    return None


def needlessness(curve: Curve) -> str | None:
    """Why the judge's own scores are the better ones, or None."""
    if curve.error >= curve.raw_error:
        return (
            f"its scores as they are lie {curve.raw_error:.2f} from people's, and calibrated ones {curve.error:.2f} on "
            "labels they were not fitted to: use them as they are"
        )
    return None


def rank_correlation(pairs: Sequence[Knot]) -> float | None:
    """Spearman's; None where all values of a side are equal."""
    first, second = (_ranks([pair[side] for pair in pairs]) for side in (0, 1))
    mean = (len(pairs) + 1) / 2
    spreads = [sum((rank - mean) ** 2 for rank in ranks) for ranks in (first, second)]
    if 0 in spreads:
        return None
    return sum((x - mean) * (y - mean) for x, y in zip(first, second, strict=True)) / sqrt(spreads[0] * spreads[1])


def _ranks(values: Sequence[float]) -> list[float]:
    """The place of each value, lowest first, from 1; equal values share the mean of their places."""
    ordered = sorted(values)
    return [(bisect_left(ordered, value) + bisect_right(ordered, value) + 1) / 2 for value in values]


Fit = Callable[[Sequence[Knot], Clusters | None], tuple[Knot, ...]]
"""A curve from pairs in order, and the cluster of each where they belong together."""


def _held_out(ordered: Sequence[Knot], fitted: Fit, clusters: Clusters | None) -> list[float]:
    """How far each label is from a curve fitted without its fold; folds take turns along the scores."""
    number = min(FOLDS, len(ordered))
    folds = [place % number for place in range(len(ordered))]
    if clusters is not None:
        folds = cluster_folds(clusters, FOLDS)
    errors = []
    for fold in sorted(set(folds)):
        kept = [place for place, its_fold in enumerate(folds) if its_fold != fold]
        theirs = None if clusters is None else [clusters[place] for place in kept]
        curve = fitted([ordered[place] for place in kept], theirs)
        held = [pair for pair, its_fold in zip(ordered, folds, strict=True) if its_fold == fold]
        errors += [abs(y - _on_scale(at(curve, x))) for x, y in held]
    return errors


def _best_fit(ordered: Sequence[Knot], clusters: Clusters | None) -> tuple[Method, tuple[Knot, ...]]:
    """The line, or the monotone curve where that is nearer to labels it was not fitted to."""
    if len(ordered) < MONOTONE_FROM:
        return "line", line(ordered)
    rising = sum(_held_out(ordered, lambda rest, _: fit(rest), clusters))
    straight = sum(_held_out(ordered, lambda rest, _: line(rest), clusters))
    return ("monotone", fit(ordered)) if rising < straight else ("line", line(ordered))


def _middle(pairs: Sequence[Knot]) -> tuple[Knot, ...]:
    """The same score for every output: the one with the least absolute error."""
    from statistics import median  # costs start-up time

    return ((LOWEST, median(y for _, y in pairs)),)


def line(pairs: Sequence[Knot]) -> tuple[Knot, ...]:
    """The line with the least squared error that does not fall."""
    n = len(pairs)
    middle, level = sum(x for x, _ in pairs) / n, sum(y for _, y in pairs) / n
    spread = sum((x - middle) ** 2 for x, _ in pairs)
    slope = max(0.0, sum((x - middle) * (y - level) for x, y in pairs) / spread) if spread > 1e-9 else 0.0
    return tuple((end, level + slope * (end - middle)) for end in (LOWEST, HIGHEST))


def _on_scale(score: float) -> float:
    return min(HIGHEST, max(LOWEST, score))
