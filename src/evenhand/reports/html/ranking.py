"""A ranking as a page: the order, a bar for each final score, and the rule that decided each neighbouring pair."""

from __future__ import annotations

from collections.abc import Mapping

from evenhand.core.values import RankedEntry, Ranking
from evenhand.reports.charts import SCALE, ScoreBar
from evenhand.reports.html.environment import Page, page, render
from evenhand.reports.html.links import NO_LINKS, Links


def ranking_page(ranking: Ranking, names: Mapping[str, str], what: str = "", links: Links = NO_LINKS) -> Page:
    """A ranking of `what`; `names` holds what people call each id, `links` leads to the pages of the dashboard."""
    skills = {entry.skill for entry in ranking.entries} | {entry.skill for entry in ranking.unranked}
    body = render(
        "ranking.html",
        entries=[
            (
                entry,
                names.get(entry.id, entry.id),
                ScoreBar(0, float(entry.final * SCALE), True, None, None),
                _decided(entry),
            )
            for entry in ranking.entries
        ],
        unranked=[(names.get(entry.id, entry.id), entry) for entry in ranking.unranked],
        warnings=ranking.warnings,
        several_skills=len(skills) > 1,
        what=what,
        links=links,
    )
    return page("Ranking", body)


def _decided(entry: RankedEntry) -> str:
    words = {None: "", "equivalent": "equal in everything"}
    return words.get(entry.decided_by, (entry.decided_by or "").replace("_", " "))
