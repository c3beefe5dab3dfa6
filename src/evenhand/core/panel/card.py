"""The scorecard of a panel: the panel's own judgement scored, with each judge's part and how far they agree. Pure."""

from __future__ import annotations

from evenhand.core.values.judgement import Judgement
from evenhand.core.values.rubric import Terms
from evenhand.core.values.scorecard import Scorecard


def with_panel(card: Scorecard, judgement: Judgement, terms: Terms) -> Scorecard:
    """The scorecard with the panel behind its judgement; unchanged when there is none."""
    panel = judgement.panel
    if panel is None:
        return card
    from evenhand.core.panel.agreement import agreement  # only where models judged

    recorded = panel if panel.criteria else panel._replace(criteria=terms.criteria)
    return card._replace(panel=recorded, agreement=agreement(panel, terms, judgement, card.bounds))
