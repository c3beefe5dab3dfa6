"""Going through the newest evaluations of a store a few at a time: whatever their number, only a few are in memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from evenhand.store.protocol import Store
from evenhand.store.record import Record
from evenhand.store.tables.browsed_lists import Key, ScoreKey
from evenhand.store.tables.filter import Filter

AT_ONCE: Final = 100


def newest_records(
    store: Store, filter: Filter, *, most: int, before: Key | ScoreKey | None = None
) -> Iterator[Record]:
    """The newest evaluations before a key, up to a limit, newest first."""
    left = most
    while left > 0:
        part = store.listing(filter, before=before, limit=min(left, AT_ONCE), whole=True)
        yield from part.rows
        left -= len(part.rows)
        if part.next is None or part.stopped:
            return
        before = part.next
