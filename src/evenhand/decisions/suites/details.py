"""Where two variants differ: by tag, dimension, criterion and finding. Pure. Exploratory: many looks at the same data.

A detail is a hint where to look next. With Holm's correction within each kind the chance that any detail of a kind is
marked by chance alone stays at the level; across kinds it does not.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Literal

from evenhand.decisions.sets.weighted import compare_cases, holm
from evenhand.decisions.suites.board import Cell, Pair
from evenhand.decisions.values.decision import CaseDifference, Detail, Measure

MOST_CRITERIA = 500
"""Criteria that are compared, those of the most cases first."""
MOST_TAGS = 200
"""Tags that are compared, the most frequent first."""


def details(paired: Sequence[Pair], measure: Measure, level: float) -> tuple[Detail, ...]:
    """All details of a contrast, by kind; within a kind the largest differences first."""
    return (
        *_details("tag", _by_tag(paired, measure), level),
        *_details("dimension", _by_sum(paired, lambda cell: cell.dimensions), level),
        *_details("criterion", _by_criterion(paired), level),
        *_details("finding", _by_finding(paired), level),
    )


def _details(
    kind: Literal["tag", "dimension", "criterion", "finding"],
    parts: Mapping[str, Sequence[CaseDifference]],
    level: float,
) -> list[Detail]:
    compared = [(name, compare_cases(differences, level)) for name, differences in parts.items()]
    adjusted = holm([difference.p_value for _, difference in compared])
    details = [Detail(kind, *both, value) for both, value in zip(compared, adjusted, strict=True)]
    return sorted(details, key=lambda detail: (-abs(detail.difference.mean or 0), detail.name))


def _by_tag(paired: Iterable[Pair], measure: Measure) -> dict[str, list[CaseDifference]]:
    parts: dict[str, list[CaseDifference]] = defaultdict(list)
    for pair in paired:
        difference = pair.difference(measure)
        if difference is not None:
            for tag in pair.tags:
                parts[tag].append(difference)
    frequent = sorted(parts, key=lambda tag: (-len(parts[tag]), tag))[:MOST_TAGS]
    return {tag: parts[tag] for tag in frequent}


def _by_criterion(paired: Iterable[Pair]) -> dict[str, list[CaseDifference]]:
    """Of how far each criterion is met; those of the most cases first."""
    parts = _by_sum(paired, lambda cell: cell.criteria)
    frequent = sorted(parts, key=lambda name: (-len(parts[name]), name))[:MOST_CRITERIA]
    return {name: parts[name] for name in frequent}


def _by_sum(
    paired: Iterable[Pair], sums: Callable[[Cell], Iterable[tuple[str, int, int]]]
) -> dict[str, list[CaseDifference]]:
    """Of the means of what both sides have."""
    parts: dict[str, list[CaseDifference]] = defaultdict(list)
    for pair in paired:
        first = {name: (runs, total) for name, runs, total in sums(pair.first)}
        for name, runs, total in sums(pair.second):
            if name in first:
                before_runs, before = first[name]
                value = Fraction(total, runs) - Fraction(before, before_runs)
                parts[name].append(CaseDifference(pair.case, value, pair.weight, cluster=pair.cluster))
    return dict(parts)


def _by_finding(paired: Sequence[Pair]) -> dict[str, list[CaseDifference]]:
    """Of the share of finished runs that have a finding; a case in which neither side has it differs by nothing."""
    finished = [pair for pair in paired if pair.first.counted and pair.second.counted]
    checks = sorted({check for pair in finished for cell in (pair.first, pair.second) for check, _ in cell.faults})
    return {
        check: [
            CaseDifference(
                pair.case, _share(pair.second, check) - _share(pair.first, check), pair.weight, cluster=pair.cluster
            )
            for pair in finished
        ]
        for check in checks
    }


def _share(cell: Cell, check: str) -> Fraction:
    return Fraction(100 * dict(cell.faults).get(check, 0), cell.counted)
