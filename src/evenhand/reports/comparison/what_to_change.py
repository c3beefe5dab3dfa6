"""What to change in a skill, as data to show, then as lines. Pure; no arithmetic."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from evenhand.decisions.values.change import Change, Changes, Passage
from evenhand.errors import shortened_line
from evenhand.files import codec
from evenhand.in_words import counted

SCHEMA = "evenhand/what-to-change/v1"
TITLE = "What to change, most costly first"
UNREAD = "no judge has scored these outputs: only checks and expectations are listed; a model judge gives reasons, too"
NOT_COVERED = "no instruction covers this"
NOT_FOUND = "no instruction found that covers this"
NOT_SHOWN = "the judge was not shown {file}, so an instruction may have been missed; to be sure, set judge.skill_file"
MOST = 6
"""How many changes a text shows; the document has all of them."""

LONGEST = 200
"""Characters of a reason or a quote that are shown."""

_WHOSE = {"output": "", "judge": "the judge says ", "check": "a check says ", "expectation": "expected: "}


@dataclass(frozen=True, slots=True)
class ChangeRow:
    """One change as a report shows it."""

    says: str
    cost: str
    """ "-0.47 points, 4 of 12 cases"."""
    lines: tuple[str, ...]
    """Quotes with their places, then the instruction."""


@dataclass(frozen=True, slots=True)
class ChangesReport:
    """What to change as data to show."""

    title: str
    rows: tuple[ChangeRow, ...]
    notes: tuple[str, ...]


def changes_report(changes: Changes, *, of: str = "", of_cases: int = 0, most: int | None = MOST) -> ChangesReport:
    """The first changes; `of` names what is to be changed where there is a choice, `of_cases` is how many there are."""
    rows = tuple(_row(change, changes) for change in changes.changes[:most])
    notes = [] if changes.is_read else [UNREAD]
    left = len(changes.changes) - len(rows)
    notes += [f"and {left} more, which cost less: --format json has all of them"] if left else []
    if (
        changes.skill is not None
        and not changes.is_shown
        and any(change.instruction is None for change in changes.changes)
    ):
        notes.append(NOT_SHOWN.format(file=changes.skill))
    if of_cases > changes.cases:
        notes.append(f"from {changes.cases:,} of {counted(of_cases, 'case')}: evenhand better looks at all of them")
    if not rows:
        notes.insert(0, "nothing: no complaint with a quote or a reason was found")
    return ChangesReport(f"{TITLE} ({of})" if of else TITLE, rows, tuple(notes))


def changes_document(changes: Changes) -> dict[str, Any]:
    """As JSON, for agents that then edit the skill."""
    return codec.document(changes, SCHEMA)


def changes_lines(report: ChangesReport) -> Iterator[str]:
    """As sentences, for Markdown and plain text."""
    yield report.title
    for number, row in enumerate(report.rows, start=1):
        yield f"{number}. {row.says} ({row.cost})"
        yield from (f"   {line}" for line in row.lines)
    yield from report.notes


def _row(change: Change, changes: Changes) -> ChangeRow:
    cases = f"{len(change.cases)} of {counted(changes.cases, 'case')}"
    cost = "costs nothing yet" if not change.cost else f"-{change.cost} {'point' if change.cost == 1 else 'points'}"
    says = {
        "red_flag": f"red flag {change.name}: ",
        "expectation": "unmet: ",
        "criterion": f"criterion {change.name}: ",
    }.get(change.kind, "")
    quotes = [_quoted(quote, several=changes.cases > 1) for quote in change.quotes if quote.text != change.says]
    lines = (*quotes, *_instruction(change, changes))
    said = says + shortened_line(change.says, LONGEST)
    if change.kind == "reason" and change.dimensions:
        said += f" ({', '.join(change.dimensions)})"
    return ChangeRow(said, cost if changes.cases == 1 else f"{cost}, {cases}", lines)


def _quoted(quote: Passage, *, several: bool) -> str:
    where = [f"case {quote.case}"] if several else []
    where += [f"line {quote.line}"] if quote.line is not None else []
    words = f"{_WHOSE[quote.source]}“{shortened_line(quote.text, LONGEST)}”"
    return f"{words} {', '.join(where)}" if where else words


def _instruction(change: Change, changes: Changes) -> tuple[str, ...]:
    if changes.skill is None:
        return ()
    found = change.instruction
    if found is None:
        return (NOT_COVERED if changes.is_shown else NOT_FOUND,)
    says = "says" if found.named_by == "judge" else "may cover this:"
    return (f"{changes.skill}:{found.line} {says} “{shortened_line(found.text, LONGEST)}”",)
