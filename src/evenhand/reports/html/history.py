"""A skill's history as a page, or as a picture alone: the chart that the dashboard draws, and every evaluation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from markupsafe import Markup

from evenhand.core.scorecard import Scorecard
from evenhand.reports.charts import Scored, TimeChart, time_chart
from evenhand.reports.html.environment import page, render
from evenhand.reports.timeline import HEAD, chart_points, legend, row_of
from evenhand.work.printable import printable

LEGEND: Final = "grey ring: unusual, but chance explains it; dark ring: chance does not explain it; red: drift alarm"

_STYLE: Final = Markup(
    ".page{fill:#fff}text{font:12px system-ui,sans-serif;fill:#222;text-anchor:middle}.small{font-size:11px}"
    ".title{font-size:15px;font-weight:600;text-anchor:start}.faint{fill:#666;text-anchor:start}.start{text-anchor:start}"
    ".end{text-anchor:end}.grid{stroke:#ddd}.trend{fill:none;stroke:#2a6fdb;stroke-width:2}.point{fill:#2a6fdb}"
    ".chance{fill:#fff;stroke:#666;stroke-width:2}.flag{fill:#fff;stroke:#222;stroke-width:2}.alarm{fill:#c0392b}"
    "@media(prefers-color-scheme:dark){.page{fill:#16191d}text{fill:#e6e6e6}.faint{fill:#a6a6a6}.grid{stroke:#3a3f45}"
    ".trend{stroke:#79a9ff}.point{fill:#79a9ff}.chance{fill:#16191d;stroke:#a6a6a6}.flag{fill:#16191d;stroke:#e6e6e6}"
    ".alarm{fill:#ff6b5e}}"
)
"""Its own background, light or dark with the reader's setting: the page around it may be either."""


def history_page(skill: str, cards: Sequence[Scorecard], notes: Sequence[str] = ()) -> str:
    """One self-contained file; `cards` are the skill's evaluations, oldest first, `notes` go above them."""
    points = chart_points(cards)
    body = render(
        "history.html",
        skill=skill,
        count=len(cards),
        newest=cards[-1] if cards else None,
        chart=time_chart(points),
        label=alternative(skill, points),
        explained=LEGEND,
        head=HEAD,
        rows=[row_of(card) for card in reversed(cards)],
        legend=legend(cards),
        notes=notes,
    )
    return page(skill, body)


def history_svg(skill: str, cards: Sequence[Scorecard]) -> str:
    """The chart alone, as a picture that brings its own style."""
    points = chart_points(cards)
    chart = time_chart(points) or TimeChart(960, 280, 40, 924, 250, "", (), (), ())
    label = alternative(skill, points)
    return str(render("time_chart.svg", chart=chart, title=skill, label=label, style=_STYLE, legend=LEGEND)) + "\n"


def alternative(title: str, points: Sequence[Scored]) -> str:
    """The drawing in words."""
    if not points:
        return printable(title)
    unusual, alarms = (sum(point.kind == kind for point in points) for kind in ("flag", "alarm"))
    ends = " to ".join(f"{point.final / 100:.2f} on {point.label[:10]}" for point in (points[0], points[-1]))
    return printable(
        f"{title}: {len(points)} final scores, from {ends}; {unusual} unusual, {alarms} with a drift alarm"
    )
