"""The strengths of many systems from the outcomes of their pairs, by Bradley and Terry's model. Pure.

The chance that one system is preferred to another is the logistic function of the difference of their strengths. Every
system also has half a win and half a loss against an imagined average one, so that a system that always wins has a
finite strength and systems that never met can be compared. The standard errors come from the Fisher information and
take pairs as independent.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, sqrt
from typing import Final

PRIOR: Final = 0.5
"""Wins, and losses, of each system against the imagined average one."""

MOST_STEPS: Final = 100
CLOSE: Final = 1e-12
"""A step this small ends the search."""

Matrix = list[list[float]]


def fitted(wins: Matrix) -> list[tuple[float, float]]:
    """Of each system its strength and the standard error of that; the mean of the strengths is zero.

    `wins` has how often the system of a row was preferred to that of a column.
    """
    values = [0.0] * len(wins)
    for _ in range(MOST_STEPS):
        gradient, information = _slope(wins, values)
        step = _times(_inverse(information), gradient)
        values = [value + _bounded(change) for value, change in zip(values, step, strict=True)]
        if max(map(abs, step), default=0.0) < CLOSE:
            break
    covariance = _centred(_inverse(_slope(wins, values)[1]))
    middle = sum(values) / len(values) if values else 0.0
    return [(value - middle, sqrt(max(0.0, covariance[place][place]))) for place, value in enumerate(values)]


def _slope(wins: Matrix, values: Sequence[float]) -> tuple[list[float], Matrix]:
    """The gradient of the log likelihood, and the information: minus its second derivatives."""
    count = len(values)
    gradient = [0.0] * count
    information = [[0.0] * count for _ in range(count)]
    for left in range(count):
        chance = _chance(values[left])
        gradient[left] += PRIOR - 2 * PRIOR * chance
        information[left][left] += 2 * PRIOR * chance * (1 - chance)
        for right in range(count):
            met = wins[left][right] + wins[right][left]
            if left == right or not met:
                continue
            chance = _chance(values[left] - values[right])
            gradient[left] += wins[left][right] - met * chance
            information[left][left] += met * chance * (1 - chance)
            information[left][right] -= met * chance * (1 - chance)
    return gradient, information


def _chance(difference: float) -> float:
    return 1 / (1 + exp(-difference)) if difference >= 0 else exp(difference) / (1 + exp(difference))


def _bounded(change: float) -> float:
    """A step of Newton's method, shortened where the likelihood is nearly flat."""
    return max(-2.0, min(2.0, change))


def _centred(covariance: Matrix) -> Matrix:
    """The covariance of the strengths minus their mean."""
    count = len(covariance)
    rows = [sum(row) / count for row in covariance]
    whole = sum(rows) / count if count else 0.0
    return [
        [covariance[left][right] - rows[left] - rows[right] + whole for right in range(count)] for left in range(count)
    ]


def _times(matrix: Matrix, vector: Sequence[float]) -> list[float]:
    return [sum(entry * value for entry, value in zip(row, vector, strict=True)) for row in matrix]


def _inverse(matrix: Matrix) -> Matrix:
    """The inverse by elimination with pivots; the information is positive definite."""
    count = len(matrix)
    work = [[*row, *(float(column == index) for column in range(count))] for index, row in enumerate(matrix)]
    for column in range(count):
        pivot = max(range(column, count), key=lambda row: abs(work[row][column]))
        work[column], work[pivot] = work[pivot], work[column]
        scale = work[column][column]
        work[column] = [entry / scale for entry in work[column]]
        for row in range(count):
            if row != column and work[row][column]:
                factor = work[row][column]
                work[row] = [entry - factor * lead for entry, lead in zip(work[row], work[column], strict=True)]
    return [row[count:] for row in work]
