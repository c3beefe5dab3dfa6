"""Gemini CLI: what it prints with `--output-format stream-json`, one event per line, or with `--output-format json`.

Follows google-gemini/gemini-cli `packages/core/src/output/types.ts` (`JsonStreamEvent`, `JsonOutput`). An answer
comes in pieces (`delta`), which are joined. The last event counts the tokens of the whole run.
"""

from __future__ import annotations

from typing import Any

from evenhand.core.finding import Place
from evenhand.transcripts.conversation import Reader, read_entries
from evenhand.transcripts.draft import object_in, text_in
from evenhand.transcripts.json_text import written
from evenhand.transcripts.shapes.google_parts import usage_of
from evenhand.transcripts.sources import Source
from evenhand.transcripts.times import moment
from evenhand.work.submission import Submission, Usage

FORMAT = "gemini-stream"
TITLE = "Gemini CLI stream-json"
PLACE = 40


def is_ours(value: dict[str, Any]) -> bool:
    """An event that only Gemini CLI prints, or its whole answer."""
    return _is_event(value) or _is_answer(value)


def _is_event(value: dict[str, Any]) -> bool:
    kind = value.get("type")
    if kind == "init":
        return {"session_id", "model", "timestamp"} <= value.keys() and "subtype" not in value
    if kind == "tool_use":
        return {"tool_name", "tool_id"} <= value.keys()
    if kind == "tool_result":
        return {"tool_id", "status"} <= value.keys()
    return kind == "result" and isinstance(value.get("stats"), dict) and {"status", "timestamp"} <= value.keys()


def _is_answer(value: dict[str, Any]) -> bool:
    stats = value.get("stats")
    return "type" not in value and isinstance(stats, dict) and {"models", "tools"} <= stats.keys()


class _Reader(Reader):
    """The state of a run while its events are read."""

    format = FORMAT

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self.pieces: list[str] = []
        self.begun: tuple[Place, str] | None = None
        """Where and when the pieces of an answer start."""

    def take(self, value: dict[str, Any], place: Place) -> None:
        kind, time = text_in(value, "type"), moment(value.get("timestamp"))
        self.draft.saw_time(time)
        self.draft.understood += 1
        if kind == "message" and value.get("delta") and value.get("role") == "assistant":
            self.begun = self.begun or (place, time)
            self.pieces.append(text_in(value, "content"))
            return
        self.flush()
        if kind == "init":
            self.draft.id = text_in(value, "session_id")
            self.model = self.draft.saw_model(value.get("model"))
        elif kind == "message":
            role = text_in(value, "role")
            model = self.model if role == "assistant" else ""
            self.draft.message(role or "assistant", text_in(value, "content"), place, "", model, time)
        elif kind == "tool_use":
            id = text_in(value, "tool_id")
            if not id or id not in self.draft.calls:
                name, arguments = text_in(value, "tool_name"), value.get("parameters")
                self.draft.call(name, arguments, place, id, "", self.model, time)
        elif kind == "tool_result":
            failed = value.get("status") == "error"
            text = text_in(value, "output") or (_message(value.get("error")) if failed else "")
            self.draft.result(text_in(value, "tool_id"), text, place, failed, time=time)
        elif kind == "error":
            if value.get("severity") == "warning":
                self.draft.message("system", text_in(value, "message"), place, time=time)
            else:
                self.draft.error(text_in(value, "message") or "error", place, time=time)
        elif kind == "result":
            self.result(value, place, time)
        elif not kind and _is_answer(value):
            self.answer(value, place)
        else:
            self.draft.understood -= 1
            self.draft.count(kind or "line without a type")

    def flush(self) -> None:
        """The pieces of an answer as one message."""
        if self.begun is not None:
            place, time = self.begun
            self.draft.message("assistant", "".join(self.pieces), place, "", self.model, time)
            self.pieces, self.begun = [], None

    def result(self, value: dict[str, Any], place: Place, time: str) -> None:
        """How the run ended, and its tokens; thoughts are output, so that input and output add up to the total."""
        if value.get("status") == "error" or value.get("error"):
            self.draft.error(_message(value.get("error")) or "the run failed", place, time=time)
        stats = object_in(value, "stats")
        if "total_tokens" in stats:
            keys = ("input_tokens", "", "output_tokens", "cached", "", "total_tokens")
            self.draft.usage["total"] = usage_of(stats, keys) or Usage()

    def answer(self, value: dict[str, Any], place: Place) -> None:
        """The whole answer as one document."""
        self.draft.id = text_in(value, "session_id")
        for name, counts in object_in(value["stats"], "models").items():
            self.draft.saw_model(name)
            if isinstance(counts, dict) and isinstance(tokens := counts.get("tokens"), dict):
                keys = ("prompt", "tool", "candidates", "cached", "thoughts", "total")
                self.draft.usage[name] = usage_of(tokens, keys) or Usage()
        model = next(iter(self.draft.models), "")
        self.draft.message("assistant", text_in(value, "response"), place, "", model)
        if value.get("error"):
            self.draft.error(_message(value["error"]), place)

    def finish(self) -> Submission:
        self.flush()
        return super().finish()


def _message(error: Any) -> str:
    return text_in(error, "message") or written(error)


read = read_entries(_Reader)
