"""How often k tries at a case pass: at least one of them (pass@k), and every one (pass^k). Pure.

Of a case with n tries and c passes, a draw of k tries without replacement has a pass with chance 1 - C(n-c,k)/C(n,k),
and passes only with chance C(c,k)/C(n,k). Both are averaged over cases by their weights. The cases are the sample, so
the intervals are those of a mean over cases.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import comb
from typing import NamedTuple

from evenhand.decisions.sets.weighted import by_cluster, others, quantile, standard_error, weighted_mean
from evenhand.decisions.values.decision import CaseDifference, Passes, Share

MOST_TRIES = 10
"""The largest k that is computed."""

_LEVEL = 0.05


class Tries(NamedTuple):
    """The tries at one case."""

    weight: Fraction
    tried: int
    passed: int
    cluster: str = ""


def repeated_passes(cases: Sequence[Tries]) -> tuple[Passes, ...]:
    """Both rates for each k up to the fewest tries of a case; nothing without a case."""
    fewest = min((case.tried for case in cases), default=0)
    return tuple(
        Passes(
            k,
            at_least_one=_share(cases, [1 - _drawn(case.tried - case.passed, case.tried, k) for case in cases]),
            every=_share(cases, [_drawn(case.passed, case.tried, k) for case in cases]),
        )
        for k in range(1, min(fewest, MOST_TRIES) + 1)
    )


def _drawn(of_a_kind: int, tried: int, k: int) -> Fraction:
    """The chance that all of k tries drawn are of a kind."""
    return Fraction(comb(of_a_kind, k), comb(tried, k))


def _share(cases: Sequence[Tries], values: Sequence[Fraction]) -> Share:
    entries = by_cluster(
        [
            CaseDifference("", 100 * value, case.weight, cluster=case.cluster)
            for case, value in zip(cases, values, strict=True)
        ]
    )
    mean = weighted_mean(entries)
    rate = float(mean / 100)
    if len(entries) < 2:
        return Share(rate, None, None)
    error, freedom, _ = standard_error(entries, mean)
    # Where all cases agree they show no scatter; some cases like those that were not drawn may differ all the same.
    reach = quantile(_LEVEL / 2, freedom) * error if error else others(len(entries), _LEVEL)
    return Share(rate, max(0.0, rate - reach), min(1.0, rate + reach))
