"""What the checks saw on a terminal: faults with their quotes, what is fine, and how to get the work read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import RenderableType
from rich.padding import Padding

from evenhand.core.values import Evidence
from evenhand.in_words import counted
from evenhand.reports.document import evidence_note
from evenhand.reports.findings import ClaimedRow, FaultRow, FindingsReport
from evenhand.reports.terminal.pieces import Glyphs, Text, indented, labelled

_STYLES = {"critical": "bold red", "major": "red", "minor": "yellow"}


def findings_parts(report: FindingsReport, glyphs: Glyphs, *, all_fine: bool) -> Iterator[RenderableType]:
    """Everything a scorecard shows of its checks; what is fine is only counted unless `all_fine`."""
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
    yield from _claims(report.claimed, glyphs)
    for note in report.notes:
        yield from _note(note, glyphs)
    fine = report.fine
    if not all_fine and fine:
        fine = (f"{counted(len(fine), 'check')} found nothing wrong",)
    for message in fine:
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
    if fault.consequence:
        yield indented(Text(fault.consequence, style="dim"))


def quote_line(evidence: Evidence, glyphs: Glyphs) -> RenderableType:
    """A quote and where it is."""
    quote = Text(f"{evidence_note(evidence)} ", style="dim")
    return indented(quote.append(f"{glyphs.open}{evidence.quote}{glyphs.close}", style="italic"))


_VERDICTS = {"supported": "green", "unsupported": "yellow", "contradicted": "red"}


def _claims(rows: Sequence[ClaimedRow], glyphs: Glyphs) -> Iterator[RenderableType]:
    """What the output says was done: claim, verdict, event."""
    marks = {"supported": glyphs.yes, "unsupported": glyphs.unknown, "contradicted": glyphs.no}
    for row in rows:
        line = Text(f"{marks[row.verdict]} {row.verdict} ", style=_VERDICTS[row.verdict])
        yield _hanging(line.append(f"{glyphs.open}{row.words}{glyphs.close}", style="default italic"))
        yield indented(Text(f"{row.message} {row.event}".rstrip(), style="dim"))


def _note(note: FaultRow, glyphs: Glyphs) -> Iterator[RenderableType]:
    """A hint that counts for nothing: one line, and its quote."""
    yield _hanging(Text(f"{glyphs.unknown} note, {note.dimension}: {note.message}", style="dim"))
    if note.evidence is not None:
        quote = f"{glyphs.open}{note.evidence.quote}{glyphs.close}"
        yield indented(Text(f"{evidence_note(note.evidence)} {quote}", style="dim"))


def _hanging(text: Text) -> Padding:
    return Padding(text, (0, 0, 0, 2))
