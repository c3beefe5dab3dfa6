"""How often the verdict comes within the range of further cases that an undecided suite names. By simulation.

    python benchmarks/more_cases.py [--suites 200] [--seed 1]

Suites are begun with a few cases. Those that are undecided name a range; they are then continued case by case in the
same world until there is a verdict of any kind, and it is counted whether that was within the range. "Open" are the
ranges without an upper end: it may take any number of cases. Exit code 1 when fewer than 85 % of a row are within.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from fractions import Fraction
from math import exp
from random import Random
from statistics import median

from evenhand.decisions.decide import LEVEL, verdict_on
from evenhand.decisions.more_cases import COMPARED_ENOUGH, MOST_CASES, Aim, more_cases
from evenhand.decisions.table import MEASURES
from evenhand.stats.paired import estimated
from evenhand.stats.sign_test import fewest


def normal(mean: float, deviation: float) -> Callable[[Random], float]:
    return lambda draw: draw.gauss(mean, deviation)


def rare_losses(gain: float, loss: float, share: float) -> Callable[[Random], float]:
    return lambda draw: draw.gauss(loss if draw.random() < share else gain, 0.3)


def long_tail(shift: float) -> Callable[[Random], float]:
    return lambda draw: exp(draw.gauss(0, 0.8)) - 1 + shift


def verdicts(gained: float) -> Callable[[Random], float]:
    """Each case gains one of two expectations in so many cases, and loses one in a tenth of them."""
    return lambda draw: 0.5 if draw.random() < gained else -0.5 if draw.random() < 0.1 else 0.0


WORLDS: tuple[tuple[str, str, int, Callable[[Random], float]], ...] = (
    ("normal +1.5", "final score", 5, normal(1.5, 1.0)),
    ("normal +0.5", "final score", 5, normal(0.5, 1.0)),
    ("normal +3.5", "final score", 5, normal(3.5, 1.0)),
    ("normal +0.8", "final score", 10, normal(0.8, 1.2)),
    ("normal 0", "final score", 10, normal(0.0, 0.6)),
    ("normal +0.4", "final score", 20, normal(0.4, 1.2)),
    ("normal +0.3", "final score", 40, normal(0.3, 1.2)),
    ("rare losses", "final score", 8, rare_losses(0.8, -2.0, 0.1)),
    ("rare losses", "final score", 20, rare_losses(0.5, -4.5, 0.08)),
    ("long tail", "final score", 8, long_tail(0.5)),
    ("long tail", "final score", 20, long_tail(0.2)),
    ("gains 60 %", "expectations met", 5, verdicts(0.6)),
    ("gains 30 %", "expectations met", 12, verdicts(0.3)),
)
"""Name, measure, cases at the beginning, and how a case's difference is drawn."""


def verdict(values: list[float], measure: str) -> str:
    exact = [Fraction(str(round(value, 2))) for value in values]
    found = estimated(exact, LEVEL)
    few = len(values) >= COMPARED_ENOUGH and sum(map(bool, exact)) < fewest(LEVEL)
    return verdict_on(found.low, found.high, float(MEASURES[measure].margin), too_few_differ=few)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--suites", type=int, default=200, help="undecided suites a row")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    failures = 0
    print("world        measure           cases  within  open  from    to it took")

    for name, measure, begun, case in WORLDS:
        scale = MEASURES[measure]
        aim = Aim(LEVEL, float(scale.margin), float(scale.best - scale.worst))
        within, lows, highs, took = 0, [], [], []
        repetition = 0
        while len(took) < options.suites:
            repetition += 1
            draw = Random(f"{options.seed}/{repetition}")
            values = [round(case(draw), 2) for _ in range(begun)]
            if verdict(values, measure) != "undecided":
                continue
            more = more_cases(values, aim)
            while verdict(values, measure) == "undecided" and len(values) < MOST_CASES:
                values += [round(case(draw), 2) for _ in range(max(1, len(values) // 50))]
            needed = len(values) - begun
            assert more.cases is not None
            within += more.cases <= needed <= (more.most or MOST_CASES)
            took.append(needed)
            lows.append(more.cases)
            highs += [] if more.most is None else [more.most]
        share = within / options.suites
        failures += share < 0.85
        high = f"{median(highs):5.0f}" if highs else "    -"
        print(
            f"{name:12} {measure:17} {begun:5} {share:7.1%} {options.suites - len(highs):5} "
            f"{median(lows):5.0f} {high} {median(took):7.0f}",
            flush=True,
        )
    return 1 if failures else 0


if __name__ == "__main__":
    raise SystemExit(main())
