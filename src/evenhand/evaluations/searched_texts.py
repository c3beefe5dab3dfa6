"""What of an evaluation is searched, and the index of words brought up to date, some evaluations at a time."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

from evenhand.errors import StoreUnavailable
from evenhand.evaluations.comparisons import submission_of
from evenhand.store.protocol import Store
from evenhand.store.record import Record
from evenhand.store.tables.browsed_lists import Key
from evenhand.store.tables.word_index import Words

AT_ONCE: Final = 200
"""Evaluations that are added together: others can write in between, and an interrupted build goes on from there."""

_UNSHOWN: Final = ("receipt", "schema", "methodology", "created")
_HASH: Final = re.compile(r"[0-9a-f]{64}")


def searched_texts(record: Record) -> list[tuple[str, str]]:
    """The texts of an evaluation, each with where it stands: output, task and reference, then its scorecard."""
    texts = list(_texts(record.document, ""))
    submission = submission_of(record)
    if submission is not None:
        own = ("output", submission.output), ("task", submission.task or ""), ("reference", submission.reference or "")
        texts = [*own, *texts]
    return texts


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


def index_words(store: Store, *, most: int | None = None, thorough: bool = False) -> Iterator[int]:
    """Bring the index up to date, if there is one; counts the evaluations that were added.

    Goes on from the newest that is in it. `thorough` also looks for those that were imported behind that.
    """
    added = 0
    if not store.has_word_index():
        return
    mark = store.indexed_to()
    while most is None or added < most:
        records = store.not_indexed(mark, limit=AT_ONCE)
        if not records:
            break
        _add(store, records)
        mark = Key(records[-1].completed, records[-1].id)
        yield from range(added + 1, added + len(records) + 1)
        added += len(records)
    while thorough and (records := store.left_out_of_index(limit=AT_ONCE)):
        _add(store, records)
        yield from range(added + 1, added + len(records) + 1)
        added += len(records)


def _add(store: Store, records: Sequence[Record]) -> None:
    store.add_words([Words(record.id, record.completed, record.skill, _distinct(record)) for record in records])


def _distinct(record: Record) -> list[str]:
    """The texts of an evaluation, each once; none of one that is damaged."""
    try:
        return list(dict.fromkeys(text for _, text in searched_texts(record) if text))
    except StoreUnavailable:
        return []
