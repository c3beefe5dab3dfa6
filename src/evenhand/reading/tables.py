"""Tables of a few thousand rows: CSV in any separator, JSONL and Parquet, each row with its line.

Every cell is text, or None when it is missing; nothing is turned into a number here. A file without a header, with
ragged rows or in an unknown encoding is refused, with the line and what to do.
"""

from __future__ import annotations

import csv
import io
import json
import re
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple

from evenhand.errors import InputError, Problem
from evenhand.reading.json_values import load_json
from evenhand.reading.text import decode, open_bytes, readable, shown_name

TABLE_LIMIT = 256 * 1024 * 1024
"""The largest table that is read."""

SEPARATORS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "pipe"}
MISSING = frozenset({"", "na", "n/a", "nan", "null", ".", "*"})
"""What counts as a missing value, in any case; more can be named."""

NAMELESS = "row"
"""What a column without a name is called: data frames write the names of rows into one."""

_DECIMAL_COMMA = re.compile(r"[+-]?\d+,\d+")

_NESTED = ("scores", "ratings", "labels", "annotations")
"""Objects in a JSON line whose keys are columns themselves."""


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

    def problem(self, message: str, row: Row | None = None) -> Problem:
        """A problem with its file and line."""
        return Problem(message, self.source, None if row is None else row.line)


def read_table(
    path: str,
    *,
    encoding: str | None = None,
    separator: str | None = None,
    missing: Iterable[str] = (),
    decimal_comma: bool = False,
    empty_only: bool = False,
) -> Table:
    """The table in a file: `.parquet`, `.jsonl`, `.json`, or else text in columns; `-` is standard input.

    With `empty_only` no word counts as missing: in a column of texts, NA may be a word like any other.
    """
    name = shown_name(path)
    gone = frozenset({""}) if empty_only else MISSING | {word.strip().lower() for word in missing}
    if path.lower().endswith((".parquet", ".pq")):
        columns, rows = _parquet(path)
    else:
        with open_bytes(path) as file, readable(name):
            data = file.read(TABLE_LIMIT + 1)
        if len(data) > TABLE_LIMIT:
            raise InputError(Problem(f"larger than {TABLE_LIMIT // 1024 // 1024} MiB, the most that is read", name))
        text = _text(data, name, encoding)
        if not text.strip():
            raise InputError(Problem("is empty", name))
        columns, rows = _json(text, name) if text.lstrip()[:1] in "{[" else _columns(text, name, separator)
    if not rows:
        raise InputError(Problem("has column names but no rows", name))
    made = tuple(Row(line, {column: cell_text(cells.get(column), gone) for column in columns}) for line, cells in rows)
    if decimal_comma:
        made = tuple(Row(row.line, {column: _with_point(cell) for column, cell in row.cells.items()}) for row in made)
    return Table(name, columns, made)


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
        advice = "is not UTF-8; name its encoding, as in --encoding latin-1 or --encoding cp1252"
        raise InputError(problem._replace(message=advice) if "UTF-8" in problem.message else problem) from None


Rows = list[tuple[int, Mapping[str, Any]]]


def _columns(text: str, name: str, separator: str | None) -> tuple[tuple[str, ...], Rows]:
    """Text in columns; the separator is the one that the header has most of, outside quotes."""
    header = next(line for line in text.splitlines() if line.strip())
    if separator is None:
        widths = {mark: len(next(csv.reader([header], delimiter=mark))) for mark in SEPARATORS}
        separator = max(widths, key=lambda mark: widths[mark])
        if widths[separator] == 1:
            known = ", ".join(SEPARATORS.values())
            raise InputError(Problem(f"has one column only; columns are separated by {known}", name, 1))
    lines = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    rows: Rows = []
    names: tuple[str, ...] = ()
    before = 0
    try:
        for cells in lines:
            line, before = before + 1, lines.line_num
            if not any(cell.strip() for cell in cells):
                continue
            if not names:
                names = _header(cells, name, line)
            elif len(cells) != len(names):
                what = f"has {len(cells)} cells, and the header has {len(names)}"
                raise InputError(
                    Problem(f"{what}; put text with a {SEPARATORS.get(separator, separator)} in quotes", name, line)
                )
            else:
                rows.append((line, dict(zip(names, cells, strict=True))))
    except csv.Error as error:
        raise InputError(Problem(f"cannot be read as a table: {error}", name, lines.line_num)) from None
    return names, rows


def _header(cells: list[str], name: str, line: int) -> tuple[str, ...]:
    names = tuple(cell.strip() for cell in cells)
    if all(_numeric(cell) for cell in names if cell):
        raise InputError(
            Problem("has no header: the first row holds numbers; add a row of column names above it", name, line)
        )
    repeated = next((cell for cell in names if names.count(cell) > 1), None)
    if repeated is not None:
        what = "two columns without a name" if not repeated else f'two columns named "{repeated}"'
        raise InputError(Problem(f"has {what}; give each column its own name in the first row", name, line))
    return tuple(cell or NAMELESS for cell in names)


def _numeric(text: str) -> bool:
    try:
        float(text.replace(",", "."))
    except ValueError:
        return False
    return True


def _json(text: str, name: str) -> tuple[tuple[str, ...], Rows]:
    """An object a line, or one list of objects."""
    rows: Rows = []
    for line, value in _json_values(text, name):
        if not isinstance(value, dict):
            raise InputError(Problem("is not a JSON object; give one object for each row", name, line))
        rows.append((line, _flat(value, name, line)))
    return tuple(dict.fromkeys(column for _, cells in rows for column in cells)), rows


def _json_values(text: str, name: str) -> Iterator[tuple[int, Any]]:
    if text.lstrip().startswith("["):
        whole = load_json(text, name)
        for place, value in enumerate(whole.value):
            yield whole.find_line((place,)) or 1, value
        return
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            yield number, load_json(line, name, line=number).value


def _flat(value: Mapping[str, Any], name: str, line: int) -> dict[str, Any]:
    """An object as a row: the keys of `scores` or `ratings` are columns, and so is the score of an opinion."""
    flat: dict[str, Any] = {}
    for key, item in value.items():
        inner = item if isinstance(item, dict) and key in _NESTED else {key: item}
        for column, cell in inner.items():
            cell = cell.get("score") if isinstance(cell, dict) and "score" in cell else cell
            cell = cell.get("name") if isinstance(cell, dict) and "name" in cell else cell
            if column in flat:
                raise InputError(Problem(f'has two values for "{column}"', name, line))
            flat[column] = cell
    return flat


def _parquet(path: str) -> tuple[tuple[str, ...], Rows]:
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
    return names, list(enumerate(table.to_pylist(), start=1))


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
