"""Evaluations in order, best first: those of a skill, some by id, or the latest of every skill."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from markupsafe import Markup

from evenhand.errors import InputError
from evenhand.files import codec
from evenhand.judging.files import Named, rank_cards
from evenhand.reports.cases import distinct_names
from evenhand.reports.html.walker import report_page
from evenhand.reports.ranking import ranking_report
from evenhand.store.protocol import Store
from evenhand.store.stored_cards import card_of
from evenhand.web.page import Page, Sheet
from evenhand.web.pages.cells import short_time
from evenhand.web.pages.comparison import LAST, MOST
from evenhand.web.pages.evaluation import LINKS, no_such_skill, records_by
from evenhand.web.pages.remembered import Remembered, of_evaluations
from evenhand.web.parameters import NotFound, Parameters
from evenhand.web.responses import page_route

SKILLS: Final = 100
"""Skills whose latest evaluations are ranked when nothing else is asked for."""


@of_evaluations
def ranking(store: Store, parameters: Parameters) -> Page:
    """The ranking, with the rule that put each above the next."""
    skill = parameters.text("skill")
    ids = parameters.texts("id")
    if skill and ids:
        raise InputError("give ids or a skill, not both")
    chosen, what = _chosen(store, parameters, skill, ids)
    ranked = _rankings.of((store.url, what, tuple(chosen)), lambda: _ranked(store, chosen, what))
    columns = ("rank", "id", "skill", "final", "grade", "decided_by")
    return Page(
        name="ranking",
        title=f"Ranking: {what}",
        template="ranking.html",
        document=ranked.document,
        sheet=Sheet(columns, [[entry[name] for name in columns] for entry in ranked.document["entries"]]),
        shown={
            "body": ranked.body,
            "skill": skill,
            "last": parameters.text("last"),
            "default": LAST,
            "failures": ranked.failures,
        },
    )


class _Made(NamedTuple):
    """A ranking as it is shown: the same for the same evaluations."""

    document: Mapping[str, Any]
    body: Markup
    failures: list[str]


_rankings: Final[Remembered[_Made]] = Remembered()


def _ranked(store: Store, ids: Sequence[str], what: str) -> _Made:
    records = store.records_of(ids)
    named = [Named(id, card_of(records[id])) for id in ids if id in records]
    names = distinct_names({entry.name: f"{entry.label}, {short_time(entry.card.created)}" for entry in named})
    ranked, failures = rank_cards(named)
    body = report_page(ranking_report(ranked, names, what, LINKS.evaluation, LINKS.skill)).body
    return _Made(codec.document(ranked), body, [str(failure) for failure in failures])


def _chosen(store: Store, parameters: Parameters, skill: str, ids: list[str]) -> tuple[list[str], str]:
    """The ids of what is ranked, and what that is in words."""
    if ids:
        records = records_by(store, ids, most=MOST)
        return [record.id for record in records], f"{len(records)} evaluations"
    if skill:
        last = parameters.number("last", LAST, most=MOST)
        keys = store.newest_keys(skill, limit=last)
        if not keys:
            raise NotFound(no_such_skill(store, skill))
        return [key.id for key in keys], f"the newest {len(keys)} of {skill}"
    return store.newest_ids(store.skill_names(limit=SKILLS)), "the latest of every skill"


ROUTES: Final = (page_route("/ranking", ranking),)
