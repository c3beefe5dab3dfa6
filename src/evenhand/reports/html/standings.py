"""Standings as a page: for each judge the variants with their means and ranks, then all pairs."""

from __future__ import annotations

from evenhand.reports.exchange.standing_tables import HEAD, NOTE, PAIR_HEAD, Tables, pair_row, standing_row
from evenhand.reports.html.environment import Page, page, render


def standings_page(suite: str, tables: Tables) -> Page:
    """One self-contained file."""
    judges = [
        (
            judge,
            standings.measure,
            [
                (title, head, rows)
                for title, head, rows in (
                    ("Variants", HEAD, list(map(standing_row, standings.variants))),
                    ("All pairs", PAIR_HEAD, list(map(pair_row, standings.pairs))),
                )
                if rows
            ],
        )
        for judge, standings in tables
    ]
    return page(f"Standings: {suite}", render("standings.html", suite=suite, judges=judges, note=NOTE))
