"""Arrow in, Arrow out: a table in memory through the kernel, with no database in between."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from evenhand.core.values.rubric import Terms
from evenhand.engine.columns import Column, Kind, Layout, make_layout
from evenhand.engine.kernel.blocks import LONG_BLOCK, blocks_of, each_ahead
from evenhand.engine.kernel.table import MOST_ROWS, Rejected, Table
from evenhand.errors import InputError

if TYPE_CHECKING:
    import numpy as np
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


def score_table(
    table: pa.Table,
    terms: Terms,
    *,
    renamed: Mapping[str, str] | None = None,
    rank: bool = True,
    rank_by: str | None = None,
    history: bool = True,
) -> tuple[pa.Table, list[Rejected]]:
    """The rows that can be scored, in their order, with the results after their own columns; and the other rows."""
    import pyarrow as pa

    if table.num_rows > MOST_ROWS:
        raise InputError(
            f"a table in memory may have at most {MOST_ROWS:,} rows; write it to files, and use: evenhand batch"
        )
    layout = make_layout(columns_of(table.schema), renamed=renamed, rank=rank, rank_by=rank_by, history=history)
    kernel = Table(terms, layout, table.num_rows)
    meaningful = by_role(table, layout)
    nothing = [pa.RecordBatch.from_pylist([], schema=meaningful.schema)]
    kernel.add(meaningful.combine_chunks().to_batches(LONG_BLOCK) or nothing)
    kernel.finish(_ids_of(table, layout))
    kept = table if not kernel.rejected else table.filter(pa.array(kernel.good))
    blocks = blocks_of(kernel.accepted, LONG_BLOCK) or [slice(0, 0)]
    parts = each_ahead(lambda block: kernel.results(block.start, block.stop), blocks)
    for name, chunks in zip(layout.results, zip(*parts, strict=True), strict=True):
        column = pa.chunked_array(chunks)
        kept = kept.append_column(name, column.cast(pa.string()) if pa.types.is_dictionary(column.type) else column)
    return kept, kernel.rejected


def by_role(table: pa.Table, layout: Layout) -> pa.Table:
    """The columns with a role, named after it."""
    import pyarrow as pa

    columns = {role: table.column(column.name) for role, column in layout.roles.items()}
    if layout.rank_by is not None:
        columns["group"] = table.column(layout.rank_by)
    return pa.table({name: column.cast(_plain(column.type)) for name, column in columns.items()})


def _plain(type: Any) -> pa.DataType:
    """The plain type behind one that only encodes the same values differently."""
    import pyarrow as pa
    from pyarrow import types

    if types.is_run_end_encoded(type):
        return _plain(type.value_type)
    if types.is_string_view(type) or types.is_null(type):
        return pa.string()
    if types.is_list(type) or types.is_large_list(type) or types.is_fixed_size_list(type):
        return pa.large_list(pa.string()) if kind_of(type) == "list" else type
    return type


def _ids_of(table: pa.Table, layout: Layout) -> Callable[[np.ndarray[Any, Any]], pa.Array]:
    def ids_of(rows: np.ndarray[Any, Any]) -> pa.Array:
        import pyarrow as pa

        return _one(table.column(layout.roles["id"].name).take(pa.array(rows))).cast(pa.string())

    return ids_of


def _one(column: Iterable[Any]) -> pa.Array:
    import pyarrow as pa

    return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
