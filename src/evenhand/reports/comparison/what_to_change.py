"""What to change in a skill: the most costly complaints first, each with its quotes and the instruction. Pure."""

from __future__ import annotations

from typing import Any, Final

from evenhand.decisions.what_to_change import Change, Changes, Passage
from evenhand.errors import shortened_line
from evenhand.files import codec
from evenhand.in_words import counted
from evenhand.reports.tree import Head, Item, Items, Line, Node, Report, Section, text_of

SCHEMA = "evenhand/what-to-change/v1"
TITLE = "What to change, most costly first"
UNREAD = "no judge has scored these outputs: only checks and expectations are listed; a model judge gives reasons, too"
NOT_COVERED = "no instruction covers this"
NOT_FOUND = "no instruction found that covers this"
NOT_SHOWN = "the judge was not shown {file}, so an instruction may have been missed; to be sure, set judge.skill_file"
MOST = 6
"""How many changes a text shows; the document has all of them."""
MOST_AT_FIRST = 2
"""How many are shown where the answer is to fit on a screen."""

LONGEST = 200
"""Characters of a reason or a quote that are shown."""
LINE: Final = 74
"""Characters of a line where the answer is to fit on a screen, beside what stands in front of it."""

_WHOSE = {"output": "", "judge": "the judge says ", "check": "a check says ", "expectation": "expected: "}


def changes_report(changes: Changes, *, of: str = "", most: int | None = MOST) -> Report:
    """What to change, as a document of its own; `of` names what is to be changed where there is a choice."""
    section = changes_section(changes, of=of, most=most)
    return Report(text_of(section.title), (Head(title=section.title), *section.nodes))


def changes_section(
    changes: Changes, *, of: str = "", of_cases: int = 0, most: int | None = MOST, is_brief: bool = False
) -> Section:
    """The first changes, of `of_cases` in all; when brief, so that a screen holds them with what goes before."""
    items = change_items(changes, most=MOST_AT_FIRST if is_brief else most, is_brief=is_brief)
    notes = _notes(changes, len(items), of_cases)
    if is_brief:
        notes = [] if items else notes[:1]
    nodes: tuple[Node, ...] = (Items(items, ordered=True),) if items else ()
    return Section(title=f"{TITLE} ({of})" if of else TITLE, nodes=(*nodes, *map(Line, notes)))


def change_items(changes: Changes, *, most: int | None = MOST, is_brief: bool = False) -> tuple[Item, ...]:
    """An entry for each change."""
    return tuple(_item(change, changes, is_brief=is_brief) for change in changes.changes[:most])


def _notes(changes: Changes, shown: int, of_cases: int) -> list[str]:
    notes = [] if shown else ["nothing: no complaint with a quote or a reason was found"]
    notes += [] if changes.is_read else [UNREAD]
    left = len(changes.changes) - shown
    notes += [f"and {left} more, which cost less: --format json has all of them"] if left else []
    if (
        changes.skill is not None
        and not changes.is_shown
        and any(change.instruction is None for change in changes.changes)
    ):
        notes.append(NOT_SHOWN.format(file=changes.skill))
    if of_cases > changes.cases:
        notes.append(f"from {changes.cases:,} of {counted(of_cases, 'case')}: evenhand better looks at all of them")
    return notes


def changes_document(changes: Changes) -> dict[str, Any]:
    """As JSON, for agents that then edit the skill."""
    return codec.document(changes, SCHEMA)


def _item(change: Change, changes: Changes, *, is_brief: bool) -> Item:
    cases = f"{len(change.cases)} of {counted(changes.cases, 'case')}"
    cost = "costs nothing yet" if not change.cost else f"-{change.cost} {'point' if change.cost == 1 else 'points'}"
    says = {
        "red_flag": f"red flag {change.name}: ",
        "expectation": "unmet: ",
        "criterion": f"criterion {change.name}: ",
    }.get(change.kind, "")
    says += shortened_line(change.says, LONGEST)
    if change.kind == "reason" and change.dimensions:
        says += f" ({', '.join(change.dimensions)})"
    quotes = [_quoted(quote, several=changes.cases > 1) for quote in change.quotes if quote.text != change.says]
    lines = (*quotes, *_instruction(change, changes))
    amount = cost if changes.cases == 1 else f"{cost}, {cases}"
    if is_brief:
        says = shortened_line(says, LINE - len(amount))
        lines = tuple(shortened_line(line, LINE) for line in lines[:1])
    return Item(head=says, amount=amount, mark="bad", below=tuple(Line(line, "quiet") for line in lines))


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
