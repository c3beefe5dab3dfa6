"""Variants side by side as a paper shows them: means with intervals, all pairs, ranks. Pure.

Cases are the independent units: the runs of a case count once, by their mean; intervals and tests are over cases.
All pairs are one family, corrected by Holm. A variant's rank interval counts only those that are told apart from it. A
run without a value is left out of the means; a pair is told apart only if it also is when the missing runs of the
better one count as the lowest value there is.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from typing import NamedTuple

from evenhand.decisions.sets.weighted import by_cluster, compare_cases, holm, standard_error, weighted_mean
from evenhand.decisions.suites.board import Board, pairs
from evenhand.decisions.values.decision import CaseDifference, Measure
from evenhand.stats.student import quantile

LEVEL = 0.05

_ENDS: dict[Measure, tuple[float, float]] = {"final score": (1.0, 10.0), "expectations met": (0.0, 1.0)}


class Standing(NamedTuple):
    """One variant."""

    variant: str
    cases: int
    """Cases on which all variants have a value: the mean is over them."""
    runs: int
    missing: int
    """Runs without a value, on any case."""
    mean: float | None
    low: float | None
    high: float | None
    """The ends of the 95 % interval, by Student's t over cases, within the scale; None with fewer than two cases, and
    where all are alike: that their values scatter by nothing is not shown by any number of them."""
    first_rank: int
    last_rank: int
    groups: str
    """Letters: two variants that share one cannot be told apart."""


class PairDifference(NamedTuple):
    """Two variants: the second minus the first."""

    first: str
    second: str
    cases: int
    mean: float | None
    low: float | None
    high: float | None
    p_value: float | None
    adjusted: float | None
    """After Holm's correction over all pairs."""

    @property
    def told_apart(self) -> bool:
        """Whether the difference is shown."""
        return self.adjusted is not None and self.adjusted <= LEVEL


class Standings(NamedTuple):
    """All variants, the highest mean first, and all pairs of them."""

    measure: Measure
    variants: tuple[Standing, ...]
    pairs: tuple[PairDifference, ...]


def standings(board: Board, variants: Sequence[str]) -> Standings:
    """The variants of a run, by the measure that its results have."""
    measure = board.measure
    shared = [
        (case, entry)
        for case, entry in sorted(board.cases.items())
        if all(name in entry.cells and entry.cells[name].values(measure) for name in variants)
    ]
    values = {
        name: [
            CaseDifference(case, Fraction(sum(runs)) / len(runs), entry.weight, cluster=entry.cluster)
            for case, entry in shared
            for runs in (entry.cells[name].values(measure),)
        ]
        for name in variants
    }
    differences = _pairs(board, variants, measure)
    means = {name: _mean(values[name], _ENDS[measure]) for name in variants}
    ordered = sorted(variants, key=lambda name: (-(means[name][0] or 0.0), name))
    letters = _letters(ordered, {frozenset((pair.first, pair.second)) for pair in differences if pair.told_apart})
    rows = []
    for name in ordered:
        better = sum(_is_above(rival, name, differences) for rival in variants)
        worse = sum(_is_above(name, rival, differences) for rival in variants)
        cells = [entry.cells[name] for entry in board.cases.values() if name in entry.cells]
        rows.append(
            Standing(
                name,
                len(shared),
                sum(cell.runs for cell in cells),
                sum(cell.missing(measure) for cell in cells),
                *means[name],
                1 + better,
                len(variants) - worse,
                letters[name],
            )
        )
    return Standings(measure, tuple(rows), differences)


def _mean(
    values: Sequence[CaseDifference], ends: tuple[float, float]
) -> tuple[float | None, float | None, float | None]:
    """The weighted mean over cases, and its interval within the ends of the scale."""
    if not values:
        return None, None, None
    values = by_cluster(values)
    mean = weighted_mean(values)
    centre = float(mean) / 100
    if len(values) < 2:
        return centre, None, None
    error, freedom, _ = standard_error(values, mean)
    if not error:
        return centre, None, None
    reach = quantile(LEVEL / 2, freedom) * error
    return centre, max(centre - reach, ends[0]), min(centre + reach, ends[1])


def _pairs(board: Board, variants: Sequence[str], measure: Measure) -> tuple[PairDifference, ...]:
    rows = [_pair(board, first, second, measure) for first, second in combinations(variants, 2)]
    adjusted = holm([row.p_value for row in rows])
    return tuple(row._replace(adjusted=value) for row, value in zip(rows, adjusted, strict=True))


def _pair(board: Board, first: str, second: str, measure: Measure) -> PairDifference:
    matched = pairs(board, second, board, first)
    values = [pair.difference(measure) for pair in matched]
    result = compare_cases([value for value in values if value is not None], LEVEL)
    p_value = result.p_value
    if p_value is not None and result.mean:
        ahead = result.mean > 0
        lost = [pair.difference(measure, first_losses=not ahead, second_losses=ahead) for pair in matched]
        worst = compare_cases([value for value in lost if value is not None], LEVEL)
        turned = worst.p_value is None or worst.mean is None or (worst.mean > 0) != ahead
        p_value = 1.0 if turned else max(p_value, worst.p_value or 0.0)
    return PairDifference(first, second, result.cases, result.mean, result.low, result.high, p_value, None)


def _is_above(first: str, second: str, differences: Sequence[PairDifference]) -> bool:
    """Whether the first is shown to be better than the second."""
    for pair in differences:
        if pair.told_apart and {pair.first, pair.second} == {first, second} and pair.mean is not None:
            return (pair.mean > 0) == (pair.second == first)
    return False


def _letters(ordered: Sequence[str], apart: set[frozenset[str]]) -> dict[str, str]:
    """A letter for each largest group in which no two are told apart, the best group first."""
    groups: list[list[str]] = []

    def grow(group: list[str], rest: list[str], passed: list[str]) -> None:
        """Bron and Kerbosch: every group that nothing can be added to, once."""
        if not rest and not passed:
            groups.append(group)
        for place, name in enumerate(rest):
            together = [rival for rival in rest[place + 1 :] if frozenset((name, rival)) not in apart]
            before = [rival for rival in (*passed, *rest[:place]) if frozenset((name, rival)) not in apart]
            grow([*group, name], together, before)

    grow([], list(ordered), [])
    place = {name: number for number, name in enumerate(ordered)}
    groups.sort(key=lambda group: [place[name] for name in group])
    letters = "abcdefghijklmnopqrstuvwxyz"
    return {
        name: "".join(letters[number % 26] * (1 + number // 26) for number, group in enumerate(groups) if name in group)
        for name in ordered
    }
