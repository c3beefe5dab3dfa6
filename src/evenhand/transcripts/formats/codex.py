"""Codex: the rollout file it keeps, in the present form and the first one, or the output of `codex exec --json`.

A rollout records most things twice: as an item of the model's conversation, and as an event for the screen. Items
count; events add errors, tokens and exit codes, and replace the items of a file that has none.
"""

from __future__ import annotations

import re
from typing import Any

from evenhand.core.finding import Place
from evenhand.transcripts.conversation import Reader, read_lines
from evenhand.transcripts.draft import listed, object_in, text_in, usage_in
from evenhand.transcripts.head import Head
from evenhand.transcripts.shapes.content_blocks import Speaker, result_text, text_of_block
from evenhand.transcripts.shapes.items import TYPES, take_item
from evenhand.transcripts.sources import Source
from evenhand.work.submission import Submission

FORMAT = "codex"
TITLE = "Codex rollout"
PLACE = 20
MARKS = "type payload timestamp"

_LINES = frozenset("session_meta turn_context response_item event_msg compacted world_state".split())
_PRINTED = frozenset(
    "thread.started turn.started turn.completed turn.failed item.started item.updated item.completed error".split()
)
_SHOWN = frozenset(
    "user_message agent_message agent_reasoning agent_reasoning_raw_content agent_reasoning_section_break token_count "
    "task_started task_complete turn_started turn_complete session_configured context_compacted thread_rolled_back "
    "exec_command_begin exec_command_end exec_command_output_delta exec_approval_request patch_apply_begin "
    "patch_apply_end apply_patch_approval_request mcp_tool_call_begin mcp_tool_call_end web_search_begin "
    "web_search_end view_image_tool_call turn_diff plan_update background_event undo_started undo_completed "
    "entered_review_mode exited_review_mode item_started item_completed raw_response_item thread_name_updated "
    "turn_aborted shutdown_complete deprecation_notice warning image_generation_begin image_generation_end "
    "dynamic_tool_call_request dynamic_tool_call_response collab_agent_spawn_begin collab_agent_spawn_end".split()
)
"""Events for the screen that repeat an item, or that do not describe what the agent did."""

_WRAPPED = re.compile(
    r"\s*(?:<(?:user_instructions|environment_context|permissions instructions|INSTRUCTIONS|turn_aborted|skill|"
    r"user_shell_command|collaboration_mode|apps_instructions|skills_instructions|subagent_notification)\b"
    r"|# AGENTS\.md instructions)"
)
"""What the program writes into the user's messages."""

_TOKENS = ("input_tokens", "output_tokens", "cached_input_tokens")


def sniff(head: Head) -> bool:
    """A line with a type and a payload, a first line of the old form, or a line that `codex exec --json` prints."""
    if any(_is_ours(entry) for entry in head.objects):
        return True
    items = any(text_in(entry, "type") in TYPES for entry in head.objects)
    return items and any(_is_first_form(entry) for entry in head.objects)


def _is_ours(value: dict[str, Any]) -> bool:
    kind = text_in(value, "type")
    if kind in _LINES and isinstance(value.get("payload"), dict):
        return True
    if kind == "thread.started" and "thread_id" in value:
        return True
    if kind.startswith("item.") and isinstance(value.get("item"), dict):
        return True
    return value.get("record_type") == "state" or {"id", "timestamp", "instructions"} <= value.keys()


class _Rollout(Reader):
    """The state of a session while its lines are read."""

    format = FORMAT

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self.spoken: list[tuple[str, str, Place, str]] = []
        """What the screen showed, for files that keep no items."""
        self.exits: dict[str, int] = {}

    def take(self, value: dict[str, Any], place: Place) -> None:
        kind, payload, time = text_in(value, "type"), value.get("payload"), text_in(value, "timestamp")
        self.draft.understood += 1
        if kind in _LINES and isinstance(payload, dict):
            self.draft.saw_time(time)
            self.entry(kind, payload, place, time)
        elif kind in _PRINTED:
            self.printed(kind, value, place)
        elif kind in TYPES or _is_first_form(value):
            self.draft.saw_time(time)
            if kind in TYPES:
                self.item(value, place, time)
            else:
                self.draft.id = self.draft.id or text_in(value, "id")
        else:
            self.draft.count(kind or "line without a type")
            self.draft.understood -= 1

    def entry(self, kind: str, payload: dict[str, Any], place: Place, time: str) -> None:
        """A line of the present form."""
        if kind == "response_item":
            self.item(payload, place, time)
        elif kind == "event_msg":
            self.event(payload, place, time)
        elif kind == "turn_context":
            self.model = self.draft.saw_model(payload.get("model")) or self.model
        elif kind == "session_meta":
            self.draft.id = self.draft.id or text_in(payload, "id")
            self.draft.folder = self.draft.folder or text_in(payload, "cwd")

    def item(self, item: dict[str, Any], place: Place, time: str) -> None:
        """An item of the model's conversation."""
        role = text_in(item, "role") or "assistant"
        if role == "user":
            text = "\n".join(filter(None, map(text_of_block, listed(item.get("content")))))
            if _WRAPPED.match(text):
                role = "system"
            elif self.draft.task is None and text.strip():
                self.draft.task = text
        elif role == "developer":
            role = "system"
        model = self.model if role == "assistant" else ""
        if not take_item(self.draft, item, Speaker(role, place, "", model, time)):
            self.draft.count(f"{text_in(item, 'type') or 'untyped'} item")

    def event(self, payload: dict[str, Any], place: Place, time: str) -> None:
        """A screen event."""
        kind = text_in(payload, "type")
        if kind in ("error", "stream_error"):
            self.draft.error(text_in(payload, "message") or kind, place, "", "", time)
        elif kind == "turn_aborted":
            self.draft.error(
                f"the turn was aborted: {text_in(payload, 'reason') or 'no reason given'}", place, "", "", time
            )
        elif kind == "token_count":
            # The tokens so far: the last count is the total.
            if isinstance(total := object_in(payload, "info").get("total_token_usage"), dict):
                self.draft.usage["total"] = usage_in(total, *_TOKENS)
        elif kind in ("exec_command_end", "patch_apply_end"):
            code = payload.get("exit_code", 0 if payload.get("success", True) else 1)
            if isinstance(code, int):
                self.exits[text_in(payload, "call_id")] = code
        elif kind in ("user_message", "agent_message"):
            role = "user" if kind == "user_message" else "assistant"
            self.spoken.append((role, text_in(payload, "message"), place, time))
        elif kind not in _SHOWN:
            self.draft.count(f"{kind or 'untyped'} event")

    def printed(self, kind: str, value: dict[str, Any], place: Place) -> None:
        """A line that `codex exec --json` prints."""
        draft = self.draft
        item = value.get("item")
        if kind == "thread.started":
            draft.id = draft.id or text_in(value, "thread_id")
        elif kind == "turn.completed" and isinstance(value.get("usage"), dict):
            draft.usage[place] = usage_in(value["usage"], *_TOKENS)
        elif kind == "turn.failed" or kind == "error":
            error = value.get("error")
            draft.error(text_in(error if isinstance(error, dict) else value, "message") or kind, place)
        elif kind == "item.completed" and isinstance(item, dict):
            self.finished(item, place)

    def finished(self, item: dict[str, Any], place: Place) -> None:
        """A completed item of `codex exec --json`."""
        draft, kind = self.draft, text_in(item, "type") or text_in(item, "item_type")
        failed = item.get("status") == "failed"
        if kind in ("agent_message", "assistant_message"):
            draft.message("assistant", text_in(item, "text"), place)
        elif kind == "reasoning":
            draft.reasoning(text_in(item, "text"), place)
        elif kind == "error":
            draft.error(text_in(item, "message"), place)
        elif kind == "command_execution":
            index = draft.call("shell", {"command": item.get("command")}, place, text_in(item, "id"))
            draft.answer(
                index, text_in(item, "aggregated_output"), place, failed or item.get("exit_code") not in (0, None)
            )
        elif kind == "mcp_tool_call":
            name = ".".join(filter(None, (text_in(item, "server"), text_in(item, "tool"))))
            index = draft.call(name, item.get("arguments"), place, text_in(item, "id"))
            error = item.get("error")
            draft.answer(index, result_text(error or item.get("result")), place, failed or bool(error))
        elif kind in ("file_change", "web_search", "todo_list"):
            keys = {key: part for key, part in item.items() if key not in ("id", "type", "item_type", "status")}
            index = draft.call(kind, keys, place, text_in(item, "id"))
            draft.answer(index, text_in(item, "status"), place, failed)
        else:
            draft.count(f"{kind or 'untyped'} item")

    def finish(self) -> Submission:
        draft = self.draft
        for id, code in self.exits.items():
            index = draft.calls.get(id)
            if index is not None and code and (call := draft.events[index].call) is not None:
                draft.events[index] = draft.events[index]._replace(call=call._replace(failed=True))
        if not any(event.kind == "message" and event.role == "assistant" for event in draft.events):
            texts = {event.text for event in draft.events}
            for role, text, place, time in self.spoken:
                if text not in texts:
                    draft.message(role, text, place, "", self.model if role == "assistant" else "", time)
            draft.events.sort(key=lambda event: event.place.line or 0)
        return super().finish()


def _is_first_form(value: dict[str, Any]) -> bool:
    """A line without an item in the old format: the session header, or a marker without content."""
    head = {"id", "timestamp"}
    return value.get("record_type") == "state" or head <= value.keys() <= head | {"instructions", "git", "cwd"}


read = read_lines(_Rollout)
