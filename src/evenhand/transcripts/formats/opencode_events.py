"""opencode's event log: what its server sends and its plug-ins keep, one event on a line.

Follows anomalyco/opencode `packages/opencode/src/session/message-v2.ts` (Event): `message.updated` tells of a message,
`message.part.updated` of a part of it, each as often as it changes; the last one counts.
"""

from __future__ import annotations

from typing import Any

from evenhand.core.finding import Place
from evenhand.transcripts.conversation import Reader, read_lines
from evenhand.transcripts.draft import object_in, text_in
from evenhand.transcripts.shapes.content_blocks import Speaker
from evenhand.transcripts.shapes.opencode_parts import error_text, take_part, take_usage
from evenhand.transcripts.times import moment
from evenhand.work.submission import Submission

FORMAT = "opencode-events"
TITLE = "opencode event log"
PLACE = 95
MARKS = "type properties"

_TOLD = ("message.updated", "message.part.updated")


def is_ours(value: dict[str, Any]) -> bool:
    """An event about a message or a part of one."""
    event = _event(value)
    return text_in(event, "type") in _TOLD and bool(object_in(event, "properties") or object_in(event, "data"))


def _event(value: dict[str, Any]) -> dict[str, Any]:
    """The event itself, where it is sent with the folder it is from."""
    return object_in(value, "payload") or object_in(value, "event") or value


class _Events(Reader):
    """The messages and parts of a log while its events are read."""

    format = FORMAT

    def __init__(self, source: Any, holder: dict[str, Any] | None = None) -> None:
        super().__init__(source, holder)
        self.messages: dict[str, dict[str, Any]] = {}
        self.parts: dict[str, tuple[dict[str, Any], Place]] = {}

    def take(self, value: dict[str, Any], place: Place) -> None:
        """Keep what an event tells; a part that is told again replaces what was known of it."""
        event = _event(value)
        kind = text_in(event, "type")
        told = object_in(event, "properties") or object_in(event, "data")
        info, part = object_in(told, "info"), object_in(told, "part")
        if kind == "message.updated" and info:
            self.messages[text_in(info, "id")] = info
        elif kind == "message.part.updated" and part:
            known = self.parts.get(text_in(part, "id"))
            self.parts[text_in(part, "id") or str(place)] = part, known[1] if known else place
        elif kind == "session.error":
            self.draft.error(error_text(told.get("error")), place)
        elif kind.startswith("message.") and kind not in (
            "message.removed",
            "message.part.removed",
            "message.part.delta",
        ):
            self.draft.count(kind)
        if not kind:
            self.draft.count("line without a type")
        else:
            self.draft.understood += kind in _TOLD

    def finish(self) -> Submission:
        for part, place in self.parts.values():
            info = self.messages.get(text_in(part, "messageID"), {})
            role = text_in(info, "role") or "assistant"
            time = moment(object_in(info, "time").get("created"))
            self.draft.id = self.draft.id or text_in(part, "sessionID")
            model = self.draft.saw_model(info.get("modelID")) if role == "assistant" else ""
            take_part(self.draft, part, Speaker(role, place, "", model, time))
        for info in self.messages.values():
            take_usage(self.draft, info, Place(self.draft.source.name))
        return self.draft.finish_if_any()


read = read_lines(_Events)
