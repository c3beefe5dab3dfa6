"""The expressions that differ between SQL engines. The plan uses only these.

DuckDB's spelling is the reference; another engine is a subclass that overrides what differs.
Everything here is exact: no spelling may round, overflow or depend on a locale.
"""

from __future__ import annotations

from collections.abc import Sequence

from evenhand.core.rules import POINT
from evenhand.tables.columns import Column

NUMBER_PATTERN = r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]{1,2})?"
"""A score as text: what `core` takes for a number, but for exponents of three digits."""

LONGEST = 30
"""The most characters of a score as text, so that all its decimals fit into a decimal of 38 digits."""

COUNT_PATTERN = "[0-9]{1,6}"
"""Text that gives the number of flags or bonuses rather than their ids."""

TIME_PATTERN = (
    "[0-9]{4}-[0-9]{2}-[0-9]{2}([T ][0-9]{2}:[0-9]{2}(:[0-9]{2}([.][0-9]{1,6})?)?(Z|[+-][0-9]{2}:[0-9]{2})?)?"
)
"""A time as text: RFC 3339, to the microsecond; without a zone it is in UTC."""


class Dialect:
    """DuckDB's spelling."""

    name = "duckdb"
    text_type = "VARCHAR"

    def name_of(self, column: str) -> str:
        """A column's name, quoted."""
        return '"' + column.replace('"', '""') + '"'

    def text(self, value: str) -> str:
        """A text as a literal."""
        return "'" + value.replace("'", "''") + "'"

    def matches(self, expression: str, pattern: str) -> str:
        """Whether the whole of a text fits a pattern."""
        return f"regexp_full_match({expression}, {self.text(pattern)})"

    def divide(self, numerator: str, denominator: int) -> str:
        """Whole numbers divided, rounded down; the numerator is never negative."""
        return f"(({numerator}) // {denominator})"

    def remainder(self, numerator: str, denominator: int) -> str:
        """The remainder of a division of whole numbers."""
        return f"(({numerator}) % {denominator})"

    def least(self, expression: str, limit: int) -> str:
        """A number, but at most the limit. In DuckDB, CASE is much faster than LEAST."""
        return f"CASE WHEN {expression} > {limit} THEN {limit} ELSE {expression} END"

    def greatest(self, expression: str, limit: int) -> str:
        """A number, but at least the limit."""
        return f"CASE WHEN {expression} < {limit} THEN {limit} ELSE {expression} END"

    def real(self, expression: str) -> str:
        """A whole number as a double."""
        return f"CAST({expression} AS DOUBLE)"

    def points(self, expression: str) -> str:
        """Hundredths as an exact decimal with two places."""
        return f"CAST(CAST({expression} AS DECIMAL(9, 0)) * 0.01 AS DECIMAL(4, 2))"

    def shown(self, column: Column) -> str:
        """A column's value as text, for a message."""
        return f"CAST({self.name_of(column.name)} AS {self.text_type})"

    def joined(self, parts: Sequence[str]) -> str:
        """Texts joined, nulls skipped; null when all are null."""
        return f"NULLIF(concat_ws('; ', {', '.join(parts)}), '')"

    # --- scores ------------------------------------------------------------------------------------------

    def number(self, column: Column) -> str:
        """A score as a number that can be compared; null when it is not one."""
        name = self.name_of(column.name)
        if column.kind != "text":
            return name
        written = f"length({name}) <= {LONGEST} AND {self.matches(f'trim({name})', NUMBER_PATTERN)}"
        return f"CASE WHEN {written} THEN TRY_CAST(trim({name}) AS DECIMAL(38, {LONGEST})) END"

    def hundredths(self, column: Column, whole: str) -> str:
        """A score that is in range as whole hundredths of the type `whole`, quantised half up (R4)."""
        number = self.number(column)
        if column.kind == "integer":
            return f"CAST({number} AS {whole}) * {POINT}"
        if column.kind == "decimal" and column.scale <= 2:
            # Within half a hundredth of a whole number however the double is rounded, and much faster than decimals.
            return f"CAST({self.real(number)} * {POINT} AS {whole})"
        if column.kind in ("decimal", "text"):
            return f"CAST(CAST({number} AS DECIMAL(6, 2)) * {POINT} AS {whole})"
        return self.half_up(number, whole, "REAL" if column.kind == "float" else "DOUBLE")

    def half_up(self, number: str, whole: str, type: str) -> str:
        """A binary float as the hundredths of its shortest decimal text, half up.

        The float nearest to c + 1/2 hundredths has that number as its shortest text, and texts are in the order of
        their floats. So comparing with that float decides the half exactly, which multiplying could not.
        """
        below = f"FLOOR({self.real(number)} * {POINT})"
        half = f"CAST((2 * {below} + 1) / {2 * POINT} AS {type})"
        return f"CAST({below} AS {whole}) + CASE WHEN {number} >= {half} THEN 1 ELSE 0 END"

    # --- flags and bonuses: counts, and lists of ids -----------------------------------------------------

    def count(self, column: Column) -> str:
        """How many are claimed, by a number or by text that is one."""
        return f"COALESCE(CAST({self.name_of(column.name)} AS INTEGER), 0)"

    def is_count(self, column: Column) -> str:
        """Whether text is a count rather than ids."""
        return f"COALESCE({self.matches(self.name_of(column.name), COUNT_PATTERN)}, FALSE)"

    def holds(self, column: Column, id: str) -> str:
        """Whether a list of ids holds one."""
        return f"list_contains({self._ids(column)}, {self.text(id)})"

    def unlisted(self, column: Column, valid: Sequence[str]) -> str:
        """The first entry of a list that is not one of the valid ids, as text; null when there is none."""
        known = f"CAST([{', '.join(map(self.text, valid))}] AS VARCHAR[])"
        odd = f"list_filter({self._ids(column)}, lambda entry: entry IS NULL OR NOT list_contains({known}, entry))"
        return f"CASE WHEN len({odd}) > 0 THEN COALESCE(({odd})[1], 'null') END"

    def _ids(self, column: Column) -> str:
        """A list of ids, from a list or from text; empty for null."""
        name = self.name_of(column.name)
        if column.kind == "list":
            return f"COALESCE({name}, [])"
        parts = f"list_transform(string_split(COALESCE({name}, ''), ';'), lambda part: trim(part))"
        return f"list_filter({parts}, lambda part: part <> '')"

    # --- times -------------------------------------------------------------------------------------------

    def time(self, column: Column) -> str:
        """`created` as something that orders by time; null when it is not a time."""
        name = self.name_of(column.name)
        if column.kind != "text":
            return name
        return f"CASE WHEN {self.matches(name, TIME_PATTERN)} THEN TRY_CAST({name} AS TIMESTAMPTZ) END"

    def order_text(self, column: Column) -> str:
        """An id as text that orders by its bytes, regardless of the engine's locale."""
        return f"CAST({self.name_of(column.name)} AS {self.text_type})"

    def id_order(self, column: Column) -> str:
        """The order of ids as text; rows without one come last."""
        return f"{self.order_text(column)} NULLS LAST"


DUCKDB = Dialect()
