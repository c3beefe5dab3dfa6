"""Logs made of role, content and tool calls in whatever spelling: of LangChain, Kimi, Droid, Kiro, Grok, Hermes.

The spellings are tables in `shapes/spellings.py`. This format is tried when no other fits: a file of records, one on
a line or in a list, of which at least one is someone speaking.
"""

from __future__ import annotations

from typing import Any

from evenhand.core.finding import Place
from evenhand.transcripts.conversation import Reader, read_conversations
from evenhand.transcripts.draft import text_in
from evenhand.transcripts.head import Head
from evenhand.transcripts.json_stream import within
from evenhand.transcripts.shapes.content_blocks import Speaker
from evenhand.transcripts.shapes.messages import take_message, usage_of
from evenhand.transcripts.shapes.spellings import LISTS, is_record, records_of
from evenhand.work.submission import Submission

FORMAT = "messages"
TITLE = "log of messages and tool calls"
PLACE = 335
IS_GENERAL = True
MARKS = "role content toolCalls"

_QUIET = frozenset(
    "session_start session session_meta system init metadata meta config checkpoint _checkpoint _usage usage "
    "title summary"
    " state status turn_start turn_end turn_begin step_start step_finish session_info settings header".split()
)
"""Kinds of records that say nothing of what was said or done."""
_AROUND = ("data", "session", "result", "chat", "state", "values", "channel_values", "kwargs", "output")
"""The keys of an object in which the conversation is."""
_FEWEST = 2
"""Records that a list needs to be taken for a conversation; a single one may be anything."""


def sniff(head: Head) -> bool:
    """Records of at least two that speak, on lines or in a list of an object."""
    alone = sum(map(is_record, head.objects))
    return alone >= _FEWEST or any(_held(value) is not None for value in head.objects)


def _held(value: dict[str, Any]) -> list[Any] | None:
    """The records that an object holds."""
    for key in LISTS:
        rows = value.get(key)
        if isinstance(rows, list) and sum(map(is_record, rows[:50])) >= min(_FEWEST, len(rows)) and rows:
            return rows
    inner = (_held(value[key]) for key in _AROUND if isinstance(value.get(key), dict))
    return next((rows for rows in inner if rows is not None), None)


class _Log(Reader):
    format = FORMAT

    def __init__(self, source: Any, holder: dict[str, Any] | None = None) -> None:
        super().__init__(source, holder)
        self.draft.id = next(
            (
                self.holder[key]
                for key in ("id", "session_id", "sessionId", "conversation_id")
                if isinstance(self.holder.get(key), str)
            ),
            "",
        )
        self.model = self.draft.saw_model(self.holder.get("model"))
        self.draft.saw_tools(self.holder.get("tools"))

    def take(self, value: dict[str, Any], place: Place) -> None:
        """One record; of what is none, its kind is counted."""
        self.draft.saw_tools(value.get("tools"))
        self.draft.folder = self.draft.folder or text_in(value, "cwd")
        records = records_of(value)
        if not records:
            kind = text_in(value, "type") or text_in(value, "role") or text_in(value, "kind")
            if kind.lower() not in _QUIET:
                self.draft.count(f"{kind} record" if kind else "record without a role")
            return
        self.draft.understood += 1
        for record in records:
            take_message(self.draft, record, Speaker("", place, "", self.model))
            if (usage := usage_of(record.get("usage"))) is not None:
                self.draft.usage[len(self.draft.usage)] = usage

    def finish(self) -> Submission:
        return self.draft.finish_if_any()


read = read_conversations(_Log, within(*LISTS, *_AROUND, items=True), _held)
