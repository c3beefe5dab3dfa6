"""How often the intervals of `evenhand estimate` hold the truth. Run by `trust.py`."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from evenhand.core.trust.estimates import Sample, estimate_mean
from evenhand.core.trust.estimates import refusal as mean_refusal
from evenhand.core.trust.pass_rate import Counts, corrected_pass_rate
from evenhand.core.trust.pass_rate import refusal as rate_refusal
from trust_tables import Cell
from trust_worlds import SHAPES, world


def means(repetitions: int) -> Iterator[Cell]:
    """The mean by PPI++: 40 to 200 labels, with 300 outputs judged beside them."""
    draw = Random(16)
    for shape in SHAPES:
        for bias, noise in ((0.0, 0.4), (0.8, 0.4), (0.8, 1.5), (2.0, 1.0)):
            pairs = world(draw, shape, bias, noise)
            truth = sum(people for _, people in pairs) / len(pairs)
            for labels in (40, 60, 100, 200):
                cell = Cell(f"{shape}, bias {bias}, noise {noise}", f"{labels} labels", 95)
                for _ in range(repetitions):
                    chosen = draw.choices(pairs, k=labels + 300)
                    sample = _sample(chosen, labels)
                    if mean_refusal(sample) is not None:
                        cell.refused += 1
                        continue
                    made = estimate_mean(sample)
                    low, high = made.labels_alone[1:]
                    cell.add(made.low <= truth <= made.high, (made.high - made.low) / (high - low))
                yield cell


def differences(repetitions: int) -> Iterator[Cell]:
    """The paired difference of two systems by PPI++, the second better by 0.3 points and preferred by the judge."""
    draw = Random(17)
    for shape in SHAPES:
        for favour, noise in ((0.0, 0.5), (0.8, 0.5), (0.8, 1.5)):
            first, second = world(draw, shape, 0.5, noise), world(draw, shape, 0.5, noise)
            pairs = [
                (after[0] + favour - before[0], after[1] + 0.3 - before[1])
                for before, after in zip(first, second, strict=True)
            ]
            truth = sum(people for _, people in pairs) / len(pairs)
            for labels in (60, 100):
                cell = Cell(f"{shape}, favour {favour}, noise {noise}", f"{labels} labels", 95)
                for _ in range(repetitions):
                    sample = _sample(draw.choices(pairs, k=labels + 300), labels)
                    if mean_refusal(sample) is not None:
                        cell.refused += 1
                        continue
                    made = estimate_mean(sample)
                    low, high = made.labels_alone[1:]
                    cell.add(made.low <= truth <= made.high, (made.high - made.low) / (high - low))
                yield cell


def pass_rates(repetitions: int) -> Iterator[Cell]:
    """The corrected pass rate over sensitivities, specificities, true rates and numbers of labels."""
    draw = Random(18)
    for sensitivity, specificity in ((0.95, 0.9), (0.9, 0.7), (0.8, 0.8), (0.7, 0.6), (0.99, 0.5)):
        for rate in (0.2, 0.5, 0.9):
            for labels in (30, 60, 200):
                cell = Cell(f"sens. {sensitivity}, spec. {specificity}, rate {rate}", f"{labels} labels", 95)
                for _ in range(repetitions):
                    counts = _counts(draw, sensitivity, specificity, rate, labels, 300)
                    if rate_refusal(counts) is not None:
                        cell.refused += 1
                        continue
                    made = corrected_pass_rate(counts)
                    cell.add(made.low <= rate <= made.high, made.high - made.low)
                yield cell


def _sample(pairs: list[tuple[float, float]], labels: int) -> Sample:
    return Sample(
        judged=[judge for judge, _ in pairs[:labels]],
        labels=[people for _, people in pairs[:labels]],
        unlabelled=[judge for judge, _ in pairs[labels:]],
    )


def _counts(draw: Random, sensitivity: float, specificity: float, rate: float, labels: int, rest: int) -> Counts:
    outcomes = {True: [0, 0], False: [0, 0]}
    passed = 0
    for place in range(labels + rest):
        good = draw.random() < rate
        says = draw.random() < (sensitivity if good else 1 - specificity)
        if place < labels:
            outcomes[good][says == good] += 1
        else:
            passed += says
    (_, true_fails), (_, true_passes) = outcomes[False], outcomes[True]
    return Counts(passed, rest, true_fails, sum(outcomes[False]), true_passes, sum(outcomes[True]))
