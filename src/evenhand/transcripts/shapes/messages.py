"""Chat messages as OpenAI's API has them, and the many formats that follow it."""

from __future__ import annotations

import re
from typing import Any

from evenhand.core.finding import Place
from evenhand.transcripts.draft import Draft, count_of, list_in, object_in, text_in
from evenhand.transcripts.json_text import maybe_json
from evenhand.transcripts.shapes.content_blocks import Speaker, has_results, result_text, says_error, speak
from evenhand.work.submission import Submission, Usage

ROLES = {
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "ai": "assistant",
    "model": "assistant",
    "system": "system",
    "developer": "system",
    "tool": "tool",
    "function": "tool",
    "ipython": "tool",
}

_TURN = re.compile(r"^(system|developer|user|assistant|tool|function): ?", re.MULTILINE)
_NOTHING = ("", "None", "null")
_THOUGHT_KEYS = ("reasoning_content", "reasoning", "thinking")
_THOUGHTS = frozenset(_THOUGHT_KEYS)


def take_message(draft: Draft, message: dict[str, Any], speaker: Speaker) -> None:
    """One message as events. `speaker` has the place, and the agent and model if known."""
    name = text_in(message, "role")
    role = ROLES.get(name.lower(), "")
    if not role:
        draft.count(f"role {name}" if name else "message without a role")
        role = "system"
    time = text_in(message, "timestamp") or speaker.time
    draft.saw_time(time)
    model = draft.saw_model(message.get("model")) or speaker.model if role == "assistant" else ""
    speaker = Speaker(role, speaker.place, speaker.agent, model, time)
    content = message.get("content", message.get("parts"))
    if role == "tool" and not has_results(content):
        _take_result(draft, message, speaker)
        return
    for key in () if _THOUGHTS.isdisjoint(message) else _THOUGHT_KEYS:
        if isinstance(message.get(key), str) and message[key].strip():
            draft.reasoning(message[key], speaker.place, speaker.agent, model, time)
            break
    if content is not None:
        speak(draft, content, speaker)
    if isinstance(message.get("refusal"), str):
        draft.message(role, message["refusal"], speaker.place, speaker.agent, model, time)
    _take_calls(draft, message, speaker)


def _take_calls(draft: Draft, message: dict[str, Any], speaker: Speaker) -> None:
    calls = [*list_in(message, "tool_calls")]
    if isinstance(message.get("function_call"), dict):
        calls.append({"function": message["function_call"]})
    for call in calls:
        if not isinstance(call, dict):
            draft.count("tool call that is not an object")
            continue
        take_call(draft, call, speaker)


def take_call(draft: Draft, call: dict[str, Any], speaker: Speaker) -> int:
    """A tool's call: under `function` or `custom`, or with the function's name alone."""
    inner = next((call[key] for key in ("function", "custom") if isinstance(call.get(key), dict)), call)
    name = text_in(inner, "name") or text_in(call, "function")
    arguments = maybe_json(inner.get("arguments", inner.get("input", inner.get("args"))))
    return draft.call(name, arguments, speaker.place, text_in(call, "id"), speaker.agent, speaker.model, speaker.time)


def _take_result(draft: Draft, message: dict[str, Any], speaker: Speaker) -> None:
    """A tool result; it answers the call with its id, or without one the last open call of its name."""
    content = message.get("content", message.get("parts"))
    text = result_text(content)
    error = message.get("error")
    failed = bool(error) if "error" in message or "is_error" in message else says_error(text)
    if message.get("is_error"):
        failed = True
    if isinstance(error, dict) and not text.strip():
        text = text_in(error, "message")
    id = text_in(message, "tool_call_id")
    name = text_in(message, "name") or text_in(message, "function")
    if not id:
        index = draft.open_call(name)
        if index is not None:
            draft.answer(index, text, speaker.place, failed, content)
            return
    draft.result(id, text, speaker.place, failed, name, speaker.agent, speaker.time, content)


def finish_run(draft: Draft, info: dict[str, Any], place: Place) -> Submission:
    """The submission for a run of SWE-agent: `info` has its cost, how it ended, and what was submitted."""
    draft.saw_cost(object_in(info, "model_stats").get("instance_cost"))
    status = text_in(info, "exit_status")
    if status and status.lower() != "submitted":
        draft.error(f"the run ended with {status}", place)
    submitted = text_in(info, "submission")
    draft.output = submitted if submitted.strip() else None
    return draft.finish()


def take_display(draft: Draft, text: str, speaker: Speaker) -> None:
    """A conversation in the form `role: text`. A tool message becomes the result of an otherwise unknown call."""
    parts = _TURN.split(text)
    if parts[0].strip():
        draft.message("system", parts[0].strip("\n"), speaker.place, speaker.agent, "", speaker.time)
    for name, words in zip(parts[1::2], parts[2::2], strict=True):
        words = words.removesuffix("\n")
        role = ROLES[name]
        if role == "tool":
            draft.result("", words, speaker.place, says_error(words), "", speaker.agent, speaker.time)
        elif words.strip() not in _NOTHING:
            draft.message(role, words, speaker.place, speaker.agent, "", speaker.time)


def usage_of(usage: Any) -> Usage | None:
    """Token usage as in chat completions, Responses and similar APIs."""
    if not isinstance(usage, dict):
        return None
    named = ("prompt_tokens_details", "input_tokens_details", "input_token_details")
    details = next((usage[key] for key in named if usage.get(key)), None)
    cached = usage.get("input_tokens_cache_read")
    if isinstance(details, dict):
        cached = details.get("cached_tokens", details.get("cache_read"))
    return Usage(
        count_of(usage.get("prompt_tokens", usage.get("input_tokens"))),
        count_of(usage.get("completion_tokens", usage.get("output_tokens"))),
        count_of(cached),
    )
