"""Two evaluations side by side, or two sets of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
from evenhand.store.record import Record
from evenhand.store.stored_cards import card_of, stored_submission
from evenhand.store.tables.filter import Filter
from evenhand.web.page import Page, Sheet
from evenhand.web.pages.records import LINKS, no_such_skill, records_by
from evenhand.web.parameters import NotFound, Parameters

LAST: Final = 50
"""Evaluations of a skill that are compared, unless another number is asked for."""

MOST: Final = 500


class Side(NamedTuple):
    """One side of a comparison."""

    name: str
    cards: list[Named]


def compared_evaluations(store: Store, parameters: Parameters) -> Page:
    """What moved between two evaluations, or two sets of them, each given by ids."""
    sides = (parameters.texts("against"), parameters.texts("id"))
    before, after = (records_by(store, ids, most=MOST) for ids in sides)
    if len(before) != 1 or len(after) != 1:
        return _sets(Side("set A", _named(before)), Side("set B", _named(after)))
    old, new = card_of(before[0]), card_of(after[0])
    moved = changes(old, new)
    document = change_document(old, new, moved)
    texts = (stored_submission(store, before[0]), stored_submission(store, after[0]))
    return _page(
        f"{case_name(old)} and {case_name(new)}",
        document,
        Sheet(("what", "before", "after", "points"), [list(move.values()) for move in document["moves"]]),
        report_body(changes_report(old, new, moved, texts, address=LINKS.evaluation)),
    )


def compared_skills(store: Store, parameters: Parameters) -> Page:
    """The newest evaluations of a skill, or of a version of it, against those of another."""
    name = parameters.text("name")
    before = _side(store, parameters, parameters.text("against") or name, parameters.text("against_version"))
    after = _side(store, parameters, name, parameters.text("of_version"))
    if before.name == after.name:
        raise InputError(f"both sides are {after.name}; name another skill, or two versions")
    return _sets(before, after)


def _sets(before: Side, after: Side) -> Page:
    sets = (before.cards, after.cards)
    result = compare_sets((before.name, after.name), sets)
    answer = set_answer(result, sets)
    facts = [[facts.name, facts.runs, facts.mean] for facts in result.decision.variants]
    return _page(
        f"{before.name} and {after.name}",
        set_document(result, answer),
        Sheet(("set", "evaluations", "mean"), facts),
        report_body(sets_report(result, answer, address=LINKS.compare)),
    )


def _page(title: str, document: Mapping[str, Any], sheet: Sheet, body: Markup) -> Page:
    return Page("comparison", title, "compare.html", document, sheet, {"body": body, "most": MOST})


def _named(records: Sequence[Record]) -> list[Named]:
    return [Named(record.id, card_of(record)) for record in records]


def _side(store: Store, parameters: Parameters, skill: str, version: str) -> Side:
    """The newest evaluations of a skill."""
    last = parameters.number("last", LAST, most=MOST)
    rows = store.listing(Filter(skill), limit=MOST if version else last, whole=True).rows
    if not rows:
        raise NotFound(no_such_skill(store, skill))
    cards = _named(rows)
    if not version:
        return Side(skill, cards)
    cards = [entry for entry in cards if entry.card.skill_version == version][:last]
    if not cards:
        raise NotFound(f'None of the newest {MOST} evaluations of "{skill}" has the version "{version}".')
    return Side(f"{skill} {version}", cards)
