"""The resources: every rubric as Markdown, and stored scorecards as JSON."""

from __future__ import annotations

import json
from typing import Final, NamedTuple
from urllib.parse import quote, unquote

from evenhand.errors import InputError
from evenhand.mcp.allowed_files import Confinement
from evenhand.reports.cases import case_name
from evenhand.reports.markdown import rubric_markdown
from evenhand.rubrics.library import is_path, places
from evenhand.rubrics.resolved import resolve
from evenhand.store.protocol import Store
from evenhand.store.stored_cards import card_of

RUBRIC: Final = "evenhand://rubric/"
SCORECARD: Final = "evenhand://scorecard/"
MARKDOWN: Final = "text/markdown"
JSON: Final = "application/json"
NEWEST: Final = 20
"""How many stored scorecards are listed; the others are read by id."""


class Resource(NamedTuple):
    """A resource in a list, or what it holds."""

    uri: str
    name: str
    mime_type: str
    text: str = ""


def listed(store: Store | None) -> list[Resource]:
    """Every rubric, and the newest scorecards."""
    rubrics = [Resource(RUBRIC + quote(place.name, safe=""), place.name, MARKDOWN) for place in places()]
    if store is None:
        return rubrics
    cards = [(record.id, card_of(record)) for record in store.evaluations(last=NEWEST)]
    return rubrics + [Resource(SCORECARD + id, case_name(card), JSON) for id, card in reversed(cards)]


def read(uri: str, store: Store | None, confinement: Confinement) -> Resource:
    """What a resource holds. InputError when there is none."""
    if uri.startswith(RUBRIC):
        name = unquote(uri.removeprefix(RUBRIC))
        if is_path(name):
            raise InputError(f'"{name}" is not the name of a rubric; the resources list them')
        confinement.rubric(name)
        return Resource(uri, name, MARKDOWN, rubric_markdown(resolve(name).rubric))
    if uri.startswith(SCORECARD) and store is not None:
        record = store.get(unquote(uri.removeprefix(SCORECARD)))
        if record is not None:
            return Resource(
                uri, record.id, JSON, json.dumps(json.loads(record.scorecard), ensure_ascii=False, indent=2)
            )
    raise InputError(f"there is no resource {uri[:200]}; valid: {RUBRIC}NAME and {SCORECARD}ID")
