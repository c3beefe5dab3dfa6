"""The texts of an evaluation in which words are searched, each with where it stands."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from evenhand.store.protocol import Store
from evenhand.store.record import Record
from evenhand.store.stored_cards import stored_submission
from evenhand.store.tables.notes import NOTE

_UNSHOWN: Final = ("receipt", "schema", "methodology", "created")
_HASH: Final = re.compile(r"[0-9a-f]{64}")


def searched_texts(store: Store, record: Record) -> list[tuple[str, str]]:
    """Output, task and reference, what happened in a kept transcript, the scorecard, and notes about it."""
    texts = list(_texts(record.document, ""))
    submission = stored_submission(store, record)
    if submission is not None:
        own = [
            ("output", submission.output),
            ("task", submission.task or ""),
            ("reference", submission.reference or ""),
        ]
        for event in submission.events:
            own.append(("transcript", event.text))
            if event.call is not None:
                own += [("transcript", text) for _, text in _texts(event.call.arguments, "")]
                own.append(("transcript", event.call.result or ""))
        texts = [*own, *texts]
    return [*texts, *(("note", note.words) for note in store.notes(record.id) if note.kind == NOTE)]


def _texts(value: Any, where: str) -> Iterator[tuple[str, str]]:
    """Every text of a document with the names that lead to it."""
    if isinstance(value, str):
        if not _HASH.fullmatch(value):  # short words are in many hashes, which nobody wrote
            yield where, value
    elif isinstance(value, dict):
        for name, item in value.items():
            if where or name not in _UNSHOWN:
                yield from _texts(item, f"{where} {name}".strip())
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item, where)
