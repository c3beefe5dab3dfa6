"""How often the verdict comes within the range of further cases that an undecided suite names. By simulation.

    python benchmarks/more_cases.py [--suites 200] [--seed 1]

Suites are begun with a few cases. Those that are undecided name a range; they are then continued case by case in the
same world until there is a verdict of any kind, and it is counted whether that was within the range. "Open" are the
ranges without an upper end: it may take any number of cases. Exit code 1 when fewer than 80 % of a row are within.
"""

from __future__ import annotations

import argparse
from fractions import Fraction
from random import Random
from statistics import median

from evenhand.decisions.sets.case_verdicts import LEVEL, RANGE, RELEVANT, compare_within, verdict_on
from evenhand.decisions.suites.more_data import MOST_CASES, Aim, more_data
from evenhand.decisions.values.decision import CaseDifference, Measure, Verdict

WORLDS: tuple[tuple[Measure, int, float, float], ...] = (
    ("final score", 5, 1.5, 1.0),
    ("final score", 5, 0.5, 1.0),
    ("final score", 5, 3.5, 1.0),
    ("final score", 10, 0.8, 1.2),
    ("final score", 10, 0.0, 0.6),
    ("final score", 20, 0.4, 1.2),
    ("final score", 40, 0.3, 1.2),
    ("expectations met", 5, 0.6, 0.0),
    ("expectations met", 12, 0.3, 0.0),
)
"""Measure, cases at the beginning, mean difference, and its standard deviation from case to case; where expectations
are counted, each case gains one of two in so many cases, and loses one in a tenth of them."""


def case(world: tuple[Measure, int, float, float], draw: Random) -> CaseDifference:
    measure, _, mean, deviation = world
    if measure == "final score":
        value = round(100 * draw.gauss(mean, deviation))
    else:
        value = 50 if draw.random() < mean else -50 if draw.random() < 0.1 else 0
    return CaseDifference("", Fraction(value), Fraction(1))


def verdict(differences: list[CaseDifference], measure: Measure) -> Verdict:
    result = compare_within(differences, measure, LEVEL)
    return verdict_on(result, result.p_value, LEVEL, RELEVANT[measure])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--suites", type=int, default=200, help="undecided suites a row")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    failures = 0
    print("measure           cases  mean   sd  within  open  from    to it took")

    for world in WORLDS:
        measure, begun, mean, deviation = world
        aim = Aim(LEVEL, RELEVANT[measure], RANGE[measure])
        within, lows, highs, took = 0, [], [], []
        repetition = 0
        while len(took) < options.suites:
            repetition += 1
            draw = Random(f"{options.seed}/{repetition}")
            cases = [case(world, draw) for _ in range(begun)]
            if verdict(cases, measure) != "undecided":
                continue
            more = more_data(compare_within(cases, measure, LEVEL), cases, [], aim)
            while verdict(cases, measure) == "undecided" and len(cases) < MOST_CASES:
                cases += [case(world, draw) for _ in range(max(1, len(cases) // 50))]
            needed = len(cases) - begun
            assert more.cases is not None
            within += more.cases <= needed <= (more.most or MOST_CASES)
            took.append(needed)
            lows.append(more.cases)
            highs += [] if more.most is None else [more.most]
        share = within / options.suites
        failures += share < 0.8
        high = f"{median(highs):5.0f}" if highs else "    -"
        print(
            f"{measure:17} {begun:5} {mean:5} {deviation:4} {share:7.1%} {options.suites - len(highs):5} "
            f"{median(lows):5.0f} {high} {median(took):7.0f}",
            flush=True,
        )
    return 1 if failures else 0


if __name__ == "__main__":
    raise SystemExit(main())
