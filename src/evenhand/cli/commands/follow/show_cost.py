"""evenhand history --cost: what was spent, by skill, judge and suite."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from evenhand.cli.presenter import console, markdown_table, present
from evenhand.cli.shared import needed_store, say
from evenhand.errors import InputError
from evenhand.in_words import counted, dollars

if TYPE_CHECKING:
    from evenhand.store.figures.spending import Spending, Spent

_HEAD = ("evaluations", "calls", "tokens in", "tokens out", "judges", "agents", "together")
_PARTS = slice(4, 7)
"""Columns that are one where no agent cost anything."""


def show_cost(since: str | None, store: str | None, format: str) -> None:
    """Show what was spent, by skill, judge and suite.

    Counted is what evaluations in the store paid for model calls, those of suites included, and what the agents of
    suites cost. Replies that were kept and runs that were reused cost nothing again. In US dollars, as far as prices
    are known.
    """
    from evenhand.store.figures.spending import spending

    kept = needed_store(store)
    spent = spending(kept, since=None if since is None else _moment(since))
    if not spent.total.evaluations and not spent.suites:
        say(f"no evaluations in {kept.url}{'' if since is None else f' since {since}'}")
    present(
        format,
        lambda: _document(spent, since),
        markdown=lambda: "\n".join(
            markdown_table((title, *_head(spent)), (_row(entry, spent) for entry in entries))
            for title, entries in _parts(spent)
        ),
        terminal=lambda: _print(spent),
    )
    if spent.total.unknown and format in ("terminal", "markdown"):
        say(
            f"not counted: {counted(spent.total.unknown, 'evaluation or run', 'evaluations and runs')} whose price is "
            "not known; for models, give price_input and price_output in evenhand.toml"
        )


def _moment(date: str) -> int:
    from evenhand import clock

    try:
        return clock.microseconds(date if "T" in date else f"{date}T00:00:00Z")
    except ValueError:
        raise InputError(f'--since is "{date}"; it must be a day such as 2026-11-01, or a time as RFC 3339') from None


def _parts(spent: Spending) -> list[tuple[str, Sequence[Spent]]]:
    parts: list[tuple[str, Sequence[Spent]]] = [
        ("skill", spent.skills),
        ("judge", spent.judges),
        ("suite", spent.suites),
        ("", (spent.total,)),
    ]
    return [(title, entries) for title, entries in parts if entries]


def _head(spent: Spending) -> tuple[str, ...]:
    head = [*_HEAD]
    if not spent.total.agents:
        head[_PARTS] = ["cost"]
    return tuple(head)


def _row(spent: Spent, everything: Spending) -> tuple[str, ...]:
    counts = (spent.evaluations, spent.calls, spent.input_tokens, spent.output_tokens)
    parts = [f"{count:,}" for count in counts]
    if everything.total.agents:
        parts += map(dollars, (spent.judging, spent.agents))
    return (spent.name, *parts, _together(spent))


def _together(spent: Spent) -> str:
    """What is known to have been spent; None, not zero, where nothing is known."""
    if not spent.unknown:
        return dollars(spent.cost)
    return f"{dollars(spent.cost)} or more" if spent.cost else "unknown"


def _print(spent: Spending) -> None:
    from rich.table import Table

    screen = console()
    table = Table(box=None, pad_edge=False, collapse_padding=True, header_style="dim")
    table.add_column("", overflow="fold")
    for name in _head(spent):
        table.add_column(name, justify="right", no_wrap=True)
    for title, entries in _parts(spent):
        if title:
            table.add_row(f"by {title}", style="bold")
        for entry in entries:
            table.add_row(*_row(entry, spent), style="" if title else "bold")
    screen.print(table)


def _document(spent: Spending, since: str | None) -> dict[str, Any]:
    return {
        "since": since,
        "total": _entry(spent.total),
        "skills": _entries(spent.skills),
        "judges": _entries(spent.judges),
        "suites": _entries(spent.suites),
    }


def _entries(entries: Iterable[Spent]) -> list[dict[str, Any]]:
    return [_entry(entry) for entry in entries]


def _entry(spent: Spent) -> dict[str, Any]:
    money = {name: float(value) for name, value in (("judging", spent.judging), ("agents", spent.agents))}
    return {**spent._asdict(), **money, "cost": float(spent.cost)}
