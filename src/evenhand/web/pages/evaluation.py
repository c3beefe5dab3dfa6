"""One evaluation: the report, with its neighbours in time."""

from __future__ import annotations

import json
from typing import Any, Final

from evenhand.judging.kept.rubric_texts import rubric_of_card
from evenhand.reports.html.walker import View
from evenhand.reports.scorecard import evaluation_title, scorecard_report
from evenhand.store.protocol import Store
from evenhand.store.record import Record
from evenhand.store.stored_cards import card_of, stored_submission
from evenhand.store.tables.browsed_lists import Key
from evenhand.store.tables.filter import Filter
from evenhand.store.tables.notes import NOTE, TAGGED, tags_of
from evenhand.web.page import Page, Sheet
from evenhand.web.pages.comparison import compared_evaluations
from evenhand.web.pages.records import record_by
from evenhand.web.parameters import Parameters
from evenhand.web.responses import page_route

NOTE_PATH: Final = "/note"
MOST_CHARACTERS: Final = 10_000
"""The longest note."""

MOST_OF_A_TAG: Final = 60

_MOST_OF_CASE: Final = 20
"""How many evaluations of the same case a page names."""


def evaluation(store: Store, parameters: Parameters) -> Page:
    """The report of an evaluation, by its id or the start of it; or what moved between others and it."""
    if parameters.texts("against"):
        return compared_evaluations(store, parameters)
    record = record_by(store, parameters.needed("id", "the id of an evaluation"))
    card, submission = card_of(record), stored_submission(store, record)
    notes = store.notes(record.id)
    earlier = store.listing(Filter(record.skill), before=Key(record.completed, record.id), limit=1, whole=True).rows
    return Page(
        name=f"evaluation-{record.id}",
        title=f"{evaluation_title(card, submission)} {record.grade or ''}".strip(),
        template="evaluation.html",
        document=json.loads(record.scorecard) | ({"notes": [note._asdict() for note in notes]} if notes else {}),
        sheet=_sheet(record),
        shown={
            "record": record,
            "view": View(scorecard_report(card, rubric_of_card(card, store), submission).nodes),
            "notes": notes,
            "tags": tags_of(notes),
            "note_path": NOTE_PATH,
            "most": {NOTE: MOST_CHARACTERS, TAGGED: MOST_OF_A_TAG},
            "earlier": earlier[0] if earlier else None,
            "same_case": [id for id in store.last_case_ids(record.case_id, most=_MOST_OF_CASE) if id != record.id],
        },
    )


def _sheet(record: Record) -> Sheet:
    rows: list[list[Any]] = [
        [name, line["score"], line["weight"], line["points"], line.get("unscored") or line["justification"]]
        for name, line in json.loads(record.scorecard)["dimensions"].items()
    ]
    return Sheet(("dimension", "score", "weight", "points", "justification"), rows)


ROUTES: Final = (page_route("/evaluation", evaluation),)
