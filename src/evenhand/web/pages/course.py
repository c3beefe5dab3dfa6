"""A skill over time: all of it or a part, thinned where there is much, with drift, cost, tokens and missing scores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from evenhand.core.history import changes_words
from evenhand.errors import InputError
from evenhand.files import codec
from evenhand.reports.charts import (
    Bar,
    Binned,
    Scored,
    Span,
    TimeChart,
    bars,
    binned_chart,
    date_text,
    marked,
    time_chart,
)
from evenhand.store.figures.drift import Drifting, drifts
from evenhand.store.protocol import Store
from evenhand.store.record import Record
from evenhand.store.tables.browsed_lists import MOST_COUNTED
from evenhand.store.tables.filter import Filter
from evenhand.store.tables.over_time import CallSums, Part
from evenhand.web.pages.alarms import alarms_of
from evenhand.web.pages.cells import short_time
from evenhand.web.pages.remembered import Figures
from evenhand.web.parameters import Parameters

PARTS: Final = 60
"""Parts of the time that a chart shows."""

SINGLE: Final = 120
"""The most evaluations that are drawn one by one, with their flags."""

DAY: Final = 86_400_000_000
SHORTCUTS: Final = ((7, "7 days"), (30, "30 days"), (90, "90 days"), (365, "a year"))


class Period(NamedTuple):
    """A part of the time with its figures."""

    start: int
    end: int
    scores: Part | None
    unscored: int
    """Without a final score, although someone read them."""
    unread: int
    calls: CallSums

    @property
    def evaluations(self) -> int:
        """All of them, with a final score or without, read or not."""
        return self.unread + self.read

    @property
    def read(self) -> int:
        """Those that someone read."""
        return self.unscored + (self.scores.evaluations if self.scores else 0)

    @property
    def mean(self) -> float | None:
        """The mean of the final scores, in points."""
        return round(self.scores.total / self.scores.evaluations / 100, 2) if self.scores else None


class Course(NamedTuple):
    """What the page of a skill shows of its time."""

    chart: TimeChart | None
    single: bool
    """Whether each evaluation is drawn."""
    drifts: list[dict[str, Any]]
    """Stretches of drift, with the number that marks each in the chart."""
    periods: list[dict[str, Any]]
    small: list[dict[str, Any]]
    """Small charts: a title, what it adds up to, and bars."""
    zooms: list[tuple[str, str, bool]]
    """Addresses of other spans: words, address, whether it is the one shown."""
    start: str
    end: str
    """The dates of the span."""
    cut: bool = False
    """Whether only the newest evaluations that match are drawn."""


def course_of(store: Store, filter: Filter, parameters: Parameters, graded: int) -> Course | None:
    """A skill from one date to another; all of its time unless the address says otherwise. None without evaluations."""
    if filter.tag:  # people put tags on and take them off
        return _course(store, filter, parameters, graded)
    key = parameters.address(before=None)
    return _courses.of(store, key, lambda: _course(store, filter, parameters, graded), many=graded >= MOST_COUNTED)


_courses: Final[Figures[Course | None]] = Figures()


def _course(store: Store, filter: Filter, parameters: Parameters, graded: int) -> Course | None:
    whole = store.span_of(filter.skill)
    if whole is None:
        return None
    span = _span(parameters, Span(*whole))
    filter = filter._replace(since=span.start, until=span.end + 1)
    width = max(1, -(-(span.end + 1 - span.start) // PARTS))
    named = filter._replace(since=None, until=None)
    readable = graded < MOST_COUNTED or not named.needs_reading()
    parts = store.scores_in_parts(named, span.start, width, span.end + 1) if readable else []
    found = drifts(store, filter.skill)
    count = sum(part.evaluations for part in parts)
    single, cut = count <= SINGLE, False
    if single or not readable:
        part = store.listing(filter, limit=SINGLE, whole=True)
        records, cut = part.rows, part.next is not None
        chart = time_chart([point_of(record) for record in reversed(records) if record.final is not None], span)
    else:
        chart = binned_chart([_binned(part, span, width, found, parameters) for part in parts], span)
    numbered = list(enumerate(found, start=1))
    if chart is not None:
        onsets = [(drift.onset.completed, number, _onset_words(drift)) for number, drift in numbered]
        stretches = [(drift.raised.completed, drift.last.completed) for drift in found]
        chart = marked(chart, span, onsets, stretches)
    periods = _periods(store, filter.skill, parts, span, width)
    return Course(
        chart,
        single or not readable,
        [_drift_row(number, drift) for number, drift in reversed(numbered)],
        [_period_row(period) for period in periods],
        _small(periods, span),
        _zooms(parameters, Span(*whole), span),
        date_text(span.start),
        date_text(span.end),
        cut and not readable,
    )


def _span(parameters: Parameters, whole: Span) -> Span:
    start, end = parameters.moment("from"), parameters.moment("to", end=True)
    if start is not None and end is not None and start >= end:
        raise InputError('"from" must be before "to"')
    return Span(whole.start if start is None else start, max(whole.end if end is None else end - 1, start or 0))


def point_of(record: Record) -> Scored:
    """An evaluation as a point of a chart: drift stands out, what chance explains is quiet."""
    alarms = alarms_of(record.document)
    assert record.final is not None
    words = [alarm.text if alarm.kind == "flag" else f"{alarm.text}: {alarm.detail}" for alarm in alarms]
    texts = [short_time(record.created), f"{record.final / 100:.2f}", record.grade or "", *words]
    kinds = {alarm.kind for alarm in alarms}
    kind: Any = (
        "alarm" if "drift" in kinds else "flag" if "unusual" in kinds else "chance" if "chance" in kinds else "point"
    )
    return Scored(record.id, record.completed, record.final, "  ".join(filter(None, texts)), kind)


def _binned(part: Part, span: Span, width: int, found: Sequence[Drifting], parameters: Parameters) -> Binned:
    start = span.start + part.number * width
    end = min(start + width, span.end + 1)
    drifting = any(one.raised.completed < end and one.last.completed >= start for one in found)
    mean = part.total / part.evaluations
    label = (
        f"{_dates(start, end)}: {part.evaluations:,} evaluations, mean {mean / 100:.2f}, "
        f"{part.low / 100:.2f} to {part.high / 100:.2f}{', drift' if drifting else ''}; zoom in"
    )
    address = parameters.address(**{"from": _moment_text(start), "to": _moment_text(end), "before": None})
    return Binned(
        start, end, part.evaluations, part.low, part.high, mean, "alarm" if drifting else "point", label, address
    )


def _moment_text(moment: int) -> str:
    return date_text(moment, "%Y-%m-%dT%H:%M:%S.%f") + "Z"


def _dates(start: int, end: int) -> str:
    written = "%d %b %Y" if end - start >= DAY else "%d %b %Y %H:%M"
    first, last = date_text(start, written), date_text(end - 1, written)
    return first if first == last else f"{first} to {last}"


def _onset_words(drift: Drifting) -> str:
    stretch = drift.stretch
    return (
        f"drift since {date_text(drift.onset.completed, '%d %b %Y')}: {stretch.baseline:.2f} to {stretch.average:.2f}"
    )


def _drift_row(number: int, drift: Drifting) -> dict[str, Any]:
    stretch = drift.stretch
    return {
        "number": number,
        "since": date_text(drift.onset.completed, "%Y-%m-%d"),
        "onset": drift.onset.id,
        "raised": date_text(drift.raised.completed, "%Y-%m-%d"),
        "last": date_text(drift.last.completed, "%Y-%m-%d"),
        "open": stretch.open,
        "baseline": round(stretch.baseline, 2),
        "average": round(stretch.average, 2),
        "changes": [codec.document(change) for change in drift.changes],
        "changed": changes_words(drift.changes).replace("->", "→"),
    }


def _periods(store: Store, skill: str, parts: Sequence[Part], span: Span, width: int) -> list[Period]:
    scores = {part.number: part for part in parts}
    unscored = store.unscored_in_parts(skill, span.start, width, span.end + 1)
    calls = store.calls_in_parts(skill, span.start, width, span.end + 1)
    return [
        Period(
            span.start + number * width,
            min(span.start + (number + 1) * width, span.end + 1),
            scores.get(number),
            *unscored.get(number, (0, 0)),
            calls.get(number, CallSums()),
        )
        for number in sorted({*scores, *unscored, *calls})
    ]


def _period_row(period: Period) -> dict[str, Any]:
    calls = period.calls
    return {
        "from": date_text(period.start, "%Y-%m-%dT%H:%M"),
        "to": date_text(period.end, "%Y-%m-%dT%H:%M"),
        "evaluations": period.evaluations,
        "mean": period.mean,
        "low": period.scores.low / 100 if period.scores else None,
        "high": period.scores.high / 100 if period.scores else None,
        "unscored": period.unscored,
        "unread": period.unread,
        "calls": calls.asked,
        "tokens": calls.tokens,
        "cost": float(round(calls.cost, 4)) if calls.evaluations or calls.agents else None,
        "unpriced": calls.unpriced,
    }


def _small(periods: Sequence[Period], span: Span) -> list[dict[str, Any]]:
    """Cost and tokens if anything was asked, and of what was read the share without a score, if there is any."""
    charts = []
    cost = sum((period.calls.cost for period in periods), start=CallSums().cost)
    tokens = sum(period.calls.tokens for period in periods)
    read, unscored = sum(one.read for one in periods), sum(one.unscored for one in periods)
    unread = sum(one.unread for one in periods)
    sign = "+" if any(period.calls.unpriced for period in periods) else ""
    if cost:
        drawn = [(one, float(one.calls.cost), f"${one.calls.cost:.2f}") for one in periods]
        charts.append(_small_chart("Cost", f"${cost:.2f}{sign} in all", drawn, span))
    if tokens:
        drawn = [(one, one.calls.tokens, f"{one.calls.tokens:,} tokens") for one in periods]
        charts.append(_small_chart("Tokens of judges", f"{tokens:,} in all", drawn, span))
    if unscored:
        shares = [(one, one.unscored / one.read if one.read else 0.0) for one in periods]
        drawn = [(one, share, f"{share:.0%} of {one.read:,}") for one, share in shares]
        total = f"{unscored / read:.0%} of those that were read"
        charts.append(_small_chart("Without a final score", total, drawn, span))
    if unread:
        drawn = [(one, one.unread, f"{one.unread:,}") for one in periods]
        charts.append(_small_chart("Checked, but read by no one", f"{unread:,} in all", drawn, span))
    return charts


def _small_chart(title: str, total: str, drawn: Sequence[tuple[Period, float, str]], span: Span) -> dict[str, Any]:
    values = [(part.start, part.end, value, f"{_dates(part.start, part.end)}: {words}") for part, value, words in drawn]
    highest = max(drawn, key=lambda entry: entry[1])
    placed: list[Bar] = bars(values, span)
    return {"title": title, "total": total, "bars": placed, "most": f"{_dates(*highest[0][:2])}, {highest[2]}"}


def _zooms(parameters: Parameters, whole: Span, span: Span) -> list[tuple[str, str, bool]]:
    """Spans that end with the newest evaluation, as far as they are shorter than all of the time."""
    without = {"to": None, "before": None}
    zooms = [("all of the time", parameters.address(**{"from": None}, **without), span == whole)]
    for days, words in SHORTCUTS:
        start = whole.end - days * DAY
        if start > whole.start:
            date = date_text(start)
            zooms.append((words, parameters.address(**{"from": date}, **without), parameters.text("from") == date))
    return zooms
