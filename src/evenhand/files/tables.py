"""Tables of a few thousand rows: CSV in any separator, JSON and Parquet, also in gzip; each row with its line.

Every cell is text, or None when it is missing; nothing is turned into a number here. A file without a header, with
ragged rows or in an unknown encoding is refused, with the line and what to do.
"""

from __future__ import annotations

import gzip
import io
import json
import re
import zlib
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple

from evenhand.errors import InputError, Problem
from evenhand.files.delimited import delimited_rows
from evenhand.files.json_rows import json_rows, rows_of
from evenhand.files.text import decode, open_bytes, readable, shown_name

TABLE_LIMIT = 256 * 1024 * 1024
"""The largest table that is read."""

MISSING = frozenset({"", "na", "n/a", "nan", "null", ".", "*"})
"""What counts as a missing value, in any case; more can be named."""

_DECIMAL_COMMA = re.compile(r"[+-]?\d+,\d+")
_GZIP = b"\x1f\x8b"
_ZIP = b"PK\x03\x04"


class Row(NamedTuple):
    """One row of a table."""

    line: int
    """Its line in the file; in a Parquet file its number, from 1."""
    cells: Mapping[str, str | None]


class Table(NamedTuple):
    """A table that was read whole."""

    source: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    missing: frozenset[str] = MISSING
    """What counts as a missing value."""

    def problem(self, message: str, row: Row | None = None) -> Problem:
        """A problem with its file and line."""
        return Problem(message, self.source, None if row is None else row.line)

    def refusal(self, message: str, row: Row | None = None) -> InputError:
        """The error for a table that cannot be used."""
        return InputError(self.problem(message, row))


def read_table(
    path: str,
    *,
    encoding: str | None = None,
    separator: str | None = None,
    missing: Iterable[str] = (),
    decimal_comma: bool = False,
    empty_only: bool = False,
    header: bool = True,
    quotes: bool = True,
    each: Sequence[str] = (),
    skip: int = 0,
) -> Table:
    """The table in a file: `.parquet`, JSON, or else text in columns; `-` is standard input.

    With `empty_only` no word counts as missing: in a column of texts, NA may be a word like any other. Of the lists
    named in `each`, every entry is a row. So many lines above the names of columns are skipped.
    """
    name = shown_name(path)
    gone = frozenset({""}) if empty_only else MISSING | {word.strip().lower() for word in missing}
    if path.lower().endswith((".parquet", ".pq")):
        columns, rows = rows_of(_parquet(path), name, each)
    else:
        with open_bytes(path) as file, readable(name):
            data = file.read(TABLE_LIMIT + 1)
        if data.startswith(_GZIP):
            data = _unpacked(data, name)
        if data.startswith(_ZIP):
            raise InputError(Problem("is a ZIP archive or a workbook; save the sheet as CSV, or unpack it", name))
        if len(data) > TABLE_LIMIT:
            raise InputError(Problem(f"larger than {TABLE_LIMIT // 1024 // 1024} MiB, the most that is read", name))
        text = _text(data, name, encoding)
        if not text.strip():
            raise InputError(Problem("is empty", name))
        if skip:
            text = "\n" * skip + "".join(text.splitlines(keepends=True)[skip:])  # the lines keep their numbers
            if not text.strip():
                raise InputError(Problem(f"has nothing below the first {skip} lines", name))
        if text.lstrip()[:1] in "{[":
            columns, rows = json_rows(text, name, each)
        else:
            columns, rows = delimited_rows(
                text, name, separator, header=header, quotes=quotes, row_names=not empty_only
            )
    if not rows:
        raise InputError(Problem("has column names but no rows", name))
    table_rows = tuple(
        Row(line, {column: cell_text(cells.get(column), gone) for column in columns}) for line, cells in rows
    )
    if decimal_comma:
        table_rows = tuple(
            Row(row.line, {column: _with_point(cell) for column, cell in row.cells.items()}) for row in table_rows
        )
    return Table(name, columns, table_rows, gone)


def _unpacked(data: bytes, name: str) -> bytes:
    """What gzip packed, up to a little over the limit."""
    try:
        with gzip.open(io.BytesIO(data)) as file:
            return file.read(TABLE_LIMIT + 1)
    except (OSError, EOFError, zlib.error):
        raise InputError(Problem("is a damaged gzip file, or breaks off", name)) from None


def _text(data: bytes, name: str, encoding: str | None) -> str:
    if encoding is not None:
        try:
            text = data.decode(encoding).removeprefix("\ufeff")
        except LookupError:
            raise InputError(
                f'there is no encoding "{encoding}"; common ones: utf-8, utf-16, latin-1, cp1252'
            ) from None
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            raise InputError(Problem(f"is not {encoding}; name another encoding", name, line)) from None
        return text
    if data.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        return _text(data, name, "utf-16")
    try:
        return decode(data, name)
    except InputError as error:
        problem = error.problems[0]
        advice = "is not UTF-8; name its encoding, as in `encoding`=latin-1 or `encoding`=cp1252"
        raise InputError(problem._replace(message=advice) if "UTF-8" in problem.message else problem) from None


def _parquet(path: str) -> list[tuple[int, Mapping[str, Any]]]:
    """The rows of a Parquet file with their numbers."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise InputError(
            Problem("reading Parquet needs the package pyarrow; install it with: pip install 'evenhand[batch]'", path)
        ) from None
    with readable(path):
        if not Path(path).is_file():
            raise InputError(Problem("no such file", path))
        try:
            table = pq.read_table(path)
        except pa.ArrowInvalid as error:
            raise InputError(Problem(f"is not a whole Parquet file: {str(error).splitlines()[0]}", path)) from None
    names = tuple(table.column_names)
    if len(set(names)) != len(names):
        raise InputError(Problem("has two columns of one name; rename one", path))
    return list(enumerate(table.to_pylist(), start=1))


def _with_point(cell: str | None) -> str | None:
    """A number with a decimal comma as one with a point; other text as it is."""
    return cell if cell is None or not _DECIMAL_COMMA.fullmatch(cell.strip()) else cell.replace(",", ".")


def cell_text(value: Any, missing: frozenset[str] = MISSING) -> str | None:
    """A cell as text: numbers as a person writes them, lists and objects as JSON."""
    if value is None:
        return None
    if isinstance(value, bool):
        text = "true" if value else "false"
    elif isinstance(value, float | Decimal):
        text = repr(float(value)) if isinstance(value, float) else str(value)
        text = text.removesuffix(".0")
    elif isinstance(value, str | int):
        text = str(value)
    else:
        text = json.dumps(value, default=str, sort_keys=True)
    return None if text.strip().lower() in missing else text
