"""How often estimates hold the truth when outputs are repeated runs of cases. Run by `trust.py`.

Fifty cases of twenty runs are judged. Labels are of single runs drawn at random, or of all runs of some cases.
The truth is that of all cases there could be.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from evenhand.stats.trust.estimates import Design, Sample, equal_chances, estimate_mean, refusal
from evenhand.stats.trust.pass_rate import estimate_pass_rate, pass_refusal
from trust_estimates import WIDEST
from trust_tables import Cell

CASES, RUNS = 50, 20

Item = tuple[float, float, int]
"""The judge's score, people's, and the case."""

DRAWS = {"200 runs": (200, False), "60 runs": (60, False), "all runs of 25 cases": (25, True)}


def pass_rates(repetitions: int) -> Iterator[Cell]:
    """Cases that pass with probabilities from a beta distribution: evenly spread, or nearly all or nothing."""
    draw = Random(31)
    for alpha, beta in ((4.0, 1.0), (1.0, 1.0), (0.3, 0.1), (0.2, 0.2)):
        for errors in ((0.9, 0.85), (0.6, 0.55)):
            for name, drawn in DRAWS.items():
                setting = f"rate {alpha / (alpha + beta):.2f}, alike {1 / (1 + alpha + beta):.2f}, {errors}"
                cell = Cell(setting, name, 95, widest=WIDEST)
                for _ in range(repetitions):
                    sample, design = _labelled(draw, _verdicts(draw, alpha, beta, errors), *drawn)
                    if pass_refusal(sample, design) is not None:
                        cell.refused += 1
                        continue
                    made = estimate_pass_rate(sample, design)
                    _, low, high = made.labels_alone
                    held = made.beyond[0] <= alpha / (alpha + beta) <= made.beyond[1]
                    cell.add(held, (made.high - made.low) / (high - low))
                yield cell


def means(repetitions: int) -> Iterator[Cell]:
    """Scores whose cases differ by `between` points and whose runs by `within`."""
    draw = Random(32)
    for between, within in ((0.5, 1.0), (1.5, 0.5)):
        for noise in (0.4, 1.5):
            for name, drawn in DRAWS.items():
                cell = Cell(f"{between} between cases, {within} within, noise {noise}", name, 95, widest=WIDEST)
                for _ in range(repetitions):
                    sample, design = _labelled(draw, _scores(draw, between, within, noise), *drawn)
                    if refusal(sample, design) is not None:
                        cell.refused += 1
                        continue
                    made = estimate_mean(sample, design)
                    _, low, high = made.labels_alone
                    cell.add(made.beyond[0] <= 6 <= made.beyond[1], (made.high - made.low) / (high - low))
                yield cell


def _verdicts(draw: Random, alpha: float, beta: float, errors: tuple[float, float]) -> list[Item]:
    """The judge errs more on some cases than on others, whatever the run."""
    items = []
    for case in range(CASES):
        rate, luck = draw.betavariate(alpha, beta), draw.gauss(0, 0.1)
        for _ in range(RUNS):
            good = draw.random() < rate
            right = min(1.0, max(0.0, errors[not good] + luck))
            items.append((float(draw.random() < (right if good else 1 - right)), float(good), case))
    return items


def _scores(draw: Random, between: float, within: float, noise: float) -> list[Item]:
    items = []
    for case in range(CASES):
        level, luck = draw.gauss(6, between), draw.gauss(0.8, noise / 2)
        for _ in range(RUNS):
            people = level + draw.gauss(0, within)
            items.append((people + luck + draw.gauss(0, noise), people, case))
    return items


def _labelled(draw: Random, items: list[Item], number: int, whole: bool) -> tuple[Sample, Design]:
    if whole:
        chosen = {*draw.sample(range(CASES), number)}
        labelled = [item for item in items if item[2] in chosen]
        rest = [item for item in items if item[2] not in chosen]
    else:
        mixed = draw.sample(items, len(items))
        labelled, rest = mixed[:number], mixed[number:]
    sample = Sample([item[0] for item in labelled], [item[1] for item in labelled], [item[0] for item in rest])
    return sample, equal_chances(sample, [item[2] for item in (*labelled, *rest)])
