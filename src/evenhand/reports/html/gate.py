"""A gate as a page: open, closed or undecided, every ruling with its reason, and the scorecards behind them."""

from __future__ import annotations

from collections.abc import Sequence

from evenhand.core.values import Scorecard
from evenhand.decisions.gate import Ruling
from evenhand.decisions.gate_words import TITLES
from evenhand.reports.html.environment import page, render
from evenhand.reports.html.scorecards import scorecards_body


def gate_page(
    word: str, rulings: Sequence[Ruling], named: Sequence[tuple[str, Scorecard]], errors: Sequence[str] = ()
) -> str:
    """One self-contained file; `word` is red, green or undecided, `named` the scorecards that were looked at."""
    colours = [ruling.colour for ruling in rulings]
    counts = ", ".join(f"{colours.count(colour)} {colour}" for colour in dict.fromkeys(colours))
    body = render(
        "gate.html",
        word=word,
        title=TITLES[word],
        counts=counts,
        rulings=sorted(rulings, key=lambda ruling: ruling.colour == "green"),
        errors=errors,
        scorecards=scorecards_body(named, titled=False) if named else "",
    )
    return page(TITLES[word], body)
