"""How often the interval of each coefficient contains the truth, over sizes, noise and numbers of raters.

    python benchmarks/agreement_coverage.py                     a table; some minutes
    python benchmarks/agreement_coverage.py --repeats 300       the same with a smaller error

Items have a true level from 1 to 10; each rater adds a level of their own and noise, and rounds to a whole score. The
truth is the coefficient of 60,000 items. Every interval is made as `evenhand trust agree` makes it, with 500 resamples.
"""

from __future__ import annotations

import argparse
import math
import random
from fractions import Fraction

from evenhand.stats.agreement.coefficients import coefficients
from evenhand.stats.agreement.ratings import Ratings, numbers
from evenhand.stats.agreement.resampling import Draws

NAMES = (
    "alpha-nominal", "alpha-ordinal", "alpha-interval", "kappa", "kappa-quadratic", "kappa-fleiss", "ac1",
    "ac2-quadratic",
    "icc-2-1", "icc-3-k", "spearman", "kendall", "exact", "adjacent", "bias", "upper-limit",
)  # fmt: skip
GRID = ((20, 1.0, 2), (40, 1.0, 2), (60, 1.0, 2), (60, 2.0, 2), (20, 1.0, 3), (40, 1.0, 3))
"""Items, noise, raters."""


def drawn(chance: random.Random, items: int, noise: float, raters: int) -> Ratings:
    """Whole scores from 1 to 10."""
    rows = []
    for _ in range(items):
        level = chance.gauss(6, 2)
        scores = [level + 0.3 * rater + chance.gauss(0, noise) for rater in range(raters)]
        rows.append([Fraction(min(10, max(1, round(score)))) for score in scores])
    return numbers([f"rater {n}" for n in range(raters)], rows, points=[Fraction(n) for n in range(1, 11)])


def covered(items: int, noise: float, raters: int, repeats: int) -> dict[str, list[bool]]:
    """For each coefficient, whether each interval contains the truth."""
    everyone = drawn(random.Random(99), 60_000, noise, raters)
    truth = {entry.name: entry.value for entry in coefficients(everyone)}
    chance = random.Random(7)
    hits: dict[str, list[bool]] = {name: [] for name in NAMES}
    for repeat in range(repeats):
        for entry in coefficients(drawn(chance, items, noise, raters), Draws(repeat, 500)):
            made, true = entry.interval, truth[entry.name]
            if entry.name in hits and made is not None and true is not None:
                hits[entry.name].append(made.low <= true <= made.high)
    return hits


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=100)
    repeats = parser.parse_args().repeats
    error = 100 * math.sqrt(0.95 * 0.05 / repeats)
    print(
        f"share of 95% intervals that contain the truth, {repeats} repetitions each (standard error {error:.1f} points)"
    )
    print(f"{'items, noise, raters':<20}" + "".join(f"{name:>17}" for name in NAMES))
    for items, noise, raters in GRID:
        hits = covered(items, noise, raters, repeats)
        cells = "".join(f"{sum(found) / len(found):>17.1%}" if found else f"{'refused':>17}" for found in hits.values())
        print(f"{f'{items}, {noise}, {raters}':<20}{cells}", flush=True)


if __name__ == "__main__":
    main()
