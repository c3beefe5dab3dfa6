"""Goose: rows of its database's `messages` table, one per line; the JSONL of earlier versions; or an exported session.

Follows block/goose `crates/goose/src/conversation/message.rs` (the kinds of content) and
`crates/goose/src/session/session_manager.rs` (the table). Content is a list, in a row of the table as JSON text.
Results are in the user's messages. A file of rows may hold several sessions: each is a submission.
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


def is_ours(value: dict[str, Any]) -> bool:
    """A row of the table, a message with content of Goose's kinds, or a session's header."""
    if _is_header(value):
        return True
    return "role" in value and (
        "content_json" in value or any(text_in(block, "type") in _OWN for block in list_in(value, "content"))
    )


def _is_header(value: dict[str, Any]) -> bool:
    return "working_dir" in value and bool(value.keys() & (_HEADER | {"conversation"}))


def read(source: Source) -> Iterator[Submission | InputError]:
    """Every session of a file."""
    sessions: dict[str, _Session] = {}
    others = 0
    latest = ""
    for document in documents(source, within("conversation")):
        for value in listed(document.value):
            if not isinstance(value, dict):
                others += 1
                continue
            header = _is_header(value)
            latest = text_in(value, "session_id") or (text_in(value, "id") if header else latest)
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

    def take(self, value: dict[str, Any], place: Place) -> None:
        if _is_header(value):
            self.header(value)
        else:
            self.message(value, place)

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
        for message in self.draft.objects(value, "conversation", "message"):
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
