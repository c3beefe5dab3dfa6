"""Evaluations and skills by the names in an address, and the addresses of their pages."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final, NamedTuple

from evenhand.errors import InputError, unknown
from evenhand.store.protocol import Store
from evenhand.store.record import Record
from evenhand.web.parameters import NotFound, link


class Links(NamedTuple):
    """The addresses of evaluations by id, and of comparisons of evaluations with others."""

    evaluation: Callable[[str], str]
    compare: Callable[[Sequence[str], Sequence[str]], str]


LINKS: Final = Links(
    evaluation=lambda id: link("/evaluation", {"id": id}),
    compare=lambda before, after: link(
        "/evaluation", [*(("id", id) for id in after), *(("against", id) for id in before)]
    ),
)
"""Where the names in a report lead when it is a page here."""


def record_by(store: Store, id: str) -> Record:
    """An evaluation by its id, or the only one whose id starts so."""
    record = store.get(id)
    if record is None:
        raise NotFound(f'There is no evaluation with the id "{id}".')
    return record


def records_by(store: Store, texts: Iterable[str], *, most: int) -> list[Record]:
    """Evaluations by their ids; a text may hold several, with spaces between them."""
    records: dict[str, Record] = {}
    for text in texts:
        for id in (text,) if store.present([text], []) else text.split():
            record = record_by(store, id)
            records[record.id] = record
            if len(records) > most:
                raise InputError(f"there are more than {most} ids; give fewer")
    return list(records.values())


def no_such_skill(store: Store, name: str) -> str:
    """What to say when a store holds no evaluation of a skill."""
    message = unknown("skill", name, store.skill_names(limit=1_000), otherwise="see the list of skills")
    return f"{message[0].upper()}{message[1:]}"
