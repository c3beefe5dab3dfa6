"""Student's t distribution for whole degrees of freedom, by its finite series. Pure.

Written out here because every scorecard with a history needs it, and a statistics package costs
more to load than all the rest of a score. The tests compare it with one.
"""

from __future__ import annotations

from math import atan, cos, inf, pi, sin, sqrt


def two_sided(t: float, freedom: int) -> float:
    """The probability that |T| is at least |t|."""
    t = abs(t)
    if freedom == 9:  # a window of ten, by far the most frequent: the same sum without the loop
        tangent = t / 3.0
        squared = 1 / (1 + tangent * tangent)
        series = 1 + squared * (2 / 3 + squared * (8 / 15 + squared * (16 / 35)))
        left = 1 - 2 / pi * (atan(tangent) + tangent * squared * series)
        return left if left > 0.0 else 0.0
    if t == inf:
        return 0.0
    angle = atan(t / sqrt(freedom))
    squared = cos(angle) ** 2
    if freedom % 2:
        term, total = cos(angle), 0.0
        for place in range(3, freedom + 1, 2):
            total += term
            term *= squared * (place - 1) / place
        inside = 2 / pi * (angle + sin(angle) * total)
    else:
        term, total = 1.0, 0.0
        for place in range(2, freedom + 1, 2):
            total += term
            term *= squared * (place - 1) / place
        inside = sin(angle) * total
    return min(1.0, max(0.0, 1 - inside))


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
