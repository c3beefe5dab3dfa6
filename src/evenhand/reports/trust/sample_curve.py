"""Accuracy against cost in words, as a table, as a drawing and as JSON. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

from evenhand.core.documents.records import document_of
from evenhand.core.trust.sample_curve import CurvePoint, SampleCurve

HEADINGS = ("judge", "scores", "samples", "calls", "cost", "right", "95% interval")
SCHEMA = "evenhand/sample-curve/v1"
COUNTED = "ties and answers without a score count as lost"


def curve_rows(points: Sequence[CurvePoint]) -> list[tuple[str, ...]]:
    """A row for each point."""
    return [
        (
            point.judge,
            point.way,
            str(point.samples),
            f"{point.calls:.1f}",
            "-" if point.cost is None else f"${point.cost:.4f}",
            f"{point.share:.1%}",
            f"{point.low:.1%} to {point.high:.1%}",
        )
        for point in points
    ]


def curve_lines(source: str, points: Sequence[CurvePoint]) -> list[str]:
    """The curve for a terminal; the best first sentence, then every point."""
    best = max(points, key=lambda point: (point.share, -point.calls))
    first = points[0]
    rows = [HEADINGS, *curve_rows(points)]
    widths = [max(len(row[place]) for row in rows) for place in range(len(HEADINGS))]
    lines = [
        f"{source}: {first.questions:,} questions; {first.judge} is right {first.share:.1%} of the time with one "
        f"sample, and {best.judge} {best.share:.1%} with the {best.way} of {best.samples}; {COUNTED}",
        "",
    ]
    return lines + [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    ]


def curve_document(source: str, points: Sequence[CurvePoint]) -> dict[str, Any]:
    """The curve as JSON."""
    return document_of(SampleCurve(source, points[0].questions, COUNTED, tuple(points)), SCHEMA)


WIDTH, HEIGHT, LEFT, BOTTOM = 640, 360, 50, 40
COLOURS = ("#1f5fa8", "#b35900", "#2a7a3b", "#7a3b8f", "#8a1c1c")


def curve_drawing(points: Sequence[CurvePoint]) -> str:
    """The means over calls, or cost where it is known, as SVG; a line for each judge."""
    shown = [point for point in points if point.way == "mean"]
    costs = [point.cost if point.cost is not None else point.calls for point in shown]
    low, high = min(point.share for point in shown), max(point.share for point in shown)
    across, up = WIDTH - LEFT - 20, HEIGHT - BOTTOM - 20
    spread, most = (high - low) or 1.0, max(costs)

    def place(point: CurvePoint, cost: float) -> tuple[float, float]:
        return round(LEFT + across * cost / most, 1), round(20 + up * (high - point.share) / spread, 1)

    names = [*dict.fromkeys(point.judge for point in shown)]
    parts = []
    for number, name in enumerate(names):
        colour = COLOURS[number % len(COLOURS)]
        places = [place(point, cost) for point, cost in zip(shown, costs, strict=True) if point.judge == name]
        path = " ".join(f"{x},{y}" for x, y in places)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts += [f'<circle cx="{x}" cy="{y}" r="3" fill="{colour}"/>' for x, y in places]
        parts.append(
            f'<text x="{WIDTH - 250}" y="{HEIGHT - BOTTOM - 20 - 18 * number}" fill="{colour}">{escape(name)}</text>'
        )
    unit = "dollars" if shown[0].cost is not None else "calls"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" font-family="sans-serif" '
        f'font-size="13"><title>Accuracy against {unit} for each question</title>'
        f'<line x1="{LEFT}" y1="{HEIGHT - BOTTOM}" x2="{WIDTH - 20}" y2="{HEIGHT - BOTTOM}" stroke="#777"/>'
        f'<line x1="{LEFT}" y1="20" x2="{LEFT}" y2="{HEIGHT - BOTTOM}" stroke="#777"/>'
        f'<text x="4" y="26">{high:.0%}</text><text x="4" y="{HEIGHT - BOTTOM}">{low:.0%}</text>'
        f'<text x="{LEFT}" y="{HEIGHT - 14}">0</text>'
        f'<text x="{WIDTH - 20}" y="{HEIGHT - 14}" text-anchor="end">{most:g} {unit} a question</text>'
        + "".join(parts)
        + "</svg>\n"
    )
