"""A suite in blocks of cases, so that a run can stop between two of them as soon as the answer is clear."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Final

from evenhand.core.suites.early_stop import Watch, planned_order
from evenhand.core.values.suite import Suite
from evenhand.judging.program import CHECKS

LEAST: Final = 4
"""Cases of a block: judges are asked about a block at a time."""


def in_planned_order(suite: Suite) -> Suite:
    """The suite with its cases in the order in which a run that may stop early takes them."""
    by_id = {case.id: case for case in suite.cases}
    return suite._replace(cases=tuple(by_id[id] for id in planned_order(by_id)))


def blocks(suite: Suite, jobs: int) -> Iterator[Suite]:
    """Parts of the suite with enough cases to keep all jobs busy."""
    ordered = in_planned_order(suite).cases
    size = max(LEAST, -(-2 * jobs // (len(suite.variants) * suite.repeats)))
    for start in range(0, len(ordered), size):
        yield suite._replace(cases=ordered[start : start + size])


def watch_over(suite: Suite) -> Watch:
    """The rule that decides whether to go on."""
    names = [variant.name for variant in suite.variants]
    return Watch(
        in_planned_order(suite).cases,
        names,
        suite.reference if suite.reference in names else names[0],
        suite.repeats,
        measure="final score" if any(judge != CHECKS for judge in suite.judges) else "expectations met",
    )


def planned_weight(suite: Suite) -> Decimal:
    """The sum of the weights of all cases."""
    return sum((case.weight for case in suite.cases), Decimal(0))
