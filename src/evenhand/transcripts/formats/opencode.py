"""opencode: a session as `opencode export` writes it, or its messages as returned by the server.

Follows anomalyco/opencode `packages/opencode/src/cli/cmd/export.ts` and `src/session/message-v2.ts`: the session's
info, and messages with info and parts. A sub-agent has its own session; here its last message is a tool result.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from evenhand.core.values.submission import Submission
from evenhand.errors import InputError
from evenhand.transcripts.draft import Draft, text_in
from evenhand.transcripts.head import Head
from evenhand.transcripts.json_stream import Document, documents
from evenhand.transcripts.json_text import Key
from evenhand.transcripts.shapes.content_blocks import Speaker
from evenhand.transcripts.shapes.opencode_parts import error_text, take_part, usage_of
from evenhand.transcripts.sources import Source
from evenhand.transcripts.times import moment

FORMAT = "opencode"
TITLE = "opencode export"
PLACE = 90

_ROLES = frozenset(("user", "assistant"))


def sniff(head: Head) -> bool:
    """A message with info and parts, or a session with such messages."""
    return any(_is_message(value) or _is_session(value) for value in head.objects)


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


def read(source: Source) -> Iterator[Submission | InputError]:
    """One session."""
    session = _Session(Draft(source, FORMAT))
    for document in documents(source, _is_opened):
        values = document.value if isinstance(document.value, list) else [document.value]
        for value in values:
            session.take(value, document)
    yield session.draft.finish_if_any(session.understood, id=session.id or None)


def _is_opened(path: tuple[Key, ...]) -> bool:
    """The session, its messages, a message, its parts; or the same where the messages are the whole file."""
    if path and path[0] == "messages":
        path = path[1:]
    return len(path) < 2 or (len(path) == 2 and path[1] == "parts")


class _Session:
    """The state of a session while its messages are read."""

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self.id = ""
        self.understood = 0

    def take(self, value: Any, document: Document) -> None:
        """A session, or one of its messages."""
        if not isinstance(value, dict):
            self.draft.count("entry that is not an object")
        elif _is_message(value):
            self.understood += 1
            self.message(value, document)
        elif isinstance(value.get("messages"), list):
            self.understood += 1
            if isinstance(info := value.get("info"), dict):
                self.id = text_in(info, "id")
            for message in value["messages"]:
                self.take(message, document)
        else:
            self.draft.count("entry that is neither a session nor a message")

    def message(self, value: dict[str, Any], document: Document) -> None:
        """One message as events."""
        info, place = value["info"], document.place(value)
        times = info.get("time")
        time = moment(times.get("created")) if isinstance(times, dict) else ""
        self.draft.saw_time(time)
        if isinstance(times, dict):
            self.draft.saw_time(moment(times.get("completed")))
        self.id = self.id or text_in(info, "sessionID")
        role = text_in(info, "role")
        model = self.draft.saw_model(info.get("modelID")) if role == "assistant" else ""
        if role == "assistant" and info.get("summary") is True:
            role = "system"  # a summary of the history
        speaker = Speaker(role, place, "", model, time)
        parts = value.get("parts")
        for part in parts if isinstance(parts, list) else ():
            if isinstance(part, dict):
                take_part(self.draft, part, speaker._replace(place=document.place(part)))
            else:
                self.draft.count("part that is not an object")
        if info.get("error"):
            self.draft.error(error_text(info["error"]), place, "", model, time)
        if (usage := usage_of(info.get("tokens"))) is not None:
            self.draft.usage[text_in(info, "id") or place] = usage
            self.draft.saw_cost(info.get("cost"), text_in(info, "id") or place)
