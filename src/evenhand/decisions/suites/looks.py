"""Stopping early: looks at the results that are fixed in the plan, each with its own part of the error rate. Pure.

A suite of N cases is looked at after about a quarter, a half and three quarters of them, and after all. Up to a look
after n cases, level * (n / N)² of the error rate is spent; a look may spend what those before it left of that. As the
parts add up to the level, the chance of any false "better" or "worse" stays at it, whatever the test: the looks use the
same tests as a run without them, and the interval of a look belongs to its test. A look at which no test could reject
is not made, and its part goes to the next one. Cases count in an order that is fixed before anything runs: if they
counted as they finish, quick ones would count first, and how long a case takes may depend on how it ends.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence

from evenhand.decisions.sets.case_verdicts import LEVEL, RELEVANT
from evenhand.decisions.suites.board import Board
from evenhand.decisions.suites.contrasts import contrasts_of, undecided
from evenhand.decisions.values.decision import Contrast, Decision, Measure
from evenhand.decisions.values.suite_run import SuiteRun
from evenhand.stats.sign_test import fewest

QUARTERS = 4


def planned_order(cases: Iterable[str]) -> list[str]:
    """Cases in the order of the hashes of their ids: fixed before anything runs, and as good as shuffled."""
    return sorted(cases, key=lambda case: (hashlib.sha256(case.encode()).digest(), case))


def planned_looks(cases: int, comparisons: int, level: float = LEVEL) -> tuple[int, ...]:
    """After how many cases to look; the last is after all of them."""
    looks: tuple[int, ...] = ()
    for quarter in range(1, QUARTERS):
        look = -(-cases * quarter // QUARTERS)
        spent = level * (look / cases) ** 2 - sum(_levels(looks, cases, level))
        if look < cases and fewest(spent / max(1, comparisons)) <= look and look not in looks:
            looks = (*looks, look)
    return (*looks, cases)


def look_levels(looks: Sequence[int], level: float = LEVEL) -> list[float]:
    """What each look may spend of the level; together they spend all of it."""
    return _levels(looks, looks[-1], level)


def decide_at_looks(board: Board, run: SuiteRun, *, level: float = LEVEL) -> Decision:
    """As `decide`, for a run with looks: each comparison as it stood at the first look that decided it."""
    decision = undecided(board, run.variants, run.reference, "complete")
    return decision._replace(level=level, contrasts=contrasts_at_looks(board, run, decision.measure, level))


def contrasts_at_looks(
    board: Board, run: SuiteRun, measure: Measure, level: float = LEVEL, *, brief: bool = False
) -> tuple[Contrast, ...]:
    """Every variant against the reference; undecided as long as no look was reached. `brief`: see `contrasts_of`."""
    order = _complete(board, run)
    contrasts: dict[str, Contrast] = {}
    last = max((look for look in run.looks if look <= len(order)), default=run.looks[0])
    for look, look_level in zip(run.looks, look_levels(run.looks, level), strict=True):
        is_reached = look <= len(order)
        if contrasts and not is_reached:
            break
        part = board.part(order[:look])
        found = contrasts_of(part, run.variants, run.reference, measure, look_level, with_more=False, brief=True)
        # A look that decides nothing is forgotten at the next one, so only the others are worked out in full.
        if not brief and (look == last or any(_is_settled(contrast, measure) for contrast in found)):
            found = contrasts_of(part, run.variants, run.reference, measure, look_level, with_more=False)
        for contrast in found:
            before = contrasts.get(contrast.variant)
            if before is None or before.verdict == "undecided":
                is_final = look == run.looks[-1]
                verdict = (
                    contrast.verdict if is_reached and (is_final or _is_settled(contrast, measure)) else "undecided"
                )
                contrasts[contrast.variant] = contrast._replace(verdict=verdict, part=look_level / level)
    return tuple(contrasts.values())


def _is_settled(contrast: Contrast, measure: Measure) -> bool:
    """Whether more cases would not change it: before the last look, that a relevant difference would have been seen is
    not enough to stop, or smaller ones would never be."""
    low, high = contrast.difference.mean_low, contrast.difference.mean_high
    is_ruled_out = low is not None and high is not None and -RELEVANT[measure] <= low and high <= RELEVANT[measure]
    return contrast.verdict in ("better", "worse") or is_ruled_out


def is_decided(board: Board, run: SuiteRun, measure: Measure) -> bool:
    """Whether nothing is left undecided, so that the remaining cases need not run."""
    return all(contrast.verdict != "undecided" for contrast in contrasts_at_looks(board, run, measure, brief=True))


def _levels(looks: Sequence[int], cases: int, level: float) -> list[float]:
    spent = [level * (look / cases) ** 2 for look in looks]
    return [now - before for now, before in zip(spent, [0.0, *spent], strict=False)]


def _complete(board: Board, run: SuiteRun) -> list[str]:
    """The cases in the planned order, as far as every run of them is there."""
    complete = []
    for case in planned_order(board.cases):
        cells = board.cases[case].cells
        if any(name not in cells or cells[name].runs < run.repeats for name in run.variants):
            break
        complete.append(case)
    return complete
