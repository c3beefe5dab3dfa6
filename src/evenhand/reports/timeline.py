"""A skill's evaluations over time: a line each on a terminal, a table in Markdown and HTML, the points of a chart."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table

from evenhand import clock
from evenhand.core.comparison import DimensionComparison
from evenhand.core.numbers import hundredths
from evenhand.core.scorecard import Scorecard
from evenhand.in_words import counted
from evenhand.reports.cases import short_id, short_ids
from evenhand.reports.charts import Kind, Scored, sparkline
from evenhand.reports.history import LIKELY_CHANCE, is_unusual
from evenhand.reports.markdown_pieces import table_cell, table_markdown
from evenhand.reports.panel import DISPUTED_LEGEND, is_disputed, marked_grade
from evenhand.reports.terminal.pieces import WIDEST, Text, cut, grade_colour

HEAD = ("when", "final", "grade", "red flags", "unusual", "within chance", "id")

_NARROW = 80
"""With fewer columns than this the year is left out."""


class SkillLine(NamedTuple):
    """A skill in the overview."""

    name: str
    evaluations: int
    finals: Sequence[int]
    """The latest final scores, oldest first, in hundredths."""
    newest: Scorecard
    in_suites: int = 0
    """Evaluations made by suites, which no history counts."""

    @property
    def counted(self) -> str:
        """How many evaluations there are, those made by suites apart."""
        if not self.in_suites:
            return str(self.evaluations)
        alone = f"{self.in_suites} in suites"
        return f"{self.evaluations} + {alone}" if self.evaluations else alone


class Remark(NamedTuple):
    """Something worth a look in one evaluation."""

    text: str
    short: str
    """A short form, where there is little room."""
    style: str


def row_of(card: Scorecard) -> tuple[str, ...]:
    """One evaluation as the cells of a table."""
    return (
        card.created[:16].replace("T", " "),
        "-" if card.final is None else str(card.final),
        marked_grade(card),
        ", ".join(flag.id for flag in card.red_flags),
        unusual(card),
        ", ".join(_flagged(card, unusual=False)),
        short_id(card.id),
    )


def legend(cards: Iterable[Scorecard]) -> str:
    """What the mark after a grade means, if there is one."""
    return DISPUTED_LEGEND if any(map(is_disputed, cards)) else ""


def unusual(card: Scorecard) -> str:
    """A drift alarm, and the dimensions further from their mean than chance explains."""
    return ", ".join([*(["DRIFT"] if _drifts(card) else []), *_flagged(card, unusual=True)])


def _flagged(card: Scorecard, *, unusual: bool) -> list[str]:
    """The flagged dimensions with their difference and strength: those that chance does not explain, or the others."""
    lines = {} if card.history is None else card.history.dimensions
    return [
        f"{name} {line.delta:+.2f}{_strength(line)}"
        for name, line in lines.items()
        if line.flagged and is_unusual(line) == unusual
    ]


def _strength(line: DimensionComparison) -> str:
    """A flag's strength, and that it is provisional while the history is short (R15)."""
    notes = [] if line.strength is None else [f"p {_shown_p(line.strength)}"]
    notes += ["provisional"] if line.provisional else []
    return f" ({', '.join(notes)})" if notes else ""


def _shown_p(strength: float) -> str:
    return "<0.001" if strength < 0.001 else f"{strength:.3f}"


def _drifts(card: Scorecard) -> bool:
    return bool(card.history and card.history.drift and card.history.drift.alarm)


def _kind(card: Scorecard) -> Kind:
    if _drifts(card):
        return "alarm"
    if _flagged(card, unusual=True):
        return "flag"
    return "chance" if _flagged(card, unusual=False) else "point"


def chart_points(cards: Sequence[Scorecard]) -> list[Scored]:
    """The evaluations that have a final score."""
    return [
        Scored(
            card.id,
            clock.microseconds(card.created),
            hundredths(card.final),
            f"{card.created[:16].replace('T', ' ')}  {card.final}  {unusual(card)}".strip(),
            _kind(card),
        )
        for card in cards
        if card.final is not None
    ]


def print_history(skill: str, cards: Sequence[Scorecard], console: Console) -> None:
    """A sparkline for the final score and each dimension, then the evaluations, newest first, a line each."""
    width = min(console.width, WIDEST)
    console.print(Text(f"{skill}: {counted(len(cards), 'evaluation')}", style="bold"))
    _print_sparklines(cards, console, width)
    ids = short_ids([card.id for card in cards])
    wide = min(max(map(cell_len, ids.values())), width // 3)  # an id that a user chose may be long; remarks need room
    console.print(Text(_heading(width, wide), style="dim"), no_wrap=True, overflow="crop")
    for card in reversed(cards):
        console.print(_line(card, ids, wide, width), no_wrap=True, overflow="crop")
    if any(_flagged(card, unusual=False) for card in cards):
        _print_dim(f"Dim: flagged, but chance explains it (p above {LIKELY_CHANCE}).", console)
    if any(map(_drifts, cards)):
        _print_dim("DRIFT: the final scores have moved away from the skill's first ten.", console)
    _print_legend(cards, console)


def _print_sparklines(cards: Sequence[Scorecard], console: Console, width: int) -> None:
    plain = console.options.ascii_only
    grid = Table.grid(padding=(0, 2))
    room = width - 24
    finals = [hundredths(card.final) for card in cards if card.final is not None]
    if finals:
        grid.add_row("final", sparkline(finals[-room:], ascii_only=plain), str(cards[-1].final or ""))
    for name in cards[-1].dimensions:
        scores = [line.score for line in (card.dimensions[name] for card in cards) if line.score is not None]
        if scores:
            bars = sparkline([hundredths(score) for score in scores[-room:]], ascii_only=plain)
            grid.add_row(Text(name, style="dim"), bars, str(scores[-1]))
    console.print(grid, width=width)


def _heading(width: int, ids: int) -> str:
    return f"{'when':<{11 if width < _NARROW else 16}}  final  grade  {'id':<{ids}}  remarks"


def _line(card: Scorecard, ids: Mapping[str, str], wide: int, width: int) -> Text:
    """One evaluation: when, final score, grade, id, and as many remarks as there is room for."""
    when = card.created[:16].replace("T", " ")[5 if width < _NARROW else 0 :]
    grade = marked_grade(card)
    line = Text(f"{when}  ", style="dim")
    line.append("    -  " if card.final is None else f"{card.final:>5}  ", style="bold")
    line.append(f"{grade:<5}  ", style=f"bold {grade_colour(grade)}")
    line.append(f"{cut(ids[card.id], wide)}  ", style="dim")
    return _fill(line, _remarks(card), width)


def _fill(line: Text, remarks: Sequence[Remark], width: int) -> Text:
    """Append as many remarks as there is room for, then how many more there are."""
    for place, remark in enumerate(remarks):
        left = len(remarks) - place - 1
        room = width - line.cell_len - (len(f"  +{left}") if left else 0)
        fitting = next((text for text in (remark.text, remark.short) if cell_len(text) <= room), None)
        if fitting is None and place:
            return line.append(f"+{left + 1}", style=remark.style)
        line.append(cut(remark.short, max(4, room)) if fitting is None else fitting, style=remark.style)
        line.append("  " if left else "")
    return line


def _remarks(card: Scorecard) -> list[Remark]:
    """The most important first."""
    remarks = [Remark("DRIFT", "DRIFT", "bold reverse red")] if _drifts(card) else []
    remarks += [Remark(text, text.split(" (")[0], "bold yellow") for text in _flagged(card, unusual=True)]
    remarks += [Remark(flag.id, flag.id, "red") for flag in card.red_flags]
    return remarks + [Remark(text.split(" (")[0], text.split(" (")[0], "dim") for text in _flagged(card, unusual=False)]


def print_overview(lines: Sequence[SkillLine], console: Console) -> None:
    """Every skill on a line, a long name on several."""
    table = Table(box=None, pad_edge=False, header_style="dim")
    room = min(console.width, WIDEST) // 3
    for name, justify in (
        ("skill", "left"),
        ("evaluations", "right"),
        ("final scores", "left"),
        ("last", "right"),
        ("", "left"),
    ):
        table.add_column(name, justify=justify, overflow="fold", no_wrap=name != "skill")  # type: ignore[arg-type]
    for line in lines:
        grade = marked_grade(line.newest)
        table.add_row(
            Text(line.name, style="bold"),
            line.counted,
            sparkline(line.finals[-room:], ascii_only=console.options.ascii_only),
            str(line.newest.final or "-"),
            Text(grade, style=f"bold {grade_colour(grade)}"),
        )
    console.print(table, width=min(console.width, WIDEST))
    _print_legend([line.newest for line in lines], console)


def _print_legend(cards: Iterable[Scorecard], console: Console) -> None:
    text = legend(cards)
    if text:
        _print_dim(text, console)


def _print_dim(text: str, console: Console) -> None:
    console.print(Text(text, style="dim"), width=min(console.width, WIDEST))


def history_markdown(skill: str, cards: Sequence[Scorecard]) -> str:
    """The evaluations as a table, newest first."""
    table = table_markdown(HEAD, map(row_of, reversed(cards)), right=("final",))
    return f"# {table_cell(skill)}\n\n{table}{_legend_markdown(cards)}"


def overview_markdown(lines: Sequence[SkillLine]) -> str:
    """Every skill as a row."""
    rows = [(line.name, line.counted, str(line.newest.final or "-"), marked_grade(line.newest)) for line in lines]
    table = table_markdown(("skill", "evaluations", "last", "grade"), rows, right=("evaluations", "last"))
    return table + _legend_markdown([line.newest for line in lines])


def _legend_markdown(cards: Iterable[Scorecard]) -> str:
    text = legend(cards)
    return f"\n{text}\n" if text else ""
