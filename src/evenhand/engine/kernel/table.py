"""A table, batch by batch, through all stages in memory.

`add` takes the columns with a role and keeps about fifty bytes per row; `finish` ranks rows and compares them with
their history; `results` builds the columns of a range of accepted rows, on demand, since they take several times the
memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from evenhand.core.basics.methodology import BONUS, DEDUCTION, DIMENSIONS, HIGHEST, LOWEST, POINT, TIE_BREAKS
from evenhand.core.basics.numbers import hundredths
from evenhand.core.values.rubric import Terms
from evenhand.engine.columns import CLAIMS, RANK, WINDOW_SIZE, Layout
from evenhand.engine.kernel import normal
from evenhand.engine.kernel.blocks import at_once, each_ahead
from evenhand.engine.kernel.distinct import Names
from evenhand.engine.kernel.order import field, ranks, sort
from evenhand.engine.kernel.reasons import reasons, repeated
from evenhand.engine.kernel.scores import Scored, grades, points, score
from evenhand.engine.kernel.windows import PADDED, Compared, Slid, compare, slide

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

    Array = np.ndarray[Any, Any]

MOST_ROWS = 2**31 - 1
"""Row numbers have 32 bits, since most of the time goes into moving them."""

Placed = tuple["pa.RecordBatch", slice]
"""A batch, and its range of rows in the table."""

Lookup = Callable[["Array"], "pa.Array"]
"""The ids of rows, by their places in the input from 0, as text."""


class Rejected(NamedTuple):
    """A row that was not scored."""

    row: int
    """Its number in the input, from 1."""
    reason: str


class Table:
    """Takes rows from columns to results."""

    def __init__(self, terms: Terms, layout: Layout, rows: int) -> None:
        """`rows` is the exact number that will be added: memory for all of them is allocated at once."""
        import numpy as np

        self.terms, self.layout, self.rows = terms, layout, rows
        self.rejected: list[Rejected] = []
        self._columns: dict[str, Array] = {"dimensions": np.empty((rows, PADDED), np.int16)}
        for name in ("flags", "bonuses", *Scored._fields):
            self._columns[name] = np.empty(rows, np.int16)
        self.good = np.ones(rows, bool)
        if layout.history:
            self._columns["created"] = np.empty(rows, np.int64)
        self._worked_out = tuple(self._columns)
        """The columns that several threads fill at once; the others are filled by one."""
        self._names = {name: Names() for name in _named(layout)}
        for name in self._names:
            self._columns[name] = np.empty(rows, np.int32)
        self._ids: list[pa.Array] = []
        self._amounts = {
            "red_flags": ({flag.id: hundredths(flag.deduction) for flag in terms.red_flags.values()}, DEDUCTION),
            "bonuses": (dict.fromkeys(terms.bonuses, BONUS), BONUS),
        }

    # --- in ----------------------------------------------------------------------------------------------

    def add(self, batches: Iterable[pa.RecordBatch]) -> None:
        """Take rows, in batches whose columns have the names of their roles."""
        for batch, part in each_ahead(self._normalise, _placed(batches)):
            for name, names in self._names.items():
                self._columns[name][part] = names.codes(batch.column(name))
            if self.layout.history and "id" in self.layout.roles:
                self._add_ids(batch.column("id"), part)
            self.rejected += self._bad(batch, part)

    def _normalise(self, placed: Placed) -> Placed:
        """Store the scores of a batch in its rows."""
        batch, part = placed
        results = {name: self._columns[name][part] for name in self._worked_out}
        good = self.good[part]
        normal.rows([batch.column(name) for name in DIMENSIONS], results["dimensions"], good)
        flags, bonuses = (self._claims(role, batch) for role in CLAIMS)
        for name, claims in (("flags", flags), ("bonuses", bonuses)):
            results[name][:] = claims.number
            good &= claims.good
        into = Scored(*(results[name] for name in Scored._fields))
        score(results["dimensions"], flags.nominal, bonuses.nominal, self.terms, into)
        if self.layout.history:
            results["created"][:], fine = normal.times(batch.column("created"))
            good &= fine & normal.present(batch.column("skill"))
        return placed

    def _claims(self, role: str, batch: pa.RecordBatch) -> normal.Claims:
        column = batch.column(role) if role in self.layout.roles else None
        return normal.claims(column, *self._amounts[role], batch.num_rows)

    def _add_ids(self, ids: pa.Array, part: slice) -> None:
        """Ids are kept as Arrow arrays; for hashes, their numbers are enough."""
        import numpy as np
        import pyarrow as pa

        if ids.type == pa.uint64():
            # A row without an id also gets a number, and is skipped when ids are compared.
            self._columns.setdefault("hash", np.empty(self.rows, np.uint64))[part] = ids.fill_null(0).to_numpy()
        else:
            self._ids.append(ids)

    def _bad(self, batch: pa.RecordBatch, part: slice) -> Iterator[Rejected]:
        import numpy as np

        if not self.good[part].all():
            bad = np.flatnonzero(~self.good[part])
            messages = reasons(batch.take(bad), self.terms, self.layout)
            yield from (Rejected(part.start + int(row) + 1, why) for row, why in zip(bad, messages, strict=True))

    # --- between -----------------------------------------------------------------------------------------

    def finish(self, ids_of: Lookup) -> None:
        """Rank every accepted row, and compare it with its history."""
        if self.rejected:
            self._columns = {name: values[self.good] for name, values in self._columns.items()}
        if self.layout.history and "id" in self.layout.roles:
            self._leave_out_repeated(ids_of)
        self.accepted = len(self._columns["final"])
        self.rank, self.slid = at_once(
            self._ranks if self.layout.rank else None,
            (lambda: self._slide(ids_of)) if self.layout.history else None,
            self.accepted,
        )
        del self._columns["dimensions"]

    def _ranks(self) -> Array:
        """R11: each rule is a field of the sort key, the better value first."""
        groups = None if self.layout.rank_by is None else self._columns.pop("group")
        # Whole points need a hundredth of the range, so a key fits into one integer more often.
        steps = [POINT if self.layout.roles[name].kind == "integer" else 1 for name in TIE_BREAKS]
        fields = [] if groups is None else [field(groups)]
        fields.append(field(self._columns["final"], down=True, low=LOWEST, high=HIGHEST))
        for name, step in zip(TIE_BREAKS, steps, strict=True):
            column = self._columns["dimensions"][:, DIMENSIONS.index(name)]
            fields.append(field(column, step, down=True, low=LOWEST, high=HIGHEST))
        fields += [field(self._columns.pop("flags")), field(self._columns.pop("bonuses"), down=True)]
        return ranks(sort(fields), groups)

    def _leave_out_repeated(self, ids_of: Lookup) -> None:
        """R13: a row that repeats an earlier id is not scored."""
        import numpy as np

        hashes = self._columns.pop("hash", None)
        suspects = np.flatnonzero(_hashed_twice(hashes) if hashes is not None else self._seen_twice())
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

    def _seen_twice(self) -> Array:
        """Which accepted rows share their id with another row."""
        import numpy as np
        import pyarrow as pa

        ids, self._ids = pa.chunked_array(self._ids, None if self._ids else pa.string()), []
        codes = normal.codes(ids.filter(pa.array(self.good)) if self.rejected else ids)
        counts = np.bincount(codes + 1, minlength=1)
        counts[0] = 0
        return np.asarray(counts[codes + 1] > 1)

    def _slide(self, ids_of: Lookup) -> Slid:
        """R13: compare each row with the earlier rows of its skill, by time, then id."""
        import numpy as np

        skills = self._columns.pop("skill")
        places, new = sort([field(skills), field(self._columns.pop("created"))])
        if "id" in self.layout.roles and not new.all():
            _by_id(places, new, ids_of, np.flatnonzero(self.good))
        del new  # frees memory for the largest step
        return slide(self._columns["dimensions"], places, skills)

    # --- out ---------------------------------------------------------------------------------------------

    def result_fields(self) -> list[pa.Field]:
        """The names and types of the results, as they are written."""
        import pyarrow as pa

        types: dict[str, Any] = dict.fromkeys(("composite", "deduction", "bonus", "final"), pa.decimal128(4, 2))
        types |= {"grade": pa.string(), "label": pa.string(), RANK: pa.int64(), WINDOW_SIZE: pa.int64()}
        others = {
            name: pa.float64() if name.endswith(("_mean", "_deviation")) else pa.bool_() for name in self.layout.results
        }
        return [pa.field(name, types.get(name, others[name])) for name in self.layout.results]

    def results(self, start: int, stop: int) -> list[pa.Array]:
        """The result columns of accepted rows, in the order of `Layout.results`."""
        import numpy as np
        import pyarrow as pa

        part = slice(start, stop)
        columns = _scored_columns(Scored(*(self._columns[name][part] for name in Scored._fields)))
        if self.rank is not None:
            columns.append(pa.array(self.rank[part].astype(np.int64)))
        if self.slid is not None:
            columns += list(_history_columns(compare(self.slid, start, stop)))
        return columns


def _named(layout: Layout) -> list[str]:
    """Columns where only equality matters."""
    grouped = layout.rank and layout.rank_by is not None
    return [*(["skill"] if layout.history else []), *(["group"] if grouped else [])]


def _placed(batches: Iterable[pa.RecordBatch]) -> Iterator[Placed]:
    start = 0
    for batch in batches:
        yield batch, slice(start, start + batch.num_rows)
        start += batch.num_rows


def _scored_columns(scored: Scored) -> list[pa.Array]:
    return [*map(points, scored), *grades(scored.final)]


def _history_columns(compared: Compared) -> Iterator[pa.Array]:
    """The size of the window, whether flags are provisional (R15), and seven comparisons."""
    import pyarrow as pa

    rows = len(compared.size)
    some, several = pa.py_buffer(compared.some), pa.py_buffer(compared.several)
    yield pa.array(compared.size)
    yield pa.Array.from_buffers(pa.bool_(), rows, [None, pa.py_buffer(compared.provisional)])
    for mean, deviation, flagged in zip(compared.mean, compared.deviation, compared.flagged, strict=True):
        yield pa.Array.from_buffers(pa.float64(), rows, [some, pa.py_buffer(mean)])
        yield pa.Array.from_buffers(pa.float64(), rows, [several, pa.py_buffer(deviation)])
        yield pa.Array.from_buffers(pa.bool_(), rows, [some, pa.py_buffer(flagged)])


def _hashed_twice(hashes: Array) -> Array:
    """Which rows share their hash with another row; their ids may still differ."""
    import numpy as np

    ordered = np.sort(hashes)
    twice = np.unique(ordered[1:][ordered[1:] == ordered[:-1]])
    return np.isin(hashes, twice) if len(twice) else np.zeros(len(hashes), bool)


def _by_id(places: Array, new: Array, ids_of: Lookup, rows: Array) -> None:
    """Order rows of the same skill and time by id as text; rows without an id come last."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    tied = ~new
    tied[:-1] |= ~new[1:]
    positions = np.flatnonzero(tied)
    members = places[positions]
    columns = {"group": np.cumsum(new[positions]), "id": ids_of(rows[members]), "row": members}
    order = pc.sort_indices(
        pa.table(columns), sort_keys=[("group", "ascending"), ("id", "ascending"), ("row", "ascending")]
    )
    places[positions] = members[order.to_numpy()]
