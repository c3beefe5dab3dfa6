"""Arrow tables: what their columns could hold, and those with a role as DuckDB reads them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from evenhand.tables.columns import Column, Kind, Layout

if TYPE_CHECKING:
    import pyarrow as pa


def columns_of(schema: pa.Schema) -> list[Column]:
    """What each column of an Arrow schema could hold."""
    return [Column(field.name, kind_of(field.type), getattr(field.type, "scale", 0)) for field in schema]


def kind_of(type: Any) -> Kind | None:
    """An Arrow type as one of our column types."""
    from pyarrow import types

    kinds: list[tuple[Callable[[Any], bool], Kind]] = [
        (types.is_integer, "integer"),
        (types.is_decimal, "decimal"),
        (types.is_float64, "double"),
        (types.is_floating, "float"),
        (types.is_string, "text"),
        (types.is_large_string, "text"),
        (types.is_string_view, "text"),
        (types.is_timestamp, "time"),
        (types.is_date, "time"),
    ]
    if types.is_dictionary(type) or types.is_run_end_encoded(type):
        return kind_of(type.value_type)
    if types.is_list(type) or types.is_large_list(type) or types.is_fixed_size_list(type):
        return "list" if kind_of(type.value_type) == "text" or types.is_null(type.value_type) else None
    return next((kind for fits, kind in kinds if fits(type)), None)


def used_columns(table: pa.Table, layout: Layout) -> pa.Table:
    """The columns that results depend on, in types that DuckDB reads."""
    import pyarrow as pa

    names = [column.name for column in layout.roles.values()]
    names += [] if layout.rank_by is None else [layout.rank_by]
    columns = {name: table.column(name) for name in names}
    return pa.table({name: column.cast(_plain(column.type)) for name, column in columns.items()})


def _plain(type: Any) -> pa.DataType:
    """A type that DuckDB reads, with the same values."""
    import pyarrow as pa
    from pyarrow import types

    if types.is_run_end_encoded(type) or types.is_dictionary(type):
        return _plain(type.value_type)
    if types.is_string_view(type) or types.is_null(type):
        return pa.string()
    if types.is_float16(type):
        return pa.float32()
    if types.is_decimal(type):
        scale = max(type.scale, 0)
        return pa.decimal128(min(type.precision - type.scale + scale, 38), scale)
    if types.is_list(type) or types.is_large_list(type) or types.is_fixed_size_list(type):
        return pa.large_list(pa.string()) if kind_of(type) == "list" else type
    return type
