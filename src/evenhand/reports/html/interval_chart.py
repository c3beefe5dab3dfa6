"""Values with their intervals on one axis, and pairs of scores as lines: the geometry of two charts. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from evenhand.decisions.decision import CaseDifference

WIDTH, ROW, LEFT, RIGHT = 640, 30, 10, 10


class Measured(NamedTuple):
    """A value with its interval."""

    name: str
    value: float
    low: float
    high: float
    text: str
    """ "+0.35 (+0.10 to +0.60)"."""


class IntervalRow(NamedTuple):
    """One value on the drawing."""

    name: str
    text: str
    y: float
    x: float
    low: float
    high: float


class IntervalChart(NamedTuple):
    """Values with their intervals, one below the other."""

    rows: tuple[IntervalRow, ...]
    width: float
    height: float
    reference: float
    """Where the line of "no difference" is."""
    ticks: tuple[tuple[float, str], ...]
    caption: str
    label: str


class SlopeLine(NamedTuple):
    """A pair as a line from left to right."""

    title: str
    y1: float
    y2: float
    way: str
    """ "up", "down" or "same"."""


class SlopeChart(NamedTuple):
    """Every pair as a line from the first set to the second."""

    lines: tuple[SlopeLine, ...]
    ticks: tuple[tuple[float, str], ...]
    label: str


def interval_chart(
    measured: Sequence[Measured], *, reference: float, caption: str, unit: str = "{:+.2f}", span: float | None = None
) -> IntervalChart:
    """The values on an axis that shows all of them and the reference. `span` is how far it goes on each side."""
    ends = [reference, *(end for row in measured for end in (row.low, row.high))]
    if span is not None:
        low, high = reference - span, reference + span
    else:
        reach = max(abs(end - reference) for end in ends) * 1.1 or 1.0
        low, high = reference - reach, reference + reach

    def place(value: float) -> float:
        return round(LEFT + (value - low) * (WIDTH - LEFT - RIGHT) / (high - low), 1)

    rows = tuple(
        IntervalRow(row.name, row.text, 20 + number * 2 * ROW, place(row.value), place(row.low), place(row.high))
        for number, row in enumerate(measured)
    )
    ticks = tuple((place(value), unit.format(value)) for value in (low, (low + reference) / 2, reference))
    ticks += tuple((place(value), unit.format(value)) for value in ((high + reference) / 2, high))
    words = "; ".join(f"{row.name}: {row.text}" for row in measured)
    return IntervalChart(rows, WIDTH, 2 * ROW * len(rows) + 34, place(reference), ticks, caption, f"{caption}. {words}")


def slope_chart(pairs: Sequence[CaseDifference], names: tuple[str, str]) -> SlopeChart:
    """Every pair as a line; the axis reaches from the whole score below the lowest to the one above the highest."""
    scores = [score for pair in pairs for score in (pair.before, pair.after)]
    low, high = min(9, int(min(scores))), min(10, int(max(scores)) + 1)

    def place(score: float) -> float:
        return round(240 - (score - low) * 220 / (high - low), 1)

    lines = tuple(
        SlopeLine(
            f"{pair.case}: {pair.before:.2f} to {pair.after:.2f}",
            place(pair.before),
            place(pair.after),
            "up" if pair.after > pair.before else "down" if pair.after < pair.before else "same",
        )
        for pair in pairs
    )
    ways = [line.way for line in lines]
    label = (
        f"Every pair as a line from {names[0]} to {names[1]}: {ways.count('up')} rise, {ways.count('down')} fall, "
        f"{ways.count('same')} stay the same"
    )
    return SlopeChart(lines, tuple((place(score), str(score)) for score in range(low, high + 1)), label)
