"""How often the intervals of `compare` hold when cases were run several times. Run by `trust.py`."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import trust_worlds
from evenhand.decisions.sets import pairs
from evenhand.decisions.sets.pairs import compare_pairs
from evenhand.decisions.sets.repeats import CaseScores
from evenhand.stats.sign_test import typical
from trust_tables import Cell

pairs.RESAMPLES = 1  # they measure stability, which nothing here looks at, and take most of the time

SETTINGS = ((0.2, 1.0), (0.8, 0.8), (1.0, 0.3))
"""How far differences scatter from case to case, and scores from run to run, in points."""


SHIFT = 0.3
"""The true difference of the means, in points."""


def intervals(repetitions: int) -> Iterator[Cell]:
    """The interval of what is claimed of a true difference of 0.3 points: of the mean, or of the median difference of
    cases that differ. Where too few differ for an interval, it is refused."""
    draw, measure = Random(21), Random(24)
    for between, within in SETTINGS:
        for cases in (8, 30):
            for runs in (1, 3, 10):
                setting = f"{between} from case to case, {within} from run to run, {cases} cases"
                cell = Cell(setting, f"{runs} runs", 95)
                many = simulated(measure, trust_worlds.POPULATION // 4, runs, between, within, SHIFT)
                middle = typical([case.difference for case in many])
                assert middle is not None
                truths: dict[str | None, float] = {"mean": SHIFT, "cases": float(middle) / 100}
                for _ in range(repetitions):
                    made = compare_pairs(
                        [case.difference for case in simulated(draw, cases, runs, between, within, SHIFT)]
                    )
                    if made.low is None or made.high is None:
                        cell.refused += 1
                        continue
                    cell.add(made.low <= truths[made.claim] <= made.high, made.high - made.low)
                yield cell


def simulated(
    draw: Random, cases: int, runs: int, between: float, within: float, difference: float
) -> list[CaseScores]:
    """Cases of different difficulty, each run so many times before and after; judges give half points."""
    made = []
    for _ in range(cases):
        level, moved = draw.gauss(6, 1), draw.gauss(difference, between)
        sides = (
            tuple(50 * round(2 * draw.gauss(side, within)) for _ in range(runs)) for side in (level, level + moved)
        )
        made.append(CaseScores(*sides))
    return made
