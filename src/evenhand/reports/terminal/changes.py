"""An answer on a terminal: the verdicts, then each change with its cost at the right and its quotes below."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from evenhand.decisions.decision import Contrast, Decision
from evenhand.decisions.words import interval_text, shown
from evenhand.reports.comparison.verdict_answer import AnswerReport
from evenhand.reports.comparison.what_to_change import ChangesReport
from evenhand.reports.terminal.pieces import WIDEST, Glyphs, Text, cut, indented

MOST_SENTENCES = 2
"""Comparisons that are told in a sentence each; more of them are rows of a table."""


def print_comparisons(decision: Decision, console: Console) -> None:
    """Every comparison in a row: verdict, estimate, interval, denominator; then why nothing is concluded, once each."""
    table = Table("compared", "verdict", "by", "interval", "better", "worse", "equal", "open", "of", box=None)
    table.padding, table.pad_edge, table.header_style = (0, 1, 0, 0), False, "dim"
    table.columns[0].overflow = "fold"  # cut off, long names could not be told apart
    for contrast in decision.contrasts:
        table.add_row(*_comparison(contrast, decision))
    console.print(table)
    for doubt in dict.fromkeys(filter(None, (contrast.doubt for contrast in decision.contrasts))):
        console.print(Text(doubt), width=min(console.width, WIDEST))


def _comparison(contrast: Contrast, decision: Decision) -> Sequence[str]:
    counts = (contrast.better, contrast.worse, contrast.equal, contrast.open, contrast.units)
    return (
        f"{contrast.variant} - {contrast.reference}",
        contrast.verdict,
        "-" if contrast.estimate is None else shown(contrast.estimate, decision.measure),
        interval_text(contrast, decision.measure).strip(" ()") or "-",
        *map(str, counts),
    )


def print_answer(report: AnswerReport, console: Console, *, full: bool = True) -> None:
    """What follows a verdict: what to change, then what got worse and the cost beside their headings.

    Without `full`, everything has a line of its own, cut at the edge of the terminal.
    """
    width = min(console.width, WIDEST)
    if report.changes is not None:
        console.print()
        print_changes(report.changes, console, full=full)
    grid = Table.grid(padding=(0, 2))
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    left = width - len("Got worse") - 2
    for place, line in enumerate(report.worse):
        grid.add_row(Text("" if place else "Got worse", style="bold"), Text(line if full else _cut(line, left)))
    if report.cost:
        grid.add_row(Text("Cost", style="bold"), Text(report.cost if full else _cut(report.cost, left)))
    if grid.row_count:
        console.print()
        console.print(grid, width=width)
    console.print()


def print_changes(report: ChangesReport, console: Console, *, full: bool = True) -> None:
    """The title, the changes, and what is not among them."""
    width = min(console.width, WIDEST)
    minus = Glyphs(console).minus
    console.print(Text(report.title, style="bold"), width=width)
    for number, row in enumerate(report.rows, start=1):
        head = Table.grid(padding=(0, 1), expand=True)
        head.add_column(width=2, justify="right")
        head.add_column(ratio=1)
        head.add_column(justify="right", no_wrap=True)
        says = row.says if full else _cut(row.says, width - len(row.cost) - 5)
        head.add_row(Text(f"{number}"), Text(says), Text(row.cost.replace("-", minus, 1), style="red"))
        console.print(head, width=width)
        for line in row.lines:
            console.print(indented(Text(line if full else _cut(line, width - 4), style="dim")), width=width)
    for note in report.notes:
        console.print(Text(note), width=width)


def _cut(line: str, cells: int) -> str:
    """A line that fits."""
    return cut(line, cells).rstrip()
