"""opencode: a session as `opencode export` writes it, messages as its server returns them, its event log, or a run.

Follows anomalyco/opencode `packages/opencode/src/cli/cmd/export.ts`, `src/session/message-v2.ts` (messages, parts and
events) and `src/cli/cmd/run.ts` (`emit`, what `opencode run --format json` prints: neither the task nor the model). In
the event log a message and its parts are told of as often as they change; the last one counts. A sub-agent has its own
session; here its last message is a tool result.
"""

from __future__ import annotations

from typing import Any

from evenhand.core.finding import Place
from evenhand.transcripts.conversation import Reader, read_entries
from evenhand.transcripts.draft import Draft, count_of, object_in, text_in
from evenhand.transcripts.json_text import Key, written
from evenhand.transcripts.shapes.content_blocks import Speaker
from evenhand.transcripts.sources import Source
from evenhand.transcripts.times import moment
from evenhand.work.submission import Submission, Usage

FORMAT = "opencode"
TITLE = "opencode session, event log or run"
PLACE = 90
MARKS = "info parts sessionID"

_ROLES = frozenset(("user", "assistant"))
_CHANGED = ("message.updated", "message.part.updated")
_QUIET_CHANGES = ("message.removed", "message.part.removed", "message.part.delta")
_WITH_A_PART = frozenset(("step_start", "step_finish", "text", "tool_use", "reasoning"))


def is_ours(value: dict[str, Any]) -> bool:
    """A message with info and parts, a session with such messages, a change of one, or what a run prints."""
    return _is_message(value) or _is_session(value) or _is_change(_event(value)) or _is_printed(value)


def _is_message(value: Any) -> bool:
    info = value.get("info") if isinstance(value, dict) else None
    return (
        isinstance(info, dict)
        and text_in(info, "role") in _ROLES
        and bool(info.keys() & {"sessionID", "modelID", "time"})
        and isinstance(value.get("parts", []), list)
    )


def _is_session(value: dict[str, Any]) -> bool:
    info, messages = value.get("info"), value.get("messages")
    if not isinstance(info, dict) or not isinstance(messages, list):
        return False
    known = {"projectID", "directory", "slug"} & info.keys()
    return bool(known) or any(_is_message(message) for message in messages)


def _event(value: dict[str, Any]) -> dict[str, Any]:
    """The event itself, where it is sent with the folder it is from."""
    return object_in(value, "payload") or object_in(value, "event") or value


def _is_change(event: dict[str, Any]) -> bool:
    return text_in(event, "type") in _CHANGED and bool(object_in(event, "properties") or object_in(event, "data"))


def _is_printed(value: dict[str, Any]) -> bool:
    if "sessionID" not in value or "timestamp" not in value:
        return False
    kind = text_in(value, "type")
    return (kind in _WITH_A_PART and isinstance(value.get("part"), dict)) or (kind == "error" and "error" in value)


def _is_opened(path: tuple[Key, ...]) -> bool:
    """The session, its messages, a message, its parts; or the same where the messages are the whole file."""
    if path and path[0] == "messages":
        path = path[1:]
    return len(path) < 2 or (len(path) == 2 and path[1] == "parts")


class _Session(Reader):
    """The state of a session while its messages, or the events that tell of them, are read."""

    format = FORMAT
    stray = "entry that is not an object"

    def __init__(self, source: Source, holder: dict[str, Any] | None = None) -> None:
        super().__init__(source, holder)
        self.messages: dict[str, dict[str, Any]] = {}
        self.parts: dict[str, tuple[dict[str, Any], Place]] = {}
        """What the event log told last of each message and each part, in the place where it was told first."""

    def take(self, value: dict[str, Any], place: Place) -> None:
        """A session, one of its messages, or an event."""
        self.draft.understood += 1
        if _is_message(value):
            self.message(value, place)
        elif isinstance(value.get("messages"), list):
            self.draft.id = text_in(value.get("info"), "id") or self.draft.id
            for message in self.draft.objects(value, "messages", "entry"):
                self.take(message, self.place_of(message))
        elif "timestamp" in value and "sessionID" in value:
            self.printed(value, place)
        elif kind := text_in(_event(value), "type"):
            self.change(kind, _event(value), place)
        else:
            self.draft.understood -= 1
            self.draft.count("entry that is neither a session nor a message nor an event")

    def message(self, value: dict[str, Any], place: Place) -> None:
        """One message as events."""
        info = value["info"]
        times = object_in(info, "time")
        time = moment(times.get("created"))
        self.draft.saw_time(time)
        self.draft.saw_time(moment(times.get("completed")))
        self.draft.id = self.draft.id or text_in(info, "sessionID")
        role = text_in(info, "role")
        model = self.draft.saw_model(info.get("modelID")) if role == "assistant" else ""
        if role == "assistant" and info.get("summary") is True:
            role = "system"  # a summary of the history
        speaker = Speaker(role, place, "", model, time)
        for part in self.draft.objects(value, "parts", "part"):
            _take_part(self.draft, part, speaker._replace(place=self.place_of(part)))
        if info.get("error"):
            self.draft.error(_error_text(info["error"]), place, "", model, time)
        _take_usage(self.draft, info, place)

    def printed(self, value: dict[str, Any], place: Place) -> None:
        """A line that a run prints as soon as a part of a message is complete."""
        draft, kind, part, time = self.draft, text_in(value, "type"), value.get("part"), moment(value.get("timestamp"))
        draft.id = draft.id or text_in(value, "sessionID")
        draft.saw_time(time)
        if kind in _WITH_A_PART and isinstance(part, dict):
            if kind == "step_finish":
                _take_usage(draft, part, place)
            key = text_in(part, "id") or str(place)
            if kind not in ("text", "reasoning") or key not in self.seen:
                self.seen.add(key)
                _take_part(draft, part, Speaker("assistant", place, "", "", time))
        elif kind == "error":
            draft.error(_error_text(value.get("error")), place, time=time)
        elif kind != "done":
            draft.understood -= 1
            draft.count(kind or "line without a type")

    def change(self, kind: str, event: dict[str, Any], place: Place) -> None:
        """What the event log tells; a part that is told of again replaces what was known of it."""
        told = object_in(event, "properties") or object_in(event, "data")
        info, part = object_in(told, "info"), object_in(told, "part")
        if kind == "message.updated" and info:
            self.messages[text_in(info, "id")] = info
        elif kind == "message.part.updated" and part:
            known = self.parts.get(text_in(part, "id"))
            self.parts[text_in(part, "id") or str(place)] = part, known[1] if known else place
        elif kind == "session.error":
            self.draft.error(_error_text(told.get("error")), place)
        else:
            self.draft.understood -= 1
            if kind.startswith("message.") and kind not in _QUIET_CHANGES:
                self.draft.count(kind)

    def finish(self) -> Submission:
        for part, place in self.parts.values():
            info = self.messages.get(text_in(part, "messageID"), {})
            role = text_in(info, "role") or "assistant"
            time = moment(object_in(info, "time").get("created"))
            self.draft.id = self.draft.id or text_in(part, "sessionID")
            model = self.draft.saw_model(info.get("modelID")) if role == "assistant" else ""
            _take_part(self.draft, part, Speaker(role, place, "", model, time))
        for info in self.messages.values():
            _take_usage(self.draft, info, Place(self.draft.source.name))
        return super().finish()


_QUIET_PARTS = frozenset(("step-start", "step-finish", "snapshot", "patch", "compaction", "agent"))
"""Parts that do not describe what the agent did."""


def _take_part(draft: Draft, part: dict[str, Any], speaker: Speaker) -> None:
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
        draft.error(_error_text(part.get("error")), *speaker[1:])
    elif kind not in _QUIET_PARTS:
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


def _error_text(error: Any) -> str:
    """The message of an error, or its name."""
    if not isinstance(error, dict):
        return written(error) or "error"
    message = text_in(error.get("data"), "message")
    return message or text_in(error, "message") or text_in(error, "name") or written(error)


def _take_usage(draft: Draft, request: dict[str, Any], place: Place) -> None:
    """Tokens and cost of a request. opencode counts the cache apart from the input, and thoughts from the output."""
    if isinstance(tokens := request.get("tokens"), dict):
        cache = object_in(tokens, "cache")
        cached = count_of(cache.get("read"))
        sent = count_of(tokens.get("input")) + cached + count_of(cache.get("write"))
        id = text_in(request, "id") or place
        draft.usage[id] = Usage(sent, count_of(tokens.get("output")) + count_of(tokens.get("reasoning")), cached)
        draft.saw_cost(request.get("cost"), id)


read = read_entries(_Session, _is_opened)
