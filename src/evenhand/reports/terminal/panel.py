"""The judges behind a score on a terminal: a table of their scores, then what to know about them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.cells import cell_len
from rich.console import RenderableType
from rich.table import Table

from evenhand.reports.panel import PanelReport, PanelRow
from evenhand.reports.terminal.pieces import Text, labelled

_NAME, _SCORE, _END = 16, 7, 18
"""The columns in cells: the dimension's name, one judge by number, the panel's score with its spread."""


def panel_parts(report: PanelReport, width: int) -> Iterator[RenderableType]:
    """Everything a scorecard shows of its panel."""
    if report.rows:
        yield from _table(report, width)
    for label, sentence, warns in report.lines:
        yield labelled(label, Text(sentence, style="yellow" if warns else ""))


def _table(report: PanelReport, width: int) -> Iterator[RenderableType]:
    """Judges side by side, by name; by number, with the names listed above, where the names do not fit."""
    columns = [max(_SCORE, cell_len(name) + 2) for name in report.judges]
    if _NAME + sum(columns) + _END <= width:
        yield _part(report.rows, range(len(report.judges)), report.judges, last=True)
        return
    numbers = [str(number) for number, _ in enumerate(report.judges, start=1)]
    for number, name in zip(numbers, report.judges, strict=True):
        yield labelled(f"judge {number}", Text(name))
    room = max(1, (width - _NAME - _END) // _SCORE)
    for start in range(0, len(numbers), room):
        places = range(start, min(start + room, len(numbers)))
        yield _part(report.rows, places, numbers, last=places[-1] == len(numbers) - 1)


def _part(rows: Sequence[PanelRow], places: range, names: Sequence[str], *, last: bool) -> Table:
    """The table, or some of its judges; the panel's own score is in the last part."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim", show_edge=False)
    table.add_column("  judges" if last and not places[0] else "", no_wrap=True, min_width=_NAME - 2)
    for place in places:
        table.add_column(Text(names[place]), justify="right", no_wrap=True, min_width=_SCORE - 2)
    if last:
        table.add_column("panel", justify="right", no_wrap=True)
        table.add_column("spread", justify="right", no_wrap=True)
        table.add_column("", no_wrap=True)
    for row in rows:
        style = "bold yellow" if row.disputed else ""
        cells = [Text(f"  {row.name}", style=style)]
        cells += [Text(row.scores[place], style="magenta" if row.scores[place] == "none" else "") for place in places]
        if last:
            cells += [Text(row.official, style="bold"), Text(row.spread, style=style)]
            cells.append(Text("!" if row.disputed else "", style=style))
        table.add_row(*cells)
    return table
