"""A suite in blocks of cases between two looks, so that a run can stop when a look shows that the answer is clear."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from evenhand.decisions.suites.looks import planned_looks, planned_order
from evenhand.decisions.values.decision import Measure
from evenhand.decisions.values.suite import Suite
from evenhand.judging.program import CHECKS


def looks_of(suite: Suite) -> tuple[int, ...]:
    """After how many cases a run of the suite that may stop early looks at its results."""
    return planned_looks(len(suite.cases), len(suite.variants) - 1)


def blocks(suite: Suite, looks: Sequence[int]) -> Iterator[Suite]:
    """The cases up to each look, without those before the look that precedes it, in the order that the plan fixes."""
    by_id = {case.id: case for case in suite.cases}
    ordered = [by_id[id] for id in planned_order(by_id)]
    for start, end in zip((0, *looks), looks, strict=False):
        yield suite._replace(cases=tuple(ordered[start:end]))


def planned_measure(suite: Suite) -> Measure:
    """What the looks compare, whatever the first results happen to have."""
    return "final score" if any(judge != CHECKS for judge in suite.judges) else "expectations met"
