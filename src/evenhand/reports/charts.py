"""Every chart: data into places on a drawing. Pure geometry; templates draw it as SVG without scripts.

Every drawing has a text alternative and a table with the same numbers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from evenhand.core.calibration import HIGHEST as HIGHEST_SCORE
from evenhand.core.calibration import LOWEST as LOWEST_SCORE
from evenhand.core.calibration import calibrated
from evenhand.core.curve import Curve
from evenhand.core.rules import GRADES, HIGHEST, LOWEST
from evenhand.reports.panel import percent

if TYPE_CHECKING:
    from evenhand.decisions.decision import CaseDifference

# --- columns of grades


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


COLUMN, HIGHEST_COLUMN, BASE = 44, 96, 120
LETTERS = tuple(grade.letter for grade in GRADES)


def probability_chart(chances: Mapping[str, float]) -> GradeChart:
    """How probable each grade is, from the best that is possible to the worst."""
    places = [LETTERS.index(letter) for letter in chances]
    letters = LETTERS[max(0, min(places) - 1) : max(places) + 2]
    texts = {letter: percent(chance) for letter, chance in chances.items()}
    return _columns(letters, chances, texts, 1.0, "Probability of each grade", "probability")


def count_chart(counts: Mapping[str, int]) -> GradeChart:
    """How many scorecards have each grade; "none" for those without one."""
    letters = (*LETTERS, "none") if "none" in counts else LETTERS
    texts = {letter: str(count) for letter, count in counts.items()}
    return _columns(letters, counts, texts, max(counts.values()), "Scorecards of each grade", "scorecards")


def _columns(
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


# --- values with their intervals, pairs of scores as lines

INTERVAL_WIDTH, ROW, LEFT, RIGHT = 640, 30, 10, 10


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
        return round(LEFT + (value - low) * (INTERVAL_WIDTH - LEFT - RIGHT) / (high - low), 1)

    rows = tuple(
        IntervalRow(row.name, row.text, 20 + number * 2 * ROW, place(row.value), place(row.low), place(row.high))
        for number, row in enumerate(measured)
    )
    ticks = tuple((place(value), unit.format(value)) for value in (low, (low + reference) / 2, reference))
    ticks += tuple((place(value), unit.format(value)) for value in ((high + reference) / 2, high))
    words = "; ".join(f"{row.name}: {row.text}" for row in measured)
    return IntervalChart(
        rows, INTERVAL_WIDTH, 2 * ROW * len(rows) + 34, place(reference), ticks, caption, f"{caption}. {words}"
    )


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


# --- quality beside cost

DOT_WIDTH, DOT_HEIGHT, PER_LETTER = 480, 250, 7.5


class Dotted(NamedTuple):
    """A variant on the drawing, with its name where no other name stands."""

    x: float
    y: float
    name: str
    text: str
    label_y: float


class QualityChart(NamedTuple):
    """Quality upward, cost or time to the right."""

    points: tuple[Dotted, ...]
    ticks: tuple[tuple[float, str], ...]
    along: str
    most: str
    width: float = DOT_WIDTH
    height: float = DOT_HEIGHT


def quality_chart(
    entries: Sequence[tuple[str, float, float, str]],
    ends: tuple[float, float],
    labels: tuple[str, str],
    along: str,
    most: str,
) -> QualityChart | None:
    """`entries` are names, amounts spent, means and texts; `ends` are those of the scale, `labels` their words."""
    if not entries:
        return None
    low, high = ends
    largest = max(amount for _, amount, _, _ in entries) or 1.0
    placed: list[Dotted] = []
    for name, amount, mean, text in sorted(entries, key=lambda entry: -entry[2]):
        x, y = 60 + 320 * amount / largest, 200 - 170 * (mean - low) / (high - low)
        label = y - 10
        while any(abs(other.label_y - label) < 14 and _overlap(other, x, name) for other in placed):
            label += 14
        placed.append(Dotted(x, y, name, text, label))
    return QualityChart(tuple(placed), ((200, labels[0]), (30, labels[1])), along, most)


def _overlap(other: Dotted, x: float, name: str) -> bool:
    """Whether two names, each centred at its place, would touch if they stood on one line."""
    return abs(other.x - x) < PER_LETTER * (len(other.name) + len(name)) / 2


# --- final scores over time

WIDTH: Final = 960
HEIGHT: Final = 280
SPARK_POINTS: Final = 4
_LEFT, _RIGHT, _TOP, _BOTTOM = 40, 36, 12, 30
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

Kind = Literal["point", "chance", "flag", "alarm"]
"""A usual point; a flag that chance explains; a flag that it does not; a drift alarm."""


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
    label: str = ""
    """All of it in words."""
    caption: str = ""


EMPTY_CHART: Final = TimeChart(WIDTH, HEIGHT, _LEFT, WIDTH - _RIGHT, HEIGHT - _BOTTOM, "", (), (), ())


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


def sparkline(values: Sequence[int]) -> str:
    """Scores in hundredths as a row of little bars, from 1 to 10."""
    bars = "\u2581\u2582\u2583\u2584\u2585\u2586\u2587\u2588"
    return "".join(bars[min(len(bars) - 1, (value - LOWEST) * len(bars) // (HIGHEST - LOWEST))] for value in values)


# --- what people give for what a judge gives

SIDE, MARGIN = 320, 36
"""The side of the drawing, and the room for its axes."""

Stroke = tuple[float, float, float, float]
"""A line from one point to another."""


class CurveChart(NamedTuple):
    """A calibration's curve over the scores that have labels, with its interval."""

    side: int
    ticks: Sequence[tuple[float, float, str]]
    curve: Sequence[Stroke]
    bounds: Sequence[Stroke]
    label: str
    caption: str


def curve_chart(field: str, curve: Curve) -> CurveChart:
    """The curve over the scores that have labels, with its interval."""
    steps = 40
    scores = [curve.low + (curve.high - curve.low) * step / steps for step in range(steps + 1)]
    points = [(score, *calibrated(curve, score)) for score in scores]

    def along(values: list[tuple[float, float]]) -> list[Stroke]:
        return [(square_x(x1), square_y(y1), square_x(x2), square_y(y2)) for (x1, y1), (x2, y2) in pairwise(values)]

    first, last = points[0], points[-1]
    lower, upper = ([(point[0], point[bound]) for point in points] for bound in (2, 3))
    return CurveChart(
        side=SIDE,
        ticks=[(square_x(score), square_y(score), str(score)) for score in range(1, 11)],
        curve=along([(score, value) for score, value, _, _ in points]),
        bounds=[*along(lower), *along(upper)],
        label=f"{field}: the judge's {first[0]:.2f} is people's {first[1]:.2f}, its {last[0]:.2f} is {last[1]:.2f}",
        caption=(
            "The judge's final score to the right, people's upward; between the thin lines lie "
            f"{curve.confidence:.0%} of people's scores"
        ),
    )


def square_x(score: float) -> float:
    return round(MARGIN + (SIDE - 2 * MARGIN) * (score - LOWEST_SCORE) / (HIGHEST_SCORE - LOWEST_SCORE), 1)


def square_y(score: float) -> float:
    return round(SIDE - square_x(score), 1)


# --- differences between two raters

Level = tuple[float, str, bool]
"""Where a line stands, its words, and whether it is the mean."""


class DifferenceChart(NamedTuple):
    """Differences against means (Bland and Altman), with the mean difference and the limits of agreement."""

    dots: Sequence[tuple[float, float, float]]
    """Places with the radius, which tells how many there are."""
    levels: Sequence[Level]
    zero: float
    ends: tuple[str, str]
    """The lowest and the highest mean."""
    label: str
    caption: str
    side: int = SIDE
    margin: int = MARGIN


def difference_chart(
    differences: Sequence[tuple[float, float]],
    sides: tuple[str, str],
    bias: float | None,
    limits: tuple[float | None, float | None],
) -> DifferenceChart:
    """`differences` are pairs of mean and difference; the scale shows all of them, the limits and zero."""
    lines = [(value, place == 0) for place, value in enumerate((bias, *limits)) if value is not None]
    left, right = min(mean for mean, _ in differences), max(mean for mean, _ in differences)
    heights = [0.0, *(gap for _, gap in differences), *(value for value, _ in lines)]
    bottom, top, room = min(heights), max(heights), SIDE - 2 * MARGIN

    def x(value: float) -> float:
        return round(MARGIN + room * (value - left) / ((right - left) or 1), 1)

    def y(value: float) -> float:
        return round(SIDE - MARGIN - room * (value - bottom) / ((top - bottom) or 1), 1)

    mean = "-" if bias is None else f"{bias:+.2f}"
    return DifferenceChart(
        dots=[(x(at), y(gap), round(2 + count**0.5, 1)) for (at, gap), count in Counter(differences).items()],
        levels=[(y(value), f"{value:+.2f}", is_mean) for value, is_mean in lines],
        zero=y(0.0),
        ends=(f"{left:g}", f"{right:g}"),
        label=f"{len(differences)} differences between {sides[0]} and {sides[1]}, mean {mean}",
        caption=(
            f"{sides[0]} minus {sides[1]}, against the mean of both; the line is the mean difference, the dashed lines "
            "are the limits of agreement"
        ),
    )
