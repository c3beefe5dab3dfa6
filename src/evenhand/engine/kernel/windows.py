"""Stage 4 over arrays: every row against the ten before it of its skill, in whole numbers (R13 to R15).

`slide` goes through the rows in the order of history, in blocks that fit into a processor's cache, and
puts what it finds back in the order of the table. `compare` turns that into means, deviations and flags.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from os import cpu_count
from typing import TYPE_CHECKING, Any, NamedTuple

from evenhand.core.methodology import DEVIATIONS, DIMENSIONS, POINT, WINDOW

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, Any]

_BLOCK = 1 << 15
"""Rows in a block."""

PADDED = 8
"""The seven dimensions and one more, so that a row is moved as two or four words."""


class Slid(NamedTuple):
    """Of every row, in the order of the table: the window before it."""

    totals: Array
    """The sums of the seven dimensions, and in the eighth place how many rows there are."""
    spreads: Array
    """n * (sum of squares) - (sum)^2, of each dimension."""


def slide(dimensions: Array, places: Array, begins: Array) -> Slid:
    """`dimensions` has eight columns; `places` are the rows by skill and time; `begins` marks a skill's first."""
    import numpy as np

    rows = len(places)
    totals = np.empty((rows, PADDED), np.int16)
    spreads = np.empty((rows, PADDED), np.int32)
    starts = np.maximum.accumulate(np.where(begins, np.arange(rows), 0))
    earlier = np.minimum(np.arange(rows) - starts, WINDOW).astype(np.int16)

    def block(start: int) -> None:
        stop = min(start + _BLOCK, rows)
        back = min(start, WINDOW)
        there = places[start - back : stop]
        total, spread = _block(dimensions[there], back, earlier[start:stop])
        totals[there[back:]] = total
        spreads[there[back:]] = spread

    _everywhere(block, range(0, rows, _BLOCK))
    return Slid(totals, spreads)


def _block(values: Array, back: int, earlier: Array) -> tuple[Array, Array]:
    """Sums and spreads of a block whose first `back` rows belong to the one before."""
    import numpy as np

    rows = len(earlier)
    total = np.empty((rows, PADDED), np.int16)
    spread = np.empty((rows, PADDED), np.int32)
    total[:, -1] = earlier
    n = earlier.astype(np.int32)
    stop = np.arange(back, back + rows)
    start = stop - n
    for place in range(len(DIMENSIONS)):
        scores = values[:, place].astype(np.int32)
        # Running sums may run over; their differences are right all the same.
        sums = _window(scores, start, stop)
        total[:, place] = sums
        spread[:, place] = n * _window(scores * scores, start, stop) - sums * sums
    return total, spread


def _window(values: Array, start: Array, stop: Array) -> Array:
    import numpy as np

    running = np.zeros(len(values) + 1, np.int32)
    np.cumsum(values, dtype=np.int32, out=running[1:])
    difference: Array = running[stop] - running[start]
    return difference


class Compared(NamedTuple):
    """One dimension of many rows against their windows."""

    mean: Array
    deviation: Array
    flagged: Array


def compare(slid: Slid, dimensions: Array) -> Iterator[Compared]:
    """Each dimension in turn; what means nothing, for want of earlier rows, is left undefined."""
    import numpy as np

    n = slid.totals[:, -1].astype(np.int64)
    real = np.maximum(n, 1).astype(np.float64)
    pairs = np.maximum(n * (n - 1), 1).astype(np.float64)
    for place in range(len(DIMENSIONS)):
        total = slid.totals[:, place].astype(np.int64)
        spread = slid.spreads[:, place]
        off = n * dimensions[:, place] - total
        yield Compared(
            mean=total / real / POINT,
            deviation=np.sqrt(spread / pairs) / POINT,
            flagged=(n - 1) * off * off > DEVIATIONS**2 * n * spread,
        )


def _everywhere(work: Any, blocks: range) -> None:
    """Do blocks on all processors; arrays are worked on outside Python's lock."""
    if len(blocks) < 2:
        for each in blocks:
            work(each)
        return
    with ThreadPoolExecutor(cpu_count() or 1) as pool:
        list(pool.map(work, blocks))
