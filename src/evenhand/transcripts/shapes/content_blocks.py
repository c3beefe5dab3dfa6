"""Reads the content of a message in any of the shapes of chat formats.

Content is a text, or a list of blocks by `type`: text, reasoning, a tool's call, a tool's result, a picture.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from evenhand.core.finding import Place
from evenhand.transcripts.draft import Draft, listed, object_in, text_in
from evenhand.transcripts.json_text import maybe_json, written

_TEXT = frozenset({"text", "input_text", "output_text", "summary_text", "reasoning_text", "refusal"})
_REASONING = frozenset({"think", "thinking", "reasoning", "redacted_thinking", "redacted_reasoning"})
_CALL = frozenset({"tool_use", "server_tool_use", "mcp_tool_use", "tool_call", "function_call"})
_RESULT = frozenset({"tool_result", "tool_call_response", "mcp_tool_result", "function_call_output"})
_ATTACHED = frozenset(
    "image image_url input_image output_image audio input_audio output_audio video document file input_file blob uri "
    "data search_result container_upload tool_reference computer_screenshot".split()
)

_SAYS_ERROR = re.compile(
    r"\s*(?:error\b\s*[:\-]|errors?:|[\w.]*(?:Error|Exception)\b\s*:|Traceback \(most recent call last\)"
    r"|fatal:|\{\s*\"(?:error|is_error|isError)\"\s*:\s*(?!null|false|\"\"|\[\s*\]|\{\s*\}))",
    re.IGNORECASE,
)


class Speaker(NamedTuple):
    """Who wrote something, and where it is in the file."""

    role: str
    place: Place
    agent: str = ""
    model: str = ""
    time: str = ""


def speak(draft: Draft, content: Any, speaker: Speaker) -> None:
    """Add the content of a message as events."""
    role, place, agent, model, time = speaker
    if isinstance(content, str):
        draft.message(role, content, place, agent, model, time)
        return
    texts: list[str] = []
    attached: list[Any] = []

    def say() -> None:
        if texts:
            draft.message(role, "\n".join(texts), place, agent, model, time)
            draft.attach(attached)
            texts.clear()
            attached.clear()

    for block in listed(content):
        text = text_of_block(block)
        if text is not None:
            texts.append(text)
            if text_in(block, "type") in _ATTACHED:
                attached.append(block)
        elif isinstance(block, dict):
            say()
            _other(draft, block, speaker)
        elif block is not None:
            draft.count("block that is not an object")
    say()


def _other(draft: Draft, block: dict[str, Any], speaker: Speaker) -> None:
    """A block that is not text."""
    _, place, agent, model, time = speaker
    kind = _kind(block)
    if kind in _REASONING:
        draft.reasoning(reasoning_text(block), place, agent, model, time)
    elif kind in _CALL or (kind == "tool" and "input" in block):
        call = object_in(block, "function") or block
        arguments = call.get("input", call.get("arguments"))
        id = text_in(block, "id") or text_in(block, "call_id")
        draft.call(text_in(call, "name"), maybe_json(arguments), place, id, agent, model, time)
    elif kind in _RESULT or kind.endswith("_tool_result"):
        ids = (text_in(block, key) for key in ("tool_use_id", "call_id", "tool_call_id", "id"))
        content = next((block[key] for key in ("content", "response", "result", "output") if key in block), None)
        text, id, name = result_text(content), next(filter(None, ids), ""), text_in(block, "name")
        failed = block.get("is_error")
        failed = says_error(text) if failed is None and kind != "tool_result" else bool(failed)
        waiting = None if id else draft.open_call(name)
        if waiting is not None:
            draft.answer(waiting, text, place, failed, content)
        else:
            draft.result(id, text, place, failed, name, agent, time, content)
    else:
        draft.count(f"{kind or 'untyped'} block")


def _kind(block: Any) -> str:
    return text_in(block, "type") or text_in(block, "kind")


def has_results(content: Any) -> bool:
    """Whether a message's content has tool result blocks."""
    return isinstance(content, list) and any(_kind(block) in _RESULT for block in content)


def text_of_block(block: Any) -> str | None:
    """The text of a text block, a note in brackets for an attachment; None for anything else."""
    if isinstance(block, str):
        return block
    if not isinstance(block, dict):
        return None
    kind = _kind(block)
    if kind in _TEXT or (not kind and ("text" in block or "content" in block)):
        text = next((block[key] for key in ("text", "content", "refusal") if key in block), "")
        if isinstance(text, dict):
            text = text.get("value", "")  # as the Assistants API writes it
        return text if isinstance(text, str) else written(text)
    return f"[{kind}]" if kind in _ATTACHED else None


def reasoning_text(block: dict[str, Any]) -> str:
    """The thoughts in a block; empty when they are encrypted."""
    for key in ("thinking", "think", "reasoning", "text", "content", "summary"):
        text = block.get(key)
        if text:
            return result_text(text)
    return ""


def result_text(content: Any) -> str:
    """What came back from a tool, as text."""
    if isinstance(content, str):
        return content
    if isinstance(content, list) and content:
        texts = [text_of_block(block) for block in content]
        if None not in texts:
            return "\n".join(filter(None, texts))
    if isinstance(content, dict) and content.keys() <= {"content", "success"}:
        return result_text(content.get("content"))
    return written(content)


def says_error(text: str) -> bool:
    """Whether a result looks like an error, for formats without a field for it."""
    return _SAYS_ERROR.match(text) is not None
