"""Where the points of a chart lie: final scores over time, with dates below and grades at the side. Pure geometry."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Final, Literal, NamedTuple

from evenhand.core.basics.methodology import GRADES, HIGHEST, LOWEST

WIDTH: Final = 720
HEIGHT: Final = 260
SPARK_POINTS: Final = 4
_LEFT, _RIGHT, _TOP, _BOTTOM = 40, 36, 12, 30
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

Kind = Literal["point", "flag", "alarm"]


class Scored(NamedTuple):
    """An evaluation to draw."""

    id: str
    completed: int
    """Microseconds since 1970."""
    final: int
    """Hundredths."""
    label: str
    kind: Kind


class Dot(NamedTuple):
    """A point of the chart."""

    x: float
    y: float
    kind: Kind
    label: str
    id: str


class Tick(NamedTuple):
    """A line across the chart with its label."""

    place: float
    label: str
    side_label: str = ""


class TimeChart(NamedTuple):
    """A chart in units of its own size."""

    width: int
    height: int
    left: int
    right: int
    bottom: int
    line: str
    """The points of the line through all dots."""
    dots: Sequence[Dot]
    days: Sequence[Tick]
    grades: Sequence[Tick]


def time_chart(scored: Sequence[Scored]) -> TimeChart | None:
    """The chart of some evaluations in the order of time; None without any."""
    if not scored:
        return None
    low = max(LOWEST, min(point.final for point in scored) // 100 * 100 - 50)
    first, last = scored[0].completed, scored[-1].completed
    dots = [
        Dot(_x(point.completed, first, last), _y(point.final, low), point.kind, point.label, point.id)
        for point in scored
    ]
    grades: list[Tick] = []
    for grade in GRADES:
        y = _y(max(grade.lower, LOWEST), low)
        if grade.lower >= low and (not grades or y - grades[-1].place >= 14):
            grades.append(Tick(y, grade.letter, f"{grade.lower / 100:.1f}"))
    line = " ".join(f"{dot.x},{dot.y}" for dot in dots)
    return TimeChart(WIDTH, HEIGHT, _LEFT, WIDTH - _RIGHT, HEIGHT - _BOTTOM, line, dots, _days(first, last), grades)


def _days(first: int, last: int) -> list[Tick]:
    """At most five moments, evenly spread, written as finely as they differ."""
    count = 5 if last > first else 1
    moments = [first + (last - first) * place // max(1, count - 1) for place in range(count)]
    written = "%d %b %Y" if last - first > 4 * 86_400_000_000 else "%d %b %H:%M"
    ticks: list[Tick] = []
    for moment in moments:
        label = date_text(moment, written)
        if not ticks or ticks[-1].label != label:
            ticks.append(Tick(_x(moment, first, last), label))
    return ticks


def date_text(moment: int, written: str = "%Y-%m-%d") -> str:
    """A moment as a date; empty when it is outside the calendar."""
    try:
        return (_EPOCH + timedelta(microseconds=moment)).strftime(written).lstrip("0")
    except OverflowError:
        return ""


def _x(moment: int, first: int, last: int) -> float:
    room = WIDTH - _LEFT - _RIGHT - 16
    share = (moment - first) / (last - first) if last > first else 0.5
    return round(_LEFT + 8 + room * share, 1)


def _y(final: int, low: int) -> float:
    return round(HEIGHT - _BOTTOM - (final - low) * (HEIGHT - _TOP - _BOTTOM) / (HIGHEST - low), 1)


def spark(finals: Sequence[int | float | None], *, width: int = 100, height: int = 24) -> str:
    """A little line of scores, as the points of a polyline; those without a score are left out.

    It shows `SPARK_POINTS` around them, or as many as they span: over all ten, a fall of two points looks flat, and
    over their own range alone noise looks like a fall.
    """
    known = [score for score in finals if score is not None]
    if not known:
        return ""
    step = (width - 4) / max(1, len(known) - 1)
    span = max(SPARK_POINTS, max(known) - min(known))
    low = (max(known) + min(known) - span) / 2
    heights = [round(height - 2 - (score - low) * (height - 4) / span, 1) for score in known]
    if len(known) == 1:
        heights, step = heights * 2, width - 4
    return " ".join(f"{round(2 + place * step, 1)},{y}" for place, y in enumerate(heights))
