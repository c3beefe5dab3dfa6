"""Student's t distribution for whole degrees of freedom, by its finite series. Pure.

Written out here because every scorecard with a history needs it, and a statistics package costs
more to load than all the rest of a score. The tests compare it with one.
"""

from __future__ import annotations

from evenhand.core.history import two_sided


def one_sided(t: float, freedom: int) -> float:
    """The probability that T is at least t."""
    half = two_sided(t, freedom) / 2
    return half if t >= 0 else 1 - half


def quantile(probability: float, freedom: int) -> float:
    """The t that T exceeds with the given probability, for probabilities up to one half."""
    low, high = 0.0, 1.0
    while one_sided(high, freedom) > probability:
        high *= 2
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if one_sided(middle, freedom) > probability else (low, middle)
    return (low + high) / 2
