"""How often an estimate holds the truth when items had different chances of being labelled. Run by `trust.py`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from typing import NamedTuple

import numpy as np

from evenhand.stats.trust.estimates import Design, Sample, estimate_mean, refusal
from evenhand.stats.trust.pass_rate import estimate_pass_rate, pass_refusal
from evenhand.stats.trust.selection import inclusion, near_edge
from trust_estimates import WIDEST
from trust_tables import Cell
from trust_worlds import SHAPES, world

Numbers = Places = np.ndarray


JUDGED = 600
"""How many outputs are judged; the labelled ones are drawn from them."""

Weigh = Callable[[np.random.Generator, Numbers, Numbers], Places]
"""How likely items are to be labelled, given the judge's scores of them and people's."""

_AT_EDGE = np.array([near_edge(final) for final in range(1001)])


def _by_doubt(draw: np.random.Generator, judge: Numbers, people: Numbers) -> Places:
    """One doubt to three: near a grade's edge, and disputed the more the further judge and people are apart."""
    disputed = np.abs(judge - people) + draw.normal(0, 0.5, judge.shape) > 1
    return 1 + _AT_EDGE[np.rint(100 * judge).astype(int)] + disputed


def _low_first(draw: np.random.Generator, judge: Numbers, people: Numbers) -> Places:
    """What the judge scores low is three times as likely to be labelled."""
    return np.where(judge < 7, 3, 1)


def _by_size(draw: np.random.Generator, judge: Numbers, people: Numbers) -> Places:
    """Chances that have nothing to do with the scores, from 1 to 5."""
    return draw.integers(1, 5, judge.shape, endpoint=True)


DESIGNS: dict[str, Weigh] = {
    "by doubt": _by_doubt,
    "low scores first": _low_first,
    "chances of 1 to 5": _by_size,
}


def means(repetitions: int) -> Iterator[Cell]:
    """The mean by PPI++ with inverse-probability weights, of 600 judged outputs."""
    draw, choose = Random(19), np.random.default_rng(19)
    for shape in SHAPES:
        for bias, noise in ((0.8, 0.4), (0.8, 1.5)):
            pairs = np.array(world(draw, shape, bias, noise))
            truth = float(pairs[:, 1].mean())
            for design, weigh in DESIGNS.items():
                for labels in (100, 150, 250):
                    cell = Cell(f"{shape}, noise {noise}, {design}", f"{labels} labels", 95, widest=WIDEST)
                    for sample, chances in _samples(_draw(choose, pairs, weigh, labels, repetitions)):
                        if refusal(sample, chances) is not None:
                            cell.refused += 1
                            continue
                        made = estimate_mean(sample, chances)
                        low, high = made.labels_alone[1:]
                        ends = made.beyond
                        cell.add(ends[0] <= truth <= ends[1], (made.high - made.low) / (high - low))
                    yield cell


def pass_rates(repetitions: int) -> Iterator[Cell]:
    """The pass rate with the same weights, at marks that few, most and nearly all outputs reach."""
    draw, choose = Random(23), np.random.default_rng(23)
    for shape in ("middle", "rare failures"):
        for noise in (0.4, 1.5):
            pairs = np.array(world(draw, shape, 0.8, noise))
            marks = np.sort(pairs[:, 1])
            for share in (0.2, 0.8, 0.9):
                mark = marks[int(len(marks) * (1 - share))]
                truth = float((pairs[:, 1] >= mark).mean())
                for design, weigh in DESIGNS.items():
                    for labels in (150, 300):
                        setting = f"{shape}, noise {noise}, {truth:.0%} pass, {design}"
                        cell = Cell(setting, f"{labels} labels", 95, widest=WIDEST)
                        drawn = _draw(choose, pairs, weigh, labels, repetitions)
                        passed = drawn._replace(judge=drawn.judge >= mark, people=drawn.people >= mark)
                        for sample, chances in _samples(passed):
                            if pass_refusal(sample, chances) is not None:
                                cell.refused += 1
                                continue
                            made = estimate_pass_rate(sample, chances)
                            _, low, high = made.labels_alone
                            ends = made.beyond
                            cell.add(ends[0] <= truth <= ends[1], (made.high - made.low) / (high - low))
                        yield cell


class Drawn(NamedTuple):
    """Samples, a row each, with a column for each judged output."""

    judge: np.ndarray
    people: np.ndarray
    chances: np.ndarray
    taken: np.ndarray
    """Which outputs have a label."""


def _draw(draw: np.random.Generator, pairs: Numbers, weigh: Weigh, labels: int, repetitions: int) -> Drawn:
    """Judged outputs with labels by systematic sampling, as rounds of review are drawn, and their chances."""
    judged = draw.choice(pairs, (repetitions, JUDGED))
    judge, people = judged[..., 0], judged[..., 1]
    chances = np.array([_chances(row, labels) for row in weigh(draw, judge, people).tolist()])
    # Items are in random order already. They lie end to end, as long as their chances, and every whole step is taken.
    ends = draw.random((repetitions, 1)) + np.cumsum(chances, axis=1)
    return Drawn(judge, people, chances, np.floor(ends) > np.floor(ends - chances))


def _samples(drawn: Drawn) -> Iterator[tuple[Sample, Design]]:
    """The samples one by one."""
    judge, people = drawn.judge.astype(float), drawn.people.astype(float)
    for place, taken in enumerate(drawn.taken):
        sides = judge[place, taken], people[place, taken], judge[place, ~taken]
        yield Sample(*(side.tolist() for side in sides)), Design(drawn.chances[place, taken].tolist())


def _chances(weights: list[int], labels: int) -> list[float]:
    known = dict(zip(weights, inclusion(weights, labels), strict=True))
    by_weight = {weight: float(chance) for weight, chance in known.items()}
    return [by_weight[weight] for weight in weights]
