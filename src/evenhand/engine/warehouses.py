"""The query for a warehouse: the methodology where the data lives.

Each warehouse has its own expressions wherever a translation would change the meaning: integer division, rounding
of floats, lists, text order. sqlglot translates the rest (types, layout, window names) and checks the syntax.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal

from evenhand.core.basics.methodology import DIMENSIONS, POINT
from evenhand.core.values.rubric import Terms
from evenhand.engine.columns import CLAIMS, Column, Kind, Layout
from evenhand.engine.dialect import DUCKDB, Dialect
from evenhand.engine.plan import Plan
from evenhand.engine.spark_dialect import SPARK
from evenhand.errors import InputError

_QUOTES = '"`'
_PART = r"""[^\W\d][\w$]*(?:-[\w$]+)*|"(?:[^"\0]|"")+"|`(?:[^`\0]|``)+`"""
_PARTS = re.compile(_PART)
_NAME = re.compile(rf"(?:{_PART})(?:\.(?:{_PART}))*")
_MOST_PARTS = 4

_ANY_SCALE = 38
"""The decimals assumed for a column whose schema is unknown."""


class _Warehouse(Dialect):
    """What the warehouses share: decimals are rounded as decimals, and nothing is divided by zero."""

    double_type = "DOUBLE"

    def real(self, expression: str) -> str:
        return f"CAST({expression} AS {self.double_type})"

    def hundredths(self, column: Column, whole: str) -> str:
        if column.kind in ("double", "float"):
            return self.half_up(self.number(column), whole, self.double_type)
        return f"CAST({self.rounded(self.number(column))} * {POINT} AS {whole})"

    def rounded(self, number: str) -> str:
        """An exact number with two places, half up."""
        return f"CAST({number} AS DECIMAL(6, 2))"


class Postgresql(_Warehouse):
    """PostgreSQL 12 and later; lists are `text[]`."""

    name = "postgres"
    text_type = "TEXT"
    double_type = "DOUBLE PRECISION"

    def divide(self, numerator: str, denominator: int) -> str:
        return f"(({numerator}) / {denominator})"

    def holds(self, column: Column, id: str) -> str:
        return f"COALESCE({self.text(id)} = ANY({self.name_of(column.name)}), FALSE)"

    def unlisted(self, column: Column, valid: Sequence[str]) -> str:
        known = f"CAST(ARRAY[{', '.join(map(self.text, valid))}] AS TEXT[])"
        entries = f"UNNEST({self.name_of(column.name)}) AS entries(entry)"
        return f"(SELECT COALESCE(entry, 'null') FROM {entries} WHERE entry IS NULL OR entry <> ALL({known}) LIMIT 1)"

    def order_text(self, column: Column) -> str:
        return f'CAST({self.name_of(column.name)} AS TEXT) COLLATE "C"'


class BigQuery(_Warehouse):
    """Google BigQuery; lists are `ARRAY<STRING>`."""

    name = "bigquery"
    text_type = "STRING"
    double_type = "FLOAT64"

    def name_of(self, column: str) -> str:
        return "`" + column.replace("\\", "\\\\").replace("`", "\\`") + "`"

    def text(self, value: str) -> str:
        return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"

    def divide(self, numerator: str, denominator: int) -> str:
        return f"DIV({numerator}, {denominator})"

    def remainder(self, numerator: str, denominator: int) -> str:
        return f"MOD({numerator}, {denominator})"

    def rounded(self, number: str) -> str:
        # A cast takes no precision here, and NUMERIC would round to nine places first.
        return f"ROUND(CAST({number} AS BIGNUMERIC), 2)"

    def points(self, expression: str) -> str:
        # 0.01 would be a float.
        return f"(CAST({expression} AS NUMERIC) / {POINT})"

    def id_order(self, column: Column) -> str:
        # A window takes no NULLS LAST here.
        return f"{self.name_of(column.name)} IS NULL, {self.order_text(column)}"

    def holds(self, column: Column, id: str) -> str:
        return f"{self.text(id)} IN UNNEST({self.name_of(column.name)})"

    def unlisted(self, column: Column, valid: Sequence[str]) -> str:
        known = f"UNNEST(ARRAY<STRING>[{', '.join(map(self.text, valid))}])"
        entries = f"UNNEST({self.name_of(column.name)}) AS entry"
        return f"(SELECT COALESCE(entry, 'null') FROM {entries} WHERE entry IS NULL OR NOT entry IN {known} LIMIT 1)"


class Snowflake(_Warehouse):
    """Snowflake; lists are `ARRAY`. Plain names are not quoted, since it stores those in upper case."""

    name = "snowflake"
    names_windows = False

    def name_of(self, column: str) -> str:
        return column if re.fullmatch(r"[a-z_][a-z0-9_]*", column) else super().name_of(column)

    def text(self, value: str) -> str:
        return super().text(value.replace("\\", "\\\\"))

    def divide(self, numerator: str, denominator: int) -> str:
        # A quotient is rounded to six places, so only one without a remainder is exact.
        return f"CAST((({numerator}) - {self.remainder(numerator, denominator)}) / {denominator} AS BIGINT)"

    def remainder(self, numerator: str, denominator: int) -> str:
        return f"MOD({numerator}, {denominator})"

    def holds(self, column: Column, id: str) -> str:
        return f"COALESCE(ARRAY_CONTAINS(CAST({self.text(id)} AS VARIANT), {self.name_of(column.name)}), FALSE)"

    def unlisted(self, column: Column, valid: Sequence[str]) -> str:
        known = f"ARRAY_CONSTRUCT({', '.join(map(self.text, valid))})"
        odd = f"ARRAY_EXCEPT(ARRAY_DISTINCT({self.name_of(column.name)}), {known})"
        return f"CASE WHEN ARRAY_SIZE({odd}) > 0 THEN COALESCE(CAST(GET({odd}, 0) AS VARCHAR), 'null') END"


DIALECTS: Final[dict[str, Dialect]] = {
    dialect.name: dialect for dialect in (DUCKDB, SPARK, Postgresql(), BigQuery(), Snowflake())
}
"""The supported warehouses, by sqlglot's names."""


def warehouse_columns(
    *,
    renamed: Mapping[str, str],
    floats: bool = False,
    claims: Literal["ids", "counts", "none"] = "ids",
    id: bool = True,
    history: bool = True,
    others: Sequence[str] = (),
) -> list[Column]:
    """The columns of a remote table, as its owner describes them."""
    kinds: dict[str, Kind | None] = {}
    if id:
        kinds["id"] = None
    if history:
        kinds |= {"skill": None, "created": "time"}
    kinds |= dict.fromkeys(DIMENSIONS, "double" if floats else "decimal")
    if claims != "none":
        kinds |= dict.fromkeys(CLAIMS, "list" if claims == "ids" else "integer")
    columns = [Column(renamed.get(role, role), kind, _ANY_SCALE) for role, kind in kinds.items()]
    taken = {column.name for column in columns}
    return columns + [Column(name, None) for name in dict.fromkeys(others) if name not in taken]


def warehouse_query(dialect: str, table: str, terms: Terms, layout: Layout, columns: Sequence[str]) -> str:
    """The whole methodology as one query over a table, formatted for reading."""
    plan = Plan(terms, layout, DIALECTS[dialect])
    return _translated(plan.query(_table(table, dialect), columns), dialect)


def rejected_query(dialect: str, table: str, terms: Terms, layout: Layout, columns: Sequence[str]) -> str:
    """The rows that the other query leaves out, with the reason."""
    plan = Plan(terms, layout, DIALECTS[dialect])
    listed = ", ".join(map(plan.sql.name_of, columns))
    rejected = plan.rejected(_table(table, dialect))
    return _translated(rejected.replace("SELECT ", f"SELECT {listed}, ", 1), dialect)


def _table(name: str, dialect: str) -> str:
    """A table's name: identifiers with dots between them, plain or in quotes, and nothing else."""
    parts = _PARTS.findall(name)
    if _NAME.fullmatch(name) is None or len(parts) > _MOST_PARTS:
        raise _no_table(name)
    quote = DIALECTS[dialect].name_of
    table = ".".join(quote(part[1:-1].replace(part[0] * 2, part[0])) if part[0] in _QUOTES else part for part in parts)
    glot = _sqlglot()
    try:
        glot.parse_one(table, read=dialect, into=glot.exp.Table)
    except (glot.errors.ParseError, glot.errors.TokenError):  # a word that the dialect keeps for itself
        raise _no_table(name) from None
    return table


def _no_table(name: str) -> InputError:
    return InputError(
        f'"{name}" is not the name of a table; give one such as evaluations or project.evaluations, '
        "with quotes around a part that is not made of letters, digits and _"
    )


def _translated(query: str, dialect: str) -> str:
    """A query in the dialect of a warehouse, one item per line."""
    text: str = _sqlglot().parse_one(query, read=dialect).sql(dialect=dialect, pretty=True)
    return text


def _sqlglot() -> Any:
    try:
        import sqlglot
    except ImportError:
        raise InputError("writing a query needs the package sqlglot; pip install 'evenhand[sql]'") from None
    return sqlglot
