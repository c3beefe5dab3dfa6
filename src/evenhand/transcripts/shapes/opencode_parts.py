"""The parts of opencode's messages, which its export and `opencode run --format json` share.

Follows anomalyco/opencode `packages/opencode/src/session/message-v2.ts`.
"""

from __future__ import annotations

from typing import Any

from evenhand.core.finding import Place
from evenhand.transcripts.draft import Draft, count_of, object_in, text_in
from evenhand.transcripts.json_text import written
from evenhand.transcripts.shapes.content_blocks import Speaker
from evenhand.transcripts.times import moment
from evenhand.work.submission import Usage

_QUIET = frozenset(("step-start", "step-finish", "snapshot", "patch", "compaction", "agent"))
"""Parts that do not describe what the agent did."""


def take_part(draft: Draft, part: dict[str, Any], speaker: Speaker) -> None:
    """One part as events."""
    kind = text_in(part, "type")
    time = object_in(part, "time")
    draft.saw_time(moment(time.get("start") or time.get("created")))
    draft.saw_time(moment(time.get("end")))
    if kind == "text":
        role = "system" if part.get("synthetic") or part.get("ignored") else speaker.role
        draft.message(role, text_in(part, "text"), *speaker[1:])
    elif kind == "reasoning":
        draft.reasoning(text_in(part, "text"), *speaker[1:])
    elif kind == "tool":
        _take_tool(draft, part, speaker)
    elif kind == "file":
        draft.message(speaker.role, f"[{text_in(part, 'filename') or text_in(part, 'url') or 'file'}]", *speaker[1:])
    elif kind == "subtask":
        draft.message(speaker.role, text_in(part, "prompt") or text_in(part, "description"), *speaker[1:])
    elif kind == "retry":
        draft.error(error_text(part.get("error")), *speaker[1:])
    elif kind not in _QUIET:
        draft.count(f"{kind or 'untyped'} part")


def _take_tool(draft: Draft, part: dict[str, Any], speaker: Speaker) -> None:
    """A call with its state. It is recorded again, as the same call, when the state changes."""
    state = object_in(part, "state")
    id = text_in(part, "callID") or text_in(part, "id")
    index = draft.calls.get(id)
    if index is None:
        time = object_in(state, "time")
        began = moment(time.get("start"))
        draft.saw_time(began)
        draft.saw_time(moment(time.get("end")))
        speaker = speaker._replace(time=began or speaker.time)
        index = draft.call(text_in(part, "tool"), state.get("input"), speaker.place, id, *speaker[2:])
    status = text_in(state, "status")
    if status == "error":
        draft.answer(index, text_in(state, "error") or text_in(state, "output"), speaker.place, True)
    elif status == "completed":
        code = object_in(state, "metadata").get("exit")
        failed = isinstance(code, int) and code != 0
        draft.answer(index, written(state.get("output")), speaker.place, failed)
    elif status not in ("", "pending", "running"):
        draft.count(f"tool state {status}")


def error_text(error: Any) -> str:
    """The message of an error, or its name."""
    if not isinstance(error, dict):
        return written(error) or "error"
    message = text_in(error.get("data"), "message")
    return message or text_in(error, "message") or text_in(error, "name") or written(error)


def take_usage(draft: Draft, request: dict[str, Any], place: Place) -> None:
    """Tokens and cost of a request. opencode counts the cache apart from the input, and thoughts from the output."""
    if isinstance(tokens := request.get("tokens"), dict):
        cache = object_in(tokens, "cache")
        cached = count_of(cache.get("read"))
        sent = count_of(tokens.get("input")) + cached + count_of(cache.get("write"))
        id = text_in(request, "id") or place
        draft.usage[id] = Usage(sent, count_of(tokens.get("output")) + count_of(tokens.get("reasoning")), cached)
        draft.saw_cost(request.get("cost"), id)
