"""Pydantic AI: the messages of a run, as `all_messages_json()` writes them, or one per line.

Follows pydantic_ai_slim/pydantic_ai/messages.py: ModelRequest and ModelResponse (`kind`), their parts (`part_kind`),
and RequestUsage. A retry-prompt with a tool's name is the failed result of its call. Events of a stream (`event_kind`)
repeat the messages and are left out. An answer given by calling an output tool (`final_result`) is the output.
"""

from __future__ import annotations

from typing import Any

from evenhand.core.finding import Place
from evenhand.transcripts.conversation import Reader, read_conversations
from evenhand.transcripts.draft import count_of, text_in
from evenhand.transcripts.json_stream import within
from evenhand.transcripts.json_text import maybe_json, written
from evenhand.transcripts.shapes.content_blocks import Speaker, result_text
from evenhand.transcripts.sources import Source
from evenhand.work.submission import Usage

FORMAT = "pydantic-ai"
TITLE = "Pydantic AI messages"
PLACE = 280
MARKS = "kind parts part_kind"
LATE_MARKS = "part_kind"

_LISTS = ("messages", "all_messages", "new_messages", "message_history", "_messages")
_FINAL = "final_result"


def is_ours(value: dict[str, Any]) -> bool:
    """A request or a response with parts, or an object that holds some."""
    return _is_message(value) or _holder(value) is not None


def _is_message(value: Any) -> bool:
    if not isinstance(value, dict) or value.get("kind") not in ("request", "response"):
        return False
    parts = value.get("parts")
    return isinstance(parts, list) and all(isinstance(part, dict) and "part_kind" in part for part in parts)


def _holder(value: dict[str, Any]) -> list[Any] | None:
    lists = (value.get(key) for key in _LISTS)
    return next((items for items in lists if isinstance(items, list) and any(map(_is_message, items[:20]))), None)


class _Messages(Reader):
    format = FORMAT
    stray = "entry that is not a message"

    def __init__(self, source: Source, holder: dict[str, Any] | None = None) -> None:
        super().__init__(source, holder)
        self.instructions = ""

    def take(self, value: dict[str, Any], place: Place) -> None:
        """One message."""
        if not _is_message(value):
            if not text_in(value, "event_kind"):
                self.draft.count(self.stray)
            return
        self.draft.understood += 1
        self.draft.id = self.draft.id or text_in(value, "run_id")
        time = text_in(value, "timestamp")
        self.draft.saw_time(time)
        instructions = text_in(value, "instructions")
        if instructions and instructions != self.instructions:
            self.draft.message("system", instructions, place, "", "", time)
            self.instructions = instructions
        if value["kind"] == "response":
            model = self.draft.saw_model(value.get("model_name"))
            if isinstance(used := value.get("usage"), dict):
                self.draft.usage[len(self.draft.usage)] = Usage(
                    count_of(used.get("input_tokens", used.get("request_tokens"))),
                    count_of(used.get("output_tokens", used.get("response_tokens"))),
                    count_of(used.get("cache_read_tokens")),
                )
            self._response(value["parts"], Speaker("assistant", place, "", model, time))
            return
        for part in value["parts"]:
            self._requested(part, Speaker("user", place, "", "", text_in(part, "timestamp") or time))

    def _requested(self, part: dict[str, Any], speaker: Speaker) -> None:
        draft, kind, content = self.draft, part["part_kind"], part.get("content")
        draft.saw_time(speaker.time)
        id, name = text_in(part, "tool_call_id"), text_in(part, "tool_name")
        if kind == "system-prompt":
            draft.message("system", result_text(content), speaker.place, "", "", speaker.time)
        elif kind == "user-prompt":
            draft.message("user", _words(content), speaker.place, "", "", speaker.time)
        elif kind == "tool-return":
            failed = part.get("outcome", "success") not in ("success", None)
            draft.result(id, result_text(content), speaker.place, failed, name, "", speaker.time)
        elif kind == "retry-prompt" and name:
            draft.result(id, result_text(content), speaker.place, True, name, "", speaker.time)
        elif kind == "retry-prompt":
            draft.message("system", result_text(content), speaker.place, "", "", speaker.time)
        else:
            draft.count(f"{kind} part")

    def _response(self, parts: list[dict[str, Any]], speaker: Speaker) -> None:
        draft = self.draft
        for part in parts:
            kind, id = part["part_kind"], text_in(part, "tool_call_id")
            if kind == "text":
                draft.message("assistant", text_in(part, "content"), speaker.place, "", speaker.model, speaker.time)
                draft.output = text_in(part, "content") or draft.output
            elif kind == "thinking":
                draft.reasoning(text_in(part, "content"), speaker.place, "", speaker.model, speaker.time)
            elif kind in ("tool-call", "builtin-tool-call"):
                name, arguments = text_in(part, "tool_name"), maybe_json(part.get("args"))
                draft.call(name, arguments, speaker.place, id, "", speaker.model, speaker.time)
                if name == _FINAL or name.startswith(f"{_FINAL}_"):
                    draft.output = written(arguments)
            elif kind == "builtin-tool-return":
                text = result_text(part.get("content"))
                draft.result(id, text, speaker.place, False, text_in(part, "tool_name"), "", speaker.time)
            else:
                draft.count(f"{kind} part")


def _words(content: Any) -> str:
    """A prompt; attachments become a note in brackets."""
    if isinstance(content, list):
        notes = (part if isinstance(part, str) else f"[{text_in(part, 'kind') or 'attachment'}]" for part in content)
        return "\n".join(notes)
    return result_text(content)


read = read_conversations(_Messages, within(*_LISTS), _holder)
