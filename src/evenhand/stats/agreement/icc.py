"""The intraclass correlation in the six forms of Shrout and Fleiss (1979). Pure.

ICC(1,·): every item has raters of its own. ICC(2,·): the same raters for all, a sample of many, and their differences
in level count as disagreement. ICC(3,·): these raters and no others, and differences in level do not count. The second
number: one rater, or the mean of all k. Items with a missing value are left out. Where no two items have all raters, or
raters are not known, ICC(1,·) is that of the items with the most common number of values.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from evenhand.stats.agreement.measure import Measure, Totals, measured, without
from evenhand.stats.agreement.ratings import Ratings, Row, present

FORMS = ("icc-1-1", "icc-2-1", "icc-3-1", "icc-1-k", "icc-2-k", "icc-3-k")


def iccs(ratings: Ratings) -> list[Measure]:
    """All six forms."""
    complete = [row for row in ratings.rows if None not in row]
    if len(ratings.raters) < 2:
        return [without(name, "one rater only") for name in FORMS]
    if not ratings.known_raters or len(complete) < 2:
        return _one_way(ratings, len(complete))
    vector = _vector(complete, len(ratings.raters))
    return [measured(name, ratings, vector, _form(name)) for name in FORMS]


def _vector(rows: Sequence[Row], size: int) -> Callable[[Row], Sequence[int] | None]:
    """What counts of an item that has as many values as `size`."""
    lowest = min(value for row in rows for value in present(row))

    def vector(row: Row) -> Sequence[int] | None:
        values = [value - lowest for value in present(row)]
        if len(values) != size:
            return None
        return [1, sum(values) ** 2, sum(value * value for value in values), *values]

    return vector


def _one_way(ratings: Ratings, complete: int) -> list[Measure]:
    """ICC(1,·) from values whose raters do not matter, and why there are no other forms."""
    why = f"needs items that all {len(ratings.raters)} raters rated, at least 2; there are {complete}"
    if not ratings.known_raters:
        why = "the table does not tell who gave which value; see ICC(1,1)"
    sizes = Counter(size for row in ratings.rows if (size := len(present(row))) > 1)
    size, items = max(sizes.items(), key=lambda entry: (entry[1], entry[0]), default=(0, 0))
    if items < 2:
        return [without(name, why) for name in FORMS]
    vector = _vector(ratings.rows, size)
    return [measured(name, ratings, vector, _form(name)) if name[4] == "1" else without(name, why) for name in FORMS]


def _form(name: str) -> Callable[[Totals], float | None]:
    kind, mean = name[4], name.endswith("k")

    def value(totals: Totals) -> float | None:
        n, row_squares, squares, *columns = totals
        k = len(columns)
        if n < 2:
            return None
        whole = sum(columns) ** 2  # sums of squares, each times n * k, so that they stay whole
        between = n * row_squares - whole
        raters = k * sum(column * column for column in columns) - whole
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
        return top / bottom if bottom > 0 else None

    return value
