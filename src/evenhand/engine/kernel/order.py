"""Rows in order, and their ranks (R11, R12).

Sorting plain integers is several times faster than sorting places by a key. So the first part of the key
and the row's own place share one 64-bit integer. Only rows that agree in that part are looked at again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from evenhand.engine.kernel import compiled
from evenhand.engine.kernel.blocks import LONG_BLOCK, blocks_of, each_block
from evenhand.engine.kernel.compiled import kind_of

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, Any]


class Field(NamedTuple):
    """A part of a sort key, shifted to start at 0 only when it is read, to save memory."""

    values: Array
    first: int
    """The value that comes first: the least, or the greatest if the field goes downwards."""
    size: int
    """The number of possible values."""
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
    """A field over the given values; bounds that are not given are computed."""
    low = (int(values.min()) if len(values) else 0) if low is None else low
    high = (int(values.max()) if len(values) else 0) if high is None else high
    return Field(values, high if down else low, (high - low) // step + 1, step, down)


class Order(NamedTuple):
    """Rows in order."""

    places: Array
    """The row at each place."""
    new: Array
    """Whether the row's key differs from that of the row before it."""


def sort(fields: Sequence[Field]) -> Order:
    """Put rows in order; equal keys keep their order."""
    import numpy as np

    rows = len(fields[0].values)
    row_bits = max(1, (rows - 1).bit_length())
    first, rest, shift = _divide(fields, 1 << (64 - row_bits))
    keys = np.empty(rows, np.uint64)

    def fill(part: slice) -> None:
        _fill(keys[part], first, part, shift, row_bits)

    each_block(fill, rows, LONG_BLOCK)
    keys.sort()
    places = np.empty(rows, np.int32)
    new = np.ones(rows, bool)

    def unpack(part: slice) -> None:
        _unpack(keys, row_bits, part, places, new)

    each_block(unpack, rows, LONG_BLOCK)
    if rest and not new.all():
        _settle(places, new, rest)
    return Order(places, new)


def _fill(keys: Array, fields: Sequence[Field], part: slice, shift: int, row_bits: int) -> None:
    """The keys of some rows: the fields, of which the last one loses some bits, and the row's own number."""
    import numpy as np

    shifts = [0] * (len(fields) - 1) + [shift]
    # The number of different values after dropping `shift` bits.
    sizes = [(((field.size - 1) >> shift) + 1) for field, shift in zip(fields, shifts, strict=True)]
    if compiled.loops:
        described = [
            (kind_of(field.values), field.values[part], field.first, field.down, field.step, shift, size)
            for field, shift, size in zip(fields, shifts, sizes, strict=True)
        ]
        compiled.loops.keys(tuple(described), row_bits, part.start, keys)
        return
    keys[:] = 0
    for field, shift, size in zip(fields, shifts, sizes, strict=True):
        keys *= np.uint64(size)
        keys += field.part(part) >> np.uint64(shift)
    keys <<= np.uint64(row_bits)
    keys |= np.arange(part.start, part.stop, dtype=np.uint64)


def _unpack(keys: Array, row_bits: int, part: slice, places: Array, new: Array) -> None:
    """The rows' numbers out of sorted keys, and where the rest of the key changes."""
    import numpy as np

    if compiled.loops:
        compiled.loops.unpack(keys, row_bits, part.start, part.stop, places, new)
        return
    shift = np.uint64(row_bits)
    places[part] = keys[part] & np.uint64((1 << row_bits) - 1)
    start = max(part.start, 1)
    new[start : part.stop] = keys[start : part.stop] >> shift != keys[start - 1 : part.stop - 1] >> shift


def _divide(fields: Sequence[Field], room: int) -> tuple[list[Field], list[Field], int]:
    """The fields that together fit into `room` values; those that do not; how many bits the last one must lose."""
    first: list[Field] = []
    for number, field in enumerate(fields):
        if field.size > room:
            shift = ((field.size - 1) // room).bit_length()
            rest = list(fields[number:])
            return ([*first, field], rest, shift) if room > 1 else (first, rest, 0)
        first.append(field)
        room //= field.size
    return first, [], 0


def _settle(places: Array, new: Array, rest: Sequence[Field]) -> None:
    """Order rows that tie so far by the rest of the key."""
    import numpy as np

    tied = ~new
    tied[:-1] |= ~new[1:]
    positions = np.flatnonzero(tied)
    groups = np.cumsum(new[positions])
    members = places[positions]
    keys = [field.part(members) for field in rest]
    inside = np.lexsort([*reversed(keys), groups])
    places[positions] = members[inside]
    same = groups[1:] == groups[:-1]
    for key in keys:
        ordered = key[inside]
        same &= ordered[1:] == ordered[:-1]
    new[positions[1:]] = ~same


def ranks(order: Order, groups: Array | None = None) -> Array:
    """The rank of every row: rows with equal keys share one, and the next rank counts them all.

    With `groups`, the first field of the order, ranks restart in each group.
    """
    import numpy as np

    rows = len(order.places)
    result = np.empty(rows, np.int32)

    def by_loops(part: slice) -> None:
        shared = firsts[part.start // size]
        compiled.loops.ranks(order.places, order.new, groups, part.start, part.stop, shared, result)

    if compiled.loops:
        # The start of a group is unknown in the middle of it, so with groups there is one block.
        size = LONG_BLOCK if groups is None else max(rows, 1)
        firsts = _firsts(order.new, size)
        each_block(by_loops, rows, size)
        return result
    ranked = _run_starts(order.new) + 1
    if groups is not None:
        ranked -= _run_starts(_changes(groups[order.places]))
    result[order.places] = ranked
    return result


def _firsts(new: Array, size: int) -> list[int]:
    """For each block, the start of the run of equal keys that may continue into it."""
    first, firsts = 0, []
    for block in blocks_of(len(new), size):
        firsts.append(first)
        last = int(new[block][::-1].argmax())
        if new[block.stop - 1 - last]:
            first = block.stop - 1 - last
    return firsts


def _run_starts(new: Array) -> Array:
    """For each place, the start of its run."""
    import numpy as np

    starts = np.flatnonzero(new)
    return np.repeat(starts.astype(np.int32), np.diff(starts, append=len(new)))


def _changes(values: Array) -> Array:
    """Where a value differs from the one before it; the first one does."""
    import numpy as np

    differs = np.ones(len(values), bool)
    np.not_equal(values[1:], values[:-1], out=differs[1:])
    return differs
