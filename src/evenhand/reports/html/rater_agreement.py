"""Agreement as a page: every coefficient with its meaning, agreement by field, confusion, bias against score.

The geometry of its drawings is here; the template draws them as SVG. Every drawing has a text alternative, and the
tables beside it have the same numbers.
"""

from __future__ import annotations

from typing import Any

from evenhand.reports.html.environment import page, render
from evenhand.reports.trust.judge_uses import uses_rows
from evenhand.reports.trust.rater_agreement import disagreement, footer, heading, headline, number, reasons, sides, span
from evenhand.stats.agreement.agreed import AgreementReport, FieldAgreement
from evenhand.stats.agreement.meaning import meaning, title

WIDTH, ROW, LEFT = 720, 26, 320
"""The drawing of agreement by field: its width, the height of a row, the room for names."""

PLOT, MARGIN = 320, 36
"""The side of the drawing of differences, and the room for its axes."""


def agreement_page(report: AgreementReport) -> str:
    """One self-contained file."""
    heading = f"Agreement in {report.source}"
    body = render(
        "rater_agreement.html",
        title=heading,
        footer=footer(report),
        uses=[(judge, uses_rows(uses)) for judge, uses in report.uses.items()],
        overview=overview(report),
        confidence=f"{report.confidence:.0%}",
        sections=[_section(compared) for compared in report.comparisons],
    )
    return page(heading, body)


def _section(compared: FieldAgreement) -> dict[str, Any]:
    rows = [
        {
            "title": title(entry),
            "value": number(entry),
            "span": span(entry),
            "count": entry.items,
            "meaning": meaning(entry, compared),
        }
        for entry in compared.coefficients
    ]
    return {
        "heading": heading(compared),
        "rows": rows,
        "confusion": confusion_view(compared),
        "scatter": scatter(compared),
        "worst": [(disagreement(entry), reasons(entry)) for entry in compared.worst],
    }


def overview(report: AgreementReport) -> dict[str, Any] | None:
    """Agreement by field: the first coefficient that fits each comparison, from 0 (or below) to 1."""
    rows: list[dict[str, Any]] = []
    for compared in report.comparisons:
        best = next(iter(headline(compared)), None)
        if best is None or best.value is None:
            continue
        who = compared.judge or compared.between
        low, high = (best.interval.low, best.interval.high) if best.interval else (None, None)
        name = f"{compared.field}, {who if compared.judge is None else who + ' and people'}"
        text = f"{title(best)} {number(best)}" + ("" if low is None else f" ({span(best)})")
        across = {"x": _across(best.value), "low": _or_none(low), "high": _or_none(high)}
        rows.append({"name": name, "y": ROW * len(rows) + ROW, "text": text, **across})
    if not rows:
        return None
    marks = [(_across(value), f"{value:g}") for value in (0, 0.2, 0.4, 0.6, 0.8, 1)]
    label = "Agreement by field: " + "; ".join(f"{row['name']} {row['text']}" for row in rows)
    return {
        "rows": rows,
        "marks": marks,
        "height": ROW * len(rows) + 2 * ROW,
        "width": WIDTH,
        "label": label,
        "left": LEFT,
    }


def _across(value: float) -> float:
    return round(LEFT + (WIDTH - LEFT - 20) * max(0.0, min(1.0, value)), 1)


def _or_none(value: float | None) -> float | None:
    return None if value is None else _across(value)


def confusion_view(compared: FieldAgreement) -> dict[str, Any] | None:
    """The table of values that occur, each cell with its share of the largest."""
    table = compared.confusion
    if table is None:
        return None
    used = [place for place, row in enumerate(table.counts) if any(row) or any(other[place] for other in table.counts)]
    most = max((count for row in table.counts for count in row), default=0) or 1
    rows = [
        {
            "label": table.labels[place],
            "cells": [
                {
                    "count": table.counts[place][other],
                    "shade": round(table.counts[place][other] / most, 2),
                    "same": place == other,
                }
                for other in used
            ],
        }
        for place in used
    ]
    first, second = sides(compared)
    return {"first": first, "second": second, "labels": [table.labels[place] for place in used], "rows": rows}


def scatter(compared: FieldAgreement) -> dict[str, Any] | None:
    """Differences against means (Bland and Altman), with the mean difference and the limits of agreement."""
    if len(compared.differences) < 2:
        return None
    means = [mean for mean, _ in compared.differences]
    gaps = [gap for _, gap in compared.differences]
    levels = [
        (name, entry.value) for name in ("bias", "lower-limit", "upper-limit") if (entry := compared.coefficient(name))
    ]
    heights = [value for _, value in levels if value is not None]
    left, right = min(means), max(means)
    bottom, top = min(0.0, *gaps, *heights), max(0.0, *gaps, *heights)

    def x(value: float) -> float:
        return round(MARGIN + (PLOT - 2 * MARGIN) * (value - left) / ((right - left) or 1), 1)

    def y(value: float) -> float:
        return round(PLOT - MARGIN - (PLOT - 2 * MARGIN) * (value - bottom) / ((top - bottom) or 1), 1)

    counted: dict[tuple[float, float], int] = {}
    for pair in compared.differences:
        counted[pair] = counted.get(pair, 0) + 1
    first, second = sides(compared)
    bias = compared.coefficient("bias")
    return {
        "size": PLOT,
        "margin": MARGIN,
        "dots": [(x(mean), y(gap), round(2 + count**0.5, 1)) for (mean, gap), count in counted.items()],
        "lines": [(y(value), f"{value:+.2f}", name == "bias") for name, value in levels if value is not None],
        "zero": y(0.0),
        "left": f"{left:g}",
        "right": f"{right:g}",
        "caption": f"{first} minus {second}, against the mean of both",
        "label": f"{len(gaps)} differences between {first} and {second}, mean {number(bias) if bias else '-'}",
    }
