"""The first page: every skill with its latest grade, its trend, its alarms and how much of it was graded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from evenhand.store.protocol import Store
from evenhand.store.record import Record
from evenhand.trust.anchors import open_alarms
from evenhand.web.page import Page, Sheet
from evenhand.web.pages.alarms import alarms_of
from evenhand.web.pages.cells import score_number
from evenhand.web.parameters import Parameters, key_text
from evenhand.web.responding import page_route

SHOWN: Final = 25
"""Skills on a page."""

COUNTED: Final = 2_000
"""Evaluations of a skill that are counted here; its own page counts more."""

TREND: Final = 20
"""Evaluations in a skill's little chart."""


def skills(store: Store, parameters: Parameters) -> Page:
    """A page of skills, in the order of their names."""
    after = parameters.text("after")
    names = store.skill_names(after, limit=SHOWN + 1)
    shown = names[:SHOWN]
    recent = store.recent_finals(shown, last=TREND)
    newest = store.newest_of(shown)
    counts = store.counts(shown, most=COUNTED)
    rows = [_row(name, newest[name], recent[name], counts[name]) for name in shown]
    following = shown[-1] if len(names) > SHOWN else None
    latest = store.newest()
    moved = [alarm._asdict() for alarm in open_alarms(store).values()]
    return Page(
        name="skills",
        title="Skills",
        template="skills.html",
        document={"skills": rows, "next": following, "judges_moved": moved},
        sheet=Sheet(_HEAD, [_cells(row) for row in rows]),
        shown={"newest": key_text(latest), "most": COUNTED},
        live=True,
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
