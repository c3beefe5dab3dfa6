"""A skill: its course over time, its dimensions, and its evaluations with filters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from evenhand.core.history import changed_between, changes_words, of_document
from evenhand.core.rules import DIMENSIONS
from evenhand.reports.charts import spark
from evenhand.reports.history import history_lines
from evenhand.store.protocol import Store
from evenhand.store.record import REVIEW, Record
from evenhand.store.stored_cards import card_of
from evenhand.store.tables.browsed_lists import MOST_COUNTED, Listed, paid_for
from evenhand.web.page import Page, Sheet
from evenhand.web.pages.alarms import alarms_of
from evenhand.web.pages.cells import score_number
from evenhand.web.pages.comparison import LAST, compared_skills
from evenhand.web.pages.course import course_of
from evenhand.web.pages.filters import (
    GRADE_CHOICES,
    choices_of,
    chosen,
    filter_of,
    headings,
    is_asked_for,
    order_of,
    place_of,
)
from evenhand.web.pages.records import no_such_skill
from evenhand.web.pages.remembered import of_evaluations
from evenhand.web.parameters import NotFound, Parameters, key_text
from evenhand.web.responses import page_route

SHOWN: Final = 50
"""Evaluations in the list of a page."""

MOST_CHANGES: Final = 10
"""Changes of judge, rubric or version that are listed."""


@of_evaluations
def skill(store: Store, parameters: Parameters) -> Page:
    """One skill; or it against another, or one of its versions against another."""
    name = parameters.needed("name", "the name of a skill")
    if parameters.text("against") or parameters.text("against_version"):
        return compared_skills(store, parameters)
    filter = filter_of(parameters, name)
    order = order_of(parameters)
    place = place_of(parameters, order)
    part = store.listing(filter, before=place, limit=SHOWN, order=order)
    newest = store.newest_of([name]).get(name)
    if newest is None:
        raise NotFound(no_such_skill(store, name))
    graded, others = store.counts([name])[name]
    records = store.records_of([row.id for row in part.rows])
    found = [row for row in part.rows if is_asked_for(filter, records.get(row.id, row))]
    rows = [listed_row(row) | {"alarms": _alarms(records.get(row.id))} for row in found]
    history = card_of(newest).history
    changed = _changed([records[row.id] for row in found if row.id in records and row.in_history < REVIEW])
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
            "changed": changed,
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
            "dimensions": _dimensions([row for row in found if row.in_history < REVIEW]),
            "choices": choices_of(store, name),
            "grades": GRADE_CHOICES,
            "most": MOST_COUNTED,
            "last": LAST,
        },
        live=place is None and order == "newest",
    )


def _alarms(record: Record | None) -> list[dict[str, str]]:
    return [] if record is None else [alarm._asdict() for alarm in alarms_of(record.document)]


def _changed(records: Sequence[Record]) -> list[dict[str, str]]:
    """Where judge, model, rubric or the skill's version changed among some evaluations, the newest first."""
    ordered = sorted(records, key=lambda record: (record.completed, record.id))
    circumstances = [of_document(record.document) for record in ordered]
    changes = []
    for before, after, record in zip(circumstances, circumstances[1:], ordered[1:], strict=False):
        if found := changed_between([before], [after]):
            changes.append({"id": record.id, "created": record.created, "words": changes_words(found)})
    return changes[: -MOST_CHANGES - 1 : -1]


def listed_row(record: Record | Listed) -> dict[str, Any]:
    """A row of a list of what is kept."""
    cost = paid_for(record)
    return {
        "id": record.id,
        "skill": record.skill,
        "created": record.created,
        "final": score_number(record.final),
        "grade": record.grade,
        "scores": dict(zip(DIMENSIONS, map(score_number, record.scores), strict=True)),
        "judge": record.judge_name,
        "rubric": record.rubric,
        "version": record.rubric_sha256,
        "title": record.title,
        "preview": record.preview,
        "state": record.state,
        "kind": record.kind,
        "reason": record.reason,
        "suite": record.suite_run,
        "variant": record.variant,
        "cost": None if cost is None else float(cost),
    }


_COLUMNS: Final = ("id", "skill", "created", "final", "grade", "judge", "rubric", "version")
_MORE: Final = ("title", "state", "kind", "reason", "suite", "variant", "cost")


def sheet_of(rows: Iterable[Mapping[str, Any]]) -> Sheet:
    """A list of evaluations for a spreadsheet."""
    return Sheet((*_COLUMNS, *DIMENSIONS, "alarms", *_MORE), map(_cells, rows))


def _cells(row: Mapping[str, Any]) -> list[Any]:
    more = (row[name] for name in _MORE)
    return [*(row[name] for name in _COLUMNS), *row["scores"].values(), _alarm_texts(row.get("alarms", ())), *more]


def _alarm_texts(alarms: Iterable[Mapping[str, str]]) -> str:
    return "; ".join(alarm["text"] for alarm in alarms)


def _dimensions(records: Sequence[Listed]) -> list[dict[str, Any]]:
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
