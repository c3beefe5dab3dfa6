"""A report on a terminal, with rich: 60 columns or 120, with or without colour, wide characters or plain ASCII."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from typing import Any

from rich.cells import cell_len
from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.rule import Rule
from rich.segment import Segment, Segments
from rich.table import Table as Grid
from rich.text import Text as RichText

from evenhand.in_words import counted
from evenhand.reports.terminal.pieces import WIDEST, Glyphs, Text, grade_colour
from evenhand.reports.tree import (
    Bar,
    Bars,
    Code,
    Column,
    Diff,
    Drawing,
    Facts,
    Head,
    Item,
    Items,
    Line,
    Matrix,
    Node,
    Quote,
    Quotes,
    Report,
    Section,
    Table,
    Transcript,
    Weight,
    Words,
    Work,
    Written,
    evidence_note,
    is_drawn,
    spans,
    text_of,
)

STYLES: dict[Weight, str] = {
    "plain": "",
    "strong": "bold",
    "quiet": "dim",
    "good": "green",
    "bad": "red",
    "alarm": "bold red",
    "unusual": "yellow",
    "open": "magenta",
    "code": "cyan",
    "gone": "red strike",
    "new": "green",
    "grade": "bold",
    "spark": "",
}
LABELS = 11
"""Cells for the names of facts."""
_NAMES = 14
_BARS = dict(zip("\u2581\u2582\u2583\u2584\u2585\u2586\u2587\u2588", "_.-=+*#@", strict=True))
_PLAIN = str.maketrans({"\u00b7": "-", "\u2212": "-", "\u2192": "->"} | _BARS)
"""What our own words hold beyond ASCII."""
_SEAL = 2
"""Letters of a grade."""
_LONG = 7
"""Cells of a column's name that a number may take the place of."""
_LEAST = 10
"""Cells that a column of words needs."""
_GOOD, _FAIR = Decimal(70), Decimal(50)
"""Where a bar turns from green to yellow to red; only a colour, never a score."""


def print_report(report: Report, console: Console, *, full: bool = False) -> None:
    """The whole report; what is folded is opened when `full`."""
    if not report.nodes:
        return
    walker = _Walker(console, full=full)
    whole = Group(*walker.nodes(report.nodes, 0))
    lines = console.render_lines(whole, console.options.update(width=walker.width), pad=False)
    console.print(Segments([segment for line in lines for segment in (*_ended(line), Segment.line())]), end="")


def _ended(line: list[Segment]) -> list[Segment]:
    """A line without the blanks that fill it up."""
    while line and not line[-1].text.strip():
        line = line[:-1]
    return [*line[:-1], Segment(line[-1].text.rstrip(), *line[-1][1:])] if line else []


class _Walker:
    """What the nodes need to know of the terminal."""

    def __init__(self, console: Console, *, full: bool) -> None:
        self.glyphs = Glyphs(console)
        self.width = min(console.width, WIDEST)
        self._full = full
        self._depth = 0
        self._blocks: dict[type[Any], Callable[[Any, int], Iterator[RenderableType]]] = {
            Head: self._head,
            Line: self._line,
            Items: self._items,
            Facts: self._facts,
            Table: self._table,
            Bars: self._bars,
            Quotes: self._quotes,
            Code: self._code,
            Section: self._section,
            Written: self._written,
            Diff: self._diff,
            Matrix: self._matrix,
            Drawing: self._nothing,
            Transcript: self._nothing,
            Work: self._nothing,
        }
        self._marks = {
            "good": self.glyphs.yes,
            "bad": self.glyphs.no,
            "alarm": self.glyphs.no,
            "open": self.glyphs.unknown,
            "quiet": self.glyphs.unknown,
            "unusual": self.glyphs.warning,
        }

    def nodes(self, nodes: Sequence[Node], indent: int) -> Iterator[RenderableType]:
        """Each node, indented by a number of cells."""
        for node in nodes:
            yield from self._blocks[type(node)](node, indent)

    def _head(self, head: Head, indent: int) -> Iterator[RenderableType]:
        summary: list[RichText] = []
        if head.headline:
            summary.append(self._text(head.headline, "strong"))
        verdict = [] if head.verdict is None else [Text(head.verdict.text, style=STYLES[head.verdict.weight])]
        before, after = head.lines[:1], head.lines[1:]
        summary += [self._marked(line) for line in before]
        summary += [*verdict, *(self._marked(line) for line in after)]
        title = self._text(head.title, "quiet" if head.seal else "strong")
        kicker = self._text(head.kicker, "quiet")
        if not head.seal:
            yield from filter(None, (title, kicker, *summary))
            return
        seal = head.seal if len(head.seal) <= _SEAL else "-"  # words stand in the headline as well
        grade = Text(f" {seal} ", style=f"bold reverse {grade_colour(head.tone or '-')}")
        table = Grid.grid(padding=(0, 2))
        table.add_column(width=_SEAL + 2)
        table.add_column(overflow="fold")
        lines = [title, *([kicker] if head.kicker else [])]
        table.add_row(grade, Group(*summary, *lines))  # the answer first, then what it is about
        yield _in(table, indent)

    def _marked(self, line: Line) -> RichText:
        text = self._text(line.words, line.weight)
        if line.weight in ("unusual", "alarm"):
            return Text(f"{self.glyphs.warning} ", style=STYLES[line.weight]).append(text)
        return text

    def _line(self, line: Line, indent: int) -> Iterator[RenderableType]:
        yield _in(self._text(line.words, line.weight), indent)

    def _items(self, items: Items, indent: int) -> Iterator[RenderableType]:
        digits = len(str(len(items.items)))
        for place, item in enumerate(items.items, start=1):
            yield from self._item(item, indent, f"{place:>{digits}}" if items.ordered else "")

    def _item(self, item: Item, indent: int, number: str) -> Iterator[RenderableType]:
        mark = self._marks.get(item.mark, "")
        sign = Text(number or mark, style="" if number else STYLES[item.mark])
        head = self._text(item.head)
        if item.amount:
            amount = Text(item.amount.replace("-", self.glyphs.minus, 1), style=f"bold {STYLES[item.mark]}".strip())
            line = Grid.grid(padding=(0, 1), expand=True)
            if number:
                line.add_column(width=len(number))
            line.add_column(ratio=1, overflow="fold")
            line.add_column(justify="right", no_wrap=True)
            line.add_row(*([sign] if number else []), head, amount)
            yield _in(line, indent)
        elif sign.plain:
            line = Grid.grid(padding=(0, 1))
            line.add_column(width=cell_len(sign.plain))
            line.add_column(overflow="fold")
            line.add_row(sign, head)
            yield _in(line, indent)
        else:
            yield _in(head, indent)
        self._depth += 1
        yield from self.nodes(item.below, indent + 2)
        self._depth -= 1

    def _facts(self, facts: Facts, indent: int) -> Iterator[RenderableType]:
        table = Grid.grid(padding=(0, 1))
        table.add_column(width=LABELS)
        table.add_column(overflow="fold")
        for label, words, weight in facts.rows:
            table.add_row(Text(label, style="dim"), self._text(words, weight))
        yield _in(table, indent)

    def _table(self, table: Table, indent: int) -> Iterator[RenderableType]:
        """The table; where its names are too long for the width they are numbers, explained above."""
        rows = [[self._text(cell, row.weight) for cell in row.cells] for row in table.rows]
        columns = list(table.columns)
        room = self.width - indent
        whole = _wide(columns, rows, 0) - 2
        fits_closer = whole > room >= whole - len(columns) + 1
        gap = 1 if fits_closer or _squeezed(columns, rows, room) else 2
        if _squeezed(columns, rows, room, gap):
            for row in table.rows:
                name, *cells = row.cells
                line = self._text(name, "strong")
                for column, cell in zip(columns[1:], cells, strict=True):
                    if text_of(cell):
                        line.append(f"  {column.name} ", "not bold dim").append(self._text(cell, row.weight))
                yield _in(line, indent)
            return
        if _wide(columns, rows, indent) > room and all(column.right for column in columns[1:]):
            numbers = range(1, len(columns))
            names = [(str(number), columns[number].name) for number in numbers if _long(columns[number])]
            yield from self._facts(Facts(tuple((number, name, "plain") for number, name in names)), indent)
            short = (Column(str(at), right=True) if _long(columns[at]) else columns[at] for at in numbers)
            columns = [columns[0], *short]
        first = _cells(0, columns, rows) <= room // 2
        for part in _parts(columns, rows, room):
            grid = Grid(box=None, pad_edge=False, padding=(0, gap, 0, 0), header_style="dim", show_edge=False)
            for place in part:
                column = columns[place]
                justify: Any = "right" if column.right else "left"
                unbroken = column.right or column.whole or (first and not place)
                grid.add_column(Text(column.name), justify=justify, no_wrap=unbroken, overflow="fold")
            for texts in rows:
                grid.add_row(*(texts[place] for place in part))
            yield _in(grid, indent)

    def _bars(self, bars: Bars, indent: int) -> Iterator[RenderableType]:
        beside = max((len(bar.compared) for bar in bars.rows), default=0)
        for bar in bars.rows:
            yield bar_line(bar, self.width, self.glyphs, beside)
            if bar.flag:
                yield _in(Text(f"{self.glyphs.warning} {bar.flag}", style=STYLES[bar.weight]), indent + 2)

    def _quotes(self, quotes: Quotes, indent: int) -> Iterator[RenderableType]:
        yield from (_in(quote_line(quote, self.glyphs), indent) for quote in quotes.quotes)

    def _code(self, code: Code, indent: int) -> Iterator[RenderableType]:
        yield _in(Text(code.text, style="cyan"), indent)

    def _written(self, written: Written, indent: int) -> Iterator[RenderableType]:
        yield _in(self._text(written.words), indent)
        if written.left_out:
            yield _in(Text(f"and {counted(written.left_out, 'more character')}", style="dim"), indent)

    def _matrix(self, matrix: Matrix, indent: int) -> Iterator[RenderableType]:
        yield from self._table(matrix.table, indent)

    def _diff(self, diff: Diff, indent: int) -> Iterator[RenderableType]:
        from evenhand.reports.comparison.word_diff import SAME, TOO_LONG, changed_lines  # few reports have one

        lines = changed_lines(diff.before, diff.after)
        for sign, words in lines or ():
            yield _in(Text(f"{sign} {words}", style=STYLES["gone" if sign == "-" else "new"]), indent)
        if not lines:
            yield _in(Text(SAME if lines is not None else TOO_LONG), indent)

    def _section(self, section: Section, indent: int) -> Iterator[RenderableType]:
        if is_drawn(section):
            return
        if section.folded and not self._full:
            yield _in(Text(f"{self.glyphs.folded} ", style="dim").append(self._text(section.title)), indent or 2)
            return
        if self._depth:
            yield _in(self._text(section.title, "strong"), indent)
        else:
            yield Rule(self._text(section.title, "strong"), characters=self.glyphs.rule, style="dim", align="left")
        self._depth += 1
        yield from self.nodes(section.nodes, indent or 2)
        self._depth -= 1

    def _nothing(self, _: Node, __: int) -> Iterator[RenderableType]:
        """What only a page draws: its numbers or quotes stand beside it."""
        yield from ()

    def _text(self, words: Words, weight: Weight = "plain") -> RichText:
        """A line with its colours, on one line."""
        text = Text(style=STYLES[weight])
        for span in spans(words):
            style = STYLES[span.weight]
            style = f"{style} {grade_colour(span.text)}" if span.weight == "grade" else style
            words_shown = span.text.translate(_PLAIN) if self.glyphs.plain else span.text
            text.append(words_shown, f"{style} bold".strip() if span.tag else style or None)
        return text


def bar_line(bar: Bar, width: int, glyphs: Glyphs, beside: int = 0) -> Text:
    """A bar with its numbers; with comparisons as long as `beside` all bars of a report have one scale."""
    compared = f"  {bar.compared}" if bar.compared else ""
    room = width - 2 - _NAMES - 7 - 2 - max(len(bar.sum), 12)
    beside = max(len(bar.compared), beside)
    if beside and room - 2 - beside >= 4:
        room -= 2 + beside
    elif compared:  # on a narrow terminal the comparison has a line of its own
        compared = f"\n    {bar.compared}"
    size = max(4, min(30, room))
    line = Text(glyphs.warning if bar.flag else " ")
    line.append(f" {bar.name:<{_NAMES}}", style="bold" if bar.flag else "")
    if not bar.known:
        return line.append(glyphs.unknown * size, style="magenta").append(f" {bar.score}", style="magenta")
    share = Decimal(str(bar.width))
    filled = round(size * share / 100)
    colour = "green" if share >= _GOOD else "yellow" if share >= _FAIR else "red"
    line.append(glyphs.full * filled, style=colour).append(glyphs.empty * (size - filled), style="dim")
    line.append(f" {bar.score:>6}", style="bold")
    line.append(f"  {bar.sum.replace('x', glyphs.times, 1)}" if bar.sum else "", style="dim")
    return line.append(compared, style=STYLES[bar.weight] if bar.flag else "dim")


def quote_line(quote: Quote, glyphs: Glyphs) -> RichText:
    """A quote with whether it is there, and where."""
    evidence = quote.evidence
    mark, style = {
        True: (glyphs.yes, "green"),
        False: (glyphs.no, "bold red"),
        None: (glyphs.unknown, "dim"),
    }[evidence.verified]
    words = " ".join((quote.shortened or evidence.quote).split())
    line = Text(f"{mark} {evidence_note(evidence)} ", style=style)
    return line.append(f"{glyphs.open}{words}{glyphs.close}", style="not bold italic default")


def _in(part: RenderableType, indent: int) -> RenderableType:
    return Padding(part, (0, 0, 0, indent)) if indent else part


def _long(column: Column) -> bool:
    return cell_len(column.name) > _LONG


def _squeezed(columns: Sequence[Column], rows: Sequence[Sequence[RichText]], room: int, gap: int = 2) -> bool:
    """Whether words would be broken because the columns do not fit beside one another, so many cells apart."""
    if all(column.right for column in columns[1:]):
        return False
    least = 0
    for place, column in enumerate(columns):
        whole = _cells(place, columns, rows)
        is_whole = column.right or column.whole or (not place and whole <= room // 2)
        least += gap + (whole if is_whole else min(whole, _LEAST))
    return least - gap > room


def _wide(columns: Sequence[Column], rows: Sequence[Sequence[RichText]], indent: int) -> int:
    return indent + sum(_cells(place, columns, rows) + 2 for place in range(len(columns)))


def _cells(place: int, columns: Sequence[Column], rows: Sequence[Sequence[RichText]]) -> int:
    return max((cell_len(columns[place].name), *(row[place].cell_len for row in rows)))


def _parts(columns: Sequence[Column], rows: Sequence[Sequence[RichText]], room: int) -> list[list[int]]:
    """The columns side by side, or in parts that fit, each with the first column; text wraps, numbers do not."""
    if not all(column.right for column in columns[1:]):
        return [list(range(len(columns)))]
    parts: list[list[int]] = [[0]]
    first = left = _cells(0, columns, rows) + 2
    for place in range(1, len(columns)):
        cells = _cells(place, columns, rows) + 2
        if left + cells > room and len(parts[-1]) > 1:
            parts.append([0])
            left = first
        parts[-1].append(place)
        left += cells
    return parts
