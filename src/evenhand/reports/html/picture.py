"""A chart of scores over time alone, as an SVG file that brings its own style."""

from __future__ import annotations

from typing import Final

from markupsafe import Markup

from evenhand.reports.charts import EMPTY_CHART, TimeChart
from evenhand.reports.html.environment import render

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


def chart_picture(title: str, chart: TimeChart | None) -> str:
    """The chart under its title; an empty one without any."""
    return str(render("picture.svg", chart=chart or EMPTY_CHART, title=title, style=_STYLE)) + "\n"
