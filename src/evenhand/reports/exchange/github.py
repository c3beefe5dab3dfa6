"""What GitHub shows of a gate: annotations at lines, and a summary in Markdown. Pure.

GitHub takes at most 10 errors and 10 warnings of a step, 1 MiB of summary and 65,536 characters of a comment.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from evenhand.core.rubric import Rubric
from evenhand.core.scorecard import Scorecard
from evenhand.decisions.gate import Ruling, outcome
from evenhand.in_words import counted, plural
from evenhand.reports.exchange.remarks import Remark
from evenhand.reports.markdown_pieces import table_cell
from evenhand.work.printable import printable

MOST_ANNOTATIONS = 10
"""The most annotations of each kind."""
MOST_ROWS = 100
MOST_QUOTES = 10
_KINDS = {"error": "error", "warning": "warning", "note": "notice"}
_WORDS = {"red": "error", "unscored": "warning", "undecided": "warning"}


class GateRow(NamedTuple):
    """A scorecard and the gate's ruling on it; a baseline has a ruling and no scorecard."""

    name: str
    ruling: Ruling | None
    card: Scorecard | None
    rubric: Rubric | None = None
    """The rubric that the scorecard was made with: what it asks for decides what to change first."""


def annotation(kind: str, message: str, *, title: str = "", file: str = "", line: int | None = None) -> str:
    """A workflow command; nothing in its texts can end it or start another."""
    properties = {"file": file, "line": "" if line is None else str(line), "title": title}
    shown = ",".join(f"{name}={_escaped(value, property=True)}" for name, value in properties.items() if value)
    return f"::{kind}{' ' if shown else ''}{shown}::{_escaped(message)}"


def _escaped(text: str, *, property: bool = False) -> str:
    text = text.replace("\r\n", "\n").replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    text = text.replace(":", "%3A").replace(",", "%2C") if property else text
    return printable(text)


def annotation_lines(rows: Iterable[GateRow], remarks: Iterable[Remark], errors: Iterable[str] = ()) -> list[str]:
    """The most important ones, as many as GitHub shows; a last line counts those left out."""
    lines = [annotation("error", error, title="evenhand could not judge this") for error in errors]
    for row in rows:
        if row.ruling is not None and row.ruling.colour in _WORDS:
            kind = _WORDS[row.ruling.colour]
            lines.append(annotation(kind, row.ruling.says, title=f"evenhand {row.ruling.colour}: {row.name}"))
    lines += [_remark(remark) for remark in sorted(remarks, key=lambda remark: list(_KINDS).index(remark.level))]
    shown: list[str] = []
    for kind in _KINDS.values():
        shown += [line for line in lines if line.startswith(f"::{kind}")][:MOST_ANNOTATIONS]
    if len(shown) < len(lines):
        left = len(lines) - len(shown)
        shown.append(
            annotation("notice", f"{left} more {plural(left, 'is', 'are')} in the job's summary", title="evenhand")
        )
    return shown


def _remark(remark: Remark) -> str:
    message = f"{remark.message}\n\u201c{remark.quote}\u201d" if remark.quote else remark.message
    file, line = (remark.place.file, remark.place.line) if remark.place is not None else ("", None)
    return annotation(_KINDS[remark.level], message, title=f"evenhand: {remark.rule}", file=file, line=line)


def gate_markdown(
    rows: Sequence[GateRow],
    remarks: Sequence[Remark],
    errors: Sequence[str],
    *,
    longest: int,
    advice: Sequence[str] = (),
) -> str:
    """The gate's result as a table, and the worst quotes, cut to a number of bytes."""
    result = outcome([row.ruling for row in rows if row.ruling is not None], len(errors))
    lines = [f"## evenhand: {result.word}", "", "| gate | case | score | grade | why |", "|---|---|---:|---|---|"]
    lines += [_row(row) for row in _red_first(rows)[:MOST_ROWS]]
    if len(rows) > MOST_ROWS:
        left = len(rows) - MOST_ROWS
        lines += ["", counted(left, "more row is not shown.", "more rows are not shown.")]
    if errors:
        lines += ["", "### Could not be judged", "", *(f"- {_quiet(error)}" for error in errors)]
    quotes = [*_quotes(remarks), *_lowest(rows)][:MOST_QUOTES]
    if quotes:
        lines += ["", "### Worst quotes", "", *quotes]
    changes = [*_advice(rows), *(f"- {_quiet(line)}" for line in advice)][:MOST_QUOTES]
    if changes:
        lines += ["", "### What to change", "", *changes]
    return _cut("\n".join(lines) + "\n", longest)


def _red_first(rows: Sequence[GateRow]) -> list[GateRow]:
    return sorted(rows, key=lambda row: row.ruling is None or row.ruling.colour != "red")


def _row(row: GateRow) -> str:
    card, ruling = row.card, row.ruling
    final = "" if card is None or card.final is None else str(card.final)
    if card is not None and card.interval is not None:
        final = f"{card.interval.low} to {card.interval.high}"
    grade = card.grade.letter if card is not None and card.grade is not None else ""
    colour, says = ("", "") if ruling is None else (ruling.colour, ruling.says)
    return f"| {colour} | {_quiet(row.name)} | {final} | {grade} | {_quiet(says)} |"


def _quotes(remarks: Iterable[Remark]) -> list[str]:
    lines = []
    for remark in sorted(remarks, key=lambda remark: list(_KINDS).index(remark.level)):
        where = f", {_quiet(remark.place.file)}:{remark.place.line}" if remark.place is not None else ""
        quote = f" \u201c{_quiet(remark.quote)}\u201d" if remark.quote else ""
        lines.append(f"- **{_quiet(remark.rule)}**{where}: {_quiet(remark.message)}{quote}")
    return lines


def _advice(rows: Iterable[GateRow]) -> list[str]:
    """For each red scorecard, the change that would help most, with its effect and the reason."""
    from evenhand.reports.advice import advice_report

    lines = []
    for row in rows:
        if row.card is not None and row.ruling is not None and row.ruling.colour == "red":
            for advice in advice_report(row.card, row.rubric).rows[:1]:
                why = "".join(f"{label}: {text}" for label, text in advice.lines[-1:])
                change = f"{_quiet(advice.title)} ({_quiet(advice.effect)})."
                lines.append(f"- **{_quiet(row.name)}**: {change} {_quiet(why)}".rstrip())
    return lines


def _lowest(rows: Iterable[GateRow]) -> list[str]:
    """For each red scorecard, the lowest score that has a verified quote."""
    lines = []
    for row in rows:
        if row.card is None or row.ruling is None or row.ruling.colour != "red":
            continue
        scored = [
            (line.score, name, line.justification, quote.quote)
            for name, line in row.card.dimensions.items()
            for quote in line.evidence
            if line.score is not None and quote.verified
        ]
        if scored:
            score, name, why, quote = min(scored)
            lines.append(f"- **{name} {score}**, {_quiet(row.name)}: {_quiet(why)} \u201c{_quiet(quote)}\u201d")
    return lines


def _quiet(text: str) -> str:
    """Text from outside in Markdown: no markup, and no @name that GitHub would notify."""
    return table_cell(text if len(text) <= 500 else text[:500] + " ...").replace("@", "@&#8203;")


def _cut(text: str, longest: int) -> str:
    """A text cut to a number of bytes, in whole lines, with a note where something is missing."""
    if len(text.encode()) <= longest:
        return text
    note = "\n(cut here: too long for GitHub)\n"
    kept = text.encode()[: longest - len(note.encode())].decode(errors="ignore")
    return kept[: kept.rfind("\n") + 1] + note
