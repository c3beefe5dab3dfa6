"""Rows in order, and their ranks (R11, R12).

Sorting plain integers is several times quicker than sorting places by a key. So the first part of the key
and the row's own place share one 64-bit integer. Only rows that agree in that part are looked at again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from evenhand.engine.kernel.blocks import each_block

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, Any]


class Field(NamedTuple):
    """A part of a sort key, counted from 0 when it is looked at; only then, since whole columns of it take room."""

    values: Array
    first: int
    """The value that comes first: the least, or the greatest if the field goes downwards."""
    size: int
    """How many different ones there may be."""
    step: int = 1
    """All values are this far apart, or multiples of it."""
    down: bool = False

    def part(self, which: slice | Array) -> Array:
        """Some of the values as whole numbers from 0."""
        import numpy as np

        values = self.values[which].astype(np.int64)
        values = self.first - values if self.down else values - self.first
        return (values if self.step == 1 else values // self.step).view(np.uint64)


def field(
    values: Array, step: int = 1, *, down: bool = False, low: int | None = None, high: int | None = None
) -> Field:
    """A field over the values that are there; without bounds, they are looked for."""
    low = (int(values.min()) if len(values) else 0) if low is None else low
    high = (int(values.max()) if len(values) else 0) if high is None else high
    return Field(values, high if down else low, (high - low) // step + 1, step, down)


class Order(NamedTuple):
    """Rows in order."""

    places: Array
    """The row that stands at each place."""
    new: Array
    """Whether the row's key differs from that of the row before it."""


def sort(fields: Sequence[Field]) -> Order:
    """Put rows in order; equal keys stay in the order they came in."""
    import numpy as np

    rows = len(fields[0].values)
    own = max(1, (rows - 1).bit_length())
    first, rest, rough = _divide(fields, 1 << (64 - own))
    keys = np.empty(rows, np.uint64)

    def fill(part: slice) -> None:
        key = np.zeros(part.stop - part.start, np.uint64)
        for number, each in enumerate(first):
            last = number == len(first) - 1
            key *= np.uint64(-(-each.size // rough) if last else each.size)
            key += each.part(part) // np.uint64(rough) if last and rough > 1 else each.part(part)
        keys[part] = key << np.uint64(own) | np.arange(part.start, part.stop, dtype=np.uint64)

    each_block(fill, rows)
    keys.sort()
    places = np.empty(rows, narrow(rows))
    new = np.ones(rows, bool)

    def unpack(part: slice) -> None:
        places[part] = keys[part] & np.uint64((1 << own) - 1)
        start = max(part.start, 1)
        shift = np.uint64(own)
        new[start : part.stop] = keys[start : part.stop] >> shift != keys[start - 1 : part.stop - 1] >> shift

    each_block(unpack, rows)
    if rest and not new.all():
        _settle(places, new, rest)
    return Order(places, new)


def _divide(fields: Sequence[Field], room: int) -> tuple[list[Field], list[Field], int]:
    """The fields that fit together into so many numbers; those that did not; and how roughly the last one fits."""
    first: list[Field] = []
    for number, each in enumerate(fields):
        if each.size > room:
            rest = list(fields[number:])
            return ([*first, each], rest, -(-each.size // room)) if room > 1 else (first, rest, 1)
        first.append(each)
        room //= each.size
    return first, [], 1


def _settle(places: Array, new: Array, rest: Sequence[Field]) -> None:
    """Among rows that agree so far, go by the rest of the key."""
    import numpy as np

    tied = ~new
    tied[:-1] |= ~new[1:]
    spots = np.flatnonzero(tied)
    groups = np.cumsum(new[spots])
    members = places[spots]
    keys = [each.part(members) for each in rest]
    inside = np.lexsort([*reversed(keys), groups])
    places[spots] = members[inside]
    same = groups[1:] == groups[:-1]
    for each in keys:
        ordered = each[inside]
        same &= ordered[1:] == ordered[:-1]
    new[spots[1:]] = ~same


def ranks(order: Order, groups: Array | None = None) -> Array:
    """The rank of every row: rows with equal keys share one, and the next rank counts them all.

    With `groups`, the first field of the order, ranks begin anew in each of them.
    """
    import numpy as np

    rows = len(order.places)
    ranked = _run_starts(order.new) + 1
    if groups is not None:
        ranked -= _run_starts(changes(groups[order.places]))
    result = np.empty(rows, narrow(rows))

    def put(part: slice) -> None:
        result[order.places[part]] = ranked[part]

    each_block(put, rows)
    return result


def _run_starts(new: Array) -> Array:
    """For each place, where its run begins."""
    import numpy as np

    starts = np.flatnonzero(new)
    return np.repeat(starts.astype(narrow(len(new))), np.diff(starts, append=len(new)))


def narrow(rows: int) -> Any:
    """The type for numbers up to so many: half the room suffices for most tables."""
    import numpy as np

    return np.int32 if rows < 2**31 else np.int64


def changes(values: Array) -> Array:
    """Where a value differs from the one before it; the first one does."""
    import numpy as np

    differs = np.ones(len(values), bool)
    np.not_equal(values[1:], values[:-1], out=differs[1:])
    return differs
