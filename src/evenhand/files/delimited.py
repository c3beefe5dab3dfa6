"""Text in columns: separated by commas, semicolons, tabs, pipes or white space; each row with its line."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from typing import Any

from evenhand.errors import InputError, Problem

SEPARATORS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "pipe"}
SPACE = " "
"""White space of any length separates columns."""

NAMELESS = "row"
"""What a column without a name is called: data frames write the names of rows into one."""

Rows = list[tuple[int, Mapping[str, Any]]]
Lines = list[tuple[int, list[str]]]


def delimited_rows(
    text: str,
    name: str,
    separator: str | None = None,
    *,
    header: bool = True,
    quotes: bool = True,
    row_names: bool = True,
) -> tuple[tuple[str, ...], Rows]:
    """The names of columns and the rows of a text.

    The separator is the one that the first line has most of, outside quotes, and white space if it has none. Without
    a `header` columns are called 1, 2, 3; without `quotes` a quotation mark is a character like any other. A header
    that lacks a name may leave out that of `row_names`; in a table of texts, a comma in a text is more likely.
    """
    mark = separator or _separator(text, name)
    lines = _split(text, name, mark, quotes)
    if not lines:
        raise InputError(Problem("has separators only, and no text", name))
    width = len(lines[0][1])
    if header:
        header_line, first = lines.pop(0)
        if row_names and lines and _row_names(width, [cells for _, cells in lines]):
            first = ["", *first]
        lines = _without_empty_columns(first, lines)
        names = _header(first, name, header_line)
    else:
        names = tuple(str(number) for number in range(1, width + 1))
    for line, cells in lines:
        if len(cells) != len(names):
            what = f"has {len(cells)} cells, and the {'header' if header else 'first row'} has {len(names)}"
            advice = f"put text with a {SEPARATORS.get(mark, mark)} in quotes" if mark != SPACE else "write NA for none"
            if header and line == lines[0][0]:
                advice += f"; if line {header_line} is a title and not the names of columns, `skip`={header_line}"
            raise InputError(Problem(f"{what}; {advice}", name, line))
    return names, [(line, dict(zip(names, cells, strict=True))) for line, cells in lines]


def _separator(text: str, name: str) -> str:
    first = next(line for line in text.splitlines() if line.strip())
    widths = {mark: len(next(csv.reader([first], delimiter=mark))) for mark in SEPARATORS}
    widths[SPACE] = 1
    best = max(widths, key=lambda mark: widths[mark])
    if widths[best] > 1:
        return best
    if len(_spaced([first])[0].split(SPACE)) > 1:
        return SPACE
    known = ", ".join(SEPARATORS.values())
    what = f"has one column only; columns are separated by {known} or white space"
    raise InputError(Problem(f"{what}; a title above the names of columns is skipped with `skip`=1", name, 1))


def _split(text: str, name: str, mark: str, quotes: bool) -> Lines:
    """The cells of every line that has any."""
    quoting: Any = csv.QUOTE_MINIMAL if quotes else csv.QUOTE_NONE
    source: Iterable[str] = _spaced(text.splitlines()) if mark == SPACE else io.StringIO(text, newline="")
    reader = csv.reader(source, delimiter=mark, quoting=quoting, skipinitialspace=mark == SPACE, strict=True)
    lines: Lines = []
    before = 0
    try:
        for cells in reader:
            line, before = before + 1, reader.line_num
            if any(cell.strip() for cell in cells):
                lines.append((line, cells))
    except csv.Error as error:
        advice = (
            "; if quotation marks are part of the text, use --set labels.no_quotes=true"
            if quotes and '"' in text
            else ""
        )
        raise InputError(Problem(f"cannot be read as a table: {error}{advice}", name, reader.line_num)) from None
    return lines


def _spaced(lines: Iterable[str]) -> list[str]:
    return [line.replace("\t", SPACE).strip() for line in lines]


def _row_names(width: int, rows: list[list[str]]) -> bool:
    """Whether every row has one cell more than the header, and the first is a name, as R writes tables."""
    if any(len(row) != width + 1 for row in rows) or not any(row[-1].strip() for row in rows):
        return False
    names = [row[0].strip() for row in rows]
    return all(names) and len(set(names)) == len(names)


def _without_empty_columns(first: list[str], lines: Lines) -> Lines:
    """The rows without columns at the end that have neither a name nor a value, as spreadsheets write them."""
    while len(first) > 1 and not first[-1].strip():
        if any(len(cells) != len(first) or cells[-1].strip() for _, cells in lines):
            break
        first.pop()
        lines = [(line, cells[:-1]) for line, cells in lines]
    return lines


def _header(cells: list[str], name: str, line: int) -> tuple[str, ...]:
    names = tuple(cell.strip() for cell in cells)
    if all(_numeric(cell) for cell in names if cell) and not _counted(names):
        raise InputError(
            Problem(
                "has no header: the first row holds numbers; add a row of column names above it, or "
                "use --set labels.no_header=true",
                name,
                line,
            )
        )
    repeated = next((cell for cell in names if names.count(cell) > 1), None)
    if repeated is not None:
        what = "two columns without a name" if not repeated else f'two columns named "{repeated}"'
        advice = "give each column its own name in the first row; a title above the names is skipped with `skip`=1"
        raise InputError(Problem(f"has {what}; {advice}", name, line))
    return tuple(cell or NAMELESS for cell in names)


def _counted(names: tuple[str, ...]) -> bool:
    """Whether columns are numbered after a first one without a name, as data frames number them."""
    numbers = [str(number) for number in range(len(names))]
    return len(names) > 2 and not names[0] and list(names[1:]) in (numbers[1:], numbers[:-1])


def _numeric(text: str) -> bool:
    try:
        float(text.replace(",", "."))
    except ValueError:
        return text in ("*", ".", "NA")
    return True
