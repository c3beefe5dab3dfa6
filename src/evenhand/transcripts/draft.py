"""Builds a submission: formats report what happened, in order, and the draft records it.

A tool's result joins the call it answers. Unknown entries are counted, broken ones are listed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from decimal import Decimal, InvalidOperation
from typing import Any

from evenhand.core.finding import Place
from evenhand.errors import InputError, Problem
from evenhand.transcripts import limits
from evenhand.transcripts.images import bounded, images_in
from evenhand.transcripts.sources import Source
from evenhand.work.submission import Event, Submission, ToolCall, Usage

_NUMBER = (int, float)
_RECENT = 200
"""Events among which a result without an id is looked for its call."""
_OTHER_KINDS = "other kinds"
_HANDS_IN = frozenset(("stop", "final_answer"))
"""Tools that end a run with its answer, as browsing agents have."""


class Draft:
    """One submission while it is read."""

    def __init__(self, source: Source, format: str) -> None:
        self.source = source
        self.format = format
        self.events: list[Event] = []
        self.unknown: dict[str, int] = {}
        self.problems: list[Problem] = []
        self.models: dict[str, None] = {}
        self._names: dict[str, str] = {}
        self.usage: dict[object, Usage] = {}
        """By request, so that each one counts once."""
        self.costs: dict[object, Decimal] = {}
        """US dollars, by request, or the total alone."""
        self.started = self.ended = ""
        self.folder = ""
        """The folder that the agent worked in: the first one that is named."""
        self._image_bytes = 0
        self.calls: dict[str, int] = {}
        """The index of the event for each call id."""
        self._early: dict[str, tuple[int, ToolCall]] = {}
        """Each result whose call has not been read yet, with the index of its event."""
        self.understood = 0
        """How many entries of the file have this format."""
        self.task: str | None = None
        """The task, if it is not the first user message."""
        self.output: str | None = None
        """The output, if it is not the last answer."""
        self.id = ""
        self.tools: dict[str, None] = {}
        """The names of the tools that were offered."""

    # --- what happened ---------------------------------------------------------------------------

    def message(self, role: str, text: str, place: Place, agent: str = "", model: str = "", time: str = "") -> None:
        """A message; blank ones are ignored."""
        if text and not text.isspace():
            self.events.append(Event("message", role, text, place, None, agent, model, time))

    def reasoning(self, text: str, place: Place, agent: str = "", model: str = "", time: str = "") -> None:
        """Thoughts of the agent; empty when they are encrypted."""
        self.events.append(Event("reasoning", "assistant", text, place, None, agent, model, time))

    def error(
        self, text: str, place: Place, agent: str = "", model: str = "", time: str = "", role: str = "system"
    ) -> None:
        """Something that failed, other than a tool."""
        self.events.append(Event("error", role, text, place, None, agent, model, time))

    def call(
        self,
        name: str,
        arguments: Any,
        place: Place,
        id: str = "",
        agent: str = "",
        model: str = "",
        time: str = "",
    ) -> int:
        """A tool call; returns its index among the events. One whose result came first joins it where that stands."""
        name = self._names.setdefault(name, name)  # the same few recur, and a long session has a hundred thousand
        early = self._early.pop(id, None) if id else None
        if early is not None:
            index, result = early
            joined = result._replace(name=name, arguments=arguments)
            old = self.events[index]
            self.events[index] = Event(
                "tool_call", "assistant", "", place, joined, agent, model, time or old.time, old.images
            )
            self.calls[id] = index
            return index
        index = len(self.events)
        self.events.append(
            Event("tool_call", "assistant", "", place, ToolCall(name, arguments, id), agent, model, time)
        )
        if id:
            self.calls[id] = index
        return index

    def result(
        self,
        id: str,
        text: str,
        place: Place,
        failed: bool = False,
        name: str = "",
        agent: str = "",
        time: str = "",
        content: Any = None,
    ) -> None:
        """The result of a tool, with the blocks it was read from. A result without a known call becomes its own."""
        index = self.calls.get(id)
        if index is not None:
            call = self.events[index].call
            assert call is not None
            if call.result is None:
                self.answer(index, text, place, failed, content)
                return
            if call.result == text:
                return  # the same line is in the file twice
            name = name or call.name
        answered = ToolCall(name, None, id, text, failed, place)
        if index is None and id:
            self.calls[id] = len(self.events)
            self._early[id] = len(self.events), answered
        self.events.append(Event("tool_call", "assistant", "", place, answered, agent, "", time))
        self.attach(content)

    def lone_result(self, id: str, text: str, place: Place, failed: bool, agent: str = "", time: str = "") -> None:
        """A result whose call may not be in the file at all: a message, until the call is read."""
        self._early[id] = len(self.events), ToolCall("", None, id, text, failed, place)
        self.message("tool", text or "(nothing)", place, agent, "", time)

    def answer(self, index: int, text: str, place: Place, failed: bool, content: Any = None) -> None:
        """Give the call at an index its result."""
        old = self.events[index]
        assert old.call is not None
        call = ToolCall(old.call.name, old.call.arguments, old.call.id, text, failed, place)
        self.events[index] = Event(
            old.kind, old.role, old.text, old.place, call, old.agent, old.model, old.time, old.images
        )
        self.attach(content, index)

    def waits(self, index: int) -> bool:
        """Whether the event at an index is a call without a result."""
        call = self.events[index].call
        return call is not None and call.result is None

    def open_call(self, name: str = "") -> int | None:
        """The last call without a result; with this name, if one is given."""
        return next(self.open_calls(name), None)

    def open_calls(self, name: str = "") -> Iterator[int]:
        """The calls without a result among the last events, the last one first; with this name, if one is given."""
        for index in range(len(self.events) - 1, max(-1, len(self.events) - _RECENT), -1):
            call = self.events[index].call
            if call is not None and call.result is None and (not name or call.name == name):
                yield index

    def is_open(self, id: str) -> bool:
        """Whether a call with this id is known and has no result."""
        return id in self.calls and self.waits(self.calls[id])

    def attach(self, content: Any, index: int = -1) -> None:
        """Add the pictures among some blocks to an event, by default the last one."""
        if not content or isinstance(content, str):
            return
        images = bounded(images_in(content, self.source.folder), self._image_bytes)
        if images:
            self._image_bytes += sum(len(image.data) for image in images)
            self.events[index] = self.events[index]._replace(images=self.events[index].images + images)

    def handed_in(self) -> str | None:
        """The answer that the run's last call hands in; None when it hands in none."""
        call = self.events[-1].call if self.events else None
        if call is None or call.name not in _HANDS_IN or not isinstance(call.arguments, dict):
            return None
        return text_in(call.arguments, "answer") or None

    def spoken(self, role: str) -> Iterator[str]:
        """The messages of a role, of all agents, the last one first."""
        return (event.text for event in reversed(self.events) if event.kind == "message" and event.role == role)

    # --- bookkeeping -----------------------------------------------------------------------------

    def objects(self, value: Any, key: str, kind: str) -> Iterator[dict[str, Any]]:
        """The objects in the list under a key; anything else in it is counted."""
        for item in list_in(value, key):
            if isinstance(item, dict):
                yield item
            else:
                self.count(f"{kind} that is not an object")

    def count(self, kind: str) -> None:
        """An entry of a kind that is not understood."""
        kind = kind[:80]
        if kind not in self.unknown and len(self.unknown) >= limits.KINDS:
            kind = _OTHER_KINDS
        self.unknown[kind] = self.unknown.get(kind, 0) + 1

    def saw_model(self, name: Any) -> str:
        """Record a model; returns its name, or an empty text when there is none."""
        if not isinstance(name, str) or not name:
            return ""
        self.models[name] = None
        return self._names.setdefault(name, name)

    def saw_tools(self, offered: Any) -> None:
        """Record the tools that the agent was offered: their names, or their declarations as requests hold them."""
        for tool in offered if isinstance(offered, list) else ():
            name = (
                tool if isinstance(tool, str) else text_in(object_in(tool, "function"), "name") or text_in(tool, "name")
            )
            if name and len(self.tools) < limits.KINDS:
                self.tools[name[:100]] = None

    def saw_cost(self, value: Any, request: object = "total") -> None:
        """Record what a request cost, or all of them."""
        amount = amount_of(value)
        if amount is not None:
            self.costs[request] = amount

    def saw_time(self, time: str) -> None:
        """Record a time in the transcript."""
        if time:
            if not self.started or time < self.started:
                self.started = time
            if time > self.ended:
                self.ended = time

    def finish(self) -> Submission:
        """The submission."""
        problems = [*self.problems, *self.source.take_problems()]
        task, output = self.task, self.output
        if task is None:
            task = next((event.text for event in self.events if _is_message_of(event, "user")), None)
        if output is None:
            output = next((event.text for event in reversed(self.events) if _is_message_of(event, "assistant")), "")
        return Submission(
            output=output,
            task=task,
            source=self.source.name,
            id=self.id or None,
            format=self.format,
            events=tuple(self.events),
            usage=_total(self.usage.values()),
            cost=sum(self.costs.values(), Decimal(0)) if self.costs else None,
            models=tuple(self.models),
            started=self.started,
            ended=self.ended,
            unknown=dict(self.unknown),
            problems=tuple(problems),
            folder=self.folder,
            task_read=task is not None,
            tools=tuple(self.tools),
        )

    def finish_if_any(self) -> Submission:
        """The submission, or an error when nothing in the file has this format."""
        if not self.understood and not self.events:
            problems = [*self.problems, *self.source.take_problems()]
            raise InputError([Problem(f"nothing in it could be read as {self.format}", self.source.name), *problems])
        return self.finish()


def _is_message_of(event: Event, role: str) -> bool:
    return event.kind == "message" and event.role == role and not event.agent


def _total(usages: Iterable[Usage]) -> Usage | None:
    listed = list(usages)
    if not listed:
        return None
    return Usage(
        sum(usage.input for usage in listed),
        sum(usage.output for usage in listed),
        sum(usage.cached for usage in listed),
    )


def count_of(value: Any) -> int:
    """A number of tokens, from a number or text."""
    if isinstance(value, str):
        value = value.strip()
        return int(value) if value.isdecimal() and len(value) < 16 else 0
    return int(value) if isinstance(value, _NUMBER) and 0 <= value < 10**15 else 0


def amount_of(value: Any) -> Decimal | None:
    """A sum of money, from a number or text; None when it is not known. Zero is what many write who do not know."""
    if isinstance(value, str):
        try:
            value = Decimal(value.strip()) if len(value) < 40 else None
        except InvalidOperation:
            return None
    if not isinstance(value, int | float | Decimal) or isinstance(value, bool):
        return None
    if (isinstance(value, Decimal) and not value.is_finite()) or not 0 < value < 10**9:
        return None
    return value if isinstance(value, Decimal) else Decimal(str(value))


def usage_in(counts: dict[str, Any], *keys: str) -> Usage:
    """The numbers of tokens under these keys: of the input, of the output, and read from a cache."""
    return Usage(*(count_of(counts.get(key)) for key in keys))


def usage_apart(counts: dict[str, Any], sent: str, answered: str, read: str, written: str = "") -> Usage:
    """The numbers of tokens where those read from and written to a cache are counted apart from the input."""
    cached = count_of(counts.get(read))
    return Usage(
        count_of(counts.get(sent)) + cached + count_of(counts.get(written)), count_of(counts.get(answered)), cached
    )


def text_in(value: Any, key: str) -> str:
    """The text under a key of an object; empty when there is none, or something else."""
    text = value.get(key) if isinstance(value, dict) else None
    return text if isinstance(text, str) else ""


def object_in(value: Any, key: str) -> dict[str, Any]:
    """The object under a key of an object; empty when there is none, or something else."""
    inner = value.get(key) if isinstance(value, dict) else None
    return inner if isinstance(inner, dict) else {}


def listed(value: Any) -> list[Any]:
    """The items of a list; anything else is one item."""
    return value if isinstance(value, list) else [value]


def list_in(value: Any, key: str) -> list[Any]:
    """The list under a key of an object; empty when there is none, or something else."""
    items = value.get(key) if isinstance(value, dict) else None
    return items if isinstance(items, list) else []
