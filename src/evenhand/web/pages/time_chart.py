"""Where the points of a chart lie: final scores over time, with dates below and grades at the side. Pure geometry."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Final, Literal, NamedTuple

from evenhand.core.rules import GRADES, HIGHEST, LOWEST

WIDTH: Final = 960
HEIGHT: Final = 280
SPARK_POINTS: Final = 4
_LEFT, _RIGHT, _TOP, _BOTTOM = 40, 36, 12, 30
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

Kind = Literal["point", "chance", "flag", "alarm"]
"""Nothing about it; a flag that chance explains; one that it does not; a drift alarm."""


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


class Bin(NamedTuple):
    """Many evaluations of a part of the time, drawn as one mark from the lowest to the highest score."""

    x: float
    """Where the part begins."""
    width: float
    middle: float
    low: float
    high: float
    mean: float
    kind: Kind
    label: str
    address: str
    """Where this part alone is shown."""


class Mark(NamedTuple):
    """A line down the chart at a moment, with a number that the text below explains."""

    x: float
    number: int
    label: str


class Shade(NamedTuple):
    """A stretch of time behind the points."""

    x: float
    width: float


class Binned(NamedTuple):
    """Evaluations of a part of the time, to draw."""

    start: int
    end: int
    evaluations: int
    low: int
    high: int
    mean: float
    """Hundredths."""
    kind: Kind
    label: str
    address: str


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
    bins: Sequence[Bin] = ()
    marks: Sequence[Mark] = ()
    shades: Sequence[Shade] = ()
    evaluations: int = 0


class Span(NamedTuple):
    """From one moment to another, in microseconds since 1970."""

    start: int
    end: int


def time_chart(scored: Sequence[Scored], span: Span | None = None) -> TimeChart | None:
    """The chart of some evaluations in the order of time, over a span if one is given; None without any."""
    if not scored:
        return None
    low = _lowest(min(point.final for point in scored))
    first, last = span or (scored[0].completed, scored[-1].completed)
    dots = [
        Dot(_x(point.completed, first, last), _y(point.final, low), point.kind, point.label, point.id)
        for point in scored
    ]
    line = " ".join(f"{dot.x},{dot.y}" for dot in dots)
    return _chart(line, dots, first, last, low)._replace(evaluations=len(dots))


def binned_chart(binned: Sequence[Binned], span: Span) -> TimeChart | None:
    """The chart of many evaluations, a mark for each part of the time; None without any."""
    if not binned:
        return None
    low = _lowest(min(part.low for part in binned))
    bins = []
    for part in binned:
        x, end = _x(max(part.start, span.start), *span), _x(min(part.end, span.end), *span)
        middle = round((x + end) / 2, 1)
        bins.append(Bin(x, round(end - x, 1), middle, *_ys(part, low), part.kind, part.label, part.address))
    line = " ".join(f"{one.middle},{one.mean}" for one in bins)
    chart = _chart(line, (), *span, low)
    return chart._replace(bins=bins, evaluations=sum(part.evaluations for part in binned))


def marked(
    chart: TimeChart, span: Span, marks: Sequence[tuple[int, int, str]], stretches: Sequence[tuple[int, int]]
) -> TimeChart:
    """A chart with moments marked, each with its number and label, and stretches of time shaded."""
    lines = [Mark(_x(at, *span), number, label) for at, number, label in marks if span.start <= at <= span.end]
    shades = []
    for first, last in stretches:
        if last >= span.start and first <= span.end:
            x, end = _x(max(first, span.start), *span), _x(min(last, span.end), *span)
            shades.append(Shade(x, max(2.0, round(end - x, 1))))
    return chart._replace(marks=lines, shades=shades)


def _ys(part: Binned, low: int) -> tuple[float, float, float]:
    return _y(part.low, low), _y(part.high, low), _y(part.mean, low)


def _lowest(final: int) -> int:
    return max(LOWEST, final // 100 * 100 - 50)


def _chart(line: str, dots: Sequence[Dot], first: int, last: int, low: int) -> TimeChart:
    grades: list[Tick] = []
    for grade in GRADES:
        y = _y(max(grade.lower, LOWEST), low)
        if grade.lower >= low and (not grades or y - grades[-1].place >= 14):
            grades.append(Tick(y, grade.letter, f"{grade.lower / 100:.1f}"))
    return TimeChart(WIDTH, HEIGHT, _LEFT, WIDTH - _RIGHT, HEIGHT - _BOTTOM, line, dots, _days(first, last), grades)


class Bar(NamedTuple):
    """A bar of a small chart below the large one."""

    x: float
    y: float
    width: float
    height: float
    label: str


def bars(values: Sequence[tuple[int, int, float, str]], span: Span, *, height: int = 60) -> list[Bar]:
    """A bar for each part of the time, given by start, end, value and label; the highest fills the chart."""
    highest = max((value for _, _, value, _ in values), default=0)
    drawn = []
    for start, end, value, label in values:
        x, right = _x(max(start, span.start), *span), _x(min(end, span.end), *span)
        tall = round((height - 4) * value / highest, 1) if highest else 0.0
        drawn.append(Bar(x, round(height - tall, 1), max(1.5, round(right - x - 1, 1)), tall, label))
    return drawn


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


def _y(final: float, low: int) -> float:
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
