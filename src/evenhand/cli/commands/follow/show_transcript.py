"""evenhand show FILE: how a file that is to be judged was understood."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

from evenhand.cli.presenter import console, indented, lone, one_line, present, write
from evenhand.cli.shared import BAD_INPUT, DONE, complain
from evenhand.errors import InputError, Problem
from evenhand.in_words import counted, dollars, duration
from evenhand.work.submission import Event, Submission

if TYPE_CHECKING:
    from evenhand.transcripts.summary import Summary

_SHOWN = 20
"""How many events are shown by default, if there is one submission."""

_WIDE = 300
"""How many characters of a task or an output are shown."""


def show_transcript(file: str, origin: str | None, events: int | None, format: str) -> int:
    """Show what is judged in a file: task, events, tools, errors, tokens, cost.

    Without `events`, all of them as JSON, otherwise twenty, or none of several submissions. Returns 2 if something
    could not be read; the rest is still shown.
    """
    from evenhand.transcripts import read

    submissions = read(file, origin, partial=True)
    first = list(islice(submissions, 2))
    most = events if events is not None else _SHOWN if len(first) == 1 else 0
    code = DONE
    documents = []
    for submission in chain(first, submissions):
        if isinstance(submission, InputError):
            complain(submission)
            code = BAD_INPUT
            continue
        code = BAD_INPUT if submission.problems else code
        if format == "json":
            documents.append(_document(submission, events))
            continue
        present(
            format,
            partial(_document, submission, events),
            terminal=partial(_terminal, submission, most),
            markdown=partial(_markdown, submission, most),
        )
    if documents:
        write(indented(lone(documents)))
    return code


# --- as data -------------------------------------------------------------------------------------


def _document(submission: Submission, most: int | None) -> dict[str, Any]:
    from evenhand.files import codec
    from evenhand.transcripts.summary import summary
    from evenhand.work.submission import picture_facts

    counts = summary(submission)
    usage = submission.usage
    return {
        "schema": "evenhand/transcript/v1",
        "source": submission.source,
        "format": submission.format,
        "id": submission.id,
        "skill": submission.skill,
        "task": submission.task,
        "output": submission.output,
        "models": list(submission.models),
        "started": submission.started or None,
        "ended": submission.ended or None,
        "usage": None if usage is None else codec.document(usage),
        "counts": codec.document(counts),
        "unknown": dict(submission.unknown),
        "problems": _listed(submission.problems),
        "warnings": _listed(submission.warnings),
        **({"images": picture_facts(submission.images)} if submission.images else {}),
        "events": [*map(codec.document, submission.events[:most])],
    }


def _listed(problems: Sequence[Problem]) -> list[dict[str, Any]]:
    return [{"message": problem.message, "file": problem.source, "line": problem.line} for problem in problems]


# --- for reading ---------------------------------------------------------------------------------


def _facts(submission: Submission, counts: Summary) -> Iterator[tuple[str, str]]:
    """What is shown above the events: labels and texts."""
    from evenhand.transcripts.registry import named

    yield "format", f"{named(submission.format).title} ({submission.format})"
    for label, value in (("id", submission.id), ("skill", submission.skill)):
        if value:
            yield label, value
    yield "task", _short(submission.task, _WIDE) if submission.task else "not known"
    if not counts.events and not submission.unknown:
        yield "size", _size(submission.output)
        return
    yield "models", ", ".join(submission.models) or "not named"
    if submission.started:
        lasted = "" if counts.seconds is None else f", {duration(counts.seconds)}"
        yield "time", f"{submission.started} to {submission.ended}{lasted}"
    if submission.usage:
        usage = submission.usage
        cached = f" ({usage.cached:,} from the cache)" if usage.cached else ""
        yield "tokens", f"{usage.input:,} in{cached}, {usage.output:,} out"
    if submission.cost is not None:
        yield "cost", dollars(submission.cost)
    yield "events", f"{counts.events:,}"
    roles = ", ".join(f"{count:,} {role}" for role, count in counts.messages.items())
    yield "messages", f"{sum(counts.messages.values()):,}{': ' + roles if roles else ''}"
    yield "tool calls", _calls(counts.tool_calls, counts.failed, counts.unanswered)
    for name, tool in counts.tools.items():
        yield "", f"{_called(name)}: {_calls(*tool)}"
    yield "errors", f"{counts.errors:,}"
    yield "reasoning", f"{counts.reasoning:,}"
    for name, count in counts.agents.items():
        yield "sub-agent", f"{name}: {counted(count, 'event')}"


def _calls(calls: int, failed: int, unanswered: int) -> str:
    text = f"{calls:,}"
    text += f", {failed:,} failed" if failed else ""
    return text + (f", {unanswered:,} unanswered" if unanswered else "")


def _trouble(submission: Submission) -> Iterator[tuple[str, str]]:
    """What was not understood, and what could not be read."""
    for kind, count in submission.unknown.items():
        yield "unknown", f"{kind}: {count:,}"
    for problem in submission.problems:
        yield "problem", str(problem)
    for warning in submission.warnings:
        yield "warning", str(warning)


def _row(event: Event) -> tuple[str, str, str]:
    """An event: its line, who, and what."""
    where = str(event.place.line or "")
    if event.call is None:
        who = event.role if event.kind == "message" else event.kind
        words = _short(event.text, _WIDE) or "(hidden by the provider)"
        return where, _by(who, event), words
    call = event.call
    came = (
        "no result" if call.result is None else f"{'failed: ' if call.failed else ''}{_short(call.result, _WIDE // 2)}"
    )
    arguments = "" if call.arguments is None else _short(_as_text(call.arguments), _WIDE // 2)
    return where, _by(_called(call.name), event), f"{arguments} => {came}"


def _by(who: str, event: Event) -> str:
    return f"{who} ({event.agent})" if event.agent else who


def _called(name: str) -> str:
    return name or "unnamed tool"


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else one_line(value)


def _short(text: str, most: int) -> str:
    words = " ".join(text[: most * 4].split())
    return words if len(words) <= most and len(text) <= most * 4 else f"{words[:most].rstrip()} ..."


def _size(text: str) -> str:
    lines = len(text.splitlines())
    return f"{counted(len(text), 'character')}, {counted(lines, 'line')}"


def _terminal(submission: Submission, most: int) -> None:
    from rich.rule import Rule
    from rich.table import Table

    from evenhand.reports.terminal.pieces import WIDEST, Text
    from evenhand.transcripts.summary import summary

    screen = console()
    width = min(screen.width, WIDEST)

    def lines(rows: Sequence[tuple[str, str]], style: str = "") -> None:
        table = Table.grid(padding=(0, 1))
        table.add_column(width=11)
        table.add_column(ratio=1, overflow="fold")
        for label, words in rows:
            table.add_row(Text(f" {label}", style="dim"), Text(words, style=style))
        screen.print(table, width=width)

    screen.print(Text(submission.source or "", style="bold"), width=width)
    lines(list(_facts(submission, summary(submission))))
    if trouble := list(_trouble(submission)):
        lines(trouble, "yellow")
    rule = Rule(characters="-" if screen.options.ascii_only else "\u2500", style="dim")
    shown = submission.events[:most]
    if shown:
        screen.print(rule, width=width)
        table = Table.grid(padding=(0, 1))
        table.add_column(justify="right", width=6)
        table.add_column(width=14, overflow="fold")
        table.add_column(ratio=1, overflow="fold")
        for event in shown:
            where, who, what = _row(event)
            bad = event.kind == "error" or (event.call is not None and event.call.failed)
            table.add_row(Text(where, style="dim"), Text(who, style="red" if bad else "cyan"), Text(what))
        screen.print(table, width=width)
        if len(shown) < len(submission.events):
            left = len(submission.events) - len(shown)
            hint = f" {counted(left, 'more event')}; --events N shows more"
            screen.print(Text(hint, style="dim"))
    screen.print(rule, width=width)
    lines([("output", _short(submission.output, _WIDE) or "(empty)")], "bold")


def _markdown(submission: Submission, most: int) -> str:
    from evenhand.reports.markdown_pieces import table_cell, table_markdown
    from evenhand.transcripts.summary import summary

    rows = (*_facts(submission, summary(submission)), *_trouble(submission))
    out = f"# {table_cell(submission.source or '')}\n\n{table_markdown(('what', 'value'), rows)}"
    shown = submission.events[:most]
    if shown:
        out += f"\n## Events 1 to {len(shown):,} of {len(submission.events):,}\n\n"
        out += table_markdown(("line", "who", "what"), map(_row, shown), right=("line",))
    return f"{out}\n## Output\n\n{table_cell(_short(submission.output, _WIDE)) or '(empty)'}\n\n"
