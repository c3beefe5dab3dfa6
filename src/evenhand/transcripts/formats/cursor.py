"""Cursor: the agent transcript that it keeps (`agent-transcripts/<id>.jsonl`), one message per line.

Closed source; based on real files: a role, and blocks of text, thinking and tool use. Calls have no ids, and
most versions keep no results; a result answers the oldest open call. User input is in
`<user_query>`; what Cursor adds around it is a system message.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from evenhand.core.basics.lazy_pattern import late_pattern
from evenhand.core.values.submission import Place, Submission
from evenhand.errors import InputError
from evenhand.transcripts.draft import Draft, text_in
from evenhand.transcripts.head import Head
from evenhand.transcripts.json_text import written
from evenhand.transcripts.shapes.content_blocks import Speaker, result_text, says_error, speak
from evenhand.transcripts.sources import Source
from evenhand.transcripts.times import moment

FORMAT = "cursor"
TITLE = "Cursor agent transcript"
PLACE = 70

_ROLES = frozenset(("user", "assistant", "system", "tool"))
_QUERY = late_pattern(r"<user_query>\n?(.*?)\n?</user_query>", re.DOTALL)
_TIME = late_pattern(r"<timestamp>(.*?)</timestamp>", re.DOTALL)
_ENDED_WELL = frozenset(("", "success", "completed", "finished", "done"))


def sniff(head: Head) -> bool:
    """A line with a role beside its message, or one that ends a turn."""
    return any(_is_ours(value) for value in head.objects)


def _is_ours(value: dict[str, Any]) -> bool:
    if value.get("type") == "turn_ended":
        return "status" in value and "turn" not in value
    message = value.get("message")
    return (
        text_in(value, "role") in _ROLES
        and isinstance(message, dict)
        and "content" in message
        and not value.keys() & {"type", "content", "uuid", "sessionId", "id"}
    )


def read(source: Source) -> Iterator[Submission | InputError]:
    """One transcript."""
    transcript = _Transcript(Draft(source, FORMAT))
    for value, place in source.json_lines():
        transcript.line(value, place)
    yield transcript.finish()


class _Transcript:
    """The state of a transcript while its lines are read."""

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self.task: str | None = None
        self.understood = 0

    def line(self, value: Any, place: Place) -> None:
        """Process one line."""
        if not isinstance(value, dict):
            self.draft.count("line that is not an object")
            return
        self.understood += 1
        kind, role, message = text_in(value, "type"), text_in(value, "role"), value.get("message")
        if role in _ROLES and isinstance(message, dict):
            time = moment(value.get("timestamp"))
            self.draft.saw_time(time)
            model = self.draft.saw_model(message.get("model") or value.get("model")) if role == "assistant" else ""
            content = message.get("content")
            for block in content if isinstance(content, list) else [content]:
                self.block(block, Speaker(role, place, "", model, time))
        elif kind == "turn_ended":
            status = text_in(value, "status")
            if status not in _ENDED_WELL:
                reason = written(value.get("error") or value.get("message"))
                self.draft.error(f"the turn ended: {status}{': ' + reason if reason else ''}", place)
        else:
            self.understood -= 1
            self.draft.count(kind or (f"role {role}" if role else "line without a role"))

    def block(self, block: Any, speaker: Speaker) -> None:
        """One block of a message."""
        kind = text_in(block, "type") if isinstance(block, dict) else ""
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
        if self.task is None and request.strip():
            self.task = request

    def result(self, block: dict[str, Any], speaker: Speaker) -> None:
        """A tool result: it answers the call with its id, or the oldest open one."""
        id, text = text_in(block, "tool_use_id"), result_text(block.get("content"))
        failed = bool(block["is_error"]) if "is_error" in block else says_error(text)
        index = self.draft.calls.get(id)
        if index is None:
            waiting = (
                at for at, event in enumerate(self.draft.events) if event.call is not None and event.call.result is None
            )
            index = next(waiting, None)
        if index is None:
            self.draft.result(id, text, speaker.place, failed, "", "", speaker.time)
        else:
            self.draft.answer(index, text, speaker.place, failed)

    def finish(self) -> Submission:
        """The submission for the whole transcript."""
        return self.draft.finish_if_any(self.understood, task=self.task)
