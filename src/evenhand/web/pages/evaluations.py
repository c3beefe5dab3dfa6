"""Everything kept, sorted, narrowed and searched by the address of its list."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from evenhand.store.figures.fault_counts import SEVERITIES
from evenhand.store.figures.searched_texts import searched_texts
from evenhand.store.protocol import Store
from evenhand.store.record import Record
from evenhand.store.tables.browsed_lists import Listed
from evenhand.store.tables.filter import words_of
from evenhand.web.page import Cell, Page, Sheet
from evenhand.web.pages.filters import (
    FIELDS,
    FLAG_CHOICES,
    GRADE_CHOICES,
    SKILLS,
    choices_of,
    chosen,
    filter_of,
    headings,
    is_asked_for,
    order_of,
    place_of,
)
from evenhand.web.pages.query import chips_of, read_query, with_query
from evenhand.web.pages.remembered import Remembered, of_evaluations
from evenhand.web.pages.skill import listed_row, sheet_of
from evenhand.web.parameters import Parameters, key_text, link
from evenhand.web.responses import page_route

SHOWN: Final = 50
FOUND: Final = 20
"""How many results a page of a text search shows: each is read to show the passage."""

AROUND: Final = 90
"""Characters shown before and after what was found."""

PLACES: Final = 3
"""Places shown for each evaluation."""


@of_evaluations
def evaluations(store: Store, parameters: Parameters) -> Page:
    """What is kept, in an order, as far as it is what is asked for; where words are, with the places that hold them."""
    text = parameters.text("q").strip()
    query = read_query(text)
    asked = with_query(parameters, query)
    filter = filter_of(asked, asked.text("skill"))._replace(text=query.words)
    order = order_of(parameters)
    place = place_of(parameters, order)
    limit = FOUND if query.words else SHOWN
    part = store.listing(filter, before=place, limit=limit, order=order, whole=filter.needs_documents)
    found = [record for record in part.rows if is_asked_for(filter, record)]
    rows = [listed_row(record) for record in found]
    if query.words:
        records = store.records_of([row.id for row in found])
        rows = [row | _places(store, records.get(row["id"]), query.words) for row in rows]
    elif filter.finding:
        rows = [row | _faults(record, filter.finding) for row, record in zip(rows, found, strict=True)]
    sheet = sheet_of(rows)
    skills, choices = _offered.of(
        (store.url, store.state()), lambda: (store.skill_names(limit=SKILLS), choices_of(store))
    )
    return Page(
        name="evaluations",
        title=f"Search: {text}" if text else "Work",
        template="evaluations.html",
        document={
            "query": text,
            "filter": chosen(asked, "skill"),
            "sort": order,
            "listed": rows,
            "next": key_text(part.next) or None,
            "stopped": part.stopped,
        },
        sheet=_with_places(sheet, rows) if query.words else sheet,
        shown={
            "newest_key": key_text(store.newest()),
            "headings": headings(parameters, order),
            "skills": skills,
            "choices": choices,
            "grades": GRADE_CHOICES,
            "flags": FLAG_CHOICES,
            "views": _views(parameters),
            "chips": chips_of(parameters, query, ("skill", *FIELDS)),
        },
        live=place is None and order == "newest",
    )


_offered: Final[Remembered[tuple[list[str], dict[str, list[tuple[str, str]]]]]] = Remembered()
"""The skills and the values that fields offer while someone types."""


def _with_places(sheet: Sheet, rows: Sequence[Mapping[str, Any]]) -> Sheet:
    """A list of what was found, with the first place that holds the words."""
    cells: list[list[Cell]] = []
    for cells_of, row in zip(sheet.rows, rows, strict=True):
        where, texts = (
            (row["places"][0]["where"], row["places"][0]["text"]) if row["places"] else ("", [row["preview"]])
        )
        cells.append([*cells_of, str(where), "".join(texts)])
    return Sheet((*sheet.head, "where", "text"), cells)


def _views(parameters: Parameters) -> list[tuple[str, str, bool]]:
    """Lists that people often want: words, address, whether it is the one shown."""
    current = parameters.address(before=None, format=None)
    views = [(words, link("/evaluations", values)) for words, values in _VIEWS]
    return [(words, address, address == current) for words, address in views]


_VIEWS: Final[tuple[tuple[str, dict[str, str]], ...]] = (
    ("newest", {}),
    ("worst first", {"sort": "worst"}),
    ("drift", {"flag": "drift"}),
    ("flagged for review", {"flag": "flagged"}),
    ("disputed by judges", {"flag": "disputed"}),
    ("at most 5", {"max": "5"}),
    ("not graded", {"grade": "none"}),
    ("failed", {"state": "failed"}),
)


def _faults(record: Record | Listed, check: str) -> dict[str, Any]:
    """The faults that a check found in an evaluation, as places of it."""
    assert isinstance(record, Record)  # such a filter reads whole evaluations
    faults = [finding for finding in record.document["findings"] if finding["check"] == check]
    places = [
        {"where": fault["severity"], "text": [fault["message"]], "quote": fault.get("quote"), "line": fault.get("line")}
        for fault in faults
        if fault["severity"] in SEVERITIES
    ]
    return {"places": places[:PLACES], "more": max(0, len(places) - PLACES)}


def _places(store: Store, record: Record | None, query: str) -> dict[str, Any]:
    places = [] if record is None else places_of(store, record, query)
    return {"places": places[:PLACES], "more": max(0, len(places) - PLACES)}


def places_of(store: Store, record: Record, query: str) -> list[dict[str, Any]]:
    """Where the texts of an evaluation hold the words of a query, those with most of them first; none without all.

    Each place has the field, and a piece of the text in parts: every second part is a word that was searched for.
    """
    words = words_of(query)
    if not words:
        return []
    # Between the words of a phrase, and between words that follow one another, there may be any white space.
    patterns = [re.compile(r"\s+".join(map(re.escape, word.split())), re.IGNORECASE) for word in words]
    combined = "|".join(f"(?:{pattern.pattern})" for pattern in sorted(patterns, key=lambda found: -len(found.pattern)))
    marked = re.compile(rf"(?:{combined})(?:\s+(?:{combined}))*", re.IGNORECASE)
    texts = searched_texts(store, record)
    held: set[int] = set()
    places: dict[str, tuple[int, dict[str, Any]]] = {}
    for where, text in texts:
        holds = {number for number, pattern in enumerate(patterns) if pattern.search(text)}
        held |= holds
        if holds and text not in places:  # a text that stands in several fields is shown once
            places[text] = (-len(holds), {"where": where, "text": _pieces(text, marked)})
    if len(held) < len(patterns):
        return []
    return [place for _, place in sorted(places.values(), key=lambda found: found[0])]


def _pieces(text: str, marked: re.Pattern[str]) -> list[str]:
    """A text around the first words that were searched for, in parts of which every second is such words."""
    first = marked.search(text)
    assert first is not None
    start, end = max(0, first.start() - AROUND), min(len(text), first.end() + AROUND)
    pieces, at = [], start
    for found in marked.finditer(text, first.start()):
        if found.end() > end:
            break
        pieces += [text[at : found.start()], found[0]]
        at = found.end()
    pieces.append(text[at:end])
    pieces[0] = ("…" if start else "") + pieces[0]
    pieces[-1] += "…" if end < len(text) else ""
    return pieces


ROUTES: Final = (page_route("/evaluations", evaluations),)
