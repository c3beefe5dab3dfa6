"""Stage 4 over arrays: every row against the ten before it of its skill, in whole numbers (R13 to R15).

`slide` goes through the rows in the order of history, and puts what it finds back in the order of the table.
`compare` turns that into means, deviations and flags.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from evenhand.core.methodology import DEVIATIONS, DIMENSIONS, HIGHEST, LOWEST, POINT, WINDOW
from evenhand.engine.kernel.blocks import each_block

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, Any]

PADDED = 8
"""The seven dimensions and one more, so that a row of them is moved as one word of 16 bytes."""

# The greatest number the rule of two deviations can meet is (n - 1) (n x - S)^2; 32 bits hold it.
assert (WINDOW - 1) * (WINDOW * (HIGHEST - LOWEST)) ** 2 < 2**31


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
    found = np.empty((rows, PADDED + PADDED // 2), np.int32)
    starts = np.flatnonzero(begins)
    # A whole row as a single value: one look at memory for each.
    moved, put = dimensions.view(np.complex128).reshape(-1), _whole_rows(found)

    def block(part: slice) -> None:
        back = min(part.start, WINDOW)
        there = places[part.start - back : part.stop]
        values = moved[there].view(np.int16).reshape(-1, PADDED)
        put[there[back:]] = _whole_rows(_block(values, back, _earlier(starts, part, rows)))

    each_block(block, rows)
    return _parts(found)


def _parts(found: Array) -> Slid:
    """What a row of results consists of: eight short numbers, then the long ones."""
    import numpy as np

    return Slid(found[:, : PADDED // 2].view(np.int16), found[:, PADDED // 2 :])


def _whole_rows(values: Array) -> Array:
    import numpy as np

    return values.view(np.dtype((np.void, values.shape[1] * values.itemsize))).reshape(-1)


def _earlier(starts: Array, part: slice, rows: int) -> Array:
    """How many rows of its skill, up to ten, come before each row of a block."""
    import numpy as np

    first = np.searchsorted(starts, part.start, "right") - 1
    last = np.searchsorted(starts, part.stop, "left")
    here = starts[first:last]
    edges = np.append(here, min(rows, part.stop))
    edges[0] = part.start
    return np.asarray(np.minimum(np.arange(part.start, part.stop) - np.repeat(here, np.diff(edges)), WINDOW))


def _block(values: Array, back: int, earlier: Array) -> Array:
    """Sums and spreads of a block whose first `back` rows belong to the one before."""
    import numpy as np

    rows = len(earlier)
    found = np.empty((rows, PADDED + PADDED // 2), np.int32)
    totals, spreads = _parts(found)
    n = earlier.astype(np.int32)
    short = np.flatnonzero(n < WINDOW)
    scores = np.zeros((PADDED, rows + WINDOW), np.int32)
    scores[:, WINDOW - back :] = values.T
    sums = _sums(scores, short, n[short])
    squares = _sums(scores * scores, short, n[short])
    squares *= n
    squares -= sums * sums
    sums[-1] = n
    totals[:] = sums.T
    spreads[:] = squares.T
    return found


def _sums(values: Array, short: Array, lengths: Array) -> Array:
    """The sums of the ten before each row, or of as many as there are; `values` begins ten rows early."""
    import numpy as np

    rows = values.shape[1] - WINDOW
    sums = np.zeros((len(values), rows), np.int32)
    pieces, size, covered = values, 1, 0  # sums of one value, of two, of four: ten are eight and two
    while True:
        if WINDOW & size:
            sums += pieces[:, covered : covered + rows]
            covered += size
        if covered == WINDOW:
            break
        pieces = pieces[:, size:] + pieces[:, :-size]
        size *= 2
    if len(short):
        sums[:, short] = 0
        for before in range(1, WINDOW):
            enough = short[lengths >= before]
            sums[:, enough] += values[:, enough + WINDOW - before]
    return sums


class Compared(NamedTuple):
    """Many rows against their windows: one line for each dimension."""

    mean: Array
    deviation: Array
    flagged: Array


def compare(slid: Slid, dimensions: Array) -> Compared:
    """What means nothing, for want of earlier rows, is left undefined."""
    import numpy as np

    seven = len(DIMENSIONS)
    n = slid.totals[:, -1].astype(np.int32)
    total = slid.totals[:, :seven].T.astype(np.int32, order="C")
    spread = np.ascontiguousarray(slid.spreads[:, :seven].T)
    mean = total / np.maximum(n, 1).astype(np.float64)
    mean /= POINT
    deviation = spread / np.maximum(n * (n - 1), 1).astype(np.float64)
    np.sqrt(deviation, out=deviation)
    deviation /= POINT
    off = dimensions[:, :seven].T * n
    off -= total
    off *= off
    off *= n - 1
    spread *= DEVIATIONS**2 * n
    return Compared(mean, deviation, off > spread)
