"""A ranking's report: the order, and the rule that decided each neighbouring pair. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from evenhand.core.ranking import RankedEntry, Ranking
from evenhand.reports.cases import UNNAMED
from evenhand.reports.tree import Column, Head, Item, Items, Node, Report, Row, Span, Table


def ranking_report(ranking: Ranking, names: Mapping[str, str] = {}) -> Report:
    """A ranking; `names` are what people call the ids."""
    title = "Ranking"
    named = {entry.skill for entry in ranking.entries} - {UNNAMED}
    columns = (
        Column("rank", right=True),
        Column("name"),
        *((Column("skill"),) if named else ()),
        Column("final", right=True),
        Column("grade"),
        Column("above the next by"),
    )
    rows = tuple(
        Row(
            (
                f"{entry.rank}{'=' if entry.equivalent_to else ''}",
                names.get(entry.id, entry.id),
                *((entry.skill,) if named else ()),
                str(entry.final),
                (Span(entry.grade, "grade"),),
                _decided(entry),
            )
        )
        for entry in ranking.entries
    )
    left_out = [
        Item(head=f"not ranked: {names.get(entry.id, entry.id)} ({entry.reason})", mark="open")
        for entry in ranking.unranked
    ]
    notes = (*left_out, *(Item(head=warning, mark="unusual") for warning in ranking.warnings))
    if not rows and not notes:
        return Report(title, ())
    nodes: list[Node] = [Head(title=title)]
    if rows:
        nodes.append(Table(columns, rows, _explained(ranking)))
    if notes:
        nodes.append(Items(notes))
    return Report(title, tuple(nodes))


def _explained(ranking: Ranking) -> str:
    return "= shares its rank with another" if any(entry.equivalent_to for entry in ranking.entries) else ""


def _decided(entry: RankedEntry) -> str:
    words = {None: "", "equivalent": "equal in everything"}
    return words.get(entry.decided_by, (entry.decided_by or "").replace("_", " "))
