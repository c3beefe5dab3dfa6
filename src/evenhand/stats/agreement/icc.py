"""The intraclass correlation in the six forms of Shrout and Fleiss (1979). Pure.

ICC(1,·): every item has raters of its own. ICC(2,·): the same raters for all, a sample of many, and their differences
in level count as disagreement. ICC(3,·): these raters and no others, and differences in level do not count. The second
number: one rater, or the mean of all k. Items with a missing value are left out. Where no two items have all raters, or
raters are not known, ICC(1,·) is that of the items with the most common number of values.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from evenhand.stats.agreement.measure import Grid, Measure, columns, ratio, without
from evenhand.stats.arrays import Array

FORMS = ("icc-1-1", "icc-2-1", "icc-3-1", "icc-1-k", "icc-2-k", "icc-3-k")


def iccs(grid: Grid) -> list[Measure]:
    """All six forms of the intraclass correlation."""
    raters = len(grid.ratings.raters)
    if raters < 2:
        return [without(name, "one rater only") for name in FORMS]
    complete = int((grid.sizes == raters).sum())
    if not grid.ratings.known_raters or complete < 2:
        return _one_way(grid, complete)
    return [_measure(name, grid, raters) for name in FORMS]


def _measure(name: str, grid: Grid, size: int) -> Measure:
    """From the rows that have as many values as `size`."""
    counted = grid.sizes == size
    values = np.where(counted[:, None], grid.values[:, :size], 0.0)
    values = np.where(counted[:, None], values - values[counted].min(), 0.0)
    vectors = columns(np.ones(len(values)), values.sum(axis=1) ** 2, (values**2).sum(axis=1), values)
    return grid.measure(name, counted, vectors, _form(name))


def _one_way(grid: Grid, complete: int) -> list[Measure]:
    """ICC(1,·) from values whose raters do not matter, and why there are no other forms."""
    why = f"needs items that all {len(grid.ratings.raters)} raters rated, at least 2; there are {complete}"
    if not grid.ratings.known_raters:
        why = "the table does not tell who gave which value; see ICC(1,1)"
    sizes, items = np.unique(grid.sizes[grid.sizes > 1], return_counts=True)
    if not len(items) or items.max() < 2:
        return [without(name, why) for name in FORMS]
    size = int(sizes[items == items.max()].max())
    return [_measure(name, grid, size) if name[4] == "1" else without(name, why) for name in FORMS]


def _form(name: str) -> Callable[[Array], Array]:
    kind, mean = name[4], name.endswith("k")

    def value(totals: Array) -> Array:
        n, row_squares, squares = (totals[..., place] for place in range(3))
        of_raters = totals[..., 3:]
        k = of_raters.shape[-1]
        n = np.where(n < 2, np.nan, n)
        whole = of_raters.sum(axis=-1) ** 2  # sums of squares, each times n * k
        between = n * row_squares - whole
        raters = k * (of_raters**2).sum(axis=-1) - whole
        total = n * k * squares - whole
        items = between / (n - 1)
        within = (total - between) / (n * (k - 1))
        error = (total - between - raters) / ((n - 1) * (k - 1))
        level = raters / (k - 1)
        if kind == "1":
            top, bottom = items - within, items + (0 if mean else (k - 1) * within)
        elif kind == "2":
            drift = (level - error) / n
            top, bottom = items - error, items + (drift if mean else (k - 1) * error + k * drift)
        else:
            top, bottom = items - error, items + (0 if mean else (k - 1) * error)
        # What would be zero in whole numbers may be a trifle above it here.
        return ratio(top, np.where(bottom > 1e-12 * (items + within + np.abs(level)), bottom, 0.0))

    return value
