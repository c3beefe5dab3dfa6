"""How often the intervals of `evenhand trust estimate` hold the truth. Run by `trust.py`."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from evenhand.stats.trust.estimates import Sample, equal_chances, estimate_mean
from evenhand.stats.trust.estimates import refusal as mean_refusal
from evenhand.stats.trust.pass_rate import estimate_pass_rate, pass_refusal
from trust_tables import Cell
from trust_worlds import SHAPES, world


def means(repetitions: int) -> Iterator[Cell]:
    """The mean by PPI++: 30 to 200 labels, with 300 outputs judged beside them; last a judge that says nothing."""
    draw = Random(16)
    for shape in SHAPES:
        for bias, noise in ((0.0, 0.4), (0.8, 0.4), (0.8, 1.5), (2.0, 1.0)):
            pairs = world(draw, shape, bias, noise)
            yield from _cells(draw, f"{shape}, bias {bias}, noise {noise}", pairs, (30, 40, 60, 100, 200), repetitions)
    for shape in SHAPES:
        pairs = [(draw.gauss(6, 1.5), people) for _, people in world(draw, shape, 0.0, 0.4)]
        yield from _cells(draw, f"{shape}, a random judge", pairs, (30, 60, 200), repetitions)


def _cells(
    draw: Random, setting: str, pairs: list[tuple[float, float]], numbers: tuple[int, ...], repetitions: int
) -> Iterator[Cell]:
    """A cell for each number of labels, with 300 outputs judged beside them."""
    truth = sum(people for _, people in pairs) / len(pairs)
    for labels in numbers:
        cell = Cell(setting, f"{labels} labels", 95, widest=WIDEST)
        for _ in range(repetitions):
            sample = _sample(draw.choices(pairs, k=labels + 300), labels)
            if mean_refusal(sample) is not None:
                cell.refused += 1
                continue
            made = estimate_mean(sample)
            low, high = made.labels_alone[1:]
            ends = made.beyond
            cell.add(ends[0] <= truth <= ends[1], (made.high - made.low) / (high - low))
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
            yield from _cells(draw, f"{shape}, favour {favour}, noise {noise}", pairs, (30, 60, 100), repetitions)


WIDEST = 1.05
"""Never more than 5 % wider than the labels alone."""


def pass_rates(repetitions: int) -> Iterator[Cell]:
    """The pass rate by PPI++ over sensitivities, specificities, true rates and numbers of labels; last a coin's."""
    draw = Random(18)
    for sensitivity, specificity in ((0.95, 0.9), (0.9, 0.7), (0.8, 0.8), (0.7, 0.6), (0.99, 0.5), (0.5, 0.5)):
        for rate in (0.2, 0.5, 0.9, 0.97):
            for labels in (30, 60, 200):
                setting = f"sens. {sensitivity}, spec. {specificity}, rate {rate}"
                cell = Cell(setting, f"{labels} labels", 95, widest=WIDEST)
                for _ in range(repetitions):
                    sample = _sample(_verdicts(draw, sensitivity, specificity, rate, labels + 300), labels)
                    design = equal_chances(sample)
                    if pass_refusal(sample, design) is not None:
                        cell.refused += 1
                        continue
                    made = estimate_pass_rate(sample, design)
                    _, low, high = made.labels_alone
                    ends = made.beyond
                    cell.add(ends[0] <= rate <= ends[1], (made.high - made.low) / (high - low))
                yield cell


PARTS = ((30, 60), (60, 90), (100, 150), (200, 210), (100, 2000))
"""How many of how many outputs are labelled."""


def these_outputs(repetitions: int) -> Iterator[Cell]:
    """The mean and the pass rate of just the outputs that were judged, a good part of them labelled."""
    draw = Random(41)
    for shape in SHAPES:
        for bias, noise in ((0.8, 0.4), (0.8, 1.5)):
            pairs = world(draw, shape, bias, noise)
            for labels, judged in PARTS:
                cell = Cell(f"mean, {shape}, noise {noise}", f"{labels} of {judged}", 95, widest=WIDEST)
                for _ in range(repetitions):
                    items = draw.choices(pairs, k=judged)
                    sample = _sample(items, labels)
                    if mean_refusal(sample) is not None:
                        cell.refused += 1
                        continue
                    made = estimate_mean(sample)
                    truth = sum(people for _, people in items) / judged
                    _, low, high = made.labels_alone
                    cell.add(made.low <= truth <= made.high, (made.high - made.low) / (high - low or 1))
                yield cell
    for sensitivity, specificity in ((0.95, 0.9), (0.7, 0.6), (0.2, 0.1)):
        for rate in (0.5, 0.9, 0.97):
            for labels, judged in PARTS:
                setting = f"pass rate {rate}, sens. {sensitivity}, spec. {specificity}"
                cell = Cell(setting, f"{labels} of {judged}", 95, widest=WIDEST)
                for _ in range(repetitions):
                    items = _verdicts(draw, sensitivity, specificity, rate, judged)
                    sample = _sample(items, labels)
                    design = equal_chances(sample)
                    if pass_refusal(sample, design) is not None:
                        cell.refused += 1
                        continue
                    rated = estimate_pass_rate(sample, design)
                    truth = sum(people for _, people in items) / judged
                    _, low, high = rated.labels_alone
                    cell.add(rated.low <= truth <= rated.high, (rated.high - rated.low) / (high - low))
                yield cell


def _verdicts(
    draw: Random, sensitivity: float, specificity: float, rate: float, number: int
) -> list[tuple[float, float]]:
    """The judge's verdict and people's, 1 for a pass."""
    verdicts = []
    for _ in range(number):
        good = draw.random() < rate
        verdicts.append((float(draw.random() < (sensitivity if good else 1 - specificity)), float(good)))
    return verdicts


def _sample(pairs: list[tuple[float, float]], labels: int) -> Sample:
    return Sample(
        judged=[judge for judge, _ in pairs[:labels]],
        labels=[people for _, people in pairs[:labels]],
        unlabelled=[judge for judge, _ in pairs[labels:]],
    )
