"""Rows in order, and their ranks (R11, R12).

Sorting plain integers is several times quicker than sorting places by a key. So the first bits of the key
and the row's own place share one 64-bit integer. Only rows that agree in those bits are looked at again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, Any]


class Field(NamedTuple):
    """A part of a sort key."""

    values: Array
    """Whole numbers from 0, unsigned."""
    size: int
    """One more than the largest may be."""


class Order(NamedTuple):
    """Rows in order."""

    places: Array
    """The row that stands at each place."""
    new: Array
    """Whether the row's key differs from that of the row before it."""


def field(values: Array, step: int = 1) -> Field:
    """A field whose smallest value counts as 0, in steps of which all values are multiples."""
    import numpy as np

    low, high = (int(values.min()), int(values.max())) if len(values) else (0, 0)
    counted = np.subtract(values, low, dtype=np.int64).view(np.uint64)
    return Field(counted if step == 1 else counted // np.uint64(step), (high - low) // step + 1)


def downwards(part: Field) -> Field:
    """The same field with its greatest value first."""
    import numpy as np

    return Field(np.uint64(part.size - 1) - part.values, part.size)


def sort(fields: Sequence[Field]) -> Order:
    """Put rows in order, smallest key first; equal keys stay in the order they came in."""
    import numpy as np

    rows = len(fields[0].values)
    own = max(1, (rows - 1).bit_length())
    first, rest = _divide(fields, 1 << (64 - own))
    keys = np.zeros(rows, np.uint64)
    for each in first:
        keys *= np.uint64(each.size)
        keys += each.values
    keys <<= np.uint64(own)
    keys |= np.arange(rows, dtype=np.uint64)
    keys.sort()
    places = (keys & np.uint64((1 << own) - 1)).view(np.int64)
    keys >>= np.uint64(own)
    new = np.ones(rows, bool)
    np.not_equal(keys[1:], keys[:-1], out=new[1:])
    if rest and not new.all():
        _settle(places, new, rest)
    return Order(places, new)


def _divide(fields: Sequence[Field], room: int) -> tuple[list[Field], list[Field]]:
    """The fields that fit together into so many numbers, the last of them perhaps roughly; and those that did not."""
    import numpy as np

    first: list[Field] = []
    for number, each in enumerate(fields):
        if each.size > room:
            step = -(-each.size // room)
            rough = [Field(each.values // np.uint64(step), room)] if room > 1 else []
            return first + rough, list(fields[number:])
        first.append(each)
        room //= each.size
    return first, []


def _settle(places: Array, new: Array, rest: Sequence[Field]) -> None:
    """Among rows that agree so far, go by the rest of the key."""
    import numpy as np

    tied = ~new
    tied[:-1] |= ~new[1:]
    spots = np.flatnonzero(tied)
    groups = np.cumsum(new[spots])
    members = places[spots]
    keys = [each.values[members] for each in rest]
    inside = np.lexsort([*reversed(keys), groups])
    places[spots] = members[inside]
    same = groups[1:] == groups[:-1]
    for each in keys:
        ordered = each[inside]
        same &= ordered[1:] == ordered[:-1]
    new[spots[1:]] = ~same | (spots[1:] != spots[:-1] + 1)


def ranks(order: Order, groups: Array | None = None) -> Array:
    """The rank of every row: rows with equal keys share one, and the next rank counts them all.

    With `groups`, the first field of the order, ranks begin anew in each of them.
    """
    import numpy as np

    rows = len(order.places)
    here = np.arange(1, rows + 1, dtype=np.int64)
    ranked = np.maximum.accumulate(np.where(order.new, here, 0))
    if groups is not None and rows:
        sorted_groups = groups[order.places]
        begins = np.ones(rows, bool)
        np.not_equal(sorted_groups[1:], sorted_groups[:-1], out=begins[1:])
        ranked -= np.maximum.accumulate(np.where(begins, here, 0)) - 1
    result = np.empty(rows, np.int64)
    result[order.places] = ranked
    return result
