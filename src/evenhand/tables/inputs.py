"""Where rows come from: Parquet, CSV, JSONL or Arrow files, inspected and turned into a relation DuckDB can scan.

Nothing is guessed that could change a value. All CSV columns stay text. In JSONL, scores stay text too, and columns
without a role stay JSON. Problems with a file as a whole are reported here, with its name.
"""

from __future__ import annotations

import csv
import gzip
import json
from collections.abc import Iterable, Iterator, Mapping
from glob import glob
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TextIO

from evenhand.core.rules import DIMENSIONS
from evenhand.errors import InputError, Problem
from evenhand.tables.arrow import columns_of
from evenhand.tables.columns import CLAIMS, ROLES, Column, Kind
from evenhand.tables.dialect import DUCKDB

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

ENDINGS = {
    ".parquet": "parquet",
    ".pq": "parquet",
    ".csv": "csv",
    ".tsv": "csv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
}
"""File formats by file name extension; text formats may be compressed (`.gz`)."""

_LOOKED_AT = 2000
"""Lines of a JSONL file that are inspected to find its columns."""


class Source(NamedTuple):
    """A table in files."""

    name: str
    """As the user named it."""
    files: tuple[str, ...]
    relation: str
    """What to scan, in SQL; the rows come in the order of the files."""
    columns: tuple[Column, ...]
    json: tuple[str, ...] = ()
    """Columns read as text so that nothing is lost, but written back as the JSON values they are."""


def form_of(path: str) -> str:
    """The format of a file by its extension."""
    stem = path.removesuffix(".gz")
    form = ENDINGS.get(Path(stem).suffix.lower())
    if form is None or (stem != path and form in ("parquet", "arrow")):
        raise InputError(Problem(f"has an unknown extension; valid: {', '.join(ENDINGS)}", path))
    return form


def open_source(connection: DuckDBPyConnection, path: str, renamed: Mapping[str, str] | None = None) -> Source:
    """Find the files and look at their columns; `renamed` says which columns have a role under another name."""
    files = tuple(_files(path))
    form = form_of(files[0])
    for file in files:
        if form_of(file) != form:
            raise InputError(Problem(f"is {form_of(file)}, and {files[0]} is {form}; give files of one format", file))
        if Path(file).stat().st_size == 0:
            raise InputError(Problem("is empty", file))
    if form == "jsonl":
        return _jsonl(connection, path, files, {(renamed or {}).get(role, role): role for role in ROLES})
    if form == "arrow":
        return _arrow(connection, path, files)
    return _parquet(path, files) if form == "parquet" else _csv(path, files)


def _files(path: str) -> list[str]:
    if Path(path).is_dir():
        raise InputError(Problem(f"is a folder; name the files in it, as in '{path.rstrip('/')}/*.parquet'", path))
    if Path(path).exists():
        return [path]
    files = sorted(file for file in glob(path, recursive=True) if Path(file).is_file())  # noqa: PTH207, a whole path
    if not files:
        what = "no file matches this pattern" if any(mark in path for mark in "*?[") else "there is no such file"
        raise InputError(Problem(what, path))
    return files


def _parquet(path: str, files: tuple[str, ...]) -> Source:
    import pyarrow as pa
    import pyarrow.parquet as pq

    schemas = []
    for file in files:
        try:
            schemas.append(pq.read_schema(file))
        except (pa.ArrowInvalid, OSError) as error:
            raise InputError(Problem(f"is not a complete Parquet file: {_first_line(error)}", file)) from None
    _alike(files, schemas)
    relation = f"read_parquet([{', '.join(map(DUCKDB.text, files))}])"
    return Source(path, files, relation, tuple(columns_of(schemas[0])))


def _arrow(connection: DuckDBPyConnection, path: str, files: tuple[str, ...]) -> Source:
    import pyarrow as pa

    tables = []
    for file in files:
        try:
            mapped = pa.memory_map(file)
            magic = mapped.read(6)
            mapped.seek(0)
            opened = pa.ipc.open_file(mapped) if magic == b"ARROW1" else pa.ipc.open_stream(mapped)
            tables.append(opened.read_all())
        except (pa.ArrowInvalid, OSError) as error:
            raise InputError(Problem(f"is not a complete Arrow file: {_first_line(error)}", file)) from None
    _alike(files, [table.schema for table in tables])
    columns = tuple(columns_of(tables[0].schema))
    if len({column.name.lower() for column in columns}) == len(columns):
        connection.register("evenhand_arrow", pa.concat_tables(tables))
    return Source(path, files, "evenhand_arrow", columns)


def _alike(files: tuple[str, ...], schemas: list[Any]) -> None:
    """Mixed schemas in a glob are refused, with the first difference."""
    first = schemas[0]
    problems = []
    for file, schema in zip(files, schemas, strict=True):
        if schema.names != first.names:
            odd = sorted(set(schema.names) ^ set(first.names))
            what = f"the columns {', '.join(odd[:5])} are not in both" if odd else "the order of columns is different"
            problems.append(Problem(f"does not match {files[0]}: {what}", file))
        elif not schema.equals(first):
            name = next(field.name for field, column in zip(schema, first, strict=True) if field.type != column.type)
            kind, first_kind = schema.field(name).type, first.field(name).type
            problems.append(Problem(f"does not match {files[0]}: {name} is {kind} here and {first_kind} there", file))
    if problems:
        raise InputError(problems)


def _csv(path: str, files: tuple[str, ...]) -> Source:
    """Every column as text; the delimiter is the candidate that is most frequent in the header."""
    headers = []
    for file in files:
        line = next(_lines(file), "")
        delimiter = max("," if not file.endswith((".tsv", ".tsv.gz")) else "\t", ";", "\t", key=line.count)
        headers.append((delimiter, next(csv.reader([line], delimiter=delimiter), [])))
    for file, header in zip(files, headers, strict=True):
        if header != headers[0]:
            raise InputError(Problem(f"has a different header from {files[0]}", file))
    delimiter, names = headers[0]
    columns = tuple(Column(name, "text") for name in names)
    types = ", ".join(f"{DUCKDB.text(name)}: 'VARCHAR'" for name in dict.fromkeys(names))
    relation = (
        f"read_csv([{', '.join(map(DUCKDB.text, files))}], auto_detect = false, header = true, null_padding = true, "
        f"delim = {DUCKDB.text(delimiter)}, quote = '\"', escape = '\"', parallel = false, columns = {{{types}}})"
    )
    return Source(path, files, relation, columns)


def _jsonl(connection: DuckDBPyConnection, path: str, files: tuple[str, ...], roles: Mapping[str, str]) -> Source:
    """One object per line. A line that is not an object becomes an empty row, which is rejected."""
    listed = f"[{', '.join(map(DUCKDB.text, files))}]"
    objects = f"read_json_objects({listed}, format = 'newline_delimited', ignore_errors = true)"
    keys = f"SELECT DISTINCT unnest(json_keys(json)) AS name FROM {objects} WHERE json_type(json) = 'OBJECT'"
    names = {name for (name,) in connection.execute(keys).fetchall()}
    looked_at = [row for file in files for row in _objects(islice(_lines(file), _LOOKED_AT))]
    ordered = [*dict.fromkeys(name for row in looked_at for name in row if name in names)]
    ordered += sorted(names.difference(ordered))
    columns, types, as_json = [], [], []
    for name in ordered:
        values = [row[name] for row in looked_at if row.get(name) is not None]
        kind, type = _json_kind(roles.get(name), values)
        columns.append(Column(name, kind))
        types.append(f"{DUCKDB.text(name)}: {DUCKDB.text(type)}")
        if type == "JSON" or (roles.get(name) in (*DIMENSIONS, *CLAIMS) and any(map(_is_number, values))):
            as_json.append(name)
    if not columns:
        raise InputError(Problem("contains no JSON objects; write one evaluation per line", files[0]))
    options = f"format = 'newline_delimited', ignore_errors = true, columns = {{{', '.join(types)}}}"
    return Source(path, files, f"read_json({listed}, {options})", tuple(columns), tuple(as_json))


def _json_kind(role: str | None, values: list[Any]) -> tuple[Kind | None, str]:
    """How a JSONL column is read. For columns with a role, this must not depend on the first few lines."""
    if role in CLAIMS and any(isinstance(value, list) for value in values):
        return "list", "VARCHAR[]"
    if role == "created" and values and all(type(value) is int for value in values):
        return "integer", "BIGINT"
    if role is not None or (values and all(isinstance(value, str) for value in values)):
        return "text", "VARCHAR"
    return None, "JSON"


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _objects(lines: Iterable[str]) -> Iterable[dict[str, Any]]:
    for line in lines:
        try:
            row = json.loads(line)
        except ValueError:
            continue
        if isinstance(row, dict):
            yield row


def _lines(file: str) -> Iterator[str]:
    try:
        with _opened(file) as lines:
            yield from lines
    except (UnicodeDecodeError, gzip.BadGzipFile, EOFError) as error:
        raise InputError(Problem(f"cannot be read as text: {_first_line(error)}", file)) from None


def _opened(file: str) -> TextIO:
    return gzip.open(file, "rt", encoding="utf-8-sig") if file.endswith(".gz") else open(file, encoding="utf-8-sig")


def _first_line(error: BaseException) -> str:
    return str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
