"""A table, batch by batch, through all stages in memory.

`add` takes the columns that mean something and keeps some sixty bytes a row; `finish` ranks and compares;
`results` gives the columns of a range of accepted rows, made only then, since they take several times the room.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from evenhand.core.methodology import BONUS, DEDUCTION, DIMENSIONS, HIGHEST, LOWEST, POINT, TIE_BREAKS, WINDOW
from evenhand.core.model import Terms
from evenhand.core.numbers import hundredths
from evenhand.engine.columns import CLAIMS, RANK, WINDOW_SIZE, Layout
from evenhand.engine.kernel import normal
from evenhand.engine.kernel.kept import Kept
from evenhand.engine.kernel.order import changes, field, ranks, sort
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


class _Part(NamedTuple):
    """A batch when it has been looked at."""

    rows: int
    columns: dict[str, Any]
    rejected: list[tuple[int, str]]


class Table:
    """Rows on their way from columns to results."""

    def __init__(self, terms: Terms, layout: Layout, rows: int = 0) -> None:
        """`rows` is how many will come, if that is known: room is made for them at once."""
        self.terms, self.layout = terms, layout
        self.rows = 0
        self.rejected: list[Rejected] = []
        self._kept = Kept(rows)
        self._amounts = {
            "red_flags": ({flag.id: hundredths(flag.deduction) for flag in terms.red_flags.values()}, DEDUCTION),
            "bonuses": (dict.fromkeys(terms.bonuses, BONUS), BONUS),
        }

    # --- in ----------------------------------------------------------------------------------------------

    def add(self, batches: Iterable[pa.RecordBatch]) -> None:
        """Take rows, in batches whose columns have the names of their roles."""
        for part in map(self._normalised, batches):
            self.rejected += [Rejected(self.rows + place, reason) for place, reason in part.rejected]
            self.rows += part.rows
            self._kept.add(part.columns)

    def _normalised(self, batch: pa.RecordBatch) -> _Part:
        """A batch as arrays of accepted rows."""
        import numpy as np

        rows = batch.num_rows
        dimensions = np.zeros((rows, PADDED), np.int16)
        good = np.ones(rows, bool)
        for place, name in enumerate(DIMENSIONS):
            dimensions[:, place], fine = normal.scores(batch.column(name))
            good &= fine
        claimed = {}
        for role in CLAIMS:
            column = batch.column(role) if role in self.layout.roles else None
            claimed[role] = normal.claims(column, *self._amounts[role], rows)
            good &= claimed[role].good
        flags, bonuses = claimed["red_flags"], claimed["bonuses"]
        by_dimension = [dimensions[:, place] for place in range(len(DIMENSIONS))]
        scored = score(by_dimension, flags.nominal, bonuses.nominal, self.terms)
        columns = {"dimensions": dimensions, "flags": flags.number, "bonuses": bonuses.number, **scored._asdict()}
        if self.layout.history:
            columns["created"], fine = normal.times(batch.column("created"))
            good &= fine & normal.present(batch.column("skill"))
        kept = columns if good.all() else {name: values[good] for name, values in columns.items()}
        return _Part(rows, {**kept, **self._named(batch, good), "good": good}, list(self._bad(batch, good)))

    def _named(self, batch: pa.RecordBatch, good: Array) -> dict[str, Any]:
        """Columns of which only matters which rows have the same value."""
        import pyarrow as pa

        names = ["skill", *(["id"] if "id" in self.layout.roles else [])] if self.layout.history else []
        names += ["group"] if self.layout.rank and self.layout.rank_by is not None else []
        columns = {name: batch.column(name) for name in names}
        if not good.all():
            columns = {name: column.filter(pa.array(good)) for name, column in columns.items()}
        found: dict[str, Any] = {}
        for name, column in columns.items():
            if name != "id":
                found[name] = normal.encoded(column)
            elif column.type == pa.uint64():
                # A copy: the column itself would keep the memory of its whole batch.
                found["hash"] = column.to_numpy(zero_copy_only=False).copy()
            else:
                found["id"] = column
        return found

    def _bad(self, batch: pa.RecordBatch, good: Array) -> Iterator[tuple[int, str]]:
        import numpy as np

        if not good.all():
            bad = np.flatnonzero(~good)
            found = reasons(batch.take(bad), self.terms, self.layout)
            yield from ((int(place) + 1, reason) for place, reason in zip(bad, found, strict=True))

    # --- between -----------------------------------------------------------------------------------------

    def finish(self, ids_of: Lookup) -> None:
        """Rank every accepted row, and compare it with its history."""
        self._columns = self._kept.columns()
        self.good = self._columns.pop("good")
        if self.layout.history and "id" in self.layout.roles:
            self._leave_out_repeated(ids_of)
        self.accepted = len(self._columns["final"])
        self.rank = self._ranks() if self.layout.rank else None
        self.slid = self._slide(ids_of) if self.layout.history else None

    def _ranks(self) -> Array:
        """R11: each rule is a field of the sort key, the better value first."""
        groups = None if self.layout.rank_by is None else self._columns.pop("group")
        # Whole points need a hundredth of the room, and then a key more often fits into one integer.
        steps = [POINT if self.layout.roles[name].kind == "integer" else 1 for name in TIE_BREAKS]
        fields = [] if groups is None else [field(groups)]
        fields.append(field(self._columns["final"], down=True, low=LOWEST, high=HIGHEST))
        for name, step in zip(TIE_BREAKS, steps, strict=True):
            column = self._columns["dimensions"][:, DIMENSIONS.index(name)]
            fields.append(field(column, step, down=True, low=LOWEST, high=HIGHEST))
        fields += [field(self._columns.pop("flags")), field(self._columns.pop("bonuses"), down=True)]
        return ranks(sort(fields), groups)

    def _leave_out_repeated(self, ids_of: Lookup) -> None:
        """R13: a row whose id an earlier row has is not scored."""
        import numpy as np

        hashes = self._columns.pop("hash", None)
        suspects = np.flatnonzero(_hashed_twice(hashes) if hashes is not None else _seen_twice(self._kept.ids()))
        if not len(suspects):
            return
        places = np.flatnonzero(self.good)
        first: dict[str, int] = {}
        kept = np.ones(len(places), bool)
        for suspect, id in zip(suspects, ids_of(places[suspects]).to_pylist(), strict=True):
            row = int(places[suspect]) + 1
            if id is not None and first.setdefault(id, row) != row:
                kept[suspect] = False
                self.rejected.append(Rejected(row, repeated(id, first[id])))
        self.rejected.sort()
        self.good[places[~kept]] = False
        self._columns = {name: values[kept] for name, values in self._columns.items()}

    def _slide(self, ids_of: Lookup) -> Slid:
        """R13: in the order of time, then id, each row with those before it of its skill."""
        import numpy as np

        skills = self._columns.pop("skill")
        places, new = sort([field(skills), field(self._columns.pop("created"))])
        if not new.all() and "id" in self.layout.roles:
            _by_id(places, new, ids_of, np.flatnonzero(self.good))
        begins = changes(skills[places])
        del skills, new  # room for the results, which take most
        return slide(self._columns["dimensions"], places, begins)

    def result_fields(self) -> list[pa.Field]:
        """The names and types of the results, as they are written."""
        import pyarrow as pa

        types: dict[str, Any] = dict.fromkeys(("composite", "deduction", "bonus", "final"), pa.decimal128(4, 2))
        types |= {"grade": pa.string(), "label": pa.string(), RANK: pa.int64(), WINDOW_SIZE: pa.int64()}
        others = {
            name: pa.float64() if name.endswith(("_mean", "_deviation")) else pa.bool_() for name in self.layout.results
        }
        return [pa.field(name, types.get(name, others[name])) for name in self.layout.results]

    # --- out ---------------------------------------------------------------------------------------------

    def results(self, start: int, stop: int) -> list[pa.Array]:
        """The result columns of accepted rows, in the order of `Layout.results`."""
        import numpy as np
        import pyarrow as pa

        part = slice(start, stop)
        columns = _scored_columns(Scored(*(self._columns[name][part] for name in Scored._fields)))
        if self.rank is not None:
            columns.append(pa.array(self.rank[part].astype(np.int64)))
        if self.slid is not None:
            slid = Slid(self.slid.totals[part], self.slid.spreads[part])
            columns += list(_history_columns(slid, self._columns["dimensions"][part]))
        return columns


def _scored_columns(scored: Scored) -> list[pa.Array]:
    return [*map(points, scored), *grades(scored.final)]


def _history_columns(slid: Slid, dimensions: Array) -> Iterator[pa.Array]:
    """The size of the window, whether flags are provisional (R15), and seven comparisons."""
    import numpy as np
    import pyarrow as pa

    n = slid.totals[:, -1]
    some, several = _bits(n > 0), _bits(n > 1)
    yield pa.array(n.astype(np.int64))
    yield pa.array((n > 1) & (n < WINDOW))
    found = compare(slid, dimensions)
    for mean, deviation, flagged in zip(found.mean, found.deviation, found.flagged, strict=True):
        yield pa.Array.from_buffers(pa.float64(), len(n), [some, pa.py_buffer(mean)])
        yield pa.Array.from_buffers(pa.float64(), len(n), [several, pa.py_buffer(deviation)])
        yield pa.Array.from_buffers(pa.bool_(), len(n), [some, _bits(flagged)])


def _bits(truths: Array) -> pa.Buffer:
    """Truths as Arrow keeps them."""
    import numpy as np
    import pyarrow as pa

    return pa.py_buffer(np.packbits(truths, bitorder="little"))


def _hashed_twice(hashes: Array) -> Array:
    """Which rows have a hash that another row has too; whether the ids are the same is another question."""
    import numpy as np

    ordered = np.sort(hashes)
    twice = np.unique(ordered[1:][ordered[1:] == ordered[:-1]])
    return np.isin(hashes, twice) if len(twice) else np.zeros(len(hashes), bool)


def _seen_twice(ids: pa.ChunkedArray) -> Array:
    """Which rows have an id that another row has too."""
    import numpy as np

    codes = normal.codes(ids)
    counts = np.bincount(codes + 1, minlength=1)
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
