"""How often an estimate holds the truth when items had different chances of being labelled. Run by `trust.py`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from random import Random

from evenhand.core.trust.estimates import Sample
from evenhand.core.trust.pass_rate import estimate_pass_rate, pass_refusal
from evenhand.core.trust.selection import inclusion, near_edge
from evenhand.core.trust.weighted_estimates import Design, estimate_weighted, weighted_refusal
from trust_estimates import WIDEST
from trust_tables import Cell
from trust_worlds import SHAPES, world

Pair = tuple[float, float]

JUDGED = 600
"""How many outputs are judged; the labelled ones are drawn from them."""


_near_edge = cache(near_edge)


def _by_doubt(draw: Random, pair: Pair) -> int:
    """One doubt to three: near a grade's edge, and disputed the more the further judge and people are apart."""
    judge, people = pair
    return 1 + _near_edge(round(100 * judge)) + (abs(judge - people) + draw.gauss(0, 0.5) > 1)


def _low_first(draw: Random, pair: Pair) -> int:
    """What the judge scores low is three times as likely to be labelled."""
    return 3 if pair[0] < 7 else 1


def _by_size(draw: Random, pair: Pair) -> int:
    """Chances that have nothing to do with the scores, from 1 to 5."""
    return draw.randint(1, 5)


DESIGNS: dict[str, Callable[[Random, Pair], int]] = {
    "by doubt": _by_doubt,
    "low scores first": _low_first,
    "chances of 1 to 5": _by_size,
}


def means(repetitions: int) -> Iterator[Cell]:
    """The mean by PPI++ with inverse-probability weights, of 600 judged outputs."""
    draw = Random(19)
    for shape in SHAPES:
        for bias, noise in ((0.8, 0.4), (0.8, 1.5)):
            pairs = world(draw, shape, bias, noise)
            truth = sum(people for _, people in pairs) / len(pairs)
            for design, weigh in DESIGNS.items():
                for labels in (100, 150, 250):
                    yield _cell(draw, pairs, truth, f"{shape}, noise {noise}, {design}", (weigh, labels), repetitions)


def pass_rates(repetitions: int) -> Iterator[Cell]:
    """The pass rate with the same weights, at marks that few, most and nearly all outputs reach."""
    draw = Random(23)
    for shape in ("middle", "rare failures"):
        for noise in (0.4, 1.5):
            pairs = world(draw, shape, 0.8, noise)
            marks = sorted(people for _, people in pairs)
            for share in (0.2, 0.8, 0.9):
                mark = marks[int(len(marks) * (1 - share))]
                for design in ("by doubt", "low scores first", "chances of 1 to 5"):
                    for labels in (150, 300):
                        yield _pass_cell(draw, pairs, mark, f"{shape}, noise {noise}", design, labels, repetitions)


def _pass_cell(
    draw: Random, pairs: list[Pair], mark: float, setting: str, design_name: str, labels: int, repetitions: int
) -> Cell:
    truth = sum(people >= mark for _, people in pairs) / len(pairs)
    cell = Cell(f"{setting}, {truth:.0%} pass, {design_name}", f"{labels} labels", 95, widest=WIDEST)
    for _ in range(repetitions):
        judged = draw.choices(pairs, k=JUDGED)
        sample, chances = draw_labels(draw, judged, [DESIGNS[design_name](draw, pair) for pair in judged], labels)
        verdicts = Sample(*([float(score >= mark) for score in scores] for scores in sample))
        design = Design(chances)
        if pass_refusal(verdicts, design) is not None:
            cell.refused += 1
            continue
        made = estimate_pass_rate(verdicts, design)
        _, low, high = made.labels_alone
        cell.add(made.low <= truth <= made.high, (made.high - made.low) / (high - low))
    return cell


def _cell(
    draw: Random,
    pairs: list[Pair],
    truth: float,
    setting: str,
    design: tuple[Callable[[Random, Pair], int], int],
    repetitions: int,
) -> Cell:
    weigh, labels = design
    cell = Cell(setting, f"{labels} labels", 95)
    for _ in range(repetitions):
        judged = draw.choices(pairs, k=JUDGED)
        sample, chances = draw_labels(draw, judged, [weigh(draw, pair) for pair in judged], labels)
        if weighted_refusal(sample, Design(chances)) is not None:
            cell.refused += 1
            continue
        made = estimate_weighted(sample, Design(chances))
        low, high = made.labels_alone[1:]
        cell.add(made.low <= truth <= made.high, (made.high - made.low) / (high - low))
    return cell


def draw_labels(draw: Random, judged: list[Pair], weights: list[int], labels: int) -> tuple[Sample, list[float]]:
    """Labelled items by systematic sampling, as rounds of review are drawn, and the chance that each of them had."""
    known = dict(zip(weights, inclusion(weights, labels), strict=True))
    by_weight = {weight: float(chance) for weight, chance in known.items()}
    places = [*range(len(judged))]
    draw.shuffle(places)
    total = draw.random()
    labelled, chances, rest = [], [], []
    for place in places:
        chance = by_weight[weights[place]]
        chosen = int(total + chance) > int(total)
        total += chance
        if chosen:
            labelled.append(judged[place])
            chances.append(chance)
        else:
            rest.append(judged[place][0])
    return Sample([judge for judge, _ in labelled], [people for _, people in labelled], rest), chances
