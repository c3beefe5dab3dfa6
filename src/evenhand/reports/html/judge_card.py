"""A judge's card as a page: every effect with its interval in one drawing, the verdicts, the use of the scale."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from evenhand.reports.charts import Measured, interval_chart
from evenhand.reports.html.environment import page, render
from evenhand.reports.trust.judge_card import (
    DIMENSION_HEADINGS,
    HOW,
    STARRED,
    dimension_rows,
    effect_text,
    headline,
    notes,
    sentence,
    title,
)
from evenhand.reports.trust.judge_uses import uses_lines
from evenhand.stats.trust.judge_card import JudgeCard, ProbeChange


def cards_page(cards: Sequence[tuple[JudgeCard, JudgeCard | None, Sequence[ProbeChange]]]) -> str:
    """One self-contained file with the cards of some judges, each with the one before it and what changed since."""
    name = title(cards[0][0]) if len(cards) == 1 else "Judges' cards"
    return page(name, Markup("").join(card_body(*card, number) for number, card in enumerate(cards, 1)))


def card_body(card: JudgeCard, since: JudgeCard | None, changes: Sequence[ProbeChange], number: int = 1) -> Markup:
    """One card without the page around it; `number` tells the headings of several apart."""
    measured = [
        Measured(result.probe.name, effect.mean, effect.low, effect.high, effect_text(effect))
        for result in card.results
        if (effect := result.deciding) is not None
    ]
    rows = [
        {
            "name": result.probe.name,
            "final": effect_text(result.final),
            "dimension": effect_text(result.dimension),
            "concerned": result.probe.dimension or "",
            "count": 0 if result.deciding is None else result.deciding.n,
            "verdict": sentence(result),
            "against": result.against,
        }
        for result in card.results
    ]
    chart = interval_chart(measured, reference=0.0, caption="Change in points, with its 95 % interval")
    return render(
        "judge_card.html",
        number=number,
        title=title(card),
        headline=headline(card),
        chart=chart if measured else None,
        rows=rows,
        counts=list(card.scale.counts.items()),
        dimension_rows=dimension_rows(card),
        dimension_names=DIMENSION_HEADINGS,
        starred=STARRED,
        notes=[*notes(card, since, changes), HOW, *uses_lines(card.uses)],
    )
