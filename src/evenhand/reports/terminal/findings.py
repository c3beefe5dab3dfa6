"""What the checks saw on a terminal: faults with their quotes, what is fine, and how to get the work read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import RenderableType
from rich.padding import Padding

from evenhand.core.values import Evidence
from evenhand.reports.document import evidence_note
from evenhand.reports.findings import EndedRow, FaultRow, FindingsReport
from evenhand.reports.terminal.pieces import Glyphs, Text, indented, labelled

_STYLES = {"critical": "bold red", "major": "red", "minor": "yellow"}


def findings_parts(report: FindingsReport, glyphs: Glyphs, *, all_fine: bool) -> Iterator[RenderableType]:
    """Everything a scorecard shows of its checks; of how things ended, what is still open, and all with `all_fine`."""
    for fault in report.faults:
        yield from _fault(fault, glyphs)
    for row in report.expectations:
        mark, style = {
            "met": (glyphs.yes, "green"),
            "unmet": (glyphs.no, "red"),
            "undecided": (glyphs.unknown, "magenta"),
        }[row.result]
        line = Text(f"{mark} expected: ", style=style)
        yield _hanging(line.append(row.words, style="default"))
        yield indented(
            Text(f"{row.result}: {row.message}" + (f"; {row.consequence}" if row.consequence else ""), "dim")
        )
        if row.evidence is not None:
            yield quote_line(row.evidence, glyphs)
    for note in report.notes:
        yield from _note(note, glyphs)
    yield from _endings([row for row in report.endings if all_fine or row.is_open], glyphs)
    for message in report.fine:
        yield _hanging(Text(f"{glyphs.yes} ", style="green").append(message, style="default dim"))
    for cap in report.caps:
        yield labelled("capped", Text(cap, style="yellow"))


def _fault(fault: FaultRow, glyphs: Glyphs) -> Iterator[RenderableType]:
    style = _STYLES[fault.severity]
    line = Text(f"{glyphs.no} {fault.severity} ", style=style)
    line.append(f"{fault.dimension}: ", style="default bold")
    yield _hanging(line.append(fault.message, style="default not bold"))
    if fault.evidence is not None:
        yield quote_line(fault.evidence, glyphs)
    if fault.event:
        yield indented(Text(f"the event: {fault.event}", style="dim"))
    if fault.consequence:
        yield indented(Text(fault.consequence, style="dim"))


def quote_line(evidence: Evidence, glyphs: Glyphs) -> RenderableType:
    """A quote and where it is."""
    quote = Text(f"{evidence_note(evidence)} ", style="dim")
    return indented(quote.append(f"{glyphs.open}{evidence.quote}{glyphs.close}", style="italic"))


def _endings(rows: Sequence[EndedRow], glyphs: Glyphs) -> Iterator[RenderableType]:
    """How each consequential thing ended, a line each."""
    for row in rows:
        mark, style = (
            (glyphs.no, "red")
            if row.is_open
            else (glyphs.yes, "green")
            if row.outcome == "done"
            else (glyphs.unknown, "dim")
        )
        line = Text(f"{mark} {row.thing}: ", style=style)
        yield _hanging(line.append(f"{row.what} {row.outcome}", style="default dim"))
        if row.is_open and row.event:
            yield indented(Text(row.event, style="dim"))


def _note(note: FaultRow, glyphs: Glyphs) -> Iterator[RenderableType]:
    """A hint that counts for nothing: one line, and its quote."""
    yield _hanging(Text(f"{glyphs.unknown} note, {note.dimension}: {note.message}", style="dim"))
    if note.evidence is not None:
        quote = f"{glyphs.open}{note.evidence.quote}{glyphs.close}"
        yield indented(Text(f"{evidence_note(note.evidence)} {quote}", style="dim"))


def _hanging(text: Text) -> Padding:
    return Padding(text, (0, 0, 0, 2))
