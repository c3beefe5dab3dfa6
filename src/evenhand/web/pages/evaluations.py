"""Evaluations of all skills, newest first, with filters; and those whose texts hold some words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from evenhand.evaluations.comparisons import submission_of
from evenhand.store.browsing import Filter
from evenhand.store.protocol import Store
from evenhand.store.record import Record
from evenhand.web.page import Page, Sheet
from evenhand.web.pages.skill import listed_row, sheet_of
from evenhand.web.parameters import Parameters, key_text
from evenhand.web.responding import page_route

SHOWN: Final = 50
FOUND: Final = 20
"""Evaluations on a page of a search: each is read to show the place."""

AROUND: Final = 90
"""Characters shown before and after what was found."""

PLACES: Final = 3
"""Places shown for each evaluation."""


def evaluations(store: Store, parameters: Parameters) -> Page:
    """The newest evaluations."""
    filter = Filter(*(parameters.text(field) for field in ("skill", "judge", "rubric", "version")))
    part = store.listing(filter, before=parameters.key("before"), limit=SHOWN)
    rows = [listed_row(row) for row in part.rows]
    return Page(
        name="evaluations",
        title="Evaluations",
        template="evaluations.html",
        document={
            "filter": {name: value for name, value in filter._asdict().items() if value},
            "listed": rows,
            "next": key_text(part.next) or None,
            "stopped": part.stopped,
        },
        sheet=sheet_of(rows),
        shown={"newest_key": key_text(store.newest())},
        live=not parameters.text("before"),
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
