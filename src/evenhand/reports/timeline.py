"""A skill's evaluations over time: a table with sparklines, Markdown, the points of a chart."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from rich.console import Console
from rich.table import Table

from evenhand.core.basics.numbers import hundredths
from evenhand.core.values.comparison import DimensionComparison
from evenhand.core.values.scorecard import Scorecard
from evenhand.reports.chart import Point, sparkline
from evenhand.reports.markdown import table_cell
from evenhand.reports.panel import DISPUTED_LEGEND, is_disputed, marked_grade
from evenhand.reports.terminal_text import WIDEST, Text, grade_colour

HEAD = ("when", "final", "grade", "red flags", "unusual", "id")


class SkillLine(NamedTuple):
    """A skill in the overview."""

    name: str
    evaluations: int
    finals: Sequence[int]
    """The latest final scores, oldest first, in hundredths."""
    newest: Scorecard


def row_of(card: Scorecard) -> tuple[str, ...]:
    """One evaluation as the cells of a table."""
    return (
        card.created[:16].replace("T", " "),
        "-" if card.final is None else str(card.final),
        marked_grade(card),
        ", ".join(flag.id for flag in card.red_flags),
        unusual(card),
        short_id(card.id),
    )


def legend(cards: Iterable[Scorecard]) -> str:
    """What the mark behind a grade means, if one stands there."""
    return DISPUTED_LEGEND if any(map(is_disputed, cards)) else ""


def short_id(id: str) -> str:
    """Enough of an id that was made up here to find it again; an id somebody gave is left whole."""
    return id[:18] if _MADE_UP.fullmatch(id) else id


_MADE_UP = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def unusual(card: Scorecard) -> str:
    """What the history rules say, in a few words: a dimension with its strength, a drift alarm."""
    if card.history is None:
        return ""
    said = [
        f"{name} {line.delta:+.2f}{_how_sure(line)}" for name, line in card.history.dimensions.items() if line.flagged
    ]
    if card.history.drift is not None and card.history.drift.alarm:
        said.insert(0, "DRIFT")
    return ", ".join(said)


def _how_sure(line: DimensionComparison) -> str:
    """A flag's strength, and that it is provisional while the history is short (R15)."""
    notes = [] if line.strength is None else [f"p {_shown_p(line.strength)}"]
    notes += ["provisional"] if line.provisional else []
    return f" ({', '.join(notes)})" if notes else ""


def _shown_p(strength: float) -> str:
    return "<0.001" if strength < 0.001 else f"{strength:.3f}"


def chart_points(cards: Sequence[Scorecard]) -> list[Point]:
    """The evaluations that have a final score."""
    return [
        Point(
            label=f"{card.created[:16].replace('T', ' ')}  {card.final}  {unusual(card)}".strip(),
            final=hundredths(card.final),
            flagged=bool(card.history and card.history.flags),
            alarm=bool(card.history and card.history.drift and card.history.drift.alarm),
        )
        for card in cards
        if card.final is not None
    ]


def print_history(skill: str, cards: Sequence[Scorecard], console: Console) -> None:
    """A sparkline for the final score and each dimension, then the evaluations, newest first."""
    plain = console.options.ascii_only
    width = min(console.width, WIDEST)
    console.print(Text(f"{skill}: {len(cards)} evaluation{'' if len(cards) == 1 else 's'}", style="bold"))
    finals = [hundredths(card.final) for card in cards if card.final is not None]
    grid = Table.grid(padding=(0, 2))
    if finals:
        grid.add_row("final", sparkline(finals, ascii_only=plain), str(cards[-1].final or ""))
    for name in cards[-1].dimensions:
        scores = [line.score for line in (card.dimensions[name] for card in cards) if line.score is not None]
        if scores:
            grid.add_row(
                Text(name, style="dim"), sparkline([hundredths(s) for s in scores], ascii_only=plain), str(scores[-1])
            )
    console.print(grid, width=width)
    table = Table(box=None, pad_edge=False, header_style="dim")
    for name, justify in zip(HEAD, ("left", "right", "left", "left", "left", "left"), strict=True):
        table.add_column(name, justify=justify, overflow="fold")  # type: ignore[arg-type]
    for card in reversed(cards):
        when, final, grade, flags, odd, id = row_of(card)
        alarm = "bold red" if odd.startswith("DRIFT") else "yellow"
        table.add_row(
            Text(when, style="dim"),
            Text(final, style="bold"),
            Text(grade, style=f"bold {grade_colour(grade)}"),
            Text(flags, style="red"),
            Text(odd, style=alarm),
            Text(id, style="dim"),
        )
    console.print(table, width=width)
    _print_legend(cards, console)


def print_overview(lines: Sequence[SkillLine], console: Console) -> None:
    """Every skill on a line."""
    table = Table(box=None, pad_edge=False, header_style="dim")
    for name, justify in (
        ("skill", "left"),
        ("evaluations", "right"),
        ("final scores", "left"),
        ("last", "right"),
        ("", "left"),
    ):
        table.add_column(name, justify=justify, overflow="fold")  # type: ignore[arg-type]
    for line in lines:
        grade = marked_grade(line.newest)
        table.add_row(
            Text(line.name, style="bold"),
            str(line.evaluations),
            sparkline(line.finals, ascii_only=console.options.ascii_only),
            str(line.newest.final or "-"),
            Text(grade, style=f"bold {grade_colour(grade)}"),
        )
    console.print(table, width=min(console.width, WIDEST))
    _print_legend([line.newest for line in lines], console)


def _print_legend(cards: Iterable[Scorecard], console: Console) -> None:
    said = legend(cards)
    if said:
        console.print(Text(said, style="dim"), width=min(console.width, WIDEST))


def history_markdown(skill: str, cards: Sequence[Scorecard]) -> str:
    """The evaluations as a table, newest first."""
    rows = [f"| {' | '.join(map(table_cell, row_of(card)))} |" for card in reversed(cards)]
    head = f"# {table_cell(skill)}\n\n| {' | '.join(HEAD)} |\n|---|---:|---|---|---|---|\n"
    return head + "\n".join(rows) + "\n" + _legend_markdown(cards)


def overview_markdown(lines: Sequence[SkillLine]) -> str:
    """Every skill as a row."""
    rows = [
        f"| {table_cell(line.name)} | {line.evaluations} | {line.newest.final or '-'} | {marked_grade(line.newest)} |\n"
        for line in lines
    ]
    head = "| skill | evaluations | last | grade |\n|---|---:|---:|---|\n"
    return head + "".join(rows) + _legend_markdown([line.newest for line in lines])


def _legend_markdown(cards: Iterable[Scorecard]) -> str:
    said = legend(cards)
    return f"\n{said}\n" if said else ""
