"""Stopping early: looks at the results that are fixed in the plan, each with its own part of the error rate. Pure.

A suite of N cases is looked at after about a quarter, a half and three quarters of them, and after all. Up to a look
after n cases, level * (n / N)² of the error rate is spent; a look may spend what those before it left of that. As the
parts add up to the level, the chance of any false "better" or "worse" stays at it, whatever the rule: the looks decide
as a run without them does, and the interval of a look belongs to its part. A look at which nothing could be decided is
not made, and its part goes to the next one. Cases count in an order that is fixed before anything runs: if they counted
as they finish, quick ones would count first, and how long a case takes may depend on how it ends.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import replace

from evenhand.decisions.decide import LEVEL, decide, undecided
from evenhand.decisions.decision import Contrast, Decision
from evenhand.decisions.table import ResultsTable
from evenhand.decisions.words import sentence
from evenhand.stats.sign_test import fewest

QUARTERS = 4


def planned_order(cases: Iterable[str]) -> list[str]:
    """Cases in the order of the hashes of their ids: fixed before anything runs, and as good as shuffled."""
    return sorted(cases, key=lambda case: (hashlib.sha256(case.encode()).digest(), case))


def planned_looks(cases: int, contrasts: int, level: float = LEVEL) -> tuple[int, ...]:
    """After how many cases to look; the last is after all of them."""
    looks: tuple[int, ...] = ()
    for quarter in range(1, QUARTERS):
        look = -(-cases * quarter // QUARTERS)
        spent = level * (look / cases) ** 2 - sum(_levels(looks, cases, level))
        if look < cases and fewest(spent / max(1, contrasts)) <= look and look not in looks:
            looks = (*looks, look)
    return (*looks, cases)


def look_levels(looks: Sequence[int], level: float = LEVEL) -> list[float]:
    """What each look may spend of the level; together they spend all of it."""
    return _levels(looks, looks[-1], level)


def decide_at_looks(
    table: ResultsTable, looks: Sequence[int], repeats: int, *, level: float = LEVEL, brief: bool = False
) -> Decision:
    """As `decide`, for results that are looked at: each contrast as it stood at the first look that decided it."""
    order = _complete(table, repeats)
    settled: dict[tuple[str, str], Contrast] = {}
    latest = undecided(table, "complete")
    for look, look_level in zip(looks, look_levels(looks, level), strict=True):
        is_last, is_reached = look == looks[-1], look <= len(order)
        if settled and not is_reached:
            break
        part = decide(table.only(order[:look]), level=look_level, brief=brief)
        for contrast in part.contrasts:
            key = (contrast.variant, contrast.reference)
            before = settled.get(key)
            if before is not None and before.verdict != "undecided":
                continue
            if not is_reached and contrast.verdict != "undecided":
                contrast = replace(contrast, verdict="undecided", low=None, high=None, doubt="no look was reached yet")
            if not is_last:
                contrast = replace(contrast, more=None)
            settled[key] = replace(contrast, says=sentence(contrast, table.measure))
    return replace(latest, level=level, contrasts=tuple(settled.values()))


def is_decided(table: ResultsTable, looks: Sequence[int], repeats: int) -> bool:
    """Whether nothing is left undecided, so that the remaining cases need not run."""
    found = decide_at_looks(table, looks, repeats, brief=True).contrasts
    return all(contrast.verdict != "undecided" for contrast in found)


def _levels(looks: Sequence[int], cases: int, level: float) -> list[float]:
    spent = [level * (look / cases) ** 2 for look in looks]
    return [now - before for now, before in zip(spent, [0.0, *spent], strict=False)]


def _complete(table: ResultsTable, repeats: int) -> list[str]:
    """The cases in the planned order, as far as every run of them is there."""
    complete = []
    for case in planned_order(table.cases):
        if any(len(table.cell(case, name)) < repeats for name in table.variants):
            break
        complete.append(case)
    return complete
