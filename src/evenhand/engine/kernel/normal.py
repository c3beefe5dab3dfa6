"""Columns of any kind -> arrays of whole hundredths, and which rows hold nothing that can be scored.

Integers and floats are converted as arrays. Text, and decimals of more than two places, go through `core`
itself, each distinct value once. Nothing is clamped and nothing is invented (R4, R5).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from evenhand.core.basics.methodology import HIGHEST, LOWEST, POINT
from evenhand.core.basics.numbers import hundredths
from evenhand.core.basics.numbers import score as exact_score
from evenhand.engine.acceptance import MOST
from evenhand.engine.dialect import COUNT_PATTERN, LONGEST, NUMBER_PATTERN, TIME_PATTERN
from evenhand.engine.kernel import compiled
from evenhand.engine.kernel.compiled import kind_of

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

    Array = np.ndarray[Any, Any]

_NUMBER = re.compile(NUMBER_PATTERN, re.ASCII)
_TIME = re.compile(TIME_PATTERN, re.ASCII)


class Claims(NamedTuple):
    """Flags or bonuses of many rows."""

    number: Array
    """The number of unique ones."""
    nominal: Array
    """Their total before the cap, in hundredths."""
    good: Array


class Numbers(NamedTuple):
    """A column of scores as numbers, whole ones or floats."""

    values: Array
    step: int
    """How many hundredths one unit is."""


def rows(columns: Sequence[pa.Array], dimensions: Array, good: Array) -> None:
    """Put the hundredths of columns side by side; a row with an invalid score is not `good`, and gets a 1."""
    numbers = [_numbers(column) for column in columns]
    if compiled.loops:
        described = [(kind_of(values), values, step, LOWEST // step, HIGHEST // step) for values, step in numbers]
        compiled.loops.rows(tuple(described), LOWEST, dimensions, good)
        return
    for place, (values, step) in enumerate(numbers):
        hundredths = _rounded if values.dtype.kind == "f" else _multiplied
        dimensions[:, place], fine = hundredths(values, step)
        good &= fine


def _numbers(column: pa.Array) -> Numbers:
    """Text, and decimals of more than two places, as hundredths already; -1 for anything that is not a score."""
    import numpy as np
    import pyarrow as pa

    kind = column.type
    if pa.types.is_integer(kind):
        return Numbers(_values(column, 0), POINT)
    if pa.types.is_floating(kind):
        values = _values(column, float("nan"))
        return Numbers(values.astype(np.float32) if values.dtype == np.float16 else values, POINT)
    if pa.types.is_decimal(kind) and 0 <= kind.scale <= 2 and kind.precision <= 18:
        return Numbers(_unscaled(column), 10 ** (2 - kind.scale))
    return Numbers(_each_distinct(column, _score, ValueError), 1)


def _multiplied(values: Array, step: int) -> tuple[Array, Array]:
    """Whole numbers as hundredths, and which are scores."""
    import numpy as np

    low = LOWEST // step
    fine = (values >= low) & (values <= HIGHEST // step)
    return _only(fine, values, low).astype(np.int16) * np.int16(step), fine


def _rounded(values: Array, step: int) -> tuple[Array, Array]:
    """Floats; as in the plan, the float nearest to a half decides, since multiplying is not exact."""
    import numpy as np

    low = LOWEST // step
    with np.errstate(invalid="ignore"):
        fine = (values >= low) & (values <= HIGHEST // step)
    values = _only(fine, values, low)
    below = np.floor(values.astype(np.float64, copy=False) * step)
    half = ((2 * below + 1) / (2 * step)).astype(values.dtype, copy=False)
    return below.astype(np.int16) + (values >= half), fine


def _score(value: object) -> int:
    """One score through `core`; from text, only what the plan in SQL also reads."""
    if isinstance(value, str) and (len(value) > LONGEST or not _NUMBER.fullmatch(value.strip(" "))):
        raise ValueError
    return hundredths(exact_score(value))


def claims(column: pa.Array | None, amounts: Mapping[str, int], usual: int, rows: int) -> Claims:
    """What every row claims: lists of ids by their own amounts, each id once (R7); counts by the usual one (R8)."""
    import numpy as np
    import pyarrow as pa

    if column is None:
        return Claims(np.zeros(rows, np.int16), np.zeros(rows, np.int32), np.ones(rows, bool))
    kind = column.type
    if pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind):
        return _listed_claims(column, amounts, rows)
    if pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_dictionary(kind):
        return _written_claims(column, amounts, usual)
    if pa.types.is_decimal(kind):
        column = column.cast(pa.float64())
    values = _values(column, 0)
    if compiled.loops and pa.types.is_integer(kind):
        number, good = np.empty(rows, np.int16), np.ones(rows, bool)
        compiled.loops.counts(kind_of(values), values, MOST, number, good)
        return Claims(number, number.astype(np.int32) * np.int32(usual), good)
    with np.errstate(invalid="ignore"):
        good = (values >= 0) & (values <= MOST)
        if not pa.types.is_integer(kind):
            good &= values == np.floor(values)
    number = _only(good, values, 0).astype(np.int16)
    return Claims(number, number.astype(np.int32) * np.int32(usual), good)


def _listed_claims(column: pa.Array, amounts: Mapping[str, int], rows: int) -> Claims:
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    ids = pa.array(list(amounts), pa.string())
    entries = pc.list_flatten(column)
    owner = pc.list_parent_indices(column).to_numpy(zero_copy_only=False).astype(np.int64)
    place = pc.index_in(entries.cast(pa.string()), ids).fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64)
    good = np.ones(rows, bool)
    good[owner[place < 0]] = False
    known = place >= 0
    once = np.unique(owner[known] * max(1, len(amounts)) + place[known])
    owner, place = np.divmod(once, max(1, len(amounts)))
    worth = np.fromiter(amounts.values(), np.float64, len(amounts))[place] if len(once) else np.zeros(0)
    number = np.bincount(owner, minlength=rows).astype(np.int16)
    return Claims(number, np.bincount(owner, weights=worth, minlength=rows).astype(np.int32), good)


def _written_claims(column: pa.Array, amounts: Mapping[str, int], usual: int) -> Claims:
    """Text: ids separated by semicolons, or a number."""
    import numpy as np

    def is_count(value: str | None) -> bool:
        return value is not None and re.fullmatch(COUNT_PATTERN, value, re.ASCII) is not None

    def number(value: str | None) -> int:
        if not is_count(value):
            return len(_ids(value, amounts))
        return int(value or 0) if int(value or 0) <= MOST else -1

    def nominal(value: str | None) -> int:
        return usual * int(value or 0) if is_count(value) else sum(amounts[id] for id in _ids(value, amounts))

    counted = _each_distinct(column, number, KeyError)
    good = counted >= 0
    summed = _each_distinct(column, nominal, KeyError)
    return Claims(_only(good, counted, 0).astype(np.int16), _only(good, summed, 0).astype(np.int32), good)


def _ids(text: str | None, amounts: Mapping[str, int]) -> set[str]:
    """The unique ids of a text; KeyError when one is not listed."""
    ids = {part.strip(" ") for part in (text or "").split(";")} - {""}
    for id in ids:
        amounts[id]
    return ids


def times(column: pa.Array) -> tuple[Array, Array]:
    """`created` as whole numbers in the order of time, and which rows have one."""
    import numpy as np
    import pyarrow as pa

    good = present(column)
    kind = column.type
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        parsed = np.fromiter(map(_instant, column.to_pylist()), np.int64, len(column))
        return parsed, parsed != _NO_TIME
    if pa.types.is_integer(kind):
        if kind == pa.uint64():  # the upper half does not fit into signed numbers; shifting keeps the order
            shifted = _values(column, 0) ^ np.uint64(1 << 63)
            return shifted.view(np.int64), good
        return _values(column, 0).astype(np.int64), good
    if pa.types.is_date32(kind):
        column = column.cast(pa.int32())
    return _values(column.cast(pa.int64()), 0), good


_NO_TIME = -(1 << 62)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def _instant(text: str | None) -> int:
    """Microseconds since 1970 of a time in RFC 3339; without a zone it is in UTC."""
    if text is None or not _TIME.fullmatch(text):
        return _NO_TIME
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return _NO_TIME
    since = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)) - _EPOCH
    return (since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds


class Encoded(NamedTuple):
    """A column as its distinct values and the index of each row's value."""

    distinct: list[Any]
    places: Array


def encoded(column: pa.Array) -> Encoded:
    """Encode a column where only equality matters."""
    import pyarrow as pa

    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    encoding = column.dictionary_encode(null_encoding="encode")
    return Encoded(encoding.dictionary.to_pylist(), encoding.indices.to_numpy(zero_copy_only=False))


def codes(column: pa.ChunkedArray) -> Array:
    """A whole number for each distinct value, from 0; -1 for null."""
    import numpy as np
    import pyarrow as pa

    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    whole = column.dictionary_encode().combine_chunks()
    chunks = whole.chunks if isinstance(whole, pa.ChunkedArray) else [whole]
    parts = [chunk.indices.fill_null(-1).to_numpy(zero_copy_only=False) for chunk in chunks]
    return np.concatenate(parts) if parts else np.zeros(0, np.int32)


def _each_distinct(column: pa.Array, work_out: Callable[[Any], int], refusal: type[Exception]) -> Array:
    """A number for every row, worked out once for each distinct value; -1 where it is refused or null."""
    import numpy as np

    distinct, places = encoded(column)
    numbers = []
    for value in distinct:
        try:
            numbers.append(work_out(value))
        except refusal:
            numbers.append(-1)
    table: Array = np.array(numbers or [-1], np.int64)
    return np.asarray(table[places])


def _unscaled(column: pa.Array) -> Array:
    """The whole numbers behind decimals of up to 18 digits; 0 for null."""
    import numpy as np
    import pyarrow as pa

    column = column.cast(pa.decimal128(column.type.precision, column.type.scale)).fill_null(0)
    words: Array = np.frombuffer(column.buffers()[1], np.int64)
    return words[2 * column.offset : 2 * (column.offset + len(column)) : 2]


def _values(column: pa.Array, instead: float) -> Array:
    """A column's values, with another in place of null."""
    import numpy as np

    filled = column.fill_null(instead) if column.null_count else column
    return np.asarray(filled.to_numpy(zero_copy_only=False))


def present(column: pa.Array) -> Array:
    """Which rows are not null."""
    import numpy as np

    if not column.null_count:
        return np.ones(len(column), bool)
    return np.asarray(column.is_valid().to_numpy(zero_copy_only=False))


def _only(good: Array, values: Array, substitute: int) -> Array:
    """The values of good rows, and another in place of bad ones."""
    import numpy as np

    return values if good.all() else np.asarray(np.where(good, values, values.dtype.type(substitute)))
