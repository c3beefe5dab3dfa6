"""Messages of the Vercel AI SDK: UI messages with `parts`, older ones with `toolInvocations`, and model messages."""

from __future__ import annotations

from typing import Any

from evenhand.core.values.submission import Place
from evenhand.transcripts.draft import Draft, text_in
from evenhand.transcripts.json_text import maybe_json, written
from evenhand.transcripts.shapes.content_blocks import result_text

_QUIET = frozenset("step-start source-url source-document source tool-approval-request tool-approval-response".split())


def is_message(value: Any) -> bool:
    """Whether a value is a message that only this SDK writes."""
    if not isinstance(value, dict) or value.get("role") not in ("user", "assistant", "system", "tool"):
        return False
    if isinstance(value.get("toolInvocations"), list):
        return True
    parts = [part for part in value.get("parts") or () if isinstance(part, dict)] if _has_list(value, "parts") else []
    if parts and "id" in value and all(isinstance(part.get("type"), str) for part in parts):
        texts = [part for part in parts if part["type"] == "text"]
        return all("text" in part for part in texts) and ("content" not in value or isinstance(value["content"], str))
    content = value.get("content") if _has_list(value, "content") else []
    kinds = ("tool-call", "tool-result")
    return any(isinstance(part, dict) and part.get("type") in kinds and "toolCallId" in part for part in content or ())


def _has_list(value: dict[str, Any], key: str) -> bool:
    return isinstance(value.get(key), list)


def take_message(draft: Draft, message: dict[str, Any], place: Place) -> None:
    """One message as events."""
    role, time = text_in(message, "role"), text_in(message, "createdAt")
    draft.saw_time(time)
    parts: Any = message.get("parts") if _has_list(message, "parts") else message.get("content")
    if isinstance(parts, str):
        draft.message(role, parts, place, "", "", time)
        parts = []
    for part in parts if isinstance(parts, list) else ():
        if isinstance(part, dict):
            _part(draft, role, part, place, time)
        else:
            draft.count("part that is not an object")
    if not _has_list(message, "parts"):
        for call in message.get("toolInvocations") or ():
            if isinstance(call, dict):
                _invocation(draft, call, place, time)


def _part(draft: Draft, role: str, part: dict[str, Any], place: Place, time: str) -> None:
    kind = text_in(part, "type")
    if kind == "text":
        draft.message(role, text_in(part, "text"), place, "", "", time)
    elif kind == "reasoning":
        text = text_in(part, "text") or text_in(part, "reasoning")
        draft.reasoning(text, place, "", "", time)
    elif kind == "tool-invocation" and isinstance(part.get("toolInvocation"), dict):
        _invocation(draft, part["toolInvocation"], place, time)
    elif kind == "tool-call":
        arguments = maybe_json(part.get("input", part.get("args")))
        draft.call(text_in(part, "toolName"), arguments, place, text_in(part, "toolCallId"), "", "", time)
    elif kind == "tool-result":
        _result(draft, part, place, time)
    elif (kind.startswith("tool-") or kind == "dynamic-tool") and "toolCallId" in part:
        _tool(draft, part, place, time)
    elif kind in ("file", "image"):
        draft.message(role, f"[{kind}]", place, "", "", time)
        draft.attach(part)
    elif kind not in _QUIET and not kind.startswith("data-"):
        draft.count(f"{kind or 'untyped'} part")


def _tool(draft: Draft, part: dict[str, Any], place: Place, time: str) -> None:
    """A tool's part of a UI message, which has the call and, once there is one, the result."""
    name = text_in(part, "toolName") or text_in(part, "type").removeprefix("tool-")
    id, state = text_in(part, "toolCallId"), text_in(part, "state")
    index = draft.call(name, part.get("input", part.get("rawInput")), place, id, "", "", time)
    if state in ("output-error", "output-denied") or part.get("errorText"):
        draft.answer(index, text_in(part, "errorText") or state, place, True)
    elif state == "output-available" or "output" in part:
        draft.answer(index, result_text(part.get("output")), place, False)


def _invocation(draft: Draft, call: dict[str, Any], place: Place, time: str) -> None:
    """A call as version 4 has it."""
    id = text_in(call, "toolCallId")
    index = draft.call(text_in(call, "toolName"), call.get("args"), place, id, "", "", time)
    if call.get("state") == "result" or "result" in call:
        draft.answer(index, result_text(call.get("result")), place, call.get("isError") is True)


def _result(draft: Draft, part: dict[str, Any], place: Place, time: str) -> None:
    output = part.get("output", part.get("result"))
    failed = part.get("isError") is True
    if isinstance(output, dict) and text_in(output, "type") and output.keys() & {"value", "reason"}:
        failed = failed or text_in(output, "type").startswith(("error", "execution-denied"))
        output = output.get("value", output.get("reason"))
    text = result_text(output) if not isinstance(output, dict) else written(output)
    draft.result(text_in(part, "toolCallId"), text, place, failed, text_in(part, "toolName"), "", time)
