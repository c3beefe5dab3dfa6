"""Normalises the message shapes of different frameworks: OpenAI chat and Responses, Gemini, LangChain.

The input or output of a model in a trace is returned as chat messages: role, content, tool_calls.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from evenhand.transcripts.draft import object_in, text_in
from evenhand.transcripts.json_text import maybe_json, written
from evenhand.transcripts.shapes.content_blocks import result_text
from evenhand.transcripts.shapes.items import TYPES
from evenhand.transcripts.shapes.messages import ROLES

Message = dict[str, Any]

_LISTS = ("messages", "choices", "contents", "generations", "output", "input", "new_message", "message", "response")
_LANGCHAIN = {
    "human": "user",
    "humanmessage": "user",
    "ai": "assistant",
    "aimessage": "assistant",
    "aimessagechunk": "assistant",
    "system": "system",
    "systemmessage": "system",
    "tool": "tool",
    "toolmessage": "tool",
    "function": "tool",
    "functionmessage": "tool",
    "chat": "user",
    "humanmessagechunk": "user",
}


_ONLY_LANGCHAIN = frozenset(("additional_kwargs", "response_metadata", "tool_call_id", "usage_metadata", "example"))
"""Keys that distinguish a plain LangChain dict from others with a type and content."""


def decoded(value: Any) -> Any:
    """The list or object in JSON text, even if encoded twice; anything else unchanged."""
    for _ in range(3):
        if not isinstance(value, str) or not value.lstrip().startswith(("{", "[", '"{', '"[', '"\\"')):
            break
        value = maybe_json(value)
    return value


def chat_messages(value: Any, role: str, counts: Counter[str] | None = None) -> list[Message]:
    """The messages in a value. `role` is the role of plain text; `counts` numbers calls without an id."""
    counts = Counter() if counts is None else counts
    value = decoded(value)
    if isinstance(value, str):
        return [{"role": role, "content": value}] if value.strip() else []
    if isinstance(value, list):
        return [message for item in value for message in chat_messages(item, role, counts)]
    return _from_object(value, role, counts) if isinstance(value, dict) else []


def _from_object(value: dict[str, Any], role: str, counts: Counter[str]) -> list[Message]:
    if (message := langchain_message(value)) is not None:
        return [message]
    if isinstance(value.get("parts"), list) and any(_is_gemini(part) for part in value["parts"]):
        return _gemini(value, role, counts)
    if isinstance(content := value.get("content"), dict) and "parts" in content:
        return chat_messages(content, role, counts)
    kind = text_in(value, "type")
    if kind in TYPES and kind != "message":
        return _item(value, kind)
    if text_in(value, "role").lower() in ROLES:
        return _chat(value)
    if isinstance(config := value.get("config"), dict) and (instructions := config.get("system_instruction")):
        return [
            {"role": "system", "content": result_text(instructions)},
            *chat_messages(value.get("contents"), role, counts),
        ]
    for key in _LISTS:
        if isinstance(decoded(value.get(key)), list | dict):
            instructions = value.get("system") or value.get("instructions")
            messages = chat_messages(value[key], role, counts)
            if isinstance(instructions, str) and role == "user":
                messages.insert(0, {"role": "system", "content": instructions})
            return messages
    for key in ("text", "prompt", "output", "input", "question", "answer", "response"):
        if isinstance(value.get(key), str):
            return [{"role": role, "content": value[key]}]
    return [] if "content" in value else [{"role": role, "content": written(value)}]


def _chat(value: dict[str, Any]) -> list[Message]:
    """A message of OpenAI's form; LangChain keeps its calls under additional_kwargs, and tools among the messages."""
    if value["role"] == "tool" and text_in(value.get("content"), "type") == "function":
        return []  # the description of a tool
    calls = object_in(value, "additional_kwargs").get("tool_calls")
    if not value.get("tool_calls") and isinstance(calls, list):
        return [{**value, "tool_calls": calls}]
    return [value]


def _item(item: dict[str, Any], kind: str) -> list[Message]:
    """An item of OpenAI's Responses."""
    id = text_in(item, "call_id") or text_in(item, "id")
    if kind == "reasoning":
        text = result_text(item.get("summary") or item.get("content") or "")
        return [{"role": "assistant", "content": None, "reasoning": text}] if text.strip() else []
    if kind.endswith("_output"):
        return [{"role": "tool", "tool_call_id": id, "content": result_text(item.get("output"))}]
    name = text_in(item, "name") or kind.removesuffix("_call")
    arguments = next((item[key] for key in ("arguments", "input", "action", "queries", "code") if key in item), None)
    call = {"id": id, "function": {"name": name, "arguments": arguments}}
    return [{"role": "assistant", "content": None, "tool_calls": [call]}]


# --- Gemini --------------------------------------------------------------------------------------


def _is_gemini(part: Any) -> bool:
    keys = {"text", "function_call", "functionCall", "function_response", "functionResponse", "inline_data"}
    return isinstance(part, dict) and "type" not in part and bool(part.keys() & keys)


def _gemini(value: dict[str, Any], role: str, counts: Counter[str]) -> list[Message]:
    """A content of Gemini. Calls without an id are numbered by name, and so are the responses."""
    role = ROLES.get(text_in(value, "role"), role)
    blocks: list[Any] = []
    calls: list[Any] = []
    results: list[Message] = []
    for part in value["parts"]:
        if not isinstance(part, dict):
            continue
        call = part.get("function_call", part.get("functionCall"))
        response = part.get("function_response", part.get("functionResponse"))
        if isinstance(call, dict):
            id = text_in(call, "id") or _numbered(counts, "call", text_in(call, "name"))
            calls.append({"id": id, "function": {"name": text_in(call, "name"), "arguments": call.get("args")}})
        elif isinstance(response, dict):
            name = text_in(response, "name")
            id = text_in(response, "id") or _numbered(counts, "response", name)
            text = result_text(response.get("response"))
            results.append({"role": "tool", "tool_call_id": id, "name": name, "content": text})
        elif part.get("thought") is True:
            blocks.append({"type": "thinking", "thinking": text_in(part, "text")})
        elif isinstance(part.get("text"), str):
            blocks.append({"type": "text", "text": part["text"]})
    messages = [{"role": role, "content": blocks, "tool_calls": calls}] if blocks or calls else []
    return [*messages, *results]


def _numbered(counts: Counter[str], what: str, name: str) -> str:
    counts[f"{what} {name}"] += 1
    return f"{name}#{counts[f'{what} {name}']}"


# --- LangChain -----------------------------------------------------------------------------------


def langchain_message(value: Any) -> Message | None:
    """A message of LangChain in chat form: as dumped (`lc`), as a plain dict, or with its `data` apart."""
    if not isinstance(value, dict):
        return None
    inner, kind = value, text_in(value, "type").lower()
    if isinstance(value.get("kwargs"), dict) and isinstance(value.get("id"), list) and value["id"]:
        inner, kind = value["kwargs"], str(value["id"][-1]).lower()
    elif isinstance(value.get("data"), dict) and kind in _LANGCHAIN:
        inner = value["data"]
    elif "role" in value or not (kind in ("human", "ai") or value.keys() & _ONLY_LANGCHAIN):
        return None
    role = _LANGCHAIN.get(kind)
    if role is None or "content" not in inner:
        return None
    arguments = object_in(inner, "additional_kwargs")
    calls, content = inner.get("tool_calls") or arguments.get("tool_calls"), inner["content"]
    if calls and isinstance(content, list):  # the provider's own blocks repeat the calls
        content = [block for block in content if text_in(block, "type") not in ("tool_use", "tool_call")]
    message: Message = {"role": role, "content": content}
    if role == "tool" and not isinstance(content, str):
        message["content"] = result_text(content)
    if isinstance(calls, list):
        message["tool_calls"] = [_langchain_call(call) for call in calls]
    for key in ("tool_call_id", "name"):
        if isinstance(inner.get(key), str):
            message[key] = inner[key]
    if role == "tool":
        message["is_error"] = inner.get("status") == "error"
    if isinstance(arguments.get("reasoning_content"), str):
        message["reasoning"] = arguments["reasoning_content"]
    if role == "assistant":
        metadata = object_in(inner, "response_metadata")
        message["model"] = text_in(metadata, "model_name") or text_in(metadata, "model")
        message["usage"] = inner.get("usage_metadata") or metadata.get("token_usage") or metadata.get("usage")
    return message


def _langchain_call(call: Any) -> Any:
    if not isinstance(call, dict) or "function" in call:
        return call
    return {"id": call.get("id"), "function": {"name": call.get("name"), "arguments": call.get("args")}}
