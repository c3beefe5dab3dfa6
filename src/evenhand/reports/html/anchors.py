"""Runs of anchors as a page: of each judge the newest run with its movements drawn, and every run in words."""

from __future__ import annotations

from collections.abc import Sequence

from evenhand.decisions.sets.anchor_drift import AnchorReport, Movement
from evenhand.reports.charts import Measured, interval_chart
from evenhand.reports.html.environment import Page, page, render
from evenhand.reports.trust.anchors import run_lines


def anchors_page(set_name: str, runs: Sequence[AnchorReport]) -> Page:
    """The runs of a set, given oldest first; the newest of a judge comes first on the page."""
    title = f"Anchors of {set_name}"
    newest = {run.judge["name"]: run for run in runs}
    judges = [
        {
            "name": name,
            "lines": run_lines(run),
            "chart": _chart(run.moved),
            "earlier": [run_lines(earlier)[0] for earlier in reversed(runs) if earlier.judge["name"] == name][1:],
        }
        for name, run in newest.items()
    ]
    return page(title, render("anchors.html", title=title, judges=judges))


def _chart(moved: Sequence[Movement]) -> object:
    measured = [
        Measured(entry.field, entry.mean, entry.low, entry.high, f"{entry.mean:+.2f}{' moved' if entry.alarm else ''}")
        for entry in moved
        if entry.mean is not None and entry.low is not None and entry.high is not None
    ]
    caption = "Change in points since the reference, with its interval"
    return interval_chart(measured, reference=0.0, caption=caption) if measured else None
