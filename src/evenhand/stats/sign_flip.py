"""How many of all ways to swap the two sides of each pair move the mean as far? Pure; seeded where they are many."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import lcm
from random import Random

MOST_SUMS = 200_000
"""The most different sums the exact test counts; all of 29 pairs of scores in hundredths have at most 52,201."""

ASSIGNMENTS = 20_000
"""How many sign assignments are drawn when there are more sums than that; at p = 0.05 they are off by 0.0015."""


def sign_flip(differences: Sequence[Fraction], *, one_sided: bool = False) -> float:
    """The share of all sign assignments whose sum is at least as extreme; one-sided: at least as low.

    Exact, by counting how often each sum is reached. Means over unequal numbers of repeats have too many different
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
