"""An estimate as a page: with the labels alone beside it, and what the judge alone would say as the reference line."""

from __future__ import annotations

from evenhand.reports.charts import Measured, interval_chart
from evenhand.reports.html.environment import page, render
from evenhand.reports.trust.estimates import estimate_lines
from evenhand.stats.trust.estimated import Estimated
from evenhand.stats.trust.pass_rate import PassRate


def estimate_page(estimated: Estimated) -> str:
    """One self-contained file."""
    what, result = estimated.what, estimated.result
    unit = "{:.1%}" if isinstance(result, PassRate) else "{:+.2f}" if what == "difference" else "{:.2f}"

    def measured(name: str, value: float, low: float, high: float) -> Measured:
        text = f"{unit.format(value)} ({unit.format(low)} to {unit.format(high)})"
        return Measured(name, value, low, high, text)

    rows = [measured("judge and labels", result.value, result.low, result.high)]
    rows.append(measured("labels alone", *result.labels_alone))
    chart = interval_chart(
        rows,
        reference=result.judge_alone,
        caption=f"{result.confidence:.0%} intervals; the line is what the judge alone says",
        unit=unit,
    )
    first, *rest = estimate_lines(estimated)
    return page(first, render("estimates.html", title=first, chart=chart, lines=rest))
