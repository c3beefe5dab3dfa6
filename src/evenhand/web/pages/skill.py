"""A skill: its evaluations over time, its dimensions, its flags with their strength, and filters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from evenhand.core.basics.methodology import DIMENSIONS
from evenhand.evaluations.comparisons import card_of
from evenhand.reports.history import history_lines
from evenhand.store.browsing import MOST_COUNTED, Filter, Listed
from evenhand.store.protocol import Store
from evenhand.store.record import Record
from evenhand.web.page import Page, Sheet
from evenhand.web.pages.alarms import Alarm, alarms_of
from evenhand.web.pages.cells import judge_name, score_number, short_time
from evenhand.web.pages.evaluation import no_such_skill
from evenhand.web.pages.time_chart import Scored, spark, time_chart
from evenhand.web.parameters import NotFound, Parameters, key_text
from evenhand.web.responding import page_route

SHOWN: Final = 50
"""Evaluations on a page; its chart shows the same."""

LOOKED_AT: Final = 200
"""The newest evaluations among which the choices of the filters are found."""


def skill(store: Store, parameters: Parameters) -> Page:
    """One skill."""
    name = parameters.needed("name", "the name of a skill")
    filter = Filter(name, *(parameters.text(field) for field in ("judge", "rubric", "version")))
    part = store.listing(filter, before=parameters.key("before"), limit=SHOWN, whole=True)
    newest = store.newest_of([name]).get(name)
    if newest is None:
        raise NotFound(no_such_skill(store, name))
    graded, others = store.counts([name])[name]
    rows = [_row(record) for record in part.rows]
    history = card_of(newest).history
    return Page(
        name=f"skill-{name}",
        title=name,
        template="skill.html",
        document={
            "skill": name,
            "evaluations": graded + others,
            "graded": graded,
            "counted_up_to": MOST_COUNTED,
            "filter": {field: value for field, value in filter._asdict().items() if value},
            "listed": rows,
            "next": key_text(part.next) or None,
            "stopped": part.stopped,
        },
        sheet=sheet_of(rows),
        shown={
            "newest": newest,
            "newest_key": key_text(store.newest()),
            "history": () if history is None else history_lines(history),
            "chart": time_chart([_point(record) for record in reversed(part.rows) if record.final is not None]),
            "dimensions": _dimensions(part.rows),
            "choices": _choices(store.listing(Filter(name), limit=LOOKED_AT).rows),
            "most": MOST_COUNTED,
        },
        live=not parameters.text("before"),
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


def _point(record: Record) -> Scored:
    alarms = alarms_of(record.document)
    assert record.final is not None
    texts = [short_time(record.created), f"{record.final / 100:.2f}", record.grade or "", *_loud(alarms)]
    kinds = {alarm.kind for alarm in alarms}
    kind: Any = "alarm" if "drift" in kinds else "flag" if "unusual" in kinds else "point"
    return Scored(record.id, record.completed, record.final, "  ".join(filter(None, texts)), kind)


def _loud(alarms: Sequence[Alarm]) -> list[str]:
    return [alarm.text for alarm in alarms if alarm.kind != "chance"]


def _dimensions(records: Sequence[Record]) -> list[dict[str, Any]]:
    """The scores of each dimension over time, oldest first."""
    by_name = []
    for place, name in enumerate(DIMENSIONS):
        scores = [score_number(record.scores[place]) for record in reversed(records)]
        known = [score for score in scores if score is not None]
        if known:
            by_name.append(
                {"name": name, "last": known[-1], "low": min(known), "high": max(known), "points": spark(known)}
            )
    return by_name


def _choices(rows: Sequence[Listed]) -> dict[str, list[tuple[str, str]]]:
    """What can be chosen in the filters: each value and its words, those used last first."""
    judges = {judge_name(row.judge): judge_name(row.judge) for row in rows}
    rubrics = {row.rubric: row.rubric for row in rows}
    versions = {row.rubric_sha256: f"{row.rubric} {row.rubric_sha256[:8]}" for row in rows}
    return {
        "judge": list(judges.items()),
        "rubric": list(rubrics.items()),
        "version": [(sha256[:16], words) for sha256, words in versions.items()],
    }


ROUTES: Final = (page_route("/skill", skill),)
