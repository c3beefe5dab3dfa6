"""Pi and OpenClaw, which builds on it: the session that they keep, one entry per line; or what `pi --mode json` prints.

Follows badlogic/pi-mono `packages/coding-agent/src/core/session-manager.ts` and `messages.ts` (versions 1 to 3) and
`packages/ai/src/types.ts`. Entries form a tree; an abandoned branch happened, so it is kept. A command the user ran
with `!`, summaries, and what extensions add are system messages.
"""

from __future__ import annotations

from typing import Any

from evenhand.core.finding import Place
from evenhand.transcripts.conversation import Reader, read_lines
from evenhand.transcripts.draft import listed, object_in, text_in, usage_apart
from evenhand.transcripts.json_text import maybe_json, written
from evenhand.transcripts.shapes.content_blocks import Speaker, result_text, speak, text_of_block
from evenhand.transcripts.times import moment

FORMAT = "pi"
TITLE = "Pi or OpenClaw session"
PLACE = 140

_ROLES = frozenset(
    "user assistant toolResult bashExecution custom hookMessage branchSummary compactionSummary system".split()
)
_QUIET = frozenset(
    "custom label session_info thinking_level_change leaf agent_start agent_end turn_start turn_end message_start "
    "message_update tool_execution_start tool_execution_update tool_execution_end auto_compaction_start "
    "auto_compaction_end auto_retry_start auto_retry_end compaction_start compaction_end".split()
)
"""Entries that repeat something, or that do not describe what the agent did."""

_CALLS = frozenset(("toolCall", "toolUse", "tool_use", "functionCall"))


def is_ours(value: dict[str, Any]) -> bool:
    """A session's header, or an entry that only Pi writes."""
    kind, message = value.get("type"), value.get("message")
    if kind == "session":
        return "id" in value and ("cwd" in value or "version" in value) and "timestamp" in value
    if kind in ("message", "message_end"):
        return isinstance(message, dict) and text_in(message, "role") in _ROLES and "content" not in value
    if kind == "model_change":
        return "modelId" in value
    return (kind == "thinking_level_change" and "thinkingLevel" in value) or (
        kind in ("custom_message", "custom") and "customType" in value
    )


class _Session(Reader):
    """The state of a session while its entries are read."""

    format = FORMAT

    def take(self, value: dict[str, Any], place: Place) -> None:
        kind, message, id = text_in(value, "type"), value.get("message"), text_in(value, "id")
        time = moment(value.get("timestamp"))
        self.draft.saw_time(time)
        speaker = Speaker("system", place, "", "", time)
        self.draft.understood += 1
        if kind == "session":
            self.draft.id = self.draft.id or id
        elif kind in ("message", "message_end") and isinstance(message, dict):
            if not id or id not in self.seen:
                self.seen.add(id)
                time = time or moment(message.get("timestamp"))
                self.draft.saw_time(time)
                self.message(message, speaker._replace(time=time), id)
        elif kind in ("compaction", "branch_summary"):
            self.draft.message("system", text_in(value, "summary"), *speaker[1:])
        elif kind == "custom_message":
            speak(self.draft, value.get("content"), speaker)
        elif kind not in _QUIET and kind != "model_change":
            self.draft.understood -= 1
            self.draft.count(kind or "line without a type")

    def message(self, message: dict[str, Any], speaker: Speaker, id: str) -> None:
        """A message of any role."""
        role, content = text_in(message, "role"), message.get("content")
        if role == "assistant":
            self.assistant(message, speaker, id)
        elif role == "user":
            speak(self.draft, content, speaker._replace(role="user"))
            if self.draft.task is None:
                self.draft.task = "\n".join(filter(None, map(text_of_block, listed(content)))).strip() or None
        elif role == "toolResult":
            self.result(message, speaker)
        elif role == "bashExecution":
            words = f"$ {text_in(message, 'command')}\n{text_in(message, 'output')}".rstrip()
            self.draft.message("system", words, *speaker[1:])
        elif role in _ROLES:
            speak(self.draft, content if content is not None else message.get("summary"), speaker)
        else:
            self.draft.count(f"role {role}" if role else "message without a role")

    def assistant(self, message: dict[str, Any], speaker: Speaker, id: str) -> None:
        """The model's messages, thoughts and calls, and the reason for a failed request."""
        speaker = speaker._replace(role="assistant", model=self.draft.saw_model(message.get("model")))
        plain: list[Any] = []
        for block in listed(message.get("content")):
            if isinstance(block, dict) and text_in(block, "type") in _CALLS:
                speak(self.draft, plain, speaker)
                plain = []
                self.call(block, speaker)
            else:
                plain.append(block)
        speak(self.draft, plain, speaker)
        if text_in(message, "stopReason") in ("error", "aborted") or message.get("errorMessage"):
            words = text_in(message, "errorMessage") or f"the request ended: {text_in(message, 'stopReason')}"
            self.draft.error(words, *speaker[1:])
        if isinstance(usage := message.get("usage"), dict):
            self.draft.usage[id or speaker.place] = usage_apart(usage, "input", "output", "cacheRead", "cacheWrite")
            self.draft.saw_cost(object_in(usage, "cost").get("total"), id or speaker.place)

    def call(self, block: dict[str, Any], speaker: Speaker) -> None:
        arguments = next((block[key] for key in ("arguments", "input", "args") if key in block), None)
        id = text_in(block, "id")
        if not self.draft.is_open(id):
            self.draft.call(text_in(block, "name"), maybe_json(arguments), speaker.place, id, *speaker[2:])

    def result(self, message: dict[str, Any], speaker: Speaker) -> None:
        """The result of a tool."""
        content = message.get("content")
        text = result_text(content) if content is not None else written(message.get("details"))
        id, name = text_in(message, "toolCallId"), text_in(message, "toolName")
        self.draft.result(id, text, speaker.place, bool(message.get("isError")), name, "", speaker.time)


read = read_lines(_Session)
