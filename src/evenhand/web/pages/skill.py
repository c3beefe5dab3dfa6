"""A skill: its course over time, its dimensions, and its evaluations with filters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from evenhand.core.rules import DIMENSIONS
from evenhand.evaluations.comparisons import card_of
from evenhand.reports.history import history_lines
from evenhand.store.protocol import Store
from evenhand.store.record import Record
from evenhand.store.tables.browsed_lists import MOST_COUNTED, Listed
from evenhand.web.page import Page, Sheet
from evenhand.web.pages.alarms import alarms_of
from evenhand.web.pages.cells import judge_name, score_number
from evenhand.web.pages.course import course_of
from evenhand.web.pages.evaluation import no_such_skill
from evenhand.web.pages.filters import (
    GRADE_CHOICES,
    choices_of,
    chosen,
    filter_of,
    headings,
    is_asked_for,
    order_of,
    place_of,
    titled,
)
from evenhand.web.pages.remembered import of_evaluations
from evenhand.web.pages.time_chart import spark
from evenhand.web.parameters import NotFound, Parameters, key_text
from evenhand.web.responses import page_route

SHOWN: Final = 50
"""Evaluations in the list of a page."""


@of_evaluations
def skill(store: Store, parameters: Parameters) -> Page:
    """One skill."""
    name = parameters.needed("name", "the name of a skill")
    filter = filter_of(parameters, name)
    order = order_of(parameters)
    place = place_of(parameters, order)
    part = store.listing(filter, before=place, limit=SHOWN, whole=True, order=order)
    newest = store.newest_of([name]).get(name)
    if newest is None:
        raise NotFound(no_such_skill(store, name))
    graded, others = store.counts([name])[name]
    found = [record for record in part.rows if is_asked_for(filter, record)]
    rows = titled(store, map(_row, found))
    history = card_of(newest).history
    course = course_of(store, filter, parameters, graded)
    return Page(
        name=f"skill-{name}",
        title=name,
        template="skill.html",
        document={
            "skill": name,
            "evaluations": graded + others,
            "graded": graded,
            "counted_up_to": MOST_COUNTED,
            "filter": {"skill": name, **chosen(parameters)},
            "sort": order,
            "listed": rows,
            "next": key_text(part.next) or None,
            "stopped": part.stopped,
            "drifts": course.drifts if course else [],
            "periods": course.periods if course else [],
        },
        sheet=sheet_of(rows),
        shown={
            "newest": newest,
            "newest_key": key_text(store.newest()),
            "history": () if history is None else history_lines(history),
            "course": course,
            "headings": headings(parameters, order),
            "dimensions": _dimensions(found),
            "choices": choices_of(store, name),
            "grades": GRADE_CHOICES,
            "most": MOST_COUNTED,
        },
        live=place is None and order == "newest",
    )


def _row(record: Record) -> dict[str, Any]:
    return {**listed_row(record), "alarms": [alarm._asdict() for alarm in alarms_of(record.document)]}


def listed_row(record: Record | Listed) -> dict[str, Any]:
    """An evaluation in a list."""
    return {
        "id": record.id,
        "skill": record.skill,
        "created": record.created,
        "final": score_number(record.final),
        "grade": record.grade,
        "scores": dict(zip(DIMENSIONS, map(score_number, record.scores), strict=True)),
        "judge": judge_name(record.judge),
        "rubric": record.rubric,
        "version": record.rubric_sha256,
    }


_COLUMNS: Final = ("id", "skill", "created", "final", "grade", "judge", "rubric", "version")


def sheet_of(rows: Iterable[Mapping[str, Any]]) -> Sheet:
    """A list of evaluations for a spreadsheet."""
    return Sheet((*_COLUMNS, *DIMENSIONS, "alarms"), map(_cells, rows))


def _cells(row: Mapping[str, Any]) -> list[Any]:
    return [*(row[name] for name in _COLUMNS), *row["scores"].values(), _alarm_texts(row.get("alarms", ()))]


def _alarm_texts(alarms: Iterable[Mapping[str, str]]) -> str:
    return "; ".join(alarm["text"] for alarm in alarms)


def _dimensions(records: Sequence[Record]) -> list[dict[str, Any]]:
    """The scores of each dimension over time, oldest first."""
    by_name = []
    for place, name in enumerate(DIMENSIONS):
        scores = [
            score_number(record.scores[place]) for record in sorted(records, key=lambda one: (one.completed, one.id))
        ]
        known = [score for score in scores if score is not None]
        if known:
            by_name.append(
                {"name": name, "last": known[-1], "low": min(known), "high": max(known), "points": spark(known)}
            )
    return by_name


ROUTES: Final = (page_route("/skill", skill),)
