"""Stage 4 over arrays: every row against the ten before it of its skill, in whole numbers (R13 to R15).

`slide` goes through the rows in the order of history; `compare` turns what it finds into means, deviations and flags,
in the order of the table.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from evenhand.core.basics.methodology import DEVIATIONS, DIMENSIONS, HIGHEST, LOWEST, POINT, WINDOW
from evenhand.engine.kernel import compiled
from evenhand.engine.kernel.blocks import BLOCK, LONG_BLOCK, each_block

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, Any]

PADDED = 8
"""The seven dimensions and one more, so that a row of them is moved as one 16-byte word."""

# The largest number in the two-deviation rule is (n - 1) (n x - S)^2; 32 bits hold it.
assert (WINDOW - 1) * (WINDOW * (HIGHEST - LOWEST)) ** 2 < 2**31


class Slid(NamedTuple):
    """The window before every row, in the order of history."""

    sums: Array
    """Eight 16-bit totals, then eight 32-bit spreads, stored as twelve 32-bit numbers."""
    positions: Array
    """The position of each row of the table in that order."""
    dimensions: Array
    """The scores, in the order of the table."""


def _totals(sums: Array) -> Array:
    """The sums of the seven dimensions, and in the eighth place the number of rows."""
    import numpy as np

    return sums[:, : PADDED // 2].view(np.int16)


def _spreads(sums: Array) -> Array:
    """n * (sum of squares) - (sum)^2, of each dimension."""
    return sums[:, PADDED // 2 :]


def slide(dimensions: Array, places: Array, skills: Array) -> Slid:
    """`dimensions` has eight columns; `places` are the rows by skill and time; skills are numbered from 0."""
    import numpy as np

    rows = len(places)
    sizes = np.bincount(skills)
    sizes = sizes[sizes > 0]
    starts = np.cumsum(sizes) - sizes
    slid = Slid(np.empty((rows, PADDED + PADDED // 2), np.int32), np.empty_like(places), dimensions)

    def by_loops(part: slice) -> None:
        compiled.loops.slide(dimensions, places, starts, WINDOW, part.start, part.stop, slid.sums, slid.positions)

    def by_arrays(part: slice) -> None:
        _slide(slid, places, part, earlier[part])

    if compiled.loops:
        each_block(by_loops, rows, LONG_BLOCK)
    else:
        earlier = np.minimum(np.arange(rows) - np.repeat(starts, sizes), WINDOW).astype(np.int32)
        each_block(by_arrays, rows, BLOCK)
    return slid


def _slide(slid: Slid, places: Array, part: slice, n: Array) -> None:
    """A block of rows and up to ten rows before it; `n` of them have the row's skill."""
    import numpy as np

    back = min(part.start, WINDOW)
    values = np.zeros((PADDED, part.stop - part.start + WINDOW), np.int32)
    values[:, WINDOW - back :] = slid.dimensions[places[part.start - back : part.stop]].T
    total, squares = np.zeros((PADDED, len(n)), np.int32), np.zeros((PADDED, len(n)), np.int32)
    for before in range(1, WINDOW + 1):
        earlier = values[:, WINDOW - before : WINDOW - before + len(n)] * (n >= before)
        total += earlier
        squares += earlier * earlier
    _spreads(slid.sums[part])[:] = (n * squares - total * total).T
    total[-1] = n
    _totals(slid.sums[part])[:] = total.T
    slid.positions[places[part]] = np.arange(part.start, part.stop)


class Compared(NamedTuple):
    """Rows compared with earlier ones. Booleans are bits, as in Arrow; the last three have a line per dimension."""

    size: Array
    provisional: Array
    """R15: flags are based on less than a full window."""
    some: Array
    """There are earlier rows, so that there is a mean."""
    several: Array
    """There is more than one, so that there is a deviation."""
    mean: Array
    deviation: Array
    flagged: Array


def compare(slid: Slid, start: int, stop: int) -> Compared:
    """The rows of the table from `start` to `stop`. Values that need more earlier rows are undefined."""
    return _by_loops(slid, start, stop) if compiled.loops else _by_arrays(slid, slice(start, stop))


def _by_loops(slid: Slid, start: int, stop: int) -> Compared:
    import numpy as np

    rows, words = stop - start, -(-(stop - start) // 64)
    provisional, some, several = (np.empty(words, np.uint64) for _ in range(3))
    mean, deviation = (np.empty((len(DIMENSIONS), rows)) for _ in range(2))
    flagged = np.empty((len(DIMENSIONS), words), np.uint64)
    compared = Compared(np.empty(rows, np.int64), provisional, some, several, mean, deviation, flagged)
    compiled.loops.compare(*slid, start, stop, POINT, DEVIATIONS**2, WINDOW, *compared)
    return compared


def _by_arrays(slid: Slid, part: slice) -> Compared:
    import numpy as np

    seven = len(DIMENSIONS)
    sums = slid.sums[slid.positions[part]]
    n = _totals(sums)[:, -1].astype(np.int32)
    total = _totals(sums)[:, :seven].T.astype(np.int32, order="C")
    spread = np.ascontiguousarray(_spreads(sums)[:, :seven].T)
    mean = total / np.maximum(n, 1).astype(np.float64)
    mean /= POINT
    deviation = spread / np.maximum(n * (n - 1), 1).astype(np.float64)
    np.sqrt(deviation, out=deviation)
    deviation /= POINT
    off = slid.dimensions[part, :seven].T * n - total
    truths = ((n > 1) & (n < WINDOW), n > 0, n > 1, (n - 1) * off * off > DEVIATIONS**2 * n * spread)
    provisional, some, several, flagged = (np.packbits(truth, -1, "little") for truth in truths)
    return Compared(n.astype(np.int64), provisional, some, several, mean, deviation, flagged)
