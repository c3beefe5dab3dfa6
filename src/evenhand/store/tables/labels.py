"""People's labels in a SQL store: appended all together or not at all, read back in a fixed order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from evenhand.store.sql_connection import SqlConnection, columns_of
from evenhand.work.label import Label


class SqlLabels(SqlConnection):
    """The part of a store that holds labels, over a connection that runs statements."""

    def add_labels(self, labels: Sequence[Label]) -> None:
        """Append labels. Inside a transaction only."""
        self._insert(Label, "labels", labels)

    def labels(self, *, fields: Iterable[str] = (), raters: Iterable[str] = ()) -> Iterator[Label]:
        """Labels by item, field and rater; only those of some fields or raters if any are named."""
        conditions: list[str] = []
        values: list[str] = []
        for column, wanted in (("field", tuple(fields)), ("rater", tuple(raters))):
            if wanted:
                conditions.append(f"{column} IN ({', '.join('?' * len(wanted))})")
                values += wanted
        where = f"WHERE {' AND '.join(conditions)}" if conditions else ""
        order = "ORDER BY kind, item, field, rater"
        for row in self._stream(f"SELECT {columns_of(Label)} FROM labels {where} {order}", values):
            yield Label(*row)
