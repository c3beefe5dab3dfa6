"""A page of the documentation on a terminal: like any Markdown, but no cell of a table is cut off."""

from __future__ import annotations

from rich.console import Console, ConsoleOptions, RenderResult
from rich.markdown import Markdown, TableElement
from rich.table import Table


class _WholeTable(TableElement):
    """A table whose long words go on in the next line."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for part in super().__rich_console__(console, options):
            if isinstance(part, Table):
                for column in part.columns:
                    column.overflow = "fold"
            yield part


class PageView(Markdown):
    """A page laid out for a terminal."""

    elements = {**Markdown.elements, "table_open": _WholeTable}  # noqa: RUF012 (as rich declares it)
