"""The results of a suite by variant, added up as they come: how many finished, what they reached, took and cost."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal
from typing import Any

from evenhand.core.basics.numbers import plain
from evenhand.core.values.agent_run import CaseResult
from evenhand.core.values.suite import Suite


class VariantTally:
    """One variant's results so far."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.outcomes: Counter[str] = Counter()
        self.reasons: Counter[str] = Counter()
        """Why runs did not finish."""
        self.finals = self.final_sum = 0
        """How many runs have a final score, and the sum of those in hundredths."""
        self.met = self.expectations = self.faults = 0
        self.timed = 0
        self.seconds = Decimal(0)
        self.cost = self.judging_cost = Decimal(0)
        self.is_cost_known = False

    def add(self, result: CaseResult) -> None:
        """Count one result."""
        self.outcomes[result.outcome] += 1
        if result.outcome != "finished":
            self.reasons[result.reason] += 1
            return
        if result.final is not None:
            self.finals += 1
            self.final_sum += result.final
        self.met += result.met
        self.expectations += result.expectations
        self.faults += len(result.faults)
        if result.seconds is not None:
            self.timed += 1
            self.seconds += result.seconds
        if result.cost is not None:
            self.is_cost_known = True
            self.cost += result.cost
        self.judging_cost += result.judging_cost or 0

    @property
    def runs(self) -> int:
        """All runs."""
        return sum(self.outcomes.values())

    @property
    def finished(self) -> int:
        """Runs that finished."""
        return self.outcomes["finished"]

    @property
    def mean_final(self) -> Decimal | None:
        """The mean final score of those that have one, in points."""
        return Decimal(self.final_sum) / (100 * self.finals) if self.finals else None

    @property
    def mean_seconds(self) -> Decimal | None:
        """How long a finished run took."""
        return self.seconds / self.timed if self.timed else None


def tallies(suite: Suite) -> dict[str, VariantTally]:
    """An empty tally for each variant, in the suite's order."""
    return {variant.name: VariantTally(variant.name) for variant in suite.variants}


def tally_document(tally: VariantTally) -> dict[str, Any]:
    """A variant's results as JSON."""
    return {
        "variant": tally.name,
        "runs": tally.runs,
        "outcomes": dict(tally.outcomes),
        "reasons": dict(tally.reasons.most_common()),
        "mean_final": _rounded(tally.mean_final, 4),
        "with_final": tally.finals,
        "expectations_met": tally.met,
        "expectations": tally.expectations,
        "faults": tally.faults,
        "mean_seconds": _rounded(tally.mean_seconds, 3),
        "cost": plain(tally.cost) if tally.is_cost_known else None,
        "judging_cost": plain(tally.judging_cost),
    }


def _rounded(number: Decimal | None, places: int) -> int | float | None:
    return None if number is None else plain(round(number, places))
