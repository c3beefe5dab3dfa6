"""Goose: rows of its `messages` table, the JSONL of earlier versions, an exported session, or what a run prints.

Follows block/goose `crates/goose/src/conversation/message.rs` (the kinds of content),
`crates/goose/src/session/session_manager.rs` (the table) and `crates/goose-cli/src/session/mod.rs` (what
`goose run --output-format` prints: `messages` and `metadata`, or a line for each event). Content is a list, in a row of
the table as JSON text. Results are in the user's messages. A file of rows may hold several sessions: each is a
submission.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from evenhand.core.finding import Place
from evenhand.errors import InputError
from evenhand.transcripts.conversation import Reader
from evenhand.transcripts.draft import count_of, list_in, listed, object_in, text_in
from evenhand.transcripts.json_stream import documents, within
from evenhand.transcripts.json_text import maybe_json, written
from evenhand.transcripts.shapes.content_blocks import Speaker, reasoning_text, result_text, speak, text_of_block
from evenhand.transcripts.sources import Source
from evenhand.transcripts.times import moment
from evenhand.work.submission import Submission, Usage

FORMAT = "goose"
TITLE = "Goose session"
PLACE = 130

_CALLS = frozenset(("toolRequest", "frontendToolRequest"))
_QUIET = frozenset(("toolConfirmationRequest", "actionRequired", "conversationCompacted"))
_OWN = _CALLS | _QUIET | {"toolResponse", "redactedThinking", "systemNotification", "contextLengthExceeded"}
_HEADER = frozenset("message_count schedule_id accumulated_total_tokens recipe".split())
_HELD = ("conversation", "messages")
_PROGRESS = frozenset(("notification", "model_change"))


def is_ours(value: dict[str, Any]) -> bool:
    """A row of the table, a message with content of Goose's kinds, what holds such messages, or a session's header."""
    return _is_header(value) or any(
        _is_message(message) for message in (value, object_in(value, "message"), *_messages(value))
    )


def _is_message(value: dict[str, Any]) -> bool:
    if "role" not in value:
        return False
    kinds = (text_in(block, "type") for block in list_in(value, "content"))
    return (
        "content_json" in value or "agentVisible" in object_in(value, "metadata") or any(map(_OWN.__contains__, kinds))
    )


def _is_header(value: dict[str, Any]) -> bool:
    return "working_dir" in value and bool(value.keys() & (_HEADER | {"conversation"}))


def _messages(value: dict[str, Any]) -> list[dict[str, Any]]:
    """The messages in an object that holds them all."""
    return [message for key in _HELD for message in list_in(value, key) if isinstance(message, dict)]


def read(source: Source) -> Iterator[Submission | InputError]:
    """Every session of a file."""
    sessions: dict[str, _Session] = {}
    others = 0
    latest = ""
    for document in documents(source, within(*_HELD)):
        for value in listed(document.value):
            if not isinstance(value, dict):
                others += 1
                continue
            is_whole = _is_header(value) or any(key in value for key in _HELD)
            latest = text_in(value, "session_id") or (text_in(value, "id") if is_whole else latest)
            session = sessions.setdefault(latest, _Session(source))
            session.draft.id = latest
            session.take_all([value], document)
    if not sessions:
        raise InputError(source.take_problems() or f"{source.name}: nothing in it could be read as {FORMAT}")
    first = next(iter(sessions.values()))
    first.draft.problems += source.take_problems()
    for _ in range(others):
        first.draft.count("line that is not an object")
    for session in sessions.values():
        submission = session.finish()
        if len(sessions) > 1 and submission.events:
            submission = submission._replace(source=f"{source.name}:{submission.events[0].place.line}")
        yield submission


class _Session(Reader):
    """The state of a session while its messages are read."""

    format = FORMAT

    streamed = ""
    """The id of the message of which parts are printed, each as a line of its own."""

    def take(self, value: dict[str, Any], place: Place) -> None:
        kind = text_in(value, "type")
        if _is_header(value) or any(key in value for key in _HELD):
            self.header(value)
        elif kind == "message" and isinstance(value.get("message"), dict):
            self.part(value["message"], place)
        elif kind == "error":
            self.draft.error(text_in(value, "error"), place)
        elif kind == "complete":
            self.draft.understood += 1
        elif kind not in _PROGRESS:
            self.message(value, place)

    def part(self, message: dict[str, Any], place: Place) -> None:
        """A message of a run as it is printed; a text may come in several parts."""
        id, content, last = text_in(message, "id"), list_in(message, "content"), self.draft.events[-1:]
        says = [text_in(block, "text") for block in content if text_in(block, "type") == "text"]
        goes_on = id and id == self.streamed and len(says) == len(content) and last and last[0].kind == "message"
        self.streamed = id
        if goes_on:
            self.draft.events[-1] = last[0]._replace(text=last[0].text + "".join(says))
        else:
            self.message(message, place)

    def header(self, value: dict[str, Any]) -> None:
        """The session's facts: its model, its tokens, and in an export its messages."""
        self.draft.understood += 1
        if isinstance(config := value.get("model_config"), dict):
            self.model = text_in(config, "model_name")
        sent, answered = (count_of(value.get(f"accumulated_{side}_tokens")) for side in ("input", "output"))
        if sent or answered:
            self.draft.usage["session"] = Usage(sent, answered)
        for key in ("created_at", "updated_at"):
            self.draft.saw_time(moment(value.get(key)))
        for key in _HELD:
            for message in self.draft.objects(value, key, "message"):
                self.message(message, self.place_of(message))

    def message(self, value: dict[str, Any], place: Place) -> None:
        """One message, or one row of the table."""
        role = text_in(value, "role")
        content = maybe_json(value["content_json"]) if "content_json" in value else value.get("content")
        if role not in ("user", "assistant") or not isinstance(content, list):
            self.draft.count(f"role {role}" if role not in ("", "user", "assistant") else "message without content")
            return
        self.draft.understood += 1
        id = text_in(value, "message_id")
        if id and id in self.seen:
            return
        self.seen.add(id)
        time = moment(value.get("created_timestamp") or value.get("created") or value.get("timestamp"))
        self.draft.saw_time(time)
        metadata = maybe_json(value.get("metadata_json", value.get("metadata")))
        if role == "user" and isinstance(metadata, dict) and metadata.get("userVisible") is False:
            role = "system"  # written by the program, such as a summary of the history
        model = self.draft.saw_model(self.model) if role == "assistant" else ""
        if role == "user" and self.draft.task is None:
            self.draft.task = "\n".join(filter(None, map(text_of_block, content))).strip() or None
        self.blocks(content, Speaker(role, place, "", model, time))

    def blocks(self, content: list[Any], speaker: Speaker) -> None:
        """The content of a message as events."""
        plain: list[Any] = []
        for block in content:
            if not isinstance(block, dict) or (kind := text_in(block, "type")) not in _OWN:
                plain.append(block)
                continue
            speak(self.draft, plain, speaker)
            plain = []
            if kind in _CALLS:
                self.call(block, speaker)
            elif kind == "toolResponse":
                text, failed = _outcome(block.get("toolResult"))
                self.draft.result(text_in(block, "id"), text, speaker.place, failed, "", speaker.agent, speaker.time)
            elif kind == "redactedThinking":
                self.draft.reasoning(reasoning_text(block), *speaker[1:])
            elif kind in ("systemNotification", "contextLengthExceeded"):
                self.draft.message("system", text_in(block, "msg"), *speaker[1:])
        speak(self.draft, plain, speaker)

    def call(self, block: dict[str, Any], speaker: Speaker) -> None:
        """A call; if its arguments could not be parsed, it failed immediately."""
        tool_call = object_in(block, "toolCall")
        value = object_in(tool_call, "value")
        id = text_in(block, "id")
        if id and id in self.draft.calls:
            return
        index = self.draft.call(text_in(value, "name"), value.get("arguments"), speaker.place, id, *speaker[2:])
        if text_in(tool_call, "status") == "error":
            self.draft.answer(index, written(tool_call.get("error")), speaker.place, True)


def _outcome(result: Any) -> tuple[str, bool]:
    """The result as sent to the model, and whether it failed."""
    if not isinstance(result, dict):
        return written(result), False
    if text_in(result, "status") == "error" or "error" in result:
        return written(result.get("error")), True
    value = result.get("value")
    blocks = list_in(value, "content") if isinstance(value, dict) else list_in(result, "value")
    for_model = [block for block in blocks if _is_for_model(block)]
    failed = isinstance(value, dict) and bool(value.get("isError"))
    text = result_text([_plain(block) for block in for_model]) if for_model else ""
    if not text and isinstance(value, dict):
        text = written(value.get("structuredContent"))
    return text or result_text([_plain(block) for block in blocks]) if blocks or text else text, failed


def _is_for_model(block: Any) -> bool:
    """Goose may keep a result twice: once for the model, once to show to the user."""
    audience = object_in(block, "annotations").get("audience")
    return not isinstance(audience, list) or "assistant" in audience


def _plain(block: Any) -> Any:
    """A resource in a result as the text in it."""
    resource = block.get("resource") if isinstance(block, dict) else None
    if isinstance(resource, dict):
        return text_in(resource, "text") or f"[{text_in(resource, 'uri') or 'resource'}]"
    return block
