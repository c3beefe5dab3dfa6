"""Pydantic AI: the messages of a run, as `all_messages_json()` writes them, or one per line.

Follows pydantic_ai_slim/pydantic_ai/messages.py: ModelRequest and ModelResponse (`kind`), their parts (`part_kind`),
and RequestUsage. A retry-prompt with a tool's name is the failed result of its call. Events of a stream (`event_kind`)
repeat the messages and are left out. An answer given by calling an output tool (`final_result`) is the output.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from evenhand.core.values.submission import Submission, Usage
from evenhand.errors import InputError
from evenhand.transcripts.draft import Draft, count_of, text_in
from evenhand.transcripts.head import Head
from evenhand.transcripts.json_stream import Document, documents
from evenhand.transcripts.json_text import Key, maybe_json, written
from evenhand.transcripts.shapes.content_blocks import Speaker, result_text
from evenhand.transcripts.sources import Source

FORMAT = "pydantic-ai"
TITLE = "Pydantic AI messages"
PLACE = 280
MARKS = "kind parts part_kind"
LATE_MARKS = "part_kind"

_LISTS = ("messages", "all_messages", "new_messages", "message_history", "_messages")
_FINAL = "final_result"


def sniff(head: Head) -> bool:
    """A request or a response with parts, or an object that holds some."""
    return any(_is_message(value) or _holder(value) is not None for value in head.objects)


def _is_message(value: Any) -> bool:
    if not isinstance(value, dict) or value.get("kind") not in ("request", "response"):
        return False
    parts = value.get("parts")
    return isinstance(parts, list) and all(isinstance(part, dict) and "part_kind" in part for part in parts)


def _holder(value: dict[str, Any]) -> list[Any] | None:
    lists = (value.get(key) for key in _LISTS)
    return next((items for items in lists if isinstance(items, list) and any(map(_is_message, items[:20]))), None)


def read(source: Source) -> Iterator[Submission | InputError]:
    """Every run of a file."""
    running: _Reader | None = None
    for document in documents(source, _is_opened):
        for value in document.value if isinstance(document.value, list) else [document.value]:
            messages = _holder(value) if isinstance(value, dict) else None
            if messages is None:
                running = running or _Reader(Draft(source, FORMAT))
                running.take(value, document)
                continue
            run = _Reader(Draft(source, FORMAT))
            for message in messages:
                run.take(message, document)
            submission = run.finish()
            yield (
                submission._replace(source=f"{source.name}:{document.place(value).line}")
                if document.is_line
                else submission
            )
    if running:
        yield running.finish()


def _is_opened(path: tuple[Key, ...]) -> bool:
    return not path or path[-1] in _LISTS


class _Reader:
    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self.instructions = ""
        self.output: str | None = None
        self.id = ""
        self.understood = 0

    def take(self, value: Any, document: Document) -> None:
        """One message."""
        if not _is_message(value):
            kind = text_in(value, "event_kind") if isinstance(value, dict) else ""
            if not kind:
                self.draft.count("entry that is not a message")
            return
        self.understood += 1
        self.id = self.id or text_in(value, "run_id")
        time, place = text_in(value, "timestamp"), document.place(value)
        self.draft.saw_time(time)
        instructions = text_in(value, "instructions")
        if instructions and instructions != self.instructions:
            self.draft.message("system", instructions, place, "", "", time)
            self.instructions = instructions
        if value["kind"] == "response":
            model = self.draft.saw_model(value.get("model_name"))
            self._usage(value.get("usage"))
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
                self.output = text_in(part, "content") or self.output
            elif kind == "thinking":
                draft.reasoning(text_in(part, "content"), speaker.place, "", speaker.model, speaker.time)
            elif kind in ("tool-call", "builtin-tool-call"):
                name, arguments = text_in(part, "tool_name"), maybe_json(part.get("args"))
                draft.call(name, arguments, speaker.place, id, "", speaker.model, speaker.time)
                if name == _FINAL or name.startswith(f"{_FINAL}_"):
                    self.output = written(arguments)
            elif kind == "builtin-tool-return":
                text = result_text(part.get("content"))
                draft.result(id, text, speaker.place, False, text_in(part, "tool_name"), "", speaker.time)
            else:
                draft.count(f"{kind} part")

    def _usage(self, used: Any) -> None:
        if isinstance(used, dict):
            self.draft.usage[len(self.draft.usage)] = Usage(
                count_of(used.get("input_tokens", used.get("request_tokens"))),
                count_of(used.get("output_tokens", used.get("response_tokens"))),
                count_of(used.get("cache_read_tokens")),
            )

    def finish(self) -> Submission:
        submission = self.draft.finish_if_any(self.understood, id=self.id or None)
        return submission if self.output is None else submission._replace(output=self.output)


def _words(content: Any) -> str:
    """A prompt; attachments become a note in brackets."""
    if isinstance(content, list):
        parts = (part if isinstance(part, str) else f"[{_kind(part)}]" for part in content)
        return "\n".join(parts)
    return result_text(content)


def _kind(part: Any) -> str:
    return (text_in(part, "kind") if isinstance(part, dict) else "") or "attachment"
