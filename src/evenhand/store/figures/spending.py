"""What evaluations and the agents of suites cost, summed by skill, judge and suite.

Calls are counted where they were paid for: a kept reply costs nothing again, a rescored evaluation asked no one,
and a run that was reused is counted once.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any, NamedTuple

from evenhand.store.in_list import BILLIONTHS
from evenhand.store.protocol import Store

NO_MODEL = "no model"
"""The judge of what programs and people judged."""


class Spent(NamedTuple):
    """What was spent on one skill, judge or suite, or on all of them."""

    name: str
    evaluations: int = 0
    """Everything in the list of what is kept: evaluations, attempts that failed, cells of suites."""
    calls: int = 0
    """Replies that were paid for."""
    input_tokens: int = 0
    output_tokens: int = 0
    judging: Decimal = Decimal(0)
    """US dollars for judges, as far as their prices are known."""
    agents: Decimal = Decimal(0)
    """US dollars for the agents of suites, as far as they state them."""
    unknown: int = 0
    """Evaluations and runs whose cost is not known."""

    @property
    def cost(self) -> Decimal:
        """All that is known, in US dollars."""
        return self.judging + self.agents

    def plus(self, other: Spent) -> Spent:
        """Both together, under this name."""
        sums: list[Any] = [mine + its for mine, its in zip(self[1:], other[1:], strict=True)]  # type: ignore[operator]
        return Spent(self.name, *sums)


class Spending(NamedTuple):
    """The sums, the dearest first."""

    total: Spent
    skills: tuple[Spent, ...]
    judges: tuple[Spent, ...]
    suites: tuple[Spent, ...]
    """What was not made by a suite has no entry here."""


def spending(store: Store, *, since: int | None = None) -> Spending:
    """What was spent on everything in a store, or on what was made since a moment, in microseconds since 1970."""
    sums = _Sums()
    suite_names = {run.id: run.suite for run in store.suite_runs(limit=_ALL)}
    for bill in store.bills(since):
        paid = bill.sums
        spent = Spent(
            "",
            evaluations=bill.rows,
            calls=paid.asked,
            input_tokens=paid.input_tokens,
            output_tokens=paid.output_tokens,
            judging=Decimal(paid.billionths) / BILLIONTHS,
            agents=Decimal(paid.agents) / BILLIONTHS,
            unknown=paid.unpriced,
        )
        run = bill.suite_run
        sums.add(
            spent,
            skills=bill.skill or None,
            judges=bill.judge or NO_MODEL,
            suites=None if run is None else suite_names.get(run, run),
        )
    return sums.spending()


_ALL = 2**31 - 1


class _Sums:
    def __init__(self) -> None:
        self._by: dict[str, dict[str, Spent]] = {"skills": {}, "judges": {}, "suites": {}}
        self._total = Spent("total")

    def add(self, spent: Spent, **names: str | None) -> None:
        """Count one thing in the total and under each of its names."""
        self._total = self._total.plus(spent)
        for kind, name in names.items():
            if name is not None:
                known = self._by[kind].get(name, Spent(name))
                self._by[kind][name] = known.plus(spent)

    def spending(self) -> Spending:
        ordered = {
            kind: tuple(sorted(sums.values(), key=lambda spent: (-spent.cost, -spent.evaluations, spent.name)))
            for kind, sums in self._by.items()
        }
        return Spending(self._total, **ordered)
