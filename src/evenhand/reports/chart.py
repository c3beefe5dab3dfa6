"""A skill's history as a picture: one self-contained SVG, no scripts, readable on light and dark pages. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import NamedTuple

from evenhand.core.rules import GRADES, HIGHEST, LOWEST

WIDTH, HEIGHT = 720, 318
_LEFT, _RIGHT, _TOP, _BOTTOM = 44, 64, 34, 48
_MOST_DATES = 5
"""Dates on the axis: so many never overlap."""

_STYLE = (
    ".page{fill:#fff}text{font:12px system-ui,sans-serif;fill:#222}.title{font-size:15px;font-weight:600}"
    ".faint{fill:#666}.grid{stroke:#ddd}.line{fill:none;stroke:#2a6fdb;stroke-width:2}.point{fill:#2a6fdb}"
    ".flag{fill:#fff;stroke:#b45309;stroke-width:3}.alarm{fill:#c0392b}.date{text-anchor:middle}"
    "@media(prefers-color-scheme:dark){.page{fill:#16191d}text{fill:#e6e6e6}.faint{fill:#a6a6a6}.grid{stroke:#3a3f45}"
    ".line{stroke:#79a9ff}.point{fill:#79a9ff}.flag{fill:#16191d;stroke:#f5a742}.alarm{fill:#ff6b5e}}"
)
"""Its own background, light or dark with the reader's setting: the page around it may be either."""


class Point(NamedTuple):
    """One evaluation on the chart."""

    label: str
    """Shown when the pointer is over it."""
    final: int
    """In hundredths."""
    flagged: bool
    """Whether a dimension is further from its mean than chance explains."""
    alarm: bool
    created: str = ""
    """When it was made, as in the scorecard."""


def history_svg(title: str, points: Sequence[Point], *, titled: bool = True, styled: bool = True) -> str:
    """The final scores over time, with the grades at the right; unstyled for a page that has its own style sheet."""
    low = max(LOWEST, min((point.final for point in points), default=LOWEST) // 100 * 100 - 100)
    places = [(_x(number, len(points)), _y(point.final, low)) for number, point in enumerate(points)]
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="history-chart" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        f'aria-label="{escape(_alternative(title, points))}">{f"<style>{_STYLE}</style>" if styled else ""}'
        f'<rect class="page" width="{WIDTH}" height="{HEIGHT}" rx="8"/>',
    ]
    if titled:
        parts.append(f'<text class="title" x="{_LEFT}" y="20">{escape(title)}</text>')
    for grade in GRADES:
        if grade.lower >= low:
            y = _y(grade.lower, low)
            parts.append(f'<line class="grid" x1="{_LEFT}" x2="{WIDTH - _RIGHT}" y1="{y}" y2="{y}"/>')
            parts.append(f'<text class="faint" x="{WIDTH - _RIGHT + 8}" y="{y - 2}">{grade.letter}</text>')
            parts.append(f'<text class="faint" x="8" y="{y + 4}">{grade.lower / 100:.2f}</text>')
    if len(places) > 1:
        parts.append(f'<polyline class="line" points="{" ".join(f"{x},{y}" for x, y in places)}"/>')
    for point, (x, y) in zip(points, places, strict=True):
        kind = "alarm" if point.alarm else "flag" if point.flagged else "point"
        size = 4 if kind == "point" else 5
        parts.append(
            f'<circle class="{kind}" cx="{x}" cy="{y}" r="{size}"><title>{escape(point.label)}</title></circle>'
        )
    if points:
        parts.append(_axis([point.created for point in points], [x for x, _ in places]))
    legend = "oldest on the left; ring: a dimension is unusual; red: drift alarm"
    parts.append(f'<text class="faint" x="{_LEFT}" y="{HEIGHT - 8}">{legend}</text>')
    return "".join(parts) + "</svg>\n"


def _axis(created: Sequence[str], places: Sequence[float]) -> str:
    """Dates below the first point, the last and some between. The drawing's alternative has them for who listens."""
    base = HEIGHT - _BOTTOM
    texts = "".join(
        f'<line class="grid" x1="{places[number]}" x2="{places[number]}" y1="{base}" y2="{base + 5}"/>'
        f'<text class="faint date" x="{places[number]}" y="{base + 18}">{escape(text)}</text>'
        for number, text in axis_dates(created)
    )
    return f'<g aria-hidden="true">{texts}</g>'


def axis_dates(created: Sequence[str]) -> list[tuple[int, str]]:
    """The points that get a date, by number: the first, the last, and up to three between, none twice.

    If all are of one day, the times are shown.
    """
    one_day = created[0][:10] == created[-1][:10]
    steps = max(1, min(_MOST_DATES, len(created)) - 1)
    numbers = sorted({(2 * step * (len(created) - 1) + steps) // (2 * steps) for step in range(steps + 1)})
    texts = [created[n][5:16].replace("T", " ") if one_day and len(created) > 1 else created[n][:10] for n in numbers]
    kept = dict(zip(texts, numbers, strict=True)) | {texts[0]: numbers[0]}
    return [(number, text) for number, text in zip(numbers, texts, strict=True) if text and kept[text] == number]


def _alternative(title: str, points: Sequence[Point]) -> str:
    """The drawing in words."""
    if not points:
        return title
    marked = sum(point.flagged for point in points), sum(point.alarm for point in points)
    ends = " to ".join(_end(point) for point in (points[0], points[-1]))
    return f"{title}: {len(points)} final scores, from {ends}; {marked[0]} unusual, {marked[1]} with a drift alarm"


def _end(point: Point) -> str:
    on = f" on {point.created[:10]}" if point.created else ""
    return f"{point.final / 100:.2f}{on}"


def sparkline(values: Sequence[int], *, ascii_only: bool = False) -> str:
    """Scores in hundredths as a row of little bars, from 1 to 10."""
    bars = "_.-=+*#@" if ascii_only else "\u2581\u2582\u2583\u2584\u2585\u2586\u2587\u2588"
    return "".join(bars[min(len(bars) - 1, (value - LOWEST) * len(bars) // (HIGHEST - LOWEST))] for value in values)


def _x(number: int, count: int) -> float:
    room = WIDTH - _LEFT - _RIGHT
    return round(_LEFT + (room / 2 if count < 2 else 8 + number * (room - 16) / (count - 1)), 1)


def _y(value: int, low: int) -> float:
    return round(HEIGHT - _BOTTOM - (value - low) * (HEIGHT - _TOP - _BOTTOM) / (HIGHEST - low), 1)
