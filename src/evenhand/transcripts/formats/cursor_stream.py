"""Cursor: what its command-line agent prints with `--output-format stream-json`, one event per line.

Closed source; follows cursor.com/docs/cli/reference/output-format and captured runs. A tool call is printed when it
starts and when it is done; thoughts come in pieces, and with `--stream-partial-output` answers too, followed by the
complete text. The last line joins all answers without a space, so it is not the answer.
"""

from __future__ import annotations

from typing import Any

from evenhand.core.finding import Place
from evenhand.transcripts.conversation import Reader, read_lines
from evenhand.transcripts.draft import object_in, text_in, usage_apart
from evenhand.transcripts.json_text import maybe_json, written
from evenhand.transcripts.shapes.content_blocks import Speaker, result_text, speak
from evenhand.transcripts.sources import Source
from evenhand.transcripts.times import moment
from evenhand.work.submission import Submission

FORMAT = "cursor-stream"
TITLE = "Cursor stream-json"
PLACE = 80

_DONE = ("success", "complete", "registered", "startSuccess", "backgrounded")
_QUIET = frozenset(("connection", "interaction_query", "status", "progress"))


def is_ours(value: dict[str, Any]) -> bool:
    """A line that only Cursor prints."""
    kind, subtype = value.get("type"), value.get("subtype")
    if "session_id" not in value:
        return False
    if kind == "tool_call":
        return subtype in ("started", "completed") and isinstance(value.get("tool_call"), dict)
    if kind == "thinking":
        return subtype in ("delta", "completed")
    if kind == "system":
        return subtype == "init" and "apiKeySource" in value and not value.keys() & {"tools", "uuid"}
    return kind == "result" and "request_id" in value and not value.keys() & {"uuid", "num_turns"}


class _Reader(Reader):
    """The state of a run while its events are read."""

    format = FORMAT

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self.thoughts: list[str] = []
        self.pieces: list[str] = []
        self.begun: Speaker | None = None
        """Where the pieces of a thought or an answer start."""
        self.answers: list[str] = []
        """The agent's messages since the last user message."""

    def take(self, value: dict[str, Any], place: Place) -> None:
        kind, time = text_in(value, "type"), moment(value.get("timestamp_ms"))
        self.draft.saw_time(time)
        self.draft.id = self.draft.id or text_in(value, "session_id")
        self.draft.understood += 1
        speaker = Speaker("assistant", place, "", self.model, time)
        if kind == "thinking":
            self.thinking(value, speaker)
        elif kind == "assistant":
            self.flush_thoughts()
            self.assistant(value, speaker)
        else:
            self.flush()
            self.other(kind, value, speaker)

    def other(self, kind: str, value: dict[str, Any], speaker: Speaker) -> None:
        """An event that is not a partial one."""
        if kind == "user":
            self.answers = []
            content = object_in(value, "message").get("content")
            speak(self.draft, content, speaker._replace(role="user", model=""))
        elif kind == "tool_call":
            self.tool(value, speaker)
        elif kind == "system" and value.get("subtype") == "init":
            self.model = self.draft.saw_model(value.get("model"))
        elif kind == "result":
            self.result(value, speaker)
        elif kind == "error":
            self.draft.error(text_in(value, "message") or written(value.get("error")), *speaker[1:])
        elif kind not in _QUIET:
            self.draft.understood -= 1
            self.draft.count(kind or "line without a type")

    def thinking(self, value: dict[str, Any], speaker: Speaker) -> None:
        self.flush_answer()
        if text := text_in(value, "text"):
            self.begun = self.begun or speaker
            self.thoughts.append(text)
        if value.get("subtype") == "completed":
            self.flush_thoughts()

    def assistant(self, value: dict[str, Any], speaker: Speaker) -> None:
        """An agent message: a piece of an answer has a time but no request id, a complete one has both or neither."""
        content = object_in(value, "message").get("content")
        if "timestamp_ms" in value and "model_call_id" not in value:
            self.begun = self.begun or speaker
            self.pieces.append(result_text(content))
            return
        text = result_text(content)
        if self.pieces and "".join(self.pieces).strip() == text.strip():
            self.flush_answer()
            return
        self.flush_answer()
        if text.strip() in (*(answer.strip() for answer in self.answers[-1:]), "".join(self.answers).strip()):
            return  # repeated when the turn ends
        self.answers.append(text)
        speak(self.draft, content, speaker)

    def flush(self) -> None:
        self.flush_thoughts()
        self.flush_answer()

    def flush_thoughts(self) -> None:
        if self.thoughts and self.begun is not None:
            self.draft.reasoning("".join(self.thoughts), *self.begun[1:])
            self.thoughts, self.begun = [], None

    def flush_answer(self) -> None:
        if self.pieces and self.begun is not None:
            self.answers.append("".join(self.pieces))
            self.draft.message("assistant", self.answers[-1], *self.begun[1:])
            self.pieces, self.begun = [], None

    def tool(self, value: dict[str, Any], speaker: Speaker) -> None:
        """A tool that starts, or is done."""
        id = text_in(value, "call_id")
        name, body = _tool(value.get("tool_call"))
        index = self.draft.calls.get(id)
        if index is None:
            arguments = maybe_json(body.get("args", body.get("arguments")))
            index = self.draft.call(name, arguments, speaker.place, id, *speaker[2:])
        if value.get("subtype") == "completed":
            text, failed = _outcome(body.get("result"))
            self.draft.answer(index, text, speaker.place, failed)

    def result(self, value: dict[str, Any], speaker: Speaker) -> None:
        """How the run ended."""
        text = text_in(value, "result")
        if value.get("is_error"):
            self.draft.error(text or text_in(value, "subtype"), *speaker[1:])
        elif not any(event.role == "assistant" for event in self.draft.events):
            self.draft.message("assistant", text, *speaker[1:])
        if isinstance(usage := value.get("usage"), dict):
            keys = ("inputTokens", "outputTokens", "cacheReadTokens", "cacheWriteTokens")
            self.draft.usage[speaker.place] = usage_apart(usage, *keys)

    def finish(self) -> Submission:
        self.flush()
        return super().finish()


def _tool(call: Any) -> tuple[str, dict[str, Any]]:
    """A tool's name and its data: `{"readToolCall": {...}}`, or a function with a name."""
    for kind, body in call.items() if isinstance(call, dict) else ():
        if not isinstance(body, dict):
            continue
        arguments = body.get("args")
        if kind == "function":
            return text_in(body, "name"), body
        if kind == "mcpToolCall" and isinstance(arguments, dict):
            server = text_in(arguments, "providerIdentifier")
            tool = text_in(arguments, "toolName") or text_in(arguments, "name")
            return ".".join(filter(None, (server, tool))) or "mcp", body
        if kind.endswith("ToolCall"):
            return kind.removesuffix("ToolCall"), body
    return "", {}


def _outcome(result: Any) -> tuple[str, bool]:
    """The result and whether it failed: the key tells the outcome."""
    if not isinstance(result, dict):
        return written(result), False
    for word, value in result.items():
        if not isinstance(value, dict | str | list):
            continue
        failed = word not in _DONE
        if not isinstance(value, dict):
            return written(value), failed
        output = text_in(value, "interleavedOutput") or "\n".join(
            filter(None, (text_in(value, "stdout"), text_in(value, "stderr")))
        )
        code = value.get("exitCode")
        if "stdout" in value or isinstance(code, int):
            return output or text_in(value, "error"), failed or code not in (0, None)
        for key in ("content", "message", "error", "errorMessage", "reason", "output"):
            if isinstance(value.get(key), str):
                return value[key], failed
        return written(value) if value else word, failed
    return written(result), False


read = read_lines(_Reader)
