"""The drift of a skill in a store: since when, from what to what, and what else changed around then."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from evenhand.core.comparison import Change
from evenhand.core.history import DriftStretch, changed_between, drift_stretches, of_document
from evenhand.store.protocol import Store
from evenhand.store.tables.browsed_lists import Key

AROUND: Final = 10
"""Evaluations before and from the onset on whose circumstances are compared."""

DESCRIBED: Final = 5
"""The newest stretches of drift that are looked at more closely."""


REMEMBERED: Final = 512
"""Skills whose drift is remembered."""


class Drifting(NamedTuple):
    """A stretch of drift with its moments and what changed around its onset."""

    onset: Key
    raised: Key
    last: Key
    stretch: DriftStretch
    changes: tuple[Change, ...]


def drifts(store: Store, skill: str) -> tuple[Drifting, ...]:
    """The newest stretches of drift of a skill, the oldest first.

    Evaluations are only ever added: as long as there are as many and the newest is the same one, so is the drift.
    """
    state = store.state_of_history(skill)
    if state is None:
        return ()
    key = (store.url, skill, *state)
    known = _known.get(key)
    if known is None:
        count, last = state[0], Key(*state[1:])
        stretches = drift_stretches(store.all_finals(skill)[:count])
        known = tuple(_described(store, skill, stretch, count, last) for stretch in stretches[-DESCRIBED:])
        while len(_known) >= REMEMBERED:
            _known.pop(next(iter(_known)), None)
        _known[key] = known
    return known


_known: dict[tuple[Any, ...], tuple[Drifting, ...]] = {}


def _described(store: Store, skill: str, stretch: DriftStretch, count: int, newest: Key) -> Drifting:
    numbers = (stretch.onset, stretch.raised, stretch.last)
    onset, raised, last = (store.place_in_history(skill, number, count=count, last=newest) for number in numbers)
    assert onset is not None and raised is not None and last is not None
    before, after = store.around(skill, onset, count=AROUND)
    changes: Sequence[Change] = ()
    if before and after:
        old, new = ([of_document(record.document) for record in some] for some in (before, after))
        changes = changed_between(old, new)
    return Drifting(onset, raised, last, stretch, tuple(changes))
