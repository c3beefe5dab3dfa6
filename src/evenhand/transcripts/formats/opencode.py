"""opencode: a session as `opencode export` writes it, or its messages as returned by the server.

Follows anomalyco/opencode `packages/opencode/src/cli/cmd/export.ts` and `src/session/message-v2.ts`: the session's
info, and messages with info and parts. A sub-agent has its own session; here its last message is a tool result.
"""

from __future__ import annotations

from typing import Any

from evenhand.core.finding import Place
from evenhand.transcripts.conversation import Reader, read_entries
from evenhand.transcripts.draft import object_in, text_in
from evenhand.transcripts.json_text import Key
from evenhand.transcripts.shapes.content_blocks import Speaker
from evenhand.transcripts.shapes.opencode_parts import error_text, take_part, take_usage
from evenhand.transcripts.times import moment

FORMAT = "opencode"
TITLE = "opencode export"
PLACE = 90

_ROLES = frozenset(("user", "assistant"))


def is_ours(value: dict[str, Any]) -> bool:
    """A message with info and parts, or a session with such messages."""
    return _is_message(value) or _is_session(value)


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


def _is_opened(path: tuple[Key, ...]) -> bool:
    """The session, its messages, a message, its parts; or the same where the messages are the whole file."""
    if path and path[0] == "messages":
        path = path[1:]
    return len(path) < 2 or (len(path) == 2 and path[1] == "parts")


class _Session(Reader):
    """The state of a session while its messages are read."""

    format = FORMAT
    stray = "entry that is not an object"

    def take(self, value: dict[str, Any], place: Place) -> None:
        """A session, or one of its messages."""
        if _is_message(value):
            self.draft.understood += 1
            self.message(value, place)
        elif isinstance(value.get("messages"), list):
            self.draft.understood += 1
            if isinstance(info := value.get("info"), dict):
                self.draft.id = text_in(info, "id")
            for message in self.draft.objects(value, "messages", "entry"):
                self.take(message, self.place_of(message))
        else:
            self.draft.count("entry that is neither a session nor a message")

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
            take_part(self.draft, part, speaker._replace(place=self.place_of(part)))
        if info.get("error"):
            self.draft.error(error_text(info["error"]), place, "", model, time)
        take_usage(self.draft, info, place)


read = read_entries(_Session, _is_opened)
