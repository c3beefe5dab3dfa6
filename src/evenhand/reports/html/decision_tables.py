"""Tables of a decision as a page: for each judge the comparisons, then the variants."""

from __future__ import annotations

from evenhand.reports.exchange.decision_tables import CONTRAST_HEAD, HEAD, Tables, contrast_row, note, variant_row
from evenhand.reports.html.environment import Page, page, render


def tables_page(suite: str, tables: Tables) -> Page:
    """One self-contained file."""
    judges = []
    for judge, decision in tables:
        contrasts = [contrast_row(contrast, decision.measure) for contrast in decision.contrasts]
        variants = [variant_row(facts, decision.measure) for facts in decision.variants]
        parts = [("Compared", CONTRAST_HEAD, contrasts), ("Variants", HEAD, variants)]
        judges.append((judge, decision.measure, [part for part in parts if part[2]]))
    says = [contrast.says for contrast in tables[0][1].contrasts]
    body = render("standings.html", suite=suite, judges=judges, note=" ".join([*says, note(tables[0][1])]))
    return page(f"Compared: {suite}", body)
