"""How often `compare` and `gate` see a difference where there is none, and where there is one. Run by `trust.py`.

Thousands of comparisons are decided at once, with NumPy; the first few of every row also by `compare_pairs` and
`judge_drop`, the code that users run, and must come out the same.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from functools import cache
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from evenhand.decisions.gate import LEVEL as GATE
from evenhand.decisions.gate import judge_drop
from evenhand.decisions.sets import pairs
from evenhand.decisions.sets.pairs import CONFIDENCE, compare_pairs
from evenhand.decisions.sets.weighted import CHANCE_SKEW, MOST_SKEW
from evenhand.stats.sign_test import EXACT_BELOW, at_most, interval_rank
from evenhand.stats.student import quantile
from trust_curves import Numbers
from trust_repeats import SETTINGS

pairs.RESAMPLES = 1  # they measure stability, which nothing here looks at, and take most of the time

LEVEL = 1 - CONFIDENCE
CHECKED = 10
"""How many comparisons of a row are also made one by one."""

FINER = 10
"""How many times as many comparisons a row of the second table has: it is to show a tenth of a percent."""

Whole = NDArray[np.int64]


def print_tables(repetitions: int) -> int:
    """Both tables; returns how many rows have more false alarms than they may, at the 1 % level."""
    return _print_repeats(repetitions) + _print_sizes(repetitions * FINER)


def _print_repeats(repetitions: int) -> int:
    """No true difference: how often one is shown at 5 %, and how often a gate without a margin turns red at 2 %."""
    draw, missed = np.random.default_rng(22), 0
    print(f"\ncompare and gate: false alarms in percent when nothing changed ({repetitions} repetitions a row)")
    print(f"  {'':<62}{'compare':>9}{'gate':>7}{'runs taken as independent':>28}")
    for between, within in SETTINGS:
        for cases in (8, 30):
            for runs in (1, 3, 10):
                before, after = _simulated(draw, (repetitions, cases, runs), between, within)
                moved = after - before
                shares = [_shown(moved.sum(2), runs), _red(moved.sum(2), runs), _shown(moved.reshape(repetitions, -1))]
                is_missed = _is_above(shares[0], LEVEL, repetitions) or _is_above(shares[1], GATE, repetitions)
                missed += is_missed
                row = f"{between} from case to case, {within} from run to run, {cases} cases, {runs} runs"
                texts = [f"{100 * share:.1f}" for share in shares]
                mark = "  MISSED" if is_missed else ""
                print(f"  {row:<62}{texts[0]:>9}{texts[1]:>7}{texts[2]:>28}{mark}", flush=True)
    return missed


def _simulated(
    draw: np.random.Generator, size: tuple[int, int, int], between: float, within: float
) -> tuple[Whole, Whole]:
    """Cases of different difficulty, each run so many times before and after; judges give half points."""
    level = draw.normal(6, 1, (*size[:2], 1))
    moved = level + draw.normal(0, between, level.shape)
    before, after = (50 * np.rint(2 * draw.normal(side, within, size)).astype(int) for side in (level, moved))
    return before, after


World = Callable[[np.random.Generator, tuple[int, int], float], Whole]
"""Differences in hundredths, of so many comparisons with so many cases; the last is the true gain in points."""


def _points(scores: Numbers) -> Whole:
    return np.rint(100 * scores).astype(int)


def _halves(scores: Numbers) -> Whole:
    return 50 * np.rint(2 * scores).astype(int)


def _near_the_top(draw: np.random.Generator, size: tuple[int, int], gain: float) -> Whole:
    after, before = (_halves(np.minimum(10, 10 - draw.exponential(1, size) + more)) for more in (gain, 0))
    return after - before


def _rare_failures(draw: np.random.Generator, size: tuple[int, int], gain: float) -> Whole:
    """One output of ten is bad, whichever side it is on."""
    after, before = (
        _halves(np.where(draw.random(size) < 0.1, 2.0, 8.0) + draw.normal(more, 0.5, size)) for more in (gain, 0)
    )
    return after - before


def _verdicts(draw: np.random.Generator, size: tuple[int, int], gain: float) -> Whole:
    """Pass or fail; the pass rate rises by a third of the gain."""
    after, before = (100 * (draw.random(size) < 0.5 + more).astype(int) for more in (gain / 3, 0))
    return after - before


WORLDS: dict[str, World] = {
    "normal": lambda draw, size, gain: _points(draw.normal(gain, 1, size)),
    "short tails": lambda draw, size, gain: _points(draw.uniform(gain - 1.7, gain + 1.7, size)),
    "long tails": lambda draw, size, gain: _points(draw.laplace(gain, 0.7, size)),
    "half points": lambda draw, size, gain: (
        _halves(draw.normal(6 + gain, 0.7, size)) - _halves(draw.normal(6, 0.7, size))
    ),
    "half points, mostly ties": lambda draw, size, gain: (
        _halves(draw.normal(6 + gain, 0.3, size)) - _halves(draw.normal(6, 0.3, size))
    ),
    "near the top of the scale": _near_the_top,
    "rare failures": _rare_failures,
    "verdicts": _verdicts,
    "better, with rare harm": lambda draw, size, gain: _points(
        draw.normal(np.where(draw.random(size) < 0.92, gain, -2 if gain else 0.0), 0.7)
    ),
}

GAINS = (0.3, 0.5, 0.8)
SIZES = (8, 12, 20, 30, 35, 40, 50, 60, 100)


def _print_sizes(repetitions: int) -> int:
    """False alarms by the number of cases and the shape of differences, and how often a true gain is found."""
    draw, missed = np.random.default_rng(25), 0
    print(f"\ncompare: differences shown in percent when nothing changed, or so many points ({repetitions} a row)")
    print(f"  {'':<28}{'cases':>6}{'none':>8}" + "".join(f"{gain:>8}" for gain in GAINS))
    for name, made in WORLDS.items():
        for cases in SIZES:
            alarms, *found = (_shown(made(draw, (repetitions, cases), gain)) for gain in (0.0, *GAINS))
            is_missed = _is_above(alarms, LEVEL, repetitions)
            missed += is_missed
            mark = "  MISSED" if is_missed else ""
            powers = "".join(f"{100 * share:>8.1f}" for share in found)
            print(f"  {name:<28}{cases:>6}{100 * alarms:>8.2f}{powers}{mark}", flush=True)
    return missed


def _is_above(share: float, level: float, repetitions: int) -> bool:
    return share > level + 2.326 * sqrt(level * (1 - level) / repetitions)


def _shown(values: Whole, runs: int = 1) -> float:
    """The share of rows, of sums over so many runs, in which one side is called better."""
    decided = _rejected(values, LEVEL)
    for row, is_shown in zip(values[:CHECKED].tolist(), decided.tolist(), strict=False):
        assert compare_pairs([Fraction(value, runs) for value in row]).shown == is_shown, row
    return float(decided.mean())


def _red(values: Whole, runs: int) -> float:
    """The share of rows in which a gate is red."""
    decided = _rejected(values, 2 * GATE) & (values.sum(1) < 0)
    for row, is_red in zip(values[:CHECKED].tolist(), decided.tolist(), strict=False):
        ruling = judge_drop([Fraction(value, runs) for value in row], margin=Decimal(0))
        assert (ruling.colour == "red") == is_red, row
    return float(decided.mean())


def _rejected(values: Whole, level: float) -> NDArray[np.bool_]:
    """Which rows differ, two-sided at the level, as `compare_cases` decides it; the mean must point the same way."""
    cases = values.shape[1]
    better, worse = (values > 0).sum(1), (values < 0).sum(1)
    ranks = np.array([_rank(differing, level) for differing in range(cases + 1)])
    counted = np.minimum(better, worse) < ranks[better + worse]
    total = values.sum(1)
    counted &= (better > worse) == (total > 0)
    counted &= (better < worse) == (total < 0)
    if cases < EXACT_BELOW:
        return np.asarray(counted)
    moves = values - total[:, None] / cases
    second = (moves**2).mean(1)
    scatters = second > 1e-9
    skewness = np.abs((moves**3).mean(1)) / np.where(scatters, second, 1) ** 1.5
    sizes = np.where(values == 0, np.abs(values).max(1, keepdims=True), np.abs(values))
    slack = np.where(sizes.min(1) == sizes.max(1), sizes.max(1) / 2, 0)
    error = np.sqrt(second * cases / (cases - 1) * cases)
    by_mean = np.abs(total) - slack >= quantile(level / 2, cases - 1) * error
    is_mean = scatters & (skewness <= MOST_SKEW * sqrt(cases))
    by_chance = scatters & ~is_mean & (skewness <= CHANCE_SKEW / sqrt(cases))
    return np.asarray(np.where(is_mean, by_mean, counted & (by_mean | ~by_chance)))


@cache
def _rank(differing: int, level: float) -> int:
    """With fewer cases than this on the smaller side the sign test rejects."""
    rank = interval_rank(differing, level)
    assert rank == 0 or 2 * at_most(rank - 1, differing) <= level
    return rank
