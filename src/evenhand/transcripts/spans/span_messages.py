"""The input and output messages of a model's or agent's span, in any convention, as chat messages."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from evenhand.transcripts.draft import text_in
from evenhand.transcripts.json_text import structured, written
from evenhand.transcripts.shapes.content_blocks import result_text
from evenhand.transcripts.spans.attributes import branch, listed, unfolded
from evenhand.transcripts.spans.spans import Span

Message = dict[str, Any]

_EVENT_ROLES = {
    "gen_ai.system.message": "system",
    "gen_ai.user.message": "user",
    "gen_ai.assistant.message": "assistant",
    "gen_ai.tool.message": "tool",
}


def input_messages(span: Span) -> Iterator[Message]:
    """The input messages of a span."""
    has_messages = False
    for text in listed(span.get("gen_ai.system_instructions")):
        yield {"role": "system", "content": [text]}
    for name in ("gen_ai.input.messages", "llm.input_messages", "gen_ai.prompt", "llm.prompts"):
        for message in listed(span.get(name)):
            has_messages = True
            yield _message(message, "user")
    for event in span.events:
        if event.name in _EVENT_ROLES:
            has_messages = True
            yield _message({"role": _EVENT_ROLES[event.name], **event.attributes}, "user")
        else:
            for name in ("gen_ai.input.messages", "gen_ai.prompt"):
                for message in listed(branch(event.attributes, name)):
                    has_messages = True
                    yield _message(message, "user")
    if not has_messages and span.kind == "LLM":
        yield from _from_value(span.get("input.value"), "user")


def output_messages(span: Span) -> Iterator[Message]:
    """The output messages of a span."""
    has_messages = False
    for name in ("gen_ai.output.messages", "llm.output_messages", "gen_ai.completion"):
        for message in listed(span.get(name)):
            has_messages = True
            yield _message(message, "assistant")
    for event in span.events:
        chosen = [event.attributes] if event.name == "gen_ai.choice" else []
        for name in ("gen_ai.output.messages", "gen_ai.completion"):
            chosen += listed(branch(event.attributes, name))
        for message in chosen:
            has_messages = True
            inner = structured(message.get("message")) if isinstance(message, dict) else None
            yield _message(inner if isinstance(inner, dict) else message, "assistant")
    if not has_messages:
        value = span.get("output.value")
        if span.kind == "AGENT":
            value = value if value is not None else span.get("traceloop.entity.output")
            yield from _answer(value)
        else:
            yield from _from_value(value, "assistant")


def _message(raw: Any, role: str) -> Message:
    """A message of any convention as a chat message."""
    raw = structured(raw)
    if not isinstance(raw, dict):
        return {"role": role, "content": written(raw)}
    inner = unfolded(raw)
    if isinstance(inner.get("message"), dict):
        inner = inner["message"]
    content = inner.get("parts", inner.get("content", inner.get("contents")))
    if not isinstance(content, str) or inner.get("parts") is content:
        content = structured(content)
    if isinstance(content, dict):
        content = listed(content)
    if isinstance(content, list):
        content = [_block(block) for block in content]
    message: Message = {"role": _role(text_in(inner, "role") or role), "content": content}
    for key in ("tool_call_id", "name", "reasoning", "refusal", "is_error"):
        if key in inner:
            message[key] = inner[key]
    if isinstance(inner.get("id"), str) and message["role"] == "tool":
        message.setdefault("tool_call_id", inner["id"])
    calls = [unfolded(call) for call in listed(inner.get("tool_calls"))]
    message["tool_calls"] = [call.get("tool_call", call) if isinstance(call, dict) else call for call in calls]
    return message


def _role(role: str) -> str:
    """Map the roles that only smolagents uses."""
    return {"tool-call": "assistant", "tool-response": "tool"}.get(role, role)


def _block(raw: Any) -> Any:
    """A part of a message's content; OpenInference names its fields message_content.*."""
    inner = unfolded(raw)
    if isinstance(inner, dict) and isinstance(inner.get("message_content"), dict):
        return inner["message_content"]
    return raw


def _from_value(value: Any, role: str) -> Iterator[Message]:
    """A span's plain input or output: a text, or JSON with messages in it."""
    parsed = structured(value)
    if isinstance(parsed, dict):
        for key in ("messages", "choices", "generations"):
            if isinstance(parsed.get(key), list):
                for message in parsed[key]:
                    yield _message(message, role)
                return
        if "role" in parsed:
            yield _message(parsed, role)
            return
        parsed = next((parsed[key] for key in ("input", "output", "content", "text", "prompt") if key in parsed), value)
    if isinstance(parsed, list) and all(isinstance(message, dict) and "role" in message for message in parsed):
        for message in parsed:
            yield _message(message, role)
    elif parsed not in (None, "", []):
        yield {"role": role, "content": result_text(parsed)}


def _answer(value: Any) -> Iterator[Message]:
    """The answer of an agent; the last one if it has several messages."""
    messages = list(_from_value(value, "assistant"))
    if messages:
        yield messages[-1]
