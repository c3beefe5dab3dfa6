"""A suite in blocks of cases between two looks, so that a run can stop when a look shows that the answer is clear."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from evenhand.decisions.looks import planned_looks, planned_order
from evenhand.decisions.suite import Suite


def looks_of(suite: Suite) -> tuple[int, ...]:
    """After how many cases a run of the suite that may stop early looks at its results."""
    variants = len(suite.variants)
    is_named = suite.reference is not None or variants < 3
    return planned_looks(len(suite.cases), variants - 1 if is_named else variants * (variants - 1) // 2)


def blocks(suite: Suite, looks: Sequence[int]) -> Iterator[Suite]:
    """The cases up to each look, without those before the look that precedes it, in the order that the plan fixes."""
    by_id = {case.id: case for case in suite.cases}
    ordered = [by_id[id] for id in planned_order(by_id)]
    for start, end in zip((0, *looks), looks, strict=False):
        yield suite._replace(cases=tuple(ordered[start:end]))
