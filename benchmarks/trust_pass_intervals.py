"""Pass rates of many simulated samples at once, with NumPy: what `estimate_pass_rate` computes one by one.

`trust_unequal.py` checks some samples of every cell against that function.
"""

from __future__ import annotations

from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenhand.core.history import two_sided
from evenhand.stats.trust.estimates import CONFIDENCE, NOT_RANDOM, student_quantile
from evenhand.stats.trust.pass_rate import LONGER
from evenhand.stats.trust.weighted_estimates import LEAST_WORTH

Flags = NDArray[np.bool_]


Numbers = NDArray[np.float64]


class Drawn(NamedTuple):
    """Samples, a row each, with a column for each judged output."""

    judge: NDArray[Any]
    people: NDArray[Any]
    chances: Numbers
    taken: Flags
    """Which outputs have a label."""


class PassIntervals(NamedTuple):
    low: Numbers
    high: Numbers
    alone: Numbers
    """How wide the interval from the labels alone is."""
    refused: Flags


def pass_intervals(drawn: Drawn) -> PassIntervals:
    """The interval of each sample, whose chances differ."""
    judge, people, taken = (part.astype(float) for part in (drawn.judge, drawn.people, drawn.taken))
    total, number = judge.shape[1], taken.sum(1)
    weights = taken / drawn.chances
    worth = weights.sum(1) ** 2 / (weights**2).sum(1)
    scales = total * weights / weights.sum(1, keepdims=True)
    mean_judge, mean_label, mean_judged = judge.mean(1), (scales * people).mean(1), (scales * judge).mean(1)
    pulls = scales / (1 - scales / total)
    labels = pulls * (people - mean_label[:, None])
    of_judge = judge - mean_judge[:, None] - pulls * (judge - mean_judged[:, None])

    weight, ratio = _gain(labels, of_judge, total / number, worth)
    value = np.clip(mean_label + weight * (mean_judge - mean_judged), 0, 1)
    spread, variance = mean_label * (1 - mean_label), (labels**2).sum(1) / total**2
    known = (spread > 0) & (variance > 0)
    alone = np.where(known, np.minimum(worth, spread / np.where(known, variance, 1)), worth)

    own = taken * (labels + weight[:, None] * of_judge)
    squares = (own**2).sum(1)
    scatter = (own**4).sum(1) - squares**2 / number
    found = np.where(scatter > 0, np.maximum(2, 2 * squares**2 / np.where(scatter > 0, scatter, 1)), number)
    freedom = np.minimum(worth.astype(int) - 2, found.astype(int))
    quantiles = {int(one): student_quantile((1 - CONFIDENCE) / 2, int(one)) for one in np.unique(freedom)}
    reach = LONGER * np.array([quantiles[int(one)] for one in freedom])
    low, high = _wilson(value, alone / ratio, reach)
    ends = _wilson(mean_label, alone, reach)

    error = np.sqrt((of_judge**2).sum(1)) / total
    apart = np.divide(mean_judged - mean_judge, error, out=np.zeros_like(error), where=error > 1e-9)
    chances = [two_sided(float(far), int(size) - 1) for far, size in zip(apart, worth, strict=True)]
    return PassIntervals(low, high, ends[1] - ends[0], (worth < LEAST_WORTH) | (np.array(chances) < NOT_RANDOM))


def _gain(labels: Numbers, judge: Numbers, scale: Numbers, worth: Numbers) -> tuple[Numbers, Numbers]:
    """The weight of the judge, and the variance with it over that of the labels alone, one label of each kind added."""
    more = [
        (scale * (people - 0.5), (1 - scale) * (verdict - 0.5)) for people, verdict in product((0.0, 1.0), repeat=2)
    ]
    labels = np.column_stack([labels, *(label for label, _ in more)])
    judge = np.column_stack([judge, *(verdict for _, verdict in more)])
    weight = np.clip(-(labels * judge).sum(1) / (judge**2).sum(1), 0, 1)
    ratio = ((labels + weight[:, None] * judge) ** 2).sum(1) / (labels**2).sum(1)
    return weight, np.minimum(1.0, ratio * (worth - 1) / (worth - 2))


def _wilson(share: Numbers, number: Numbers, reach: Numbers) -> tuple[Numbers, Numbers]:
    squared = reach**2 / number
    centre = (share + squared / 2) / (1 + squared)
    half = reach * np.sqrt(share * (1 - share) / number + squared / (4 * number)) / (1 + squared)
    return np.clip(centre - half, 0, 1), np.clip(centre + half, 0, 1)
