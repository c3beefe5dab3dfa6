"""From a judge's scores to people's: a curve, its cross-validated error, and an interval for one label. Pure.

With `MONOTONE_FROM` labels or more the curve is a monotone regression. With fewer, every score is moved by the
same amount: a curve with a dozen bends fitted to two dozen labels follows their noise (`benchmarks/trust.py` shows
the error of both by number of labels).

The interval is conformal: the curve is fitted without a tenth of the labels at a time, and its errors on those are
ranked. Of the next outputs of the same kind, the wished share has a people's score within the ranked error.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from math import ceil, sqrt

from evenhand.core.calibration import HIGHEST, LOWEST, Knot, at
from evenhand.core.values import Curve, Method
from evenhand.stats.clusters import Clusters, cluster_folds, clustered
from evenhand.stats.isotonic import fit

MONOTONE_FROM = 40
"""From this many labels on, a monotone curve; with fewer, a shift."""

FOLDS = 10
CONFIDENCE = 0.95


def labels_needed(confidence: float = CONFIDENCE) -> int:
    """The fewest labels with which an interval of this confidence exists."""
    return ceil(confidence / (1 - confidence) - 1e-9)


def calibrate(
    pairs: Sequence[Knot],
    *,
    confidence: float = CONFIDENCE,
    method: Method | None = None,
    clusters: Clusters | None = None,
) -> Curve:
    """A curve from pairs of a judge's and people's scores; there must be at least `labels_needed`.

    With `clusters`, one for each pair, whole clusters are left out in turn: runs of one case must not predict each
    other.
    """
    chosen: Method = method or ("monotone" if len(pairs) >= MONOTONE_FROM else "shift")
    places = sorted(range(len(pairs)), key=pairs.__getitem__)
    ordered = [pairs[place] for place in places]
    number = min(FOLDS, len(ordered))
    folds = [place % number for place in range(len(ordered))]
    if clustered(clusters) and clusters is not None:
        folds = cluster_folds([clusters[place] for place in places], FOLDS)
    errors = sorted(held_out_errors(ordered, FITS[chosen], folds))
    constant = held_out_errors(ordered, _middle, folds)
    rank = ceil((len(errors) + 1) * confidence - 1e-9)
    return Curve(
        method=chosen,
        knots=FITS[chosen](ordered),
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


def held_out_errors(
    ordered: Sequence[Knot],
    fitted: Callable[[Sequence[Knot]], tuple[Knot, ...]],
    folds: Sequence[int] | None = None,
) -> list[float]:
    """How far each label is from a curve fitted without its fold; by default those take turns along the scores."""
    if folds is None:
        number = min(FOLDS, len(ordered))
        folds = [place % number for place in range(len(ordered))]
    errors = []
    for fold in sorted(set(folds)):
        curve = fitted([pair for pair, pair_fold in zip(ordered, folds, strict=True) if pair_fold != fold])
        held = [pair for pair, pair_fold in zip(ordered, folds, strict=True) if pair_fold == fold]
        errors += [abs(y - _on_scale(at(curve, x))) for x, y in held]
    return errors


def _middle(pairs: Sequence[Knot]) -> tuple[Knot, ...]:
    """The same score for every output: the one with the least absolute error."""
    from statistics import median  # costs start-up time

    return ((LOWEST, median(y for _, y in pairs)),)


def shift(pairs: Sequence[Knot]) -> tuple[Knot, ...]:
    """Every score moved by the mean difference between people and judge."""
    moved = sum(y - x for x, y in pairs) / len(pairs)
    return ((LOWEST, LOWEST + moved), (HIGHEST, HIGHEST + moved))


FITS: dict[Method, Callable[[Sequence[Knot]], tuple[Knot, ...]]] = {"shift": shift, "monotone": fit}


def _on_scale(score: float) -> float:
    return min(HIGHEST, max(LOWEST, score))
