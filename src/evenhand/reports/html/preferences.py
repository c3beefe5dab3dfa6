"""A comparison of systems pair by pair as a page: win rates and strengths with intervals, position bias, every item."""

from __future__ import annotations

from typing import Any

from markupsafe import Markup

from evenhand.decisions.preference import Preferences
from evenhand.decisions.preferences import preference_document
from evenhand.reports.charts import Measured, interval_chart
from evenhand.reports.comparison.preferences import preference_lines
from evenhand.reports.html.environment import page, render

MOST_ITEMS = 500
"""Items that the page lists one by one."""


def preferences_page(preferences: Preferences) -> str:
    """One self-contained file."""
    body = render(
        "preferences.html",
        systems=preferences.systems,
        judges=[identity["name"] for identity in preferences.judges],
        headline=preference_lines(preferences)[0],
        sections=preference_sections(preferences),
    )
    return page(" and ".join(preferences.systems), body)


def preference_sections(preferences: Preferences) -> Markup:
    """What a page shows below its headline: counts, strengths, sentences, every item."""
    document = preference_document(preferences)
    together = max(1, len(document["tallies"]))
    rates = [_rate(tally, together) for tally in document["tallies"] if tally["win_rate"]]
    strengths = [
        Measured(row["system"], row["strength"], row["low"], row["high"], _text("{:+.2f}", row, "strength"))
        for row in document["strengths"]
    ]
    return render(
        "preference_sections.html",
        tallies=document["tallies"],
        rates=interval_chart(rates, reference=50, caption="How often the first system wins", unit="{:.0f}%", span=50)
        if rates
        else None,
        strengths=interval_chart(strengths, reference=0, caption="Strength in log odds, mean 0") if strengths else None,
        lines=preference_lines(preferences),
        pairs=document["pairs"][:MOST_ITEMS],
        more=max(0, len(document["pairs"]) - MOST_ITEMS),
        outcomes={"tie": "tie", "inconsistent": "inconsistent", "undecided": "no verdict"},
    )


def _rate(tally: dict[str, Any], together: int) -> Measured:
    """A win rate; all comparisons share their error rate, as their verdicts do."""
    share = {name: 100 * value for name, value in tally["win_rate"].items()}
    return Measured(
        f"{tally['a']} against {tally['b']}",
        share["share"],
        share["low"],
        share["high"],
        _text("{:.0f}%", share, "share", 100 - 5 / together),
    )


def _text(form: str, row: dict[str, Any], value: str, confidence: float = 95) -> str:
    ends = f"{form.format(row['low'])} to {form.format(row['high'])}"
    return f"{form.format(row[value])} ({confidence:.4g}% interval {ends})"
