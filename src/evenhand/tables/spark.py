"""The plan on a Spark cluster: scores a table of Parquet files.

No row comes to the driver: only counts do, and the bounds that cut the ranking into parts. The
result does not depend on the number of executors or on which of them fail: every step is a function of the rows, and
Spark repeats lost work.
"""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING
from uuid import uuid4

from evenhand.core.rubric import Terms
from evenhand.tables.columns import RANK, Column, Kind, Layout
from evenhand.tables.plan import ROW, Plan, inner
from evenhand.tables.spark_dialect import SPARK

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import DataType

_PATH, _PLACE = inner("path"), inner("place")
TAKEN = "an evaluation counts once in a history"
_KINDS: dict[str, Kind] = {
    "tinyint": "integer",
    "smallint": "integer",
    "int": "integer",
    "bigint": "integer",
    "float": "float",
    "double": "double",
    "string": "text",
    "array<string>": "list",
    "timestamp": "time",
    "timestamp_ntz": "time",
    "date": "time",
}


# The rank of every row of a distributed table, without ever moving all rows to one place (R11, R12).
#
# A window over the whole table would be one task for all of it. Instead the range of keys is cut into parts of
# about equal size. The rows of each part are counted, which is all that one part needs to know about the others.
# Within a part, the distinct keys are sorted and their counts added up, and each row looks up its key.
# Equivalent rows have the same key, and so share a rank.

MOST_PARTS = 512


def with_rank(session: SparkSession, scored: DataFrame, plan: Plan, view: str) -> DataFrame:
    """The scored rows with their rank; `view` is a name that may be used for temporary views."""
    scored.createOrReplaceTempView(view)
    if plan.layout.rank_by is not None:
        return session.sql(plan.ranked(view))
    names = [inner(f"key{place}") for place in range(len(plan.sort_keys()))]
    keyed = ", ".join(f"{key} AS {name}" for key, name in zip(plan.sort_keys(), names, strict=True))
    session.sql(f"SELECT *, {keyed} FROM {view}").createOrReplaceTempView(f"{view}_keyed")
    part = _part(names[0], _bounds(session, f"{view}_keyed", names[0]))
    better = _better(session, f"{view}_keyed", part)
    listed = ", ".join(names)
    counted = f"SELECT {listed}, COUNT(*) AS {inner('n')} FROM {view}_keyed GROUP BY {listed}"
    order = ", ".join(f"{name} DESC" for name in names)
    before = (
        f"COALESCE(SUM({inner('n')}) OVER (PARTITION BY {part} ORDER BY {order} "
        "ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0)"
    )
    places = f"SELECT {listed}, 1 + get(array({better}), {part}) + {before} AS {RANK} FROM ({counted})"
    return session.sql(f"SELECT * FROM {view}_keyed JOIN ({places}) USING ({listed})").drop(*names)


def _bounds(session: SparkSession, keyed: str, key: str) -> list[int]:
    """Keys that cut the range into parts of about equal size. They need not be exact: any cut gives the same ranks."""
    parts = min(int(session.conf.get("spark.sql.shuffle.partitions") or MOST_PARTS), MOST_PARTS)
    shares = ", ".join(f"{place / parts:.6f}D" for place in range(1, parts))
    if not shares:
        return []
    row = session.sql(f"SELECT percentile_approx({key}, array({shares}), 10000) FROM {keyed}").first()
    return sorted(set(row[0])) if row and row[0] else []


def _part(key: str, bounds: list[int], first: int = 0) -> str:
    """The number of bounds that a key reaches, by binary search."""
    if not bounds:
        return str(first)
    middle = len(bounds) // 2
    below = _part(key, bounds[:middle], first)
    above = _part(key, bounds[middle + 1 :], first + middle + 1)
    return f"CASE WHEN {key} < {bounds[middle]}L THEN {below} ELSE {above} END"


def _better(session: SparkSession, keyed: str, part: str) -> str:
    """For each part, the number of rows in better parts."""
    rows = session.sql(f"SELECT {part} AS part, COUNT(*) AS n FROM {keyed} GROUP BY ALL").collect()
    counts = {row["part"]: row["n"] for row in rows}
    sizes = [counts.get(place, 0) for place in range(max(counts, default=0) + 1)]
    better = [0, *accumulate(reversed(sizes[1:]))]
    return ", ".join(f"{count}L" for count in reversed(better))


def column_of(name: str, type: DataType) -> Column:
    """A column of a Spark table as the plan sees it."""
    written = type.simpleString()
    if written.startswith("decimal"):
        return Column(name, "decimal", int(written.rstrip(")").split(",")[1]))
    return Column(name, _KINDS.get(written))


class SparkTable:
    """The rows of some files, divided into those that can be scored and those that cannot."""

    def __init__(self, session: SparkSession, frame: DataFrame, terms: Terms, layout: Layout) -> None:
        self.session, self.columns = session, frame.columns
        self.plan = Plan(terms, layout, SPARK)
        self._prefix = inner(uuid4().hex)
        rows = self._named("rows", _numbered(frame))
        self.accepted = session.sql(self.plan.accepted(rows))
        self.reasons = session.sql(self.plan.rejected(rows))
        """The rows that are not scored: `row`, numbered through all files, and `reason`."""

    def leave_out_repeated(self) -> None:
        """R13: a row that repeats an earlier id is not scored. Free when no id is repeated."""
        layout = self.plan.layout
        if not layout.history or "id" not in layout.roles:
            return
        id = SPARK.order_text(layout.roles["id"])
        accepted = self._named("all", self.accepted)
        same, first = inner("same"), inner("first")
        grouped = f"SELECT {id} AS {same}, MIN({ROW}) AS {first}, COUNT(*) AS n FROM {accepted} GROUP BY {id}"
        twice = self.session.sql(f"SELECT * FROM ({grouped}) WHERE n > 1 AND {same} IS NOT NULL").drop("n")
        if twice.isEmpty():
            return
        reason = f"concat('row ', {first}, ' already has the id \"', {same}, '\"; {TAKEN}')"
        later = f"{accepted} JOIN {self._named('twice', twice)} ON {id} = {same} AND {ROW} > {first}"
        repeated = self.session.sql(f"SELECT {ROW} AS row, {reason} AS reason FROM {later}")
        self.reasons = self.reasons.unionByName(repeated)
        others = f"LEFT ANTI JOIN {self._named('repeated', repeated)} AS repeated ON {ROW} = repeated.row"
        self.accepted = self.session.sql(f"SELECT * FROM {accepted} {others}")

    def rejected(self) -> DataFrame:
        """The rows that were not scored, in their order: `file`, `row` in it from 1, and `reason`."""
        reasons = self._named("reasons", self.reasons)
        # Spark gives paths as URIs: local ones are shown as plain paths, and a plus stays a plus.
        decoded = f"url_decode(replace({_PATH}, '+', '%2B'))"
        file = f"regexp_replace({decoded}, '^file:/+', '/')"
        rows = f"{reasons} JOIN {self._prefix}_rows ON {ROW} = {reasons}.row"
        return self.session.sql(f"SELECT {file} AS file, {_PLACE} AS row, reason FROM {rows} ORDER BY {ROW}")

    def results(self) -> DataFrame:
        """The accepted rows with all results: the input's columns, then the layout's."""
        plan = self.plan
        frame = self.session.sql(plan.scored(self._named("accepted", self.accepted)))
        if plan.layout.rank:
            frame = with_rank(self.session, frame, plan, f"{self._prefix}_scored")
        if plan.layout.history:
            frame = self.session.sql(plan.compared(self._named("ranked", frame)))
        return self.session.sql(plan.shown(self._named("results", frame), self.columns))

    def forget(self) -> None:
        """Drop the temporary views of the plan."""
        for table in self.session.catalog.listTables():
            if table.name.startswith(self._prefix):
                self.session.catalog.dropTempView(table.name)

    def _named(self, part: str, frame: DataFrame) -> str:
        name = f"{self._prefix}_{part}"
        frame.createOrReplaceTempView(name)
        return name


def _numbered(frame: DataFrame) -> DataFrame:
    """Every row with its number, through all files in path order, and its row number within its file."""
    placed = frame.selectExpr("*", f"_metadata.file_path AS {_PATH}", f"_metadata.row_index + 1 AS {_PLACE}")
    if len(frame.inputFiles()) == 1:
        return placed.selectExpr("*", f"{_PLACE} AS {ROW}")
    ahead = inner("ahead")
    counts = frame.selectExpr(f"_metadata.file_path AS {_PATH}").groupBy(_PATH).count()
    before = f"SUM(count) OVER (ORDER BY {_PATH} ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)"
    files = counts.selectExpr(_PATH, f"COALESCE({before}, 0) AS {ahead}")
    return placed.join(files.hint("broadcast"), _PATH).selectExpr("*", f"{ahead} + {_PLACE} AS {ROW}").drop(ahead)
