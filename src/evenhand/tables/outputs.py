"""Where results go: a file that appears complete or not at all, and beside it the rows that were rejected."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterable, Sequence
from json import dumps
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evenhand.errors import InputError, Problem
from evenhand.files.output_files import OutputFile
from evenhand.tables.dialect import DUCKDB
from evenhand.tables.inputs import form_of

if TYPE_CHECKING:
    import pyarrow as pa
    from duckdb import DuckDBPyConnection

_OPTIONS = {
    "parquet": "FORMAT parquet, COMPRESSION zstd",
    "csv": "FORMAT csv, HEADER",
    "jsonl": "FORMAT json",
}


FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")
"""What makes a spreadsheet take a cell of a CSV file for a formula."""


class Output:
    """An output file. Inside `with`, everything goes to a hidden folder next to it; `keep` moves it into place."""

    def __init__(self, path: str, *, overwrite: bool = False) -> None:
        self.shown = path
        self.rejected = Path(f"{path}.rejected")
        self.form = form_of(path)
        if Path(path).is_dir():
            raise InputError(Problem("is a folder; name a file", path))
        self._results, self._rejects = (OutputFile(file, overwrite=overwrite) for file in (path, self.rejected))
        self.target = self._results.path
        if not self.target.parent.is_dir():
            raise InputError(Problem("there is no such folder", str(Path(path).parent)))

    def __enter__(self) -> Output:
        try:
            folder = tempfile.mkdtemp(prefix=f".{self.target.name}.", suffix=".part", dir=self.target.parent)
        except OSError as error:
            raise InputError(Problem(f"cannot be written: {error.strerror}", self.shown)) from None
        self._folder = Path(folder)
        self.part = self._folder / self.target.name
        self._rejected_part = self._folder / self.rejected.name
        self.spill = self._folder / "spill"
        return self

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)

    def keep(self) -> None:
        """Move the results into place. The rejected rows of an earlier run are removed with its results."""
        if self._rejected_part.exists():
            self._rejects.put(self._rejected_part)
        else:
            self._rejects.remove()
        self._results.put(self.part)

    def write_query(self, connection: DuckDBPyConnection, query: str, json: Sequence[str] = ()) -> int:
        """Write the rows of a query and return their number. `json` are text columns with JSON values."""
        if self.form == "arrow":
            return self._write_arrow(connection.sql(query).to_arrow_reader())
        if json and self.form == "jsonl":
            restored = [f"CAST({name} AS JSON) AS {name}" for name in map(DUCKDB.name_of, json)]
            query = f"SELECT * REPLACE ({', '.join(restored)}) FROM (\n{query}\n)"
        if self.form == "csv":
            query = _without_formulas(connection, query)
        options = _OPTIONS[self.form]
        copy = f"COPY (\n{query}\n) TO {DUCKDB.text(str(self.part))} ({options})"
        (written,) = connection.execute(copy).fetchone() or (0,)
        return int(written)

    def _write_arrow(self, batches: pa.RecordBatchReader) -> int:
        import pyarrow as pa

        rows = 0
        with pa.OSFile(str(self.part), "wb") as file, pa.ipc.new_file(file, batches.schema) as writer:
            for batch in batches:
                writer.write_batch(batch)
                rows += batch.num_rows
        return rows

    def write_rejected(self, rows: Iterable[dict[str, Any]]) -> None:
        """One line of JSON per row."""
        with self._rejected_part.open("w", encoding="utf-8", newline="\n") as file:
            file.writelines(dumps(row, ensure_ascii=False) + "\n" for row in rows)


def _without_formulas(connection: DuckDBPyConnection, query: str) -> str:
    """Rows made safe for a CSV file: text that a spreadsheet would run as a formula begins with an apostrophe.

    Numbers stay as they are, also those in a column of text.
    """
    columns = []
    for name, kind, *_ in connection.execute(f"DESCRIBE {query}").fetchall():
        cell = DUCKDB.name_of(name)
        safe = cell
        if kind == "VARCHAR":
            formula = f"regexp_matches({cell}, '^[=+\\-@\\t\\r]') AND TRY_CAST({cell} AS DOUBLE) IS NULL"
            safe = f"CASE WHEN {formula} THEN chr(39) || {cell} ELSE {cell} END"
        title = f"'{name}" if name.startswith(FORMULA_STARTS) else name
        columns.append(f"{safe} AS {DUCKDB.name_of(title)}")
    return f"SELECT {', '.join(columns)} FROM (\n{query}\n)"
