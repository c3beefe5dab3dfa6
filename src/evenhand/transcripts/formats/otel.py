"""OpenTelemetry spans with the GenAI conventions, old and new, or with OpenInference's: one submission per trace.

Every call of a model repeats the conversation so far. A message from an earlier span is not a new event,
unless it now appears more often than before.
"""

from __future__ import annotations

import ast
import json
import re
import warnings
from collections import Counter
from collections.abc import Iterator
from typing import Any

from evenhand.errors import InputError
from evenhand.transcripts.draft import Draft, text_in
from evenhand.transcripts.json_stream import documents
from evenhand.transcripts.json_text import maybe_json, parse, structured
from evenhand.transcripts.shapes.content_blocks import Speaker, result_text, says_error
from evenhand.transcripts.shapes.messages import take_message
from evenhand.transcripts.sources import Source
from evenhand.transcripts.spans.span_messages import input_messages, output_messages
from evenhand.transcripts.spans.spans import (
    Span,
    arguments_of,
    by_trace,
    cost_of,
    error_of,
    holds_spans,
    is_opened,
    model_of,
    result_of,
    shown_time,
    spans_of,
    sub_agents,
    task_in,
    tokens_of,
)
from evenhand.work.submission import Event, Submission, ToolCall

FORMAT = "otel"
TITLE = "OpenTelemetry or OpenInference spans"
PLACE = 170
MARKS = "name span_id trace_id"

_STEPS = ("CHAIN", "PROMPT", "UNKNOWN")
"""Kinds that only group others."""


def is_ours(value: dict[str, Any]) -> bool:
    """A span, or something that holds spans."""
    return holds_spans(value) or bool(value.keys() & {"resourceSpans", "resource_spans"})


def read(source: Source) -> Iterator[Submission | InputError]:
    """Every trace of a file; traces of one conversation count as one."""
    spans: list[Span] = []
    others: Counter[str] = Counter()
    for document in documents(source, is_opened):
        before = len(spans)
        spans += spans_of(document)
        if len(spans) == before:
            others["entry that is not a span"] += 1
    yield from traced(source, FORMAT, spans, others, roots_tell=False)


def traced(
    source: Source, format: str, spans: list[Span], others: Counter[str], *, roots_tell: bool = True
) -> Iterator[Submission | InputError]:
    """Put spans in order, one submission per trace; `others` are entries that are not spans.

    `roots_tell`: the input of the outermost span is the task, even if the models were sent something else.
    """
    groups = by_trace(spans)
    problems = source.take_problems()
    if not groups:
        raise InputError([*problems] or f"{source.name}: holds no spans")
    for number, (name, group) in enumerate(groups.items()):
        draft = Draft(source, format)
        draft.problems += problems
        if number == 0:
            draft.unknown |= others
        yield _Trace(draft, group, roots_tell).finish(name)


class _Trace:
    """One trace while it is put in order."""

    def __init__(self, draft: Draft, spans: list[Span], roots_tell: bool) -> None:
        self.draft = draft
        self.roots_tell = roots_tell
        self.spans = spans
        self.seen: Counter[str] = Counter()
        self.guessed: set[int] = set()
        """Calls whose span has no result; a later message may have it."""
        self.agents = sub_agents(spans)
        self.reported: list[tuple[Span, str]] = []
        self.later: list[tuple[int, str]] = []
        """Errors of steps that a failed call may explain, with their event index."""

    def finish(self, name: str) -> Submission:
        """Everything in the order it happened."""
        for span in self.spans:
            self.draft.saw_time(shown_time(span.start))
            self.draft.saw_time(shown_time(span.end))
            for _ in range(span.logs):
                self.draft.count("log of a span")
        for _, _, span, ended in sorted(self._moments(), key=lambda moment: moment[:2]):
            self._end(span) if ended else self._begin(span)
        self._drop_explained()
        self._costs()
        if not self.draft.usage:
            self._usage_of_outermost()
        self.draft.task, self.draft.id = self._task(), name
        return self.draft.finish()

    def _moments(self) -> Iterator[tuple[int, int, Span, bool]]:
        for order, span in enumerate(self.spans):
            yield span.start, order, span, False
            # Spans that end together end from the inside out, after all starts.
            yield max(span.end, span.start), 2 * len(self.spans) - order, span, True

    def _begin(self, span: Span) -> None:
        if any(above.kind == "EVALUATOR" for above in span.ancestors()):
            self.draft.count("span of an evaluator")
        elif span.kind == "LLM":
            self._model_call(span)
        elif span.kind in ("TOOL", "RETRIEVER"):
            self._tool(span)
        elif span.kind == "AGENT":
            self._inputs(span)
        elif span.kind not in _STEPS:
            self.draft.count(f"{span.kind} span" if span.kind else "span without a kind")

    def _end(self, span: Span) -> None:
        if span.kind == "AGENT":
            self._answer(span)
        if span.kind not in ("TOOL", "RETRIEVER"):
            self._failure(span)

    # --- messages --------------------------------------------------------------------------------

    def _model_call(self, span: Span) -> None:
        local = self._inputs(span)
        inside = any(above.kind == "LLM" for above in span.ancestors())
        model = self.draft.saw_model(model_of(span))
        for message in output_messages(span):
            for event in self._events(message, self._speaker(span, model)):
                if inside:
                    self._repeatable(event, local)
                else:
                    self._new(event)
        if not any(above.kind == "LLM" and tokens_of(above) for above in span.ancestors()):
            usage = tokens_of(span)
            if usage:
                self.draft.usage[len(self.draft.usage)] = usage

    def _inputs(self, span: Span) -> Counter[str]:
        local: Counter[str] = Counter()
        for message in input_messages(span):
            for event in self._events(message, self._speaker(span, "")):
                self._repeatable(event, local)
        return local

    def _speaker(self, span: Span, model: str) -> Speaker:
        return Speaker("", span.place, self.agents.get(id(span), ""), model, shown_time(span.start))

    def _events(self, message: dict[str, Any], speaker: Speaker) -> list[Event]:
        """The events of a message, as if all of it were new."""
        scratch = Draft(self.draft.source, FORMAT)
        text = message.get("content")
        if isinstance(text, str) and (written_out := calls_written_out(text, speaker)) is not None:
            return written_out
        take_message(scratch, {**message, "timestamp": speaker.time}, speaker)
        for kind, count in scratch.unknown.items():
            self.draft.unknown[kind] = self.draft.unknown.get(kind, 0) + count
        return scratch.events

    def _repeatable(self, event: Event, local: Counter[str]) -> None:
        """Add an event if it was not seen before, or not as often."""
        call = event.call
        if call is not None and call.result is not None:
            self._result(event, local)
            return
        if call is not None and call.id:
            if call.id not in self.draft.calls:
                self._new(event)
            return
        key = _key(event)
        local[key] += 1
        if local[key] > self.seen[key]:
            self._new(event)

    def _new(self, event: Event) -> None:
        call = event.call
        if call is not None and call.id:
            if call.id in self.draft.calls:
                return
            self.draft.calls[call.id] = len(self.draft.events)
        self.seen[_key(event)] += 1
        self.draft.events.append(event)

    def _result(self, event: Event, local: Counter[str]) -> None:
        """A tool result, as repeated by a later message."""
        call = event.call
        assert call is not None and call.result is not None
        index = self.draft.calls.get(call.id) if call.id else None
        if index is None and not call.id:
            key = f"result {call.result.strip()}"
            local[key] += 1
            if local[key] <= self.seen[key]:
                return
            self.seen[key] += 1
            index = self.draft.open_call(call.name)
        if index is None:
            self.draft.result(call.id, call.result, event.place, call.failed, call.name, event.agent, event.time)
            return
        known = self.draft.events[index].call
        assert known is not None
        if known.result is None or index in self.guessed:
            self.guessed.discard(index)
            self.draft.answer(index, call.result, event.place, call.failed or known.failed)
        elif call.failed and call.result not in known.result:  # what it printed came first, then the error
            self.draft.answer(index, f"{known.result}\n{call.result}", event.place, True)

    def _answer(self, span: Span) -> None:
        """The final answer of an agent, unless its model's last message was the same."""
        agent = self.agents.get(id(span), "")
        time = shown_time(span.end)
        messages = list(output_messages(span))
        texts = [result_text(message.get("content")) for message in messages if message.get("content")]
        for text in texts:
            index = self.draft.open_call("final_answer")
            if index is not None and self.draft.events[index].agent == agent:
                self.draft.answer(index, text, span.place, False)
            event = Event("message", "assistant", text, span.place, None, agent, "", time)
            if text.strip() and not self.seen[_key(event)]:
                self._new(event)

    # --- tool calls ------------------------------------------------------------------------------

    def _tool(self, span: Span) -> None:
        name = (
            span.text("gen_ai.tool.name", "tool.name", "tool_call.function.name", "traceloop.entity.name") or span.name
        )
        call_id = span.text("gen_ai.tool.call.id", "tool_call.id", "tool.id")
        arguments = arguments_of(span)
        agent = self.agents.get(id(span), "")
        index = self.draft.calls.get(call_id) if call_id else self._matching(name, arguments)
        if index is None:
            index = self.draft.call(name, arguments, span.place, call_id, agent, "", shown_time(span.start))
        error = error_of(span)
        if error:
            self.reported.append((span, error))
        known = self.draft.events[index].call
        if known is not None and known.result is None:
            output = result_of(span)
            if output is None:
                self.guessed.add(index)
            text = error if output is None else output
            failed = bool(error) or (not span.succeeded and says_error(text))
            self.draft.answer(index, text, span.place, failed)

    def _matching(self, name: str, arguments: Any) -> int | None:
        """The open call for a tool's span: with the same arguments, or the last one with its name."""
        events = self.draft.events
        best = None
        for index in range(len(events) - 1, max(-1, len(events) - 200), -1):
            call = events[index].call
            if call is not None and call.result is None and call.name == name:
                if call.arguments == arguments:
                    return index
                best = index if best is None else best
        return best

    # --- errors ----------------------------------------------------------------------------------

    def _failure(self, span: Span) -> None:
        """The error of a span, unless it repeats that of a span inside it."""
        error = error_of(span)
        if not error or any(above.kind in ("LLM", "TOOL", "RETRIEVER") for above in span.ancestors()):
            return  # errors inside a tool are part of its result
        message = error.partition(": ")[2] or error
        for inner, earlier in self.reported:
            reason = earlier.partition(": ")[2] or earlier
            if any(above is span for above in inner.ancestors()) and (reason in error or message in earlier):
                return
        self.reported.append((span, error))
        if span.kind != "LLM":
            self.later.append((len(self.draft.events), message))
        self.draft.error(error, span.place, self.agents.get(id(span), ""), "", shown_time(span.end))

    def _drop_explained(self) -> None:
        """Leave out errors of steps that the agent received as the result of a failed call."""
        results = [event.call.result or "" for event in self.draft.events if event.call and event.call.failed]
        gone = {index for index, message in self.later if any(message in result for result in results)}
        self.draft.events = [event for index, event in enumerate(self.draft.events) if index not in gone]

    # --- the whole -------------------------------------------------------------------------------

    def _task(self) -> str | None:
        """What the outermost agent was asked, or else the first user's message, or else the outermost input."""
        outermost = [span for span in self.spans if span.kind == "AGENT" and not self.agents.get(id(span))]
        roots_tell = self.roots_tell or not self._has_request()
        for span in (*outermost, *(span for span in self.spans if span.parent is None and roots_tell)):
            if task := task_in(structured(span.get("input.value") or span.get("traceloop.entity.input"))):
                return task
        return None

    def _has_request(self) -> bool:
        return any(event.role == "user" and not event.agent for event in self.draft.events)

    def _usage_of_outermost(self) -> None:
        """The tokens that agents or whole traces state, where no call of a model does."""
        for span in self.spans:
            usage = tokens_of(span)
            if usage and _counts(span) and not any(map(tokens_of, span.ancestors())):
                self.draft.usage[len(self.draft.usage)] = usage

    def _costs(self) -> None:
        """A step's cost includes those of the steps inside it; so those of the outermost that state one are added."""
        for span in self.spans:
            if _counts(span) and not any(map(cost_of, span.ancestors())):
                self.draft.saw_cost(cost_of(span), len(self.draft.costs))


def _counts(span: Span) -> bool:
    """Whether a span is the agent's work: what an evaluation took is not."""
    return span.kind != "EVALUATOR" and not any(above.kind == "EVALUATOR" for above in span.ancestors())


def _key(event: Event) -> str:
    """What makes two events the same, regardless of their author."""
    if event.call is not None:
        return f"call {event.call.name} {json.dumps(event.call.arguments, sort_keys=True, default=str)}"
    return f"{event.kind} {event.text.strip()}"


_CALLING = re.compile(r"Calling tools:\s*(\[.*\])\s*", re.DOTALL)
_CALLED = re.compile(r"Call id: (\S+)\n(Observation|Error):\n?")


def calls_written_out(text: str, speaker: Speaker) -> list[Event] | None:
    """The calls or result in a message; None for an ordinary message."""
    if (calling := _CALLING.fullmatch(text)) is not None:
        calls = []
        for call in _python_list(calling[1]):
            inner = call.get("function") if isinstance(call, dict) else None
            if not isinstance(inner, dict):
                return None
            arguments = maybe_json(inner.get("arguments"))
            calls.append(_event(ToolCall(text_in(inner, "name"), arguments, text_in(call, "id")), speaker))
        return calls or None
    if (called := _CALLED.match(text)) is not None:
        return [
            _event(ToolCall("", None, called[1], text[called.end() :], called[2] == "Error", speaker.place), speaker)
        ]
    return None


def _python_list(text: str) -> list[Any]:
    """A printed Python list as plain JSON values; empty when it is not one."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about odd escapes in someone else's text
            value = parse(json.dumps(ast.literal_eval(text), default=str))
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return []
    return value if isinstance(value, list) else []


def _event(call: ToolCall, speaker: Speaker) -> Event:
    return Event("tool_call", "assistant", "", speaker.place, call, speaker.agent, speaker.model, speaker.time)
