"""Evaluations in order, best first: those of a skill, some by id, or the latest of every skill."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from evenhand.core.documents.scorecard import ranking_document
from evenhand.errors import InputError
from evenhand.evaluations.comparisons import card_of
from evenhand.judging.files import Named, rank_cards
from evenhand.reports.cases import distinct_names
from evenhand.reports.html.ranking import ranking_page
from evenhand.store.protocol import Store
from evenhand.store.record import Record
from evenhand.store.tables.filter import Filter
from evenhand.web.page import Page, Sheet
from evenhand.web.pages.cells import short_time
from evenhand.web.pages.comparison import LAST, MOST
from evenhand.web.pages.evaluation import LINKS, no_such_skill, records_by
from evenhand.web.pages.remembered import Remembered
from evenhand.web.parameters import NotFound, Parameters
from evenhand.web.responding import page_route

SKILLS: Final = 100
"""Skills whose latest evaluations are ranked when nothing else is asked for."""


def ranking(store: Store, parameters: Parameters) -> Page:
    """The ranking, with the rule that put each above the next."""
    skill = parameters.text("skill")
    ids = parameters.texts("id")
    if skill and ids:
        raise InputError("give ids or a skill, not both")
    records, what = _chosen(store, parameters, skill, ids)
    ranked, names, failures = _rankings.of(
        (store.url, tuple(record.id for record in records)), lambda: _ranked(records)
    )
    document = ranking_document(ranked)
    columns = ("rank", "id", "skill", "final", "grade", "decided_by")
    return Page(
        name="ranking",
        title=f"Ranking: {what}",
        template="ranking.html",
        document=document,
        sheet=Sheet(columns, [[entry[name] for name in columns] for entry in document["entries"]]),
        shown={
            "body": ranking_page(ranked, names, what, LINKS).body,
            "skill": skill,
            "last": parameters.text("last"),
            "default": LAST,
            "failures": [str(failure) for failure in failures],
        },
    )


def _ranked(records: Sequence[Record]) -> tuple[Any, Any, Any]:
    """The ranking of some evaluations, what each is called in it, and those that cannot be ranked."""
    named = [Named(record.id, card_of(record)) for record in records]
    names = distinct_names({entry.name: f"{entry.label}, {short_time(entry.card.created)}" for entry in named})
    ranked, failures = rank_cards(named)
    return ranked, names, failures


_rankings: Final[Remembered[tuple[Any, Any, Any]]] = Remembered()


def _chosen(store: Store, parameters: Parameters, skill: str, ids: list[str]) -> tuple[list[Record], str]:
    if ids:
        records = records_by(store, ids, most=MOST)
        return records, f"{len(records)} evaluations"
    if skill:
        last = parameters.number("last", LAST, most=MOST)
        records = store.listing(Filter(skill), limit=last, whole=True).rows
        if not records:
            raise NotFound(no_such_skill(store, skill))
        return records, f"the newest {len(records)} of {skill}"
    newest = store.newest_of(store.skill_names(limit=SKILLS))
    return list(newest.values()), "the latest of every skill"


ROUTES: Final = (page_route("/ranking", ranking),)
