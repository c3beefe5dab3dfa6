"""Criteria on a terminal: what was missed with its cost, reason and quotes, the rest by name."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table

from evenhand.core.criteria import State
from evenhand.reports.criteria_rows import STATES, CriteriaReport, CriterionRow
from evenhand.reports.document import evidence_note
from evenhand.reports.terminal.pieces import Glyphs, Text, indented

_STYLES = {"missed": "red", "open": "magenta", "met": "green", "out": "dim"}
_NAMED: tuple[State, ...] = ("met", "out")
"""What is only named: its sentence is in the rubric, and every verdict in the other formats."""


def criteria_parts(report: CriteriaReport, glyphs: Glyphs, *, brief: bool) -> Iterator[RenderableType]:
    """The summary, what was missed and what is undecided line by line, and the names of the rest."""
    yield indented(Text(report.summary, style="bold"))
    listed = [row for row in report.rows if row.state not in _NAMED]
    width = max((len(row.cost) for row in listed), default=0)
    for row in listed:
        yield _row(row, glyphs, width, brief=brief)
    marks = {"met": glyphs.yes, "out": glyphs.unknown}
    for state in _NAMED:
        names = ", ".join(row.id for row in report.rows if row.state == state)
        if names:
            line = Text(f"{marks[state]} {STATES[state]}: ", style=_STYLES[state])
            yield indented(line.append(names, style="default dim"))


def _row(row: CriterionRow, glyphs: Glyphs, width: int, *, brief: bool) -> RenderableType:
    mark = glyphs.no if row.state == "missed" else glyphs.unknown
    table = Table.grid(padding=(0, 1))
    table.add_column(width=max(len(mark), 1))
    table.add_column(width=width, justify="right")
    table.add_column(overflow="fold")
    style = _STYLES[row.state]
    name = Text.assemble((row.id, "bold"), f"  {row.sentence}")
    table.add_row(Text(mark, style=style), Text(row.cost.replace("-", glyphs.minus), style=style), name)
    if not brief:
        group = f"in {row.group}; " if row.group else ""
        table.add_row("", "", Text(f"{group}{row.answer}{f': {row.says}' if row.says else ''}", style="dim"))
        for quote in row.evidence:
            where = Text(f"{evidence_note(quote)} ", style="dim")
            text = " ".join(quote.quote.split())
            table.add_row("", "", where.append(f"{glyphs.open}{text}{glyphs.close}", style="italic"))
    return Padding(table, (0, 0, 0, 4))
