"""How often anchors say that a judge moved, when it did not and when it did.

    python benchmarks/anchor_alarms.py [--repetitions 400]

A judge scores a set of anchors in whole points by dimension, with noise that a reading's dimensions share and noise of
their own; then again, moved by a known amount. False alarms may come in at most 1 run in 100, plus Monte Carlo error.
Seeded, so that the printed shares are the same on every machine.
"""

from __future__ import annotations

import argparse
from math import sqrt
from random import Random

from evenhand.core.rules import DIMENSIONS
from evenhand.stats.trust.anchor_drift import LEVEL, Scores, gathered_movements, movements

WEIGHTS = (25, 20, 15, 15, 10, 10, 5)
NOISES = {
    "none": (0.0, 0.0),
    "own 0.5": (0.0, 0.5),
    "shared 0.3, own 0.5": (0.3, 0.5),
    "shared 0.7, own 0.7": (0.7, 0.7),
}
SIZES = (11, 20, 40)
MOVES = (0.0, 0.3, 0.5, 1.0)


def judged(draw: Random, qualities: list[float], moved: float, noise: tuple[float, float]) -> dict[str, Scores]:
    """One judging of all anchors."""
    shared, own = noise
    scores: dict[str, Scores] = {}
    for place, quality in enumerate(qualities):
        level = quality + moved + draw.gauss(0, shared)
        given = [min(10, max(1, round(level + draw.gauss(0, own)))) for _ in DIMENSIONS]
        final = sum(weight * score for weight, score in zip(WEIGHTS, given, strict=True))
        scores[str(place)] = {"final": final, **{name: 100 * s for name, s in zip(DIMENSIONS, given, strict=True)}}
    return scores


def print_slow_drifts(repetitions: int, runs: int = 12) -> int:
    """Alarms of the evidence added up over twelve runs, in any of them, by how far the judge moves from run to run."""
    limit = LEVEL / 2 + 3 * sqrt(LEVEL / 2 / repetitions)
    steps = (0.0, 0.03, 0.06)
    print(f"\nworlds with an alarm added up over {runs} runs, by the move from run to run; at 0 at most {limit:.1%}\n")
    missed = 0
    for noise, deviations in NOISES.items():
        shares = []
        for step in steps:
            draw = Random(7)
            alarms = 0
            for _ in range(repetitions):
                qualities = [draw.uniform(4, 8) for _ in range(20)]
                history = [judged(draw, qualities, step * number, deviations) for number in range(runs)]
                alarms += any(
                    movement.alarm for count in range(4, runs + 1) for movement in gathered_movements(history[:count])
                )
            shares.append(alarms / repetitions)
        missed += shares[0] > limit
        print(f"{noise:<22}" + "".join(f"{share:>9.1%}" for share in shares), flush=True)
    return missed


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repetitions", type=int, default=400)
    repetitions = parser.parse_args().repetitions
    limit = LEVEL + 3 * sqrt(LEVEL * (1 - LEVEL) / repetitions)
    print(f"runs with an alarm, by how far the judge moved ({repetitions} runs each; at +0.0 at most {limit:.1%})\n")
    print(f"{'noise':<22}{'anchors':>8}" + "".join(f"{f'{move:+.1f}':>9}" for move in MOVES))
    missed = 0
    for noise, deviations in NOISES.items():
        for size in SIZES:
            shares = []
            for move in MOVES:
                draw = Random(size)
                alarms = 0
                for _ in range(repetitions):
                    qualities = [draw.uniform(4, 8) for _ in range(size)]
                    then = judged(draw, qualities, 0.0, deviations)
                    now = judged(draw, qualities, move, deviations)
                    alarms += any(movement.alarm for movement in movements(then, now))
                shares.append(alarms / repetitions)
            missed += shares[0] > limit
            print(f"{noise:<22}{size:>8}" + "".join(f"{share:>9.1%}" for share in shares), flush=True)
    missed += print_slow_drifts(repetitions)
    print(f"\n{missed} rows raise too many false alarms" if missed else "\nno row raises too many false alarms")


if __name__ == "__main__":
    main()
