"""Accuracy against cost as a page: the drawing, then every point."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from evenhand.core.trust.sample_curve import CurvePoint
from evenhand.reports.html.environment import page
from evenhand.reports.trust.sample_curve import COUNTED, HEADINGS, curve_drawing, curve_rows


def curve_page(source: str, points: Sequence[CurvePoint]) -> str:
    """One self-contained file."""
    head = Markup("").join(Markup('<th scope="col">{}</th>').format(name) for name in HEADINGS)
    rows = Markup("").join(
        Markup("<tr>{}</tr>").format(Markup("").join(Markup("<td>{}</td>").format(cell) for cell in row))
        for row in curve_rows(points)
    )
    body = Markup(
        '<header class="title"><h1>Accuracy against cost: {}</h1></header><div class="report"><section>{}<p>{}</p>'
        '<div class="scroll" role="region" aria-label="Every point" tabindex="0"><table><thead><tr>{}</tr></thead>'
        "<tbody>{}</tbody></table></div></section></div>"
    ).format(source, Markup(curve_drawing(points)), COUNTED.capitalize() + ".", head, rows)
    return page(f"Accuracy against cost: {source}", body)
