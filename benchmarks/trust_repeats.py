"""How often `compare` errs when cases were run several times: with its cases, and had runs counted as independent."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from random import Random

from evenhand.core.history import pairs
from evenhand.core.history.gate import judge_drop
from evenhand.core.history.pairs import compare_pairs
from evenhand.core.history.repeats import CaseScores
from evenhand.core.history.sign_test import typical
from trust_tables import Cell

pairs.RESAMPLES = 1  # they measure stability, which nothing here looks at, and take most of the time

SETTINGS = ((0.2, 1.0), (0.8, 0.8), (1.0, 0.3))
"""How far differences scatter from case to case, and scores from run to run, in points."""


SHIFT = 0.3
"""The true difference of the means, in points."""

TRUTH_CASES = 10_000
"""How many cases the true median of differences is taken from."""


def intervals(repetitions: int) -> Iterator[Cell]:
    """The interval of what is claimed of a true difference of 0.3 points: of the mean, or of the median difference of
    cases that differ. Where too few differ for an interval, it is refused."""
    draw, measure = Random(21), Random(24)
    for between, within in SETTINGS:
        for cases in (8, 30):
            for runs in (1, 3, 10):
                setting = f"{between} from case to case, {within} from run to run, {cases} cases"
                cell = Cell(setting, f"{runs} runs", 95)
                many = simulated(measure, TRUTH_CASES, runs, between, within, SHIFT)
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


def print_false_alarms(repetitions: int) -> None:
    """No true difference: how often one is shown at 5 %, and how often a gate without a margin turns red at 2 %."""
    draw = Random(22)
    print(f"\ncompare and gate: false alarms in percent when nothing changed ({repetitions} repetitions a row)")
    print(f"  {'':<62}{'compare':>9}{'gate':>7}{'runs taken as independent':>28}")
    for between, within in SETTINGS:
        for cases in (8, 30):
            for runs in (1, 3, 10):
                counts = [0, 0, 0]
                for _ in range(repetitions):
                    made = simulated(draw, cases, runs, between, within, 0.0)
                    differences = [case.difference for case in made]
                    counts[0] += compare_pairs(differences).shown
                    counts[1] += judge_drop(differences, margin=Decimal(0)).colour == "red"
                    apart = [Fraction(b - a) for case in made for a, b in zip(*case, strict=True)]
                    counts[2] += compare_pairs(apart).shown
                shares = [f"{100 * count / repetitions:.1f}" for count in counts]
                setting = f"{between} from case to case, {within} from run to run, {cases} cases, {runs} runs"
                print(f"  {setting:<62}{shares[0]:>9}{shares[1]:>7}{shares[2]:>28}", flush=True)


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
