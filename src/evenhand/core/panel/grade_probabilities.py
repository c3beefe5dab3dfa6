"""The probability of each letter grade, given a distribution for each of the seven scores. Pure and exact.

The dimensions are treated as independent, red flags and bonuses as settled. Everything is counted in
whole parts; fractions appear only at the end, and decimals only for display.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate
from math import prod
from typing import Final

from evenhand.core.basics.methodology import GRADES, HIGHEST, LOWEST
from evenhand.core.method.arithmetic import apply_claims
from evenhand.core.values.opinion import Distribution

SHOWN_PARTS: Final = 10_000
"""Probabilities are shown to four decimals."""

MOST_SUMS: Final = 400_000
"""The most sums kept. Judges give about ten scores; only a contrived document needs more, and gets no result."""


def grade_probabilities(
    distributions: Sequence[Distribution], units: Sequence[int], scale: int, *, deduction: int, bonus: int
) -> dict[str, Fraction]:
    """The probability of each grade that is possible at all, best first; together exactly 1. Empty beyond `MOST_SUMS`.

    `distributions` and `units` (the whole weights, of which `scale` make 1) are in the order of the
    dimensions; `deduction` and `bonus` are in hundredths, after their caps.
    """
    halves = _halves(distributions, units)
    if halves is None:
        return {}
    first, second = halves
    sums = sorted(second)
    at_least = [*accumulate((second[total] for total in reversed(sums)), initial=0)][::-1]
    whole = prod(sum(distribution.values()) for distribution in distributions)
    highest = max(first) + sums[-1]
    probabilities = {}
    better = 0
    for letter, edge in _edges(scale, deduction, bonus):
        if edge > highest:
            continue
        reached = sum(parts * at_least[bisect_left(sums, edge - total)] for total, parts in first.items())
        if reached > better:
            probabilities[letter] = Fraction(reached - better, whole)
        better = reached
        if better == whole:
            break
    return probabilities


def shown_probabilities(exact: Mapping[str, Fraction]) -> dict[str, float]:
    """The probabilities to four decimals that still sum to 1: what truncation loses goes where most was lost."""
    parts = {letter: int(chance * SHOWN_PARTS) for letter, chance in exact.items()}
    cut = sorted(exact, key=lambda letter: parts[letter] - exact[letter] * SHOWN_PARTS)
    for letter in cut[: SHOWN_PARTS - sum(parts.values())]:
        parts[letter] += 1
    return {letter: count / SHOWN_PARTS for letter, count in parts.items() if count}


def _halves(
    distributions: Sequence[Distribution], units: Sequence[int]
) -> tuple[dict[int, int], dict[int, int]] | None:
    """The weighted sums of some dimensions and of the others, each with its parts.

    Two halves, because their sums need never be multiplied out: that bounds the work for any weights.
    """
    halves: list[dict[int, int]] = [{0: 1}, {0: 1}]
    for distribution, unit in zip(distributions, units, strict=True):
        smaller = 0 if len(halves[0]) <= len(halves[1]) else 1
        if len(halves[smaller]) * len(distribution) > MOST_SUMS:
            return None
        halves[smaller] = _convolve(halves[smaller], distribution, unit)
    return halves[0], halves[1]


def _convolve(sums: Mapping[int, int], distribution: Distribution, unit: int) -> dict[int, int]:
    totals: dict[int, int] = {}
    for score, parts in distribution.items():
        for total, count in sums.items():
            place = total + score * unit
            totals[place] = totals.get(place, 0) + count * parts
    return totals


@lru_cache(maxsize=256)
def _edges(scale: int, deduction: int, bonus: int) -> tuple[tuple[str, int], ...]:
    """Each grade that can be reached, best first, with the least weighted sum whose final score reaches it."""
    composites = range(LOWEST, HIGHEST + 1)
    finals = [apply_claims(composite * scale, scale, deduction, bonus).final for composite in composites]
    places = [(grade.letter, bisect_left(finals, grade.lower)) for grade in GRADES]
    # The first sum that rounds to a composite, halves up, is half a hundredth below it.
    return tuple(
        (letter, -((scale - 2 * scale * composites[place]) // 2)) for letter, place in places if place < len(finals)
    )
