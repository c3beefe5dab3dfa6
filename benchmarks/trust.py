"""Whether the intervals about judges keep their promise: coverage, calibration error before and after.

    python benchmarks/trust.py [--repetitions 500] [--only NAME] [--outputs 40000]

Judges with known bias and noise score outputs of known quality. An interval at 95 % is to hold the truth at least
94 times in 100, less Monte Carlo error; where a method cannot promise that, it refuses, and the table says so. Seeded,
so that the printed shares are the same on every machine.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator

import trust_calibration
import trust_clusters
import trust_estimates
import trust_unequal
import trust_worlds
from trust_tables import Cell, print_table

Section = Callable[[int], Iterator[Cell]]

COVERAGE: dict[str, tuple[str, Section]] = {
    "means": ("estimate: the mean (PPI++); width against labels alone", trust_estimates.means),
    "these-outputs": (
        "estimate: the mean and the pass rate of just the judged outputs; width against labels alone",
        trust_estimates.these_outputs,
    ),
    "differences": ("estimate: the difference (PPI++); width against labels alone", trust_estimates.differences),
    "unequal-chances": (
        "estimate: the mean (PPI++) where items had different chances of being labelled; width against labels alone",
        trust_unequal.means,
    ),
    "unequal-pass-rates": (
        "estimate: the pass rate where items had different chances of being labelled; width against labels alone",
        trust_unequal.pass_rates,
    ),
    "pass-rates": ("estimate: the pass rate (PPI++); width against labels alone", trust_estimates.pass_rates),
    "clusters": (
        "estimate: the mean where outputs are runs of cases; width against labels alone",
        trust_clusters.means,
    ),
    "clustered-pass-rates": (
        "estimate: the pass rate where outputs are runs of cases; width against labels alone",
        trust_clusters.pass_rates,
    ),
    "conformal": ("calibrate: the interval for one label; width in points", trust_calibration.intervals),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repetitions", type=int, default=500)
    parser.add_argument("--only", choices=[*COVERAGE, "calibration-error"])
    parser.add_argument("--outputs", type=int, default=trust_worlds.POPULATION, help="how many a world has")
    options = parser.parse_args()
    trust_worlds.POPULATION = options.outputs
    missed = 0
    for name, (title, section) in COVERAGE.items():
        if options.only in (None, name):
            missed += print_table(title, section(options.repetitions), options.repetitions)
    if options.only in (None, "calibration-error"):
        trust_calibration.print_errors(options.repetitions)
    print(f"\n{missed} cells missed their nominal value" if missed else "\nno cell missed its nominal value")


if __name__ == "__main__":
    main()
