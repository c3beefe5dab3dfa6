"""A transcript as a judge reads it: numbered events, each with its parts, then the final output. Pure.

Nothing reveals who made it: no model, time, file or name of a sub-agent. The lines of an event are indented, so that
no text can pose as the heading of another event; quotes are compared with white space folded and are not affected.
Tools and unusual roles have numbers in the headings, because a name is written by others; a legend at the top lists the
names, and is screened like the rest of the work.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from evenhand.work.submission import Event

FINAL: Final = "FINAL OUTPUT:"
NONCE_HERE: Final = "\ufdd0"
"""Marks the place of the nonce in our own notes until the prompt is made. Unicode reserves it for internal use, and
`show` removes it from everything that was submitted."""


def note(text: str) -> str:
    """A note of our own inside the fenced text. It begins with the nonce, so that nobody else can write one."""
    return f"[{NONCE_HERE}: {text}]"


AS_BELOW: Final = note("the final output below")
LEGEND: Final = "NAMES:"
MOST_NAMES: Final = 30
"""Names in the legend; those that come later in a transcript have numbers only, so that the work keeps its room."""
_NOT_NAME = re.compile(r"[^\w.:/-]+")
_ROLES: Final = frozenset(("user", "assistant", "system", "tool", "developer"))


class Part(NamedTuple):
    """A text of an event, under its heading."""

    heading: str
    text: str
    """Indented; empty when there is none."""


class Entry(NamedTuple):
    """An event as a judge sees it."""

    number: int
    """From 1, in order."""
    parts: tuple[Part, ...]
    """The message or the call, then the result if there is one."""
    failed: bool = False
    reasoning: bool = False


class Names:
    """The tools and unusual roles of a transcript, numbered in the order in which they appear."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[str, str], str] = {}
        self._counts: Counter[str] = Counter()

    def tool(self, name: str) -> str:
        """A tool as a heading names it."""
        return self._number("tool", name)

    def role(self, name: str) -> str:
        """A role as a heading names it: its number, unless it is one of the usual ones."""
        return name if name in _ROLES else self._number("role", name)

    def legend(self) -> str:
        """The names with their numbers, to be shown before the events; empty without any."""
        listed = list(self._numbers.items())[:MOST_NAMES]
        lines = [f"  {number}: {_name(name)}" for (_, name), number in listed]
        return "\n".join([LEGEND, *lines, ""]) if lines else ""

    def _number(self, kind: str, name: str) -> str:
        known = self._numbers.get((kind, name))
        if known is None:
            self._counts[kind] += 1
            known = self._numbers[kind, name] = f"{kind} {self._counts[kind]}"
        return known


def entries(events: Iterable[Event], output: str, names: Names) -> Iterator[Entry]:
    """The events in order. A message identical to the final output is not repeated."""
    agents: dict[str, int] = {}
    for number, event in enumerate(events, 1):
        inside = f" in sub-agent {agents.setdefault(event.agent, len(agents) + 1)}" if event.agent else ""
        yield Entry(
            number=number,
            parts=tuple(_parts(event, inside, output, names)),
            failed=event.kind == "error" or bool(event.call and event.call.failed),
            reasoning=event.kind == "reasoning",
        )


def _parts(event: Event, inside: str, output: str, names: Names) -> Iterator[Part]:
    call = event.call
    if call is None:
        role = names.role(event.role)
        what = {"message": role, "reasoning": f"{role} (reasoning)"}.get(event.kind, "error")
        same = event.kind == "message" and len(output) > len(AS_BELOW) and event.text.strip() == output.strip()
        yield Part(f"{what}{inside}", indented(AS_BELOW if same else event.text))
        return
    who = f"{names.role(event.role)} calls {names.tool(call.name)}{inside}"
    yield Part(who, indented(arguments_text(call.arguments)))
    if call.result is None:
        yield Part("no result came back", "")
    else:
        yield Part("failed with" if call.failed else "result", indented(call.result))


def _name(text: str) -> str:
    """A role or a tool's name, on one line and not too long."""
    return _NOT_NAME.sub("_", text)[:60] or "unnamed"


def arguments_text(arguments: Any) -> str:
    """The arguments of a call, with strings unescaped so that they can be quoted."""
    if isinstance(arguments, str):
        return arguments
    if isinstance(arguments, Mapping):
        return "\n".join(
            f"{key}: {value if isinstance(value, str) else _compact(value)}" for key, value in arguments.items()
        )
    return _compact(arguments)


def _compact(value: Any) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, default=str)
    except (ValueError, RecursionError):
        return "(arguments that cannot be shown)"


def heading(entry: Entry, part: Part) -> str:
    """The line above a part."""
    return f"[{entry.number}] {part.heading}:" if part.text else f"[{entry.number}] {part.heading}"


def indented(text: str) -> str:
    """A text with every line indented."""
    return "  " + text.replace("\n", "\n  ") if text else ""


def written(entry: Entry) -> str:
    """An event in full."""
    return "\n".join(
        f"{heading(entry, part)}\n{part.text}" if part.text else heading(entry, part) for part in entry.parts
    )
