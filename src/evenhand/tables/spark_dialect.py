"""The Spark SQL dialect, with ANSI mode on or off."""

from __future__ import annotations

from collections.abc import Sequence

from evenhand.core.rules import POINT
from evenhand.tables.columns import Column
from evenhand.tables.dialect import TIME_PATTERN, Dialect


class SparkDialect(Dialect):
    """Spark 3.5 and later. Uses the try_ variants of functions that could fail on a bad row."""

    name = "spark"
    text_type = "STRING"

    def name_of(self, column: str) -> str:
        return "`" + column.replace("`", "``") + "`"

    def text(self, value: str) -> str:
        # A backslash is an escape, and a doubled quote was not one before Spark 4.
        return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"

    def matches(self, expression: str, pattern: str) -> str:
        whole = self.text(f"^({pattern})\\z")
        return f"{expression} RLIKE {whole}"

    def divide(self, numerator: str, denominator: int) -> str:
        return f"(({numerator}) DIV {denominator})"

    def shown(self, column: Column) -> str:
        text = super().shown(column)
        if column.kind not in ("double", "float"):
            return text
        # NaN and Infinity, as the other engines write them.
        return f"replace(replace({text}, 'NaN', 'nan'), 'Infinity', 'inf')"

    def hundredths(self, column: Column, whole: str) -> str:
        if column.kind == "decimal":
            # A cast to a whole number cuts off here; a cast to a decimal rounds half up.
            return f"CAST(CAST({self.number(column)} AS DECIMAL(6, 2)) * {POINT} AS {whole})"
        return super().hundredths(column, whole)

    def count(self, column: Column) -> str:
        return f"COALESCE(TRY_CAST({self.name_of(column.name)} AS INTEGER), 0)"

    def holds(self, column: Column, id: str) -> str:
        return f"array_contains({self._ids(column)}, {self.text(id)})"

    def unlisted(self, column: Column, valid: Sequence[str]) -> str:
        known = f"CAST(array({', '.join(map(self.text, valid))}) AS ARRAY<STRING>)"
        odd = f"filter({self._ids(column)}, entry -> entry IS NULL OR NOT array_contains({known}, entry))"
        return f"CASE WHEN size({odd}) > 0 THEN COALESCE(get({odd}, 0), 'null') END"

    def _ids(self, column: Column) -> str:
        name = self.name_of(column.name)
        if column.kind == "list":
            return f"COALESCE({name}, CAST(array() AS ARRAY<STRING>))"
        parts = f"transform(split(COALESCE({name}, ''), ';'), part -> trim(part))"
        return f"filter({parts}, part -> part <> '')"

    def time(self, column: Column) -> str:
        name = self.name_of(column.name)
        if column.kind != "text":
            return name
        return f"CASE WHEN {self.matches(name, TIME_PATTERN)} THEN TRY_CAST({name} AS TIMESTAMP) END"


SPARK = SparkDialect()
