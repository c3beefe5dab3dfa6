"""A table, batch by batch, through all stages in memory.

`add` takes the columns that mean something and keeps some sixty bytes a row; `finish` ranks and compares;
`results` gives the columns of a range of accepted rows, made only then, since they take several times the room.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from evenhand.core.methodology import BONUS, DEDUCTION, DIMENSIONS, POINT, TIE_BREAKS, WINDOW
from evenhand.core.model import Terms
from evenhand.core.numbers import hundredths
from evenhand.engine.columns import CLAIMS, Layout
from evenhand.engine.kernel import normal
from evenhand.engine.kernel.order import downwards, field, ranks, sort
from evenhand.engine.kernel.reasons import reasons, repeated
from evenhand.engine.kernel.scores import Scored, grades, points, score
from evenhand.engine.kernel.windows import PADDED, Slid, compare, slide

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

    Array = np.ndarray[Any, Any]

Lookup = Callable[["Array"], "pa.Array"]
"""The ids of rows, by their places in the input from 0, as text."""


class Rejected(NamedTuple):
    """A row that was not scored."""

    row: int
    """Its number in the input, from 1."""
    reason: str


class Table:
    """Rows on their way from columns to results."""

    def __init__(self, terms: Terms, layout: Layout) -> None:
        self.terms, self.layout = terms, layout
        self.rows = 0
        self.rejected: list[Rejected] = []
        self._parts: dict[str, list[Any]] = {}
        self._amounts = {
            "red_flags": ({flag.id: hundredths(flag.deduction) for flag in terms.red_flags.values()}, DEDUCTION),
            "bonuses": (dict.fromkeys(terms.bonuses, BONUS), BONUS),
        }

    # --- in ----------------------------------------------------------------------------------------------

    def add(self, batch: pa.RecordBatch | pa.Table) -> Array:
        """Take the next rows, by the names of their roles; says which of them can be scored."""
        import numpy as np

        rows = batch.num_rows
        dimensions = np.zeros((rows, PADDED), np.int16)
        good = np.ones(rows, bool)
        for place, name in enumerate(DIMENSIONS):
            dimensions[:, place], fine = normal.scores(normal.column_of(batch, name))
            good &= fine
        claimed = []
        for role in CLAIMS:
            column = normal.column_of(batch, role) if role in self.layout.roles else None
            claims = normal.claims(column, *self._amounts[role], rows)
            good &= claims.good
            claimed += [claims.number.astype(np.int16), claims.nominal]
        kept: dict[str, Any] = dict(zip(("flags", "deduction", "bonuses", "bonus"), claimed, strict=True))
        if self.layout.history:
            kept["created"], fine = normal.times(normal.column_of(batch, "created"))
            good &= fine & normal.column_of(batch, "skill").is_valid().to_numpy(zero_copy_only=False)
            kept["skill"] = normal.column_of(batch, "skill")
            if "id" in self.layout.roles:
                kept["id"] = normal.column_of(batch, "id")
        if self.layout.rank and self.layout.rank_by is not None:
            kept["group"] = normal.column_of(batch, "group")
        self._keep({"dimensions": dimensions, **kept}, good)
        if not good.all():
            bad = np.flatnonzero(~good)
            for row, reason in zip(bad, reasons(batch.take(bad), self.terms, self.layout), strict=True):
                self.rejected.append(Rejected(self.rows + int(row) + 1, reason))
        self.rows += rows
        return good

    def _keep(self, columns: dict[str, Any], good: Array) -> None:
        import pyarrow as pa

        whole = bool(good.all())
        kept = {**columns, "good": good}
        for name, values in kept.items():
            if not whole and name != "good":
                values = values[good] if not isinstance(values, pa.Array) else values.filter(pa.array(good))
            self._parts.setdefault(name, []).append(values)

    # --- between -----------------------------------------------------------------------------------------

    def finish(self, ids_of: Lookup) -> None:
        """Rank every accepted row, and compare it with its history."""
        import numpy as np

        self.good = self._whole("good", np.zeros(0, bool))
        self.dimensions = self._whole("dimensions", np.zeros((0, PADDED), np.int16))
        self._numbers = {
            name: self._whole(name, np.zeros(0, np.int32)) for name in ("flags", "deduction", "bonuses", "bonus")
        }
        if self.layout.history:
            self._leave_out_repeated(ids_of)
        self.accepted = len(self.dimensions)
        self.scored = self._score(slice(None))
        self.rank = self._ranks() if self.layout.rank else None
        self.slid = self._slide(ids_of) if self.layout.history else None

    def _whole(self, name: str, empty: Array) -> Array:
        import numpy as np

        parts = self._parts.pop(name, [])
        return np.concatenate(parts) if parts else empty

    def _score(self, part: slice) -> Scored:
        dimensions = [self.dimensions[part, place] for place in range(len(DIMENSIONS))]
        return score(dimensions, self._numbers["deduction"][part], self._numbers["bonus"][part], self.terms)

    def _ranks(self) -> Array:
        """R11: each rule is a field of the sort key, the better value first."""
        groups = None if self.layout.rank_by is None else self._codes("group")
        # Whole points need a hundredth of the room, and then a key more often fits into one integer.
        steps = [POINT if self.layout.roles[name].kind == "integer" else 1 for name in TIE_BREAKS]
        columns = [self.dimensions[:, DIMENSIONS.index(name)] for name in TIE_BREAKS]
        fields = [] if groups is None else [field(groups)]
        fields += [
            downwards(field(values, step))
            for values, step in zip([self.scored.final, *columns], [1, *steps], strict=True)
        ]
        fields += [field(self._numbers["flags"]), downwards(field(self._numbers["bonuses"]))]
        return ranks(sort(fields), groups)

    def _codes(self, name: str) -> Array:
        import pyarrow as pa

        return normal.codes(pa.chunked_array(self._parts.pop(name)))

    def _leave_out_repeated(self, ids_of: Lookup) -> None:
        """R13: a row whose id an earlier row has is not scored."""
        import numpy as np
        import pyarrow as pa

        if "id" not in self.layout.roles:
            return
        ids = pa.chunked_array(self._parts.pop("id"))
        suspects = np.flatnonzero(_seen_twice(ids))
        if not len(suspects):
            return
        places = np.flatnonzero(self.good)
        first: dict[str, int] = {}
        out = []
        for suspect, id in zip(suspects, ids_of(places[suspects]).to_pylist(), strict=True):
            row = int(places[suspect]) + 1
            if id is not None and first.setdefault(id, row) != row:
                out.append(int(suspect))
                self.rejected.append(Rejected(row, repeated(id, first[id])))
        if out:
            self._leave_out(np.array(out), places)

    def _leave_out(self, out: Array, places: Array) -> None:
        import numpy as np
        import pyarrow as pa

        kept = np.ones(len(places), bool)
        kept[out] = False
        self.good[places[out]] = False
        self.dimensions = self.dimensions[kept]
        self._numbers = {name: values[kept] for name, values in self._numbers.items()}
        self._parts["created"] = [np.concatenate(self._parts["created"])[kept]]
        for name in ("skill", "group"):
            if name in self._parts:
                self._parts[name] = pa.chunked_array(self._parts[name]).filter(pa.array(kept)).chunks
        self.rejected.sort()

    def _slide(self, ids_of: Lookup) -> Slid:
        """R13: in the order of time, then id, each row with those before it of its skill."""
        import numpy as np

        skills, created = self._codes("skill"), self._whole("created", np.zeros(0, np.int64))
        order = sort([field(skills), field(created)])
        places = order.places
        if not order.new.all() and "id" in self.layout.roles:
            _by_id(places, order.new, ids_of, np.flatnonzero(self.good))
        sorted_skills = skills[places]
        begins = np.ones(len(places), bool)
        np.not_equal(sorted_skills[1:], sorted_skills[:-1], out=begins[1:])
        return slide(self.dimensions, places, begins)

    # --- out ---------------------------------------------------------------------------------------------

    def results(self, start: int, stop: int) -> list[pa.Array]:
        """The result columns of accepted rows, in the order of `Layout.results`."""
        import pyarrow as pa

        part = slice(start, stop)
        columns = _scored_columns(Scored(*(values[part] for values in self.scored)))
        if self.rank is not None:
            columns.append(pa.array(self.rank[part]))
        if self.slid is not None:
            slid = Slid(self.slid.totals[part], self.slid.spreads[part])
            columns += list(_history_columns(slid, self.dimensions[part]))
        return columns


def _scored_columns(scored: Scored) -> list[pa.Array]:
    return [*map(points, scored), *grades(scored.final)]


def _history_columns(slid: Slid, dimensions: Array) -> Iterator[pa.Array]:
    """The size of the window, whether flags are provisional (R15), and seven comparisons."""
    import numpy as np
    import pyarrow as pa

    n = slid.totals[:, -1]
    none, single = n == 0, n < 2
    some_none, some_single = bool(none.any()), bool(single.any())
    yield pa.array(n.astype(np.int64))
    yield pa.array((n > 1) & (n < WINDOW))
    for each in compare(slid, dimensions):
        yield pa.array(each.mean, mask=none if some_none else None)
        yield pa.array(each.deviation, mask=single if some_single else None)
        flagged = each.flagged & ~single if some_single else each.flagged
        yield pa.array(flagged, mask=none if some_none else None)


def _seen_twice(ids: pa.ChunkedArray) -> Array:
    """Which rows have an id that another row has too."""
    import numpy as np
    import pyarrow as pa

    if ids.type == pa.uint64() and not ids.null_count:
        numbers = ids.to_numpy()
        ordered = np.sort(numbers)
        twice = np.unique(ordered[1:][ordered[1:] == ordered[:-1]])
        return np.isin(numbers, twice) if len(twice) else np.zeros(len(numbers), bool)
    codes = normal.codes(ids)
    counts = np.bincount(codes + 1)
    counts[0] = 0
    return np.asarray(counts[codes + 1] > 1)


def _by_id(places: Array, new: Array, ids_of: Lookup, rows: Array) -> None:
    """Among rows of one skill and one time, go by the id as text; rows without one come last."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    tied = ~new
    tied[:-1] |= ~new[1:]
    spots = np.flatnonzero(tied)
    members = places[spots]
    columns = {"group": np.cumsum(new[spots]), "id": ids_of(rows[members]), "row": members}
    order = pc.sort_indices(
        pa.table(columns), sort_keys=[("group", "ascending"), ("id", "ascending"), ("row", "ascending")]
    )
    places[spots] = members[order.to_numpy()]
