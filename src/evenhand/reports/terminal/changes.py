"""What to change, on a terminal: each change with its cost at the right, its quotes below."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table

from evenhand.reports.comparison.verdict_answer import AnswerReport
from evenhand.reports.comparison.what_to_change import ChangesReport
from evenhand.reports.terminal.pieces import WIDEST, Glyphs, Text, indented


def print_answer(report: AnswerReport, console: Console) -> None:
    """What follows a verdict: what to change, then what got worse and the cost beside their headings."""
    width = min(console.width, WIDEST)
    if report.changes is not None:
        console.print()
        print_changes(report.changes, console)
    grid = Table.grid(padding=(0, 2))
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    for place, line in enumerate(report.worse):
        grid.add_row(Text("" if place else "Got worse", style="bold"), Text(line))
    if report.cost:
        grid.add_row(Text("Cost", style="bold"), Text(report.cost))
    if grid.row_count:
        console.print()
        console.print(grid, width=width)
    console.print()


def print_changes(report: ChangesReport, console: Console) -> None:
    """The title, the changes, and what is not among them."""
    width = min(console.width, WIDEST)
    minus = Glyphs(console).minus
    console.print(Text(report.title, style="bold"), width=width)
    for number, row in enumerate(report.rows, start=1):
        head = Table.grid(padding=(0, 1), expand=True)
        head.add_column(width=2, justify="right")
        head.add_column(ratio=1)
        head.add_column(justify="right", no_wrap=True)
        head.add_row(Text(f"{number}"), Text(row.says), Text(row.cost.replace("-", minus, 1), style="red"))
        console.print(head, width=width)
        for line in row.lines:
            console.print(indented(Text(line, style="dim")), width=width)
    for note in report.notes:
        console.print(Text(note), width=width)
