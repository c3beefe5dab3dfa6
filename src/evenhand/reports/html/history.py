"""A skill's history as a page: the final scores over time, and every evaluation in a table."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from evenhand.core.values import Scorecard
from evenhand.reports.chart import history_svg
from evenhand.reports.html.environment import page, render
from evenhand.reports.timeline import HEAD, chart_points, legend, row_of
from evenhand.work.printable import printable


def history_page(skill: str, cards: Sequence[Scorecard], notes: Sequence[str] = ()) -> str:
    """One self-contained file; `cards` are the skill's evaluations, oldest first, `notes` go above them."""
    points = chart_points(cards)
    drawing = history_svg(printable(skill), points, titled=False, styled=False)
    body = render(
        "history.html",
        skill=skill,
        count=len(cards),
        newest=cards[-1] if cards else None,
        chart=Markup(drawing) if points else None,  # drawn by us, with every text in it escaped
        head=HEAD,
        rows=[row_of(card) for card in reversed(cards)],
        legend=legend(cards),
        notes=notes,
    )
    return page(skill, body)
