"""The geometry of the pages' charts: data into places on a drawing. Pure; templates draw it as SVG.

Every drawing has a text alternative and a table with the same numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import NamedTuple

from evenhand.core.rules import GRADES
from evenhand.core.values import Scorecard
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
    """A grade in a chart of grades."""

    letter: str
    x: float
    y: float
    height: float
    text: str
    """ "35%", or how many."""
    most: bool


class GradeChart(NamedTuple):
    """A column for each grade: its probability, or how many scorecards have it."""

    columns: tuple[Column, ...]
    width: float
    step: float
    caption: str
    head: str
    """What the numbers are, as the head of a table's column."""
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
    if line.interval is not None:
        low, high = map(_units, line.interval)
        return Bar(low, high - low, False, mean, readers)
    highest = _units(card.bounds[name].at_most) if name in card.bounds else 100
    return Bar(SCALE, highest - SCALE, False, mean, readers)


def _units(score: Decimal) -> float:
    return float(score * SCALE)


COLUMN, HIGHEST_COLUMN, BASE = 44, 96, 120
LETTERS = tuple(grade.letter for grade in GRADES)


def probability_chart(chances: Mapping[str, float]) -> GradeChart:
    """How probable each grade is, from the best that is possible to the worst."""
    places = [LETTERS.index(letter) for letter in chances]
    letters = LETTERS[max(0, min(places) - 1) : max(places) + 2]
    texts = {letter: percent(chance) for letter, chance in chances.items()}
    return _chart(letters, chances, texts, 1.0, "Probability of each grade", "probability")


def count_chart(counts: Mapping[str, int]) -> GradeChart:
    """How many scorecards have each grade; "none" for those without one."""
    letters = (*LETTERS, "none") if "none" in counts else LETTERS
    texts = {letter: str(count) for letter, count in counts.items()}
    return _chart(letters, counts, texts, max(counts.values()), "Scorecards of each grade", "scorecards")


def _chart(
    letters: Sequence[str],
    values: Mapping[str, float],
    texts: Mapping[str, str],
    whole: float,
    caption: str,
    head: str,
) -> GradeChart:
    most = max(values.values())
    columns = []
    for place, letter in enumerate(letters):
        height = round(HIGHEST_COLUMN * values.get(letter, 0) / whole, 1)
        text = texts.get(letter, "")
        columns.append(
            Column(letter, place * COLUMN, round(BASE - height, 1), height, text, values.get(letter) == most)
        )
    words = ", ".join(f"{letter} {texts[letter]}" for letter in letters if letter in texts)
    return GradeChart(tuple(columns), COLUMN * len(letters), COLUMN, caption, head, f"{caption}: {words}")
