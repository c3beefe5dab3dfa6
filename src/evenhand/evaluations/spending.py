"""What evaluations and the agents of suites cost, summed by skill, judge and suite.

Calls are counted where they were paid for: a kept reply costs nothing again, a rescored evaluation asked no one,
and a run that was reused is counted once.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any, NamedTuple

from evenhand.documents.suite_results import result_from
from evenhand.errors import DocumentError, StoreUnavailable
from evenhand.store.protocol import Store
from evenhand.store.record import Record

NO_MODEL = "no model"
"""The judge of what programs and people judged."""


class Spent(NamedTuple):
    """What was spent on one skill, judge or suite, or on all of them."""

    name: str
    evaluations: int = 0
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
    for record in store.evaluations(since=since):
        _add_evaluation(sums, record, suite_names)
    _add_agents(sums, store, since)
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


def _add_evaluation(sums: _Sums, record: Record, suite_names: Mapping[str, str]) -> None:
    document = record.document
    if "rescored_from" in document:
        return
    calls = (document.get("panel") or {}).get("calls")
    place = document.get("suite") or {}
    cost = None if calls is None else calls.get("cost")
    spent = Spent(
        "",
        evaluations=1,
        calls=_number(calls, "asked"),
        input_tokens=_number(calls, "input_tokens"),
        output_tokens=_number(calls, "output_tokens"),
        judging=Decimal(0) if cost is None else Decimal(str(cost)),
        unknown=int(cost is None and _number(calls, "asked") > 0),
    )
    run = place.get("run")
    sums.add(
        spent,
        skills=record.skill,
        judges=json.loads(record.judge)["name"] if calls is not None else NO_MODEL,
        suites=None if run is None else suite_names.get(run, run),
    )


def _add_agents(sums: _Sums, store: Store, since: int | None) -> None:
    """The runs of agents; of one that was reused, the first."""
    from evenhand import clock

    seen: set[str] = set()
    for row in reversed(store.suite_runs(limit=_ALL)):
        skill = json.loads(row.document).get("skill")
        counts = since is None or clock.microseconds(row.created) >= since
        pairs = (json.loads(row.document).get("pairs") or {}).get("calls") or {}
        if counts and pairs.get("cost"):
            sums.add(Spent("", calls=pairs["asked"], judging=Decimal(str(pairs["cost"]))), suites=row.suite)
        for key, cost, started in _runs(store, row.id):
            if key not in seen and counts and started:
                known = cost is not None
                spent = Spent("", agents=cost if cost is not None else Decimal(0), unknown=int(not known))
                sums.add(spent, suites=row.suite, skills=skill)
            seen.add(key)


def _runs(store: Store, run: str) -> Iterable[tuple[str, Decimal | None, bool]]:
    """Key and cost of every run of an agent, and whether it says anything of what it took."""
    for row in store.suite_results(run):
        try:
            result = result_from(json.loads(row.document))
        except (ValueError, DocumentError) as error:
            raise StoreUnavailable(f"a result of the run {run} is damaged: {error}") from None
        yield result.key or f"{run} {result.id}", result.cost, result.cost is not None or result.tokens is not None


def _number(calls: Mapping[str, Any] | None, name: str) -> int:
    return int((calls or {}).get(name, 0))
