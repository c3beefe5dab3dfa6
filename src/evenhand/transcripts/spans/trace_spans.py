"""Runs of a tracing service as spans, so that all traces are ordered the same way (see otel.py)."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal
from typing import Any, NamedTuple

from evenhand.core.finding import Place
from evenhand.transcripts.shapes.chat_shapes import chat_messages, decoded
from evenhand.transcripts.spans.spans import Span
from evenhand.work.submission import Usage


class TraceStep(NamedTuple):
    """One step of a trace: a model's call, a tool's, an agent, or a group of other steps."""

    kind: str
    """LLM, TOOL, RETRIEVER, AGENT, EVALUATOR or CHAIN."""
    id: str
    trace: str
    parent: str
    name: str
    start: Any
    end: Any
    input: Any = None
    output: Any = None
    error: str = ""
    model: str = ""
    usage: Usage | None = None
    call_id: str = ""
    cost: Decimal | None = None
    """US dollars, for this step or for it with all those inside it."""


def span_of(run: TraceStep, place: Place) -> Span:
    """A run as a span."""
    attributes: dict[str, Any] = {"openinference.span.kind": run.kind}
    if run.kind == "LLM":
        counts: Counter[str] = Counter()
        attributes["llm.input_messages"] = chat_messages(run.input, "user", counts)
        attributes["llm.output_messages"] = chat_messages(run.output, "assistant", counts)
    elif run.kind in ("TOOL", "RETRIEVER"):
        attributes["input.value"] = _arguments(run.input)
        if (output := decoded(run.output)) not in (None, "", {}):
            tool = chat_messages(output, "tool") if isinstance(output, dict | list) else []
            attributes["output.value"] = tool[0]["content"] if tool and tool[0]["role"] == "tool" else output
            attributes["tool_call.id"] = run.call_id or (tool[0].get("tool_call_id") if tool else None)
    elif run.input is not None:
        attributes["input.value"] = _request(run.input)
    if run.model:
        attributes["llm.model_name"] = run.model
    if run.usage is not None:
        attributes["llm.token_count.prompt"] = run.usage.input
        attributes["llm.token_count.completion"] = run.usage.output
        attributes["llm.token_count.prompt_details.cache_read"] = run.usage.cached
    if run.cost is not None:
        attributes["llm.cost.total"] = run.cost
    raw = {
        "name": run.name,
        "span_id": run.id,
        "trace_id": run.trace,
        "parent_id": run.parent,
        "start_time": run.start,
        "end_time": run.end,
        "attributes": {key: value for key, value in attributes.items() if value is not None},
    }
    if run.error:
        raw["status"] = {"code": "ERROR", "message": run.error}
    return Span(raw, place, None)


def _arguments(raw: Any) -> Any:
    """The input of a tool; some services wrap it in an object with one key."""
    value = decoded(raw)
    if isinstance(value, dict) and value.keys() == {"input"}:
        return decoded(value["input"])
    return value


def _request(raw: Any) -> Any:
    """The input of a step, as the text or messages with the task."""
    messages = [message for message in chat_messages(raw, "user") if message["role"] == "user"]
    return {"messages": messages} if messages else decoded(raw)
