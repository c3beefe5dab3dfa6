"""The geometry of the pages' charts: data into places on a drawing. Pure; templates draw it as SVG.

Every drawing has a text alternative and a table with the same numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import NamedTuple

from evenhand.core.basics.methodology import GRADES
from evenhand.core.values.scorecard import Scorecard
from evenhand.reports.panel import percent

SCALE = 10
"""Units of a bar's drawing for a point of score."""


class Bar(NamedTuple):
    """A dimension's bar, in units of a drawing 100 wide."""

    start: float
    width: float
    known: bool
    """Whether it ends at a score; otherwise it covers every score that is possible."""
    mean: float | None
    """Where the mean of earlier evaluations is."""
    readers: float | None
    """The score that readers gave, where a fault capped it."""


class Column(NamedTuple):
    """A grade in the chart of probabilities."""

    letter: str
    x: float
    y: float
    height: float
    percent: str
    likeliest: bool


class GradeChart(NamedTuple):
    """The probability of each grade."""

    columns: tuple[Column, ...]
    width: float
    step: float
    label: str
    """All of it in words."""


def score_bar(card: Scorecard, name: str) -> Bar:
    """The bar of one dimension: up to its score, or over the scores that are possible."""
    line = card.dimensions[name]
    compared = card.history.dimensions.get(name) if card.history is not None else None
    mean = None if compared is None else round(compared.mean * SCALE, 1)
    readers = None if line.uncapped is None else _units(line.uncapped)
    if line.score is not None:
        return Bar(0, _units(line.score), True, mean, readers)
    highest = _units(card.bounds[name].at_most) if name in card.bounds else 100
    return Bar(SCALE, highest - SCALE, False, mean, readers)


def _units(score: Decimal) -> float:
    return float(score * SCALE)


COLUMN, HIGHEST_COLUMN, BASE = 44, 96, 120


def grade_chart(chances: Mapping[str, float]) -> GradeChart:
    """A column for each grade from the best that is possible to the worst."""
    letters = [grade.letter for grade in GRADES]
    places = [letters.index(letter) for letter in chances]
    shown = letters[max(0, min(places) - 1) : max(places) + 2]
    most = max(chances.values())
    columns = []
    for place, letter in enumerate(shown):
        chance = chances.get(letter, 0.0)
        height = round(HIGHEST_COLUMN * chance, 1)
        text = percent(chance) if chance else "0%"
        columns.append(Column(letter, place * COLUMN, round(BASE - height, 1), height, text, chance == most))
    words = ", ".join(f"{letter} {percent(chance)}" for letter, chance in chances.items())
    return GradeChart(tuple(columns), COLUMN * len(shown), COLUMN, f"Probability of each grade: {words}")
