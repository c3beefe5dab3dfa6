"""The first page: what needs a look, then every skill with its latest grade, its trend and its week, and suites."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from evenhand.store.protocol import Store
from evenhand.store.record import Record
from evenhand.store.tables.browsed_lists import MOST_COUNTED
from evenhand.trust.anchors import open_alarms
from evenhand.web.page import Page, Sheet
from evenhand.web.pages.alarms import alarms_of
from evenhand.web.pages.cells import score_number
from evenhand.web.pages.first_page import (
    AMONG,
    LOOKED_AT,
    Week,
    WeekFigures,
    alarmed_skills,
    skill_week,
    suite_verdicts,
    waiting_reviews,
    week_document,
    week_figures,
    week_of,
)
from evenhand.web.pages.remembered import Figures, Remembered
from evenhand.web.parameters import Parameters, key_text
from evenhand.web.responses import page_route

SHOWN: Final = 25
"""Skills on a page."""

COUNTED: Final = 2_000
"""Evaluations of a skill that are counted here; its own page counts more."""

TREND: Final = 20
"""Evaluations in a skill's little chart."""


def skills(store: Store, parameters: Parameters) -> Page:
    """The overview, then a page of skills in the order of their names."""
    after = parameters.text("after")
    listed = _listed.of((store.url, after, store.state()), lambda: _list(store, after))
    rows, week, figures = listed.rows, listed.week, None
    if week is not None:
        shown = [row["skill"] for row in rows]
        figures = _weeks.of(
            store, after, lambda: week_figures(store, week, shown, listed.alarmed), many=listed.has_many
        )
        rows = [
            row | {"week": figures.skills.get(row["skill"]) or skill_week(store, row["skill"], week)} for row in rows
        ]
    moved = [alarm._asdict() for alarm in open_alarms(store).values()]
    suites, reviews = suite_verdicts(store), waiting_reviews(store)
    waiting = sum(review["open"] for review in reviews)
    return Page(
        name="skills",
        title="Overview",
        template="skills.html",
        document={
            "week": None if week is None or figures is None else week_document(week, figures, suites, waiting),
            "needs_a_look": figures.looks if figures else [],
            "drifting": len(listed.alarmed),
            "judges_moved": moved,
            "skills": rows,
            "next": listed.next,
            "suites": suites,
            "reviews_waiting": reviews,
        },
        sheet=Sheet(_HEAD, [_cells(row) for row in rows]),
        shown={
            "newest": key_text(store.newest()),
            "most": COUNTED,
            "most_week": MOST_COUNTED,
            "looked_at": listed.looked_at,
        },
        live=True,
    )


class _List(NamedTuple):
    """A page of skills with their newest evaluations."""

    rows: list[dict[str, Any]]
    next: str | None
    alarmed: list[str]
    """Skills that drift."""
    looked_at: int
    """How many skills are searched for drift when there are more."""
    week: Week | None
    has_many: bool
    """Whether a skill on the page has too many evaluations for all to be counted."""


_listed: Final[Remembered[_List]] = Remembered()
_weeks: Final[Figures[WeekFigures]] = Figures()


def _list(store: Store, after: str) -> _List:
    names = store.skill_names(after, limit=SHOWN + 1)
    shown = names[:SHOWN]
    recent = store.recent_finals(shown, last=TREND)
    every = store.skill_names(limit=LOOKED_AT + 1)
    many = len(every) > LOOKED_AT
    if many:
        every = store.newest_skills(limit=LOOKED_AT, among=AMONG)
    latest_of = store.newest_of(list(dict.fromkeys([*every, *shown])))
    counts = store.counts(shown, most=COUNTED)
    return _List(
        [_row(name, latest_of[name], recent[name], counts[name]) for name in shown if name in latest_of],
        shown[-1] if len(names) > SHOWN else None,
        alarmed_skills(store, {name: latest_of[name] for name in every if name in latest_of}),
        len(every) if many else 0,
        week_of(store),
        any(COUNTED in pair for pair in counts.values()),
    )


def _row(name: str, newest: Record, recent: Sequence[int], counts: tuple[int, int]) -> dict[str, Any]:
    graded, others = counts
    return {
        "skill": name,
        "evaluations": graded + others,
        "graded": graded,
        "counted_up_to": COUNTED,
        "latest": {
            "id": newest.id,
            "created": newest.created,
            "final": score_number(newest.final),
            "grade": newest.grade,
        },
        "trend": [score_number(final) for final in reversed(recent)],
        "alarms": [alarm._asdict() for alarm in alarms_of(newest.document)],
    }


_HEAD: Final = ("skill", "evaluations", "graded", "latest", "created", "final", "grade", "alarms")


def _cells(row: Mapping[str, Any]) -> list[Any]:
    latest = row["latest"]
    return [
        row["skill"],
        row["evaluations"],
        row["graded"],
        latest["id"],
        latest["created"],
        latest["final"],
        latest["grade"],
        "; ".join(alarm["text"] for alarm in row["alarms"]),
    ]


ROUTES: Final = (page_route("/", skills),)
