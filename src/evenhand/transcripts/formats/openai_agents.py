"""OpenAI Agents SDK: the spans of its traces, or the saved state of a run.

Follows src/agents/tracing (spans.py, span_data.py) and src/agents/run_state.py of openai/openai-agents-python. Spans
are one per line or in a list; `span_data` has the type. A state has the first input and the items that were generated.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from evenhand.errors import InputError
from evenhand.transcripts.draft import Draft, list_in, listed, object_in, text_in
from evenhand.transcripts.formats.otel import traced
from evenhand.transcripts.head import Head
from evenhand.transcripts.json_stream import Document, documents, within
from evenhand.transcripts.json_text import written
from evenhand.transcripts.shapes.content_blocks import Speaker
from evenhand.transcripts.shapes.items import take_item
from evenhand.transcripts.shapes.messages import take_message, usage_of
from evenhand.transcripts.sources import Source
from evenhand.transcripts.spans.spans import Span
from evenhand.transcripts.spans.trace_spans import TraceStep, span_of
from evenhand.work.submission import Submission

FORMAT = "openai-agents"
TITLE = "OpenAI Agents trace"
PLACE = 230
MARKS = "trace_id span_data"
LATE_MARKS = "span_data"

_KINDS = {"generation": "LLM", "response": "LLM", "function": "TOOL", "agent": "AGENT"}
_SPOKEN = frozenset(
    "message_output_item tool_call_item tool_call_output_item reasoning_item handoff_call_item "
    "handoff_output_item".split()
)


def sniff(head: Head) -> bool:
    """A trace or a span of one, or the state of a run."""
    values = [item for value in head.objects for item in [value, *(_held(value) or ())]]
    return any(_is_span(item) or _is_trace(item) or (isinstance(item, dict) and _is_state(item)) for item in values)


def _held(value: Any) -> list[Any] | None:
    """The spans of a batch, as an exporter sends them."""
    inner = value.get("data", value.get("spans")) if isinstance(value, dict) else None
    return inner if isinstance(inner, list) else None


def _is_span(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("span_data"), dict) and "trace_id" in value


def _is_trace(value: Any) -> bool:
    return isinstance(value, dict) and value.get("object") == "trace" and "workflow_name" in value


def _is_state(value: dict[str, Any]) -> bool:
    items = _either(value, "generated_items", "generatedItems")
    return isinstance(items, list) and _either(value, "original_input", "originalInput") is not None


def _either(value: dict[str, Any], *keys: str) -> Any:
    return next((value[key] for key in keys if value.get(key) is not None), None)


def read(source: Source) -> Iterator[Submission | InputError]:
    """Every trace, or every state, of a file."""
    spans: list[Span] = []
    others: Counter[str] = Counter()
    states = 0
    for document in documents(source, within("data", "spans", "generated_items", "generatedItems")):
        for value in listed(document.value):
            if isinstance(value, dict) and _is_state(value):
                states += 1
                yield _state(Draft(source, FORMAT), value, document)
                continue
            for item in _held(value) or [value]:
                if _is_span(item):
                    spans.append(span_of(_run(item), document.place(item)))
                elif not _is_trace(item):
                    others["entry that is not a span"] += 1
    if spans or not states:
        yield from traced(source, FORMAT, spans, others)


def _run(span: dict[str, Any]) -> TraceStep:
    data = span["span_data"]
    kind = _KINDS.get(text_in(data, "type"), "CHAIN")
    response = object_in(data, "response")
    error = span.get("error")
    message = text_in(error, "message") if isinstance(error, dict) else written(error or "")
    if detail := object_in(span, "error").get("data"):
        message = ": ".join(filter(None, (message, written(detail))))
    if text_in(data, "type") == "guardrail" and data.get("triggered"):
        message = message or f"the guardrail {text_in(data, 'name')} stopped the run"
    return TraceStep(
        kind=kind,
        id=text_in(span, "id"),
        trace=text_in(span, "trace_id"),
        parent=text_in(span, "parent_id"),
        name=text_in(data, "name") or text_in(data, "type"),
        start=span.get("started_at"),
        end=span.get("ended_at"),
        input=data.get("input"),
        output=_either(data, "output", "response"),
        error=message,
        model=text_in(data, "model") or text_in(response, "model"),
        usage=usage_of(data.get("usage") or response.get("usage")),
    )


# --- the state of a run --------------------------------------------------------------------------


def _state(draft: Draft, value: dict[str, Any], document: Document) -> Submission:
    """The input, and everything that was generated, with the agent that did it."""
    request = _either(value, "original_input", "originalInput")
    place = document.place(value)
    for item in [{"role": "user", "content": request}] if isinstance(request, str) else request:
        if isinstance(item, dict):
            _item(draft, item, Speaker("user", place))
    items = _either(value, "generated_items", "generatedItems")
    names = list(dict.fromkeys(_agent(item) for item in items if isinstance(item, dict)))
    final = None
    for item in items:
        if not isinstance(item, dict):
            draft.count("item that is not an object")
            continue
        kind, raw = text_in(item, "type"), _either(item, "raw_item", "rawItem")
        if kind not in _SPOKEN or not isinstance(raw, dict):
            draft.count(kind or "item without a type")
            continue
        before = len(draft.events)
        _item(draft, raw, Speaker("assistant", document.place(item), _agent(item) if len(names) > 1 else ""))
        spoken = [event.text for event in draft.events[before:] if event.kind == "message"]
        final = "\n".join(spoken) or final
    for response in list_in(value, "model_responses") or list_in(value, "modelResponses"):
        used = response.get("usage") if isinstance(response, dict) else None
        if isinstance(used, dict) and "inputTokens" in used:  # as the JavaScript SDK writes it
            used = {"input_tokens": used["inputTokens"], "output_tokens": used.get("outputTokens")}
        if (usage := usage_of(used)) is not None:
            draft.usage[len(draft.usage)] = usage
    draft.output = final or ""
    return draft.finish()._replace(problems=draft.source.take_problems())


def _item(draft: Draft, item: dict[str, Any], speaker: Speaker) -> None:
    if "role" in item:
        take_message(draft, item, speaker)
    elif not take_item(draft, item, speaker):
        draft.count(f"{text_in(item, 'type') or 'untyped'} item")


def _agent(item: dict[str, Any]) -> str:
    agent = item.get("agent", item.get("source_agent"))
    return text_in(agent, "name") if isinstance(agent, dict) else agent if isinstance(agent, str) else ""
