"""A calibration as a page: every curve with its errors, and a drawing of the one of the final score."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from evenhand.core.calibration import HIGHEST, LOWEST, calibrated
from evenhand.core.values import Calibration, Curve
from evenhand.reports.html.environment import page, render
from evenhand.reports.trust.calibration import summary_lines

SIDE, MARGIN = 320, 36
"""The side of the drawing, and the room for its axes."""


def calibration_page(calibration: Calibration) -> str:
    """One self-contained file."""
    title = f"Calibration of {calibration.judge['name']} with rubric {calibration.rubric}"
    rows = [
        {
            "field": field,
            "method": curve.method,
            "labels": curve.labels,
            "bias": f"{curve.bias:+.2f}",
            "before": f"{curve.raw_error:.2f}",
            "after": f"{curve.error:.2f}",
            "reach": f"{curve.reach:.2f}",
        }
        for field, curve in calibration.curves.items()
    ]
    body = render(
        "calibration.html",
        title=title,
        confidence=f"{next(iter(calibration.curves.values())).confidence:.0%}",
        rows=rows,
        drawings=[_drawing(field, curve) for field, curve in calibration.curves.items() if field == "final"],
        lines=summary_lines(calibration),
    )
    return page(title, body)


def _drawing(field: str, curve: Curve) -> dict[str, Any]:
    """The curve over the scores that have labels, with its interval."""
    steps = 40
    scores = [curve.low + (curve.high - curve.low) * step / steps for step in range(steps + 1)]
    points = [(score, *calibrated(curve, score)) for score in scores]

    def along(values: list[tuple[float, float]]) -> list[tuple[float, float, float, float]]:
        return [(_x(x1), _y(y1), _x(x2), _y(y2)) for (x1, y1), (x2, y2) in pairwise(values)]

    first, last = points[0], points[-1]
    return {
        "side": SIDE,
        "margin": MARGIN,
        "ticks": [(_x(score), _y(score), str(score)) for score in range(1, 11)],
        "curve": along([(score, value) for score, value, _, _ in points]),
        "bounds": along([(score, low) for score, _, low, _ in points])
        + along([(score, high) for score, _, _, high in points]),
        "label": f"{field}: the judge's {first[0]:.2f} is people's {first[1]:.2f}, its {last[0]:.2f} is {last[1]:.2f}",
    }


def _x(score: float) -> float:
    return round(MARGIN + (SIDE - 2 * MARGIN) * (score - LOWEST) / (HIGHEST - LOWEST), 1)


def _y(score: float) -> float:
    return round(SIDE - _x(score), 1)
