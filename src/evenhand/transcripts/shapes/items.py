"""The items of OpenAI's Responses, which Codex stores too: messages, reasoning, calls and results."""

from __future__ import annotations

import re
from typing import Any

from evenhand.transcripts.draft import Draft, text_in
from evenhand.transcripts.json_text import maybe_json, structured
from evenhand.transcripts.shapes.content_blocks import Speaker, reasoning_text, result_text, says_error, speak

QUIET = frozenset("compaction compaction_summary context_compaction ghost_snapshot item_reference".split())
"""Items that do not describe what the agent did."""

_CALLS = {
    "function_call": "arguments",
    "custom_tool_call": "input",
    "mcp_call": "arguments",
    "tool_search_call": "arguments",
}
_BUILT_IN = (
    "web_search_call local_shell_call shell_call apply_patch_call file_search_call computer_call "
    "code_interpreter_call image_generation_call".split()
)
"""Calls of tools that are part of the service: their input is in the item itself."""

TYPES = frozenset(("message", "reasoning", *_CALLS, *_BUILT_IN, *(f"{kind}_output" for kind in (*_CALLS, *_BUILT_IN))))

_EXIT = re.compile(r"^(?:Exit code:|Process exited with code) (-?\d+)", re.MULTILINE)
_FAILED = ("failed", "incomplete")


def take_item(draft: Draft, item: dict[str, Any], speaker: Speaker) -> bool:
    """One item as events; False when its type is not known."""
    kind = str(item.get("type", ""))
    if kind == "message":
        speak(draft, item.get("content"), speaker)
    elif kind == "reasoning":
        whole = {"content": item.get("content"), "summary": item.get("summary"), "text": item.get("text")}
        draft.reasoning(reasoning_text(whole), speaker.place, speaker.agent, speaker.model, speaker.time)
    elif kind.endswith("_output") or kind == "tool_search_output":
        _result(draft, item, speaker)
    elif kind in _CALLS:
        _call(draft, item, speaker, item.get(_CALLS[kind], item.get("input", item.get("arguments"))))
    elif kind in _BUILT_IN:
        _built_in(draft, item, kind, speaker)
    else:
        return kind in QUIET
    return True


def _call(draft: Draft, item: dict[str, Any], speaker: Speaker, arguments: Any) -> None:
    id = text_in(item, "call_id") or text_in(item, "id")
    name = text_in(item, "name") or str(item["type"]).removesuffix("_call")
    index = draft.call(name, maybe_json(arguments), speaker.place, id, speaker.agent, speaker.model, speaker.time)
    if item["type"] == "mcp_call" and (item.get("output") is not None or item.get("error")):
        failed = bool(item.get("error"))
        draft.answer(index, result_text(item.get("error") if failed else item.get("output")), speaker.place, failed)


def _built_in(draft: Draft, item: dict[str, Any], kind: str, speaker: Speaker) -> None:
    keys = ("action", "queries", "code", "operation", "query", "prompt")
    arguments = next((item[key] for key in keys if item.get(key) is not None), None)
    id = text_in(item, "call_id") or text_in(item, "id")
    name = kind.removesuffix("_call")
    index = draft.call(name, arguments, speaker.place, id, speaker.agent, speaker.model, speaker.time)
    result = next((item[key] for key in ("results", "outputs", "result") if item.get(key)), None)
    if item.get("status") in _FAILED:
        draft.answer(index, result_text(result) or str(item["status"]), speaker.place, True)
    elif result is not None:
        if kind == "image_generation_call":
            draft.answer(index, "[image]", speaker.place, False, {"type": "image", "data": result})
        else:
            draft.answer(index, result_text(result), speaker.place, False)
    elif kind == "web_search_call" and item.get("status") == "completed":
        draft.answer(index, "", speaker.place, False)  # its result is not stored


def _result(draft: Draft, item: dict[str, Any], speaker: Speaker) -> None:
    output = item.get("output", item.get("tools"))
    id = text_in(item, "call_id") or text_in(item, "id")
    text, failed = outcome(output)
    if item.get("status") in _FAILED or item.get("success") is False:
        failed = True
    name = text_in(item, "name")
    draft.result(id, text, speaker.place, failed, name, speaker.agent, speaker.time, structured(output))


def outcome(output: Any) -> tuple[str, bool]:
    """The result, and whether it failed: by its exit code if there is one."""
    value = structured(output)
    if isinstance(value, dict):
        metadata = value.get("metadata")
        if "output" in value and isinstance(metadata, dict):
            return result_text(value["output"]), metadata.get("exit_code") not in (0, None)
        if value.get("success") is False:
            return result_text(value), True
    text = result_text(output)
    exit = _EXIT.search(text, 0, 400)
    return text, exit[1] != "0" if exit else says_error(text)
