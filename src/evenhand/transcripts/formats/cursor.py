"""Cursor: the agent transcript that it keeps (`agent-transcripts/<id>.jsonl`), one message per line.

Closed source; based on real files: a role, and blocks of text, thinking and tool use. Calls have no ids, and
most versions keep no results; a result answers the oldest open call. User input is in
`<user_query>`; what Cursor adds around it is a system message.
"""

from __future__ import annotations

import re
from typing import Any

from evenhand.core.finding import Place
from evenhand.transcripts.conversation import Reader, read_lines
from evenhand.transcripts.draft import listed, text_in
from evenhand.transcripts.json_text import written
from evenhand.transcripts.shapes.content_blocks import Speaker, result_text, says_error, speak
from evenhand.transcripts.times import moment

FORMAT = "cursor"
TITLE = "Cursor agent transcript"
PLACE = 70

_ROLES = frozenset(("user", "assistant", "system", "tool"))
_QUERY = re.compile(r"<user_query>\n?(.*?)\n?</user_query>", re.DOTALL)
_TIME = re.compile(r"<timestamp>(.*?)</timestamp>", re.DOTALL)
_ENDED_WELL = frozenset(("", "success", "completed", "finished", "done"))


def is_ours(value: dict[str, Any]) -> bool:
    """A line with a role beside its message, or one that ends a turn."""
    if value.get("type") == "turn_ended":
        return "status" in value and "turn" not in value
    message = value.get("message")
    return (
        text_in(value, "role") in _ROLES
        and isinstance(message, dict)
        and "content" in message
        and not value.keys() & {"type", "content", "uuid", "sessionId", "id"}
    )


class _Transcript(Reader):
    """The state of a transcript while its lines are read."""

    format = FORMAT

    def take(self, value: dict[str, Any], place: Place) -> None:
        self.draft.understood += 1
        kind, role, message = text_in(value, "type"), text_in(value, "role"), value.get("message")
        if role in _ROLES and isinstance(message, dict):
            time = moment(value.get("timestamp"))
            self.draft.saw_time(time)
            model = self.draft.saw_model(message.get("model") or value.get("model")) if role == "assistant" else ""
            for block in listed(message.get("content")):
                self.block(block, Speaker(role, place, "", model, time))
        elif kind == "turn_ended":
            status = text_in(value, "status")
            if status not in _ENDED_WELL:
                reason = written(value.get("error") or value.get("message"))
                self.draft.error(f"the turn ended: {status}{': ' + reason if reason else ''}", place)
        else:
            self.draft.understood -= 1
            self.draft.count(kind or (f"role {role}" if role else "line without a role"))

    def block(self, block: Any, speaker: Speaker) -> None:
        """One block of a message."""
        kind = text_in(block, "type")
        text = block.get("text") if isinstance(block, dict) and kind == "text" else block
        if isinstance(text, str):
            if speaker.role == "user":
                self.typed(text, speaker)
            else:
                self.draft.message(speaker.role, text, *speaker[1:])
        elif isinstance(block, dict) and kind == "tool_result":
            self.result(block, speaker)
        elif block is not None:
            speak(self.draft, [block], speaker)

    def typed(self, text: str, speaker: Speaker) -> None:
        """User input, separated from what Cursor adds around it."""
        if (written_at := _TIME.search(text)) is not None:
            time = moment(written_at[1].strip())
            self.draft.saw_time(time)
            speaker = speaker._replace(time=time or speaker.time)
        queries = _QUERY.findall(text)
        around = _TIME.sub("", _QUERY.sub("", text)).strip() if queries or written_at else ""
        request = "\n".join(queries) if queries else _TIME.sub("", text).strip()
        if queries:
            self.draft.message("system", around, *speaker[1:])
        self.draft.message("user", request, *speaker[1:])
        if self.draft.task is None and request.strip():
            self.draft.task = request

    def result(self, block: dict[str, Any], speaker: Speaker) -> None:
        """A tool result: it answers the call with its id, or the oldest open one."""
        id, text = text_in(block, "tool_use_id"), result_text(block.get("content"))
        failed = bool(block["is_error"]) if "is_error" in block else says_error(text)
        index = self.draft.calls.get(id)
        if index is None:
            index = next(filter(self.draft.waits, range(len(self.draft.events))), None)
        if index is None:
            self.draft.result(id, text, speaker.place, failed, "", "", speaker.time)
        else:
            self.draft.answer(index, text, speaker.place, failed)


read = read_lines(_Transcript)
