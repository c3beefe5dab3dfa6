"""The plan on a Spark cluster: Parquet in, Parquet out, both where the cluster can see them.

No row comes to the driver: only counts do, and the bounds that cut the ranking into parts. Nothing depends on
how many executors there are or which of them die: every step is a function of the rows, and Spark repeats what is lost.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple
from uuid import uuid4

from evenhand.core.model import Terms
from evenhand.engine.columns import Column
from evenhand.engine.plan import ROW, Plan, inner
from evenhand.engine.spark_dialect import SPARK
from evenhand.engine.spark_rank import with_rank

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import DataType

_WHOLE = ("tinyint", "smallint", "int", "bigint")
_KINDS = {
    "float": "float",
    "double": "double",
    "string": "text",
    "array<string>": "list",
    "timestamp": "time",
    "timestamp_ntz": "time",
    "date": "time",
}


def column_of(name: str, type: DataType) -> Column:
    """A column of a Spark table as the plan sees it."""
    written = type.simpleString()
    if written in _WHOLE:
        return Column(name, "integer")
    if written.startswith("decimal"):
        return Column(name, "decimal", type.scale)  # type: ignore[attr-defined]
    return Column(name, _KINDS.get(written))  # type: ignore[arg-type]


class Sorted(NamedTuple):
    """A table's rows: those that can be scored, and those that cannot."""

    accepted: DataFrame
    rejected: DataFrame
    """`row` and `reason`."""


class SparkTable:
    """Parquet files on a cluster, on their way through the plan."""

    def __init__(self, session: SparkSession, frame: DataFrame) -> None:
        self.session, self.frame = session, frame
        self.view = inner(uuid4().hex)

    @property
    def columns(self) -> list[Column]:
        """The columns, in their order."""
        return [column_of(field.name, field.dataType) for field in self.frame.schema.fields]

    def numbered(self) -> DataFrame:
        """Every row with its number, counted through the files in the order of their names."""
        place = "_metadata.row_index + 1"
        if len(self.frame.inputFiles()) == 1:
            return self.frame.selectExpr("*", f"{place} AS {ROW}")
        path, ahead, row = inner("path"), inner("ahead"), inner("place")
        placed = self.frame.selectExpr("*", f"_metadata.file_path AS {path}", f"{place} AS {row}")
        counts = self.frame.selectExpr(f"_metadata.file_path AS {path}").groupBy(path).count()
        before = f"SUM(count) OVER (ORDER BY {path} ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)"
        files = counts.selectExpr(path, f"COALESCE({before}, 0) AS {ahead}")
        joined = placed.join(files.hint("broadcast"), path)
        return joined.selectExpr("*", f"{ahead} + {row} AS {ROW}").drop(path, ahead, row)

    def sorted(self, plan: Plan) -> Sorted:
        """The rows that can be scored, with their numbers in hundredths, and the others."""
        source = self._named("rows", self.numbered())
        accepted = self.session.sql(plan.accepted(source))
        return Sorted(accepted, self.session.sql(plan.rejected(source)))

    def scored(self, plan: Plan, accepted: DataFrame) -> DataFrame:
        """Accepted rows with all results, in the order of the input's columns and the layout's results."""
        frame = self.session.sql(plan.scored(self._named("accepted", accepted)))
        if plan.layout.rank:
            frame = with_rank(self.session, frame, plan, f"{self.view}_rank")
        if plan.layout.history:
            frame = self.session.sql(plan.compared(self._named("ranked", frame)))
        return self.session.sql(plan.shown(self._named("results", frame), self.frame.columns))

    def plan(self, terms: Terms, layout) -> Plan:
        return Plan(terms, layout, SPARK, numbered=True)

    def _named(self, part: str, frame: DataFrame) -> str:
        name = f"{self.view}_{part}"
        frame.createOrReplaceTempView(name)
        return name
