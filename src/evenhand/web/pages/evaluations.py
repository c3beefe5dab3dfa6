"""Evaluations of all skills, sorted and narrowed by their address; and those whose texts hold some words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from evenhand.evaluations.comparisons import submission_of
from evenhand.store.browsing import Filter
from evenhand.store.protocol import Store
from evenhand.store.record import Record
from evenhand.web.page import Page, Sheet
from evenhand.web.pages.filters import (
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
    titled,
)
from evenhand.web.pages.skill import listed_row, sheet_of
from evenhand.web.parameters import Parameters, key_text, link
from evenhand.web.responding import page_route

SHOWN: Final = 50
FOUND: Final = 20
"""Evaluations on a page of a search: each is read to show the place."""

AROUND: Final = 90
"""Characters shown before and after what was found."""

PLACES: Final = 3
"""Places shown for each evaluation."""


def evaluations(store: Store, parameters: Parameters) -> Page:
    """Evaluations in an order, as far as they have what is asked for."""
    filter = filter_of(parameters, parameters.text("skill"))
    order = order_of(parameters)
    place = place_of(parameters, order)
    part = store.listing(filter, before=place, limit=SHOWN, order=order, whole=filter.needs_documents)
    found = [record for record in part.rows if is_asked_for(filter, record)]
    rows = titled(store, map(listed_row, found))
    return Page(
        name="evaluations",
        title="Evaluations",
        template="evaluations.html",
        document={
            "filter": chosen(parameters, "skill"),
            "sort": order,
            "listed": rows,
            "next": key_text(part.next) or None,
            "stopped": part.stopped,
        },
        sheet=sheet_of(rows),
        shown={
            "newest_key": key_text(store.newest()),
            "headings": headings(parameters, order),
            "skills": store.skill_names(limit=SKILLS),
            "choices": choices_of(store),
            "grades": GRADE_CHOICES,
            "flags": FLAG_CHOICES,
            "views": _views(parameters),
        },
        live=place is None and order == "newest",
    )


def _views(parameters: Parameters) -> list[tuple[str, str, bool]]:
    """Lists that people often want: words, address, whether it is the one shown."""
    current = parameters.address(before=None, format=None)
    views = [(words, link("/evaluations", values)) for words, values in _VIEWS]
    return [(words, address, address == current) for words, address in views]


_VIEWS: Final[tuple[tuple[str, dict[str, str]], ...]] = (
    ("newest", {}),
    ("worst first", {"sort": "worst"}),
    ("drift", {"flag": "drift"}),
    ("unusual", {"flag": "unusual"}),
    ("failing", {"max": "5"}),
    ("not graded", {"grade": "none"}),
)


def search(store: Store, parameters: Parameters) -> Page:
    """Evaluations that hold a text, with the places where they do."""
    query = parameters.text("q").strip()
    filter = Filter(skill=parameters.text("skill"), text=query)
    part = store.listing(filter, before=parameters.key("before"), limit=FOUND, whole=True) if query else None
    rows = []
    for record in part.rows if part is not None else ():
        places = list(places_of(record, query))
        if places:  # the format's own keys do not count as text
            rows.append({**listed_row(record), "places": places[:PLACES], "more": max(0, len(places) - PLACES)})
    following = part.next if part is not None else None
    return Page(
        name="search",
        title=f"Search: {query}" if query else "Search",
        template="search.html",
        document={
            "query": query,
            "found": rows,
            "next": key_text(following) or None,
            "stopped": bool(part and part.stopped),
        },
        sheet=Sheet(
            ("id", "skill", "created", "where", "text"),
            [
                [row["id"], row["skill"], row["created"], place["where"], "".join(place["text"])]
                for row in rows
                for place in row["places"]
            ],
        ),
        shown={"skill": filter.skill, "searched_to": following},
    )


def places_of(record: Record, query: str) -> Iterator[dict[str, Any]]:
    """Where the texts of an evaluation hold the query: the field, and the text before, of and after it."""
    wanted = re.compile(re.escape(query), re.IGNORECASE)
    texts = list(_texts(record.document, ""))
    submission = submission_of(record)
    if submission is not None:
        texts += [
            ("output", submission.output),
            ("task", submission.task or ""),
            ("reference", submission.reference or ""),
        ]
    seen = set()
    for where, text in texts:
        match = wanted.search(text)
        if match and (where, text) not in seen:
            seen.add((where, text))
            start, end = match.span()
            before, after = text[max(0, start - AROUND) : start], text[end : end + AROUND]
            dots = "…" if start > AROUND else "", "…" if end + AROUND < len(text) else ""
            yield {"where": where, "text": [dots[0] + before, match[0], after + dots[1]]}


_UNSHOWN: Final = ("receipt", "schema", "methodology")


def _texts(value: Any, where: str) -> Iterator[tuple[str, str]]:
    """Every text of a document with the names that lead to it."""
    if isinstance(value, str):
        yield where, value
    elif isinstance(value, dict):
        for name, item in value.items():
            if where or name not in _UNSHOWN:
                yield from _texts(item, f"{where} {name}".strip())
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item, where)


ROUTES: Final = (page_route("/evaluations", evaluations), page_route("/search", search))
