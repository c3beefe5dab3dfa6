"""A set of scorecards as a page: how many of each grade, a line for each, and the details of each to unfold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from markupsafe import Markup

from evenhand.core.values import Scorecard
from evenhand.in_words import counted
from evenhand.reports.charts import count_chart
from evenhand.reports.document import grade_counts
from evenhand.reports.html.environment import page, render
from evenhand.reports.html.scorecard import card_view, grade_words
from evenhand.reports.panel import DISPUTED_LEGEND, DISPUTED_MARK, is_disputed

MOST_UNFOLDED = 200
"""With more scorecards than this, the page lists them without their details, and stays small enough to open."""


def scorecards_page(named: Iterable[tuple[str, Scorecard]], errors: Sequence[str] = ()) -> str:
    """One self-contained file. `named` holds each scorecard with its name; `errors` what could not be read."""
    rows = list(named)
    return page(counted(len(rows), "scorecard"), scorecards_body(rows, errors))


def scorecards_body(
    named: Sequence[tuple[str, Scorecard]], errors: Sequence[str] = (), *, titled: bool = True
) -> Markup:
    """The list without the page around it; without its title, to follow something else."""
    cards = [card for _, card in named]
    grades = Counter("none" if card.grade is None else card.grade.letter for card in cards)
    rows = [_row(name, card, details=len(cards) <= MOST_UNFOLDED) for name, card in named]
    return render(
        "scorecards.html",
        title=counted(len(cards), "scorecard") if titled else "",
        summary=grade_counts([card.grade.letter if card.grade else "-" for card in cards]),
        chart=count_chart(grades) if cards else None,
        dimensions=next((list(card.dimensions) for card in cards if not card.unread), []),
        rows=rows,
        unfolded=len(cards) <= MOST_UNFOLDED,
        errors=errors,
        mark=DISPUTED_MARK,
        legend=DISPUTED_LEGEND if any(map(is_disputed, cards)) else "",
    )


def _row(name: str, card: Scorecard, *, details: bool) -> dict[str, Any]:
    """A scorecard in the list; `final` is its score, or the interval in which that lies."""
    interval = card.interval
    final = str(card.final) if interval is None else f"{interval.low} to {interval.high}"
    return {
        "name": name,
        "grade": grade_words(card),
        "final": final,
        "scores": ["" if line.score is None else str(line.score) for line in card.dimensions.values()],
        "flags": ", ".join(flag.id for flag in card.red_flags),
        "faults": 0 if card.checked is None else sum(finding.is_fault for finding in card.checked.findings),
        "disputed": is_disputed(card),
        "details": card_view(card) if details else None,
    }
