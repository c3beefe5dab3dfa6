"""Two evaluations side by side, or two sets of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from markupsafe import Markup

from evenhand.decisions.changes import changes
from evenhand.errors import InputError
from evenhand.judging.files import Named
from evenhand.judging.sets.compared_sets import compare_sets
from evenhand.judging.sets.set_answer import set_answer
from evenhand.reports.cases import case_name
from evenhand.reports.comparison.changes import change_document, changes_report
from evenhand.reports.comparison.sets import set_document, sets_report
from evenhand.reports.html.walker import report_body
from evenhand.store.protocol import Store
from evenhand.store.stored_cards import card_of, stored_submission
from evenhand.store.tables.filter import Filter
from evenhand.web.page import Page, Sheet
from evenhand.web.pages.evaluation import LINKS, no_such_skill, records_by
from evenhand.web.parameters import NotFound, Parameters
from evenhand.web.responses import page_route
from evenhand.work.submission import Submission

LAST: Final = 50
"""Evaluations of a skill that are compared, unless another number is asked for."""

MOST: Final = 500


class Side(NamedTuple):
    """One side of a comparison."""

    name: str
    cards: list[Named]
    single: bool
    """Whether one evaluation was named, not a set."""
    submission: Submission | None = None
    """What was judged, of one evaluation whose text is kept."""


def compare(store: Store, parameters: Parameters) -> Page:
    """The comparison, or the form to choose its sides."""
    first, second = _side(store, parameters, "a"), _side(store, parameters, "b")
    if first is None and second is None:
        return _page(parameters, "Compare", {}, Sheet((), []), None)
    if first is None or second is None:
        missing = "A" if first is None else "B"
        raise InputError(f"side {missing} is missing; give both sides an id or a skill")
    if first.single and second.single:
        before, after = first.cards[0].card, second.cards[0].card
        moved = changes(before, after)
        document = change_document(before, after, moved)
        sheet = Sheet(("what", "before", "after", "points"), [list(move.values()) for move in document["moves"]])
        title = f"{case_name(before)} and {case_name(after)}"
        texts = (first.submission, second.submission)
        report = changes_report(before, after, moved, texts, address=LINKS.evaluation)
        return _page(parameters, title, document, sheet, report_body(report))
    sets = (first.cards, second.cards)
    result = compare_sets((first.name, second.name), sets)
    answer = set_answer(result, sets)
    document = set_document(result, answer)
    decision = result.decision
    sheet = Sheet(("set", "evaluations", "mean"), [[facts.name, facts.runs, facts.mean] for facts in decision.variants])
    body = report_body(sets_report(result, answer, address=LINKS.compare))
    return _page(parameters, f"{first.name} and {second.name}", document, sheet, body)


def _page(parameters: Parameters, title: str, document: Mapping[str, Any], sheet: Sheet, body: Markup | None) -> Page:
    form = {name: parameters.text(name) for name in ("a_skill", "a_version", "b_skill", "b_version", "last")}
    ids = {name: parameters.texts(name) for name in ("a", "b")}
    shown = {"body": body, "asked": form | ids, "default": LAST}
    return Page("comparison", title, "compare.html", document, sheet, shown)


def _side(store: Store, parameters: Parameters, name: str) -> Side | None:
    """The evaluations of one side: those with the given ids, or the newest of a skill."""
    ids = parameters.texts(name)
    skill = parameters.text(f"{name}_skill")
    if ids and skill:
        raise InputError(f"side {name.upper()} has ids and a skill; give one of them")
    if ids:
        records = records_by(store, ids, most=MOST)
        label = records[0].id if len(records) == 1 else f"set {name.upper()}"
        cards = [Named(record.id, card_of(record)) for record in records]
        single = len(records) == 1
        return Side(label, cards, single, stored_submission(store, records[0]) if single else None)
    if not skill:
        return None
    last = parameters.number("last", LAST, most=MOST)
    version = parameters.text(f"{name}_version")
    rows = store.listing(Filter(skill), limit=MOST if version else last, whole=True).rows
    if not rows:
        raise NotFound(no_such_skill(store, skill))
    cards = [Named(record.id, card_of(record)) for record in rows]
    if version:
        cards = [entry for entry in cards if entry.card.skill_version == version][:last]
    if not cards:
        raise NotFound(f'None of the newest {MOST} evaluations of "{skill}" has the version "{version}".')
    return Side(f"{skill} {version}" if version else skill, cards, single=False)


ROUTES: Final = (page_route("/compare", compare),)
