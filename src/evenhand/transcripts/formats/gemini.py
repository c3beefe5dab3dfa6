"""Gemini CLI: the session that it keeps, one JSON document or, since version 0.40, one record per line.

Follows google-gemini/gemini-cli `packages/core/src/services/chatRecordingService.ts` and `chatRecordingTypes.ts`.
A message is written again when its tools have run, so the last record with an id counts, in the place of the first.
`$set` changes the header, or replaces the history with a rewritten one, of which only unknown messages are new.
`$rewindTo` takes messages back; they happened, so they are kept. A sub-agent's session has its own file.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from evenhand.core.finding import Place
from evenhand.errors import InputError
from evenhand.transcripts.conversation import Reader
from evenhand.transcripts.draft import list_in, text_in
from evenhand.transcripts.json_stream import documents, within
from evenhand.transcripts.json_text import written
from evenhand.transcripts.shapes.content_blocks import Speaker
from evenhand.transcripts.shapes.google_parts import Response, response_of, responses, take_parts, text_of, usage_of
from evenhand.transcripts.sources import Source
from evenhand.transcripts.times import moment
from evenhand.work.submission import Submission

FORMAT = "gemini"
TITLE = "Gemini CLI session"
PLACE = 30

_SPEAKERS = {"user": "user", "gemini": "assistant", "model": "assistant", "info": "system", "warning": "system"}
_TOKENS = ("input", "tool", "output", "cached", "thoughts", "total")
_WAITING = ("validating", "scheduled", "executing", "awaiting_approval")
_FAILED = ("error", "cancelled")
_SET_UP = ("<session_context>", "This is the Gemini CLI. We are setting up the context")
"""What the program writes into the first message of the user."""


def is_ours(value: dict[str, Any]) -> bool:
    """A session's header, a message of Gemini's, or a record that changes the session."""
    if "type" not in value and isinstance(value.get("sessionId"), str):
        if isinstance(value.get("projectHash"), str):
            return True
        return any(map(_is_message, list_in(value, "messages")))
    if value.keys() in ({"$set"}, {"$rewindTo"}):
        return True
    return value.get("type") == "gemini" and _is_message(value)


def _is_message(value: Any) -> bool:
    return isinstance(value, dict) and "id" in value and "timestamp" in value and "content" in value


def read(source: Source) -> Iterator[Submission | InputError]:
    """One session."""
    session = _Session(source)
    for document in documents(source, within("messages")):
        session.take_all([document.value], document)
    yield session.finish()


class _Session(Reader):
    """The state of a session while its records are read."""

    format = FORMAT
    stray = "record that is not an object"

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self.messages: dict[str, tuple[dict[str, Any], Place]] = {}
        """Messages by id, in order, in their latest version."""
        self.rewritten: set[str] = set()
        """Messages that are only in a rewritten history."""

    def take(self, value: dict[str, Any], place: Place) -> None:
        """Process a whole session, or one record of it."""
        self.draft.understood += 1
        if "$rewindTo" in value:
            return
        if isinstance(value.get("$set"), dict):
            self.header(value["$set"], lambda _: place, rewritten=bool(self.messages))
        elif "sessionId" in value and "type" not in value:
            self.header(value, self.place_of, rewritten=False)
        elif "type" in value:
            self.message(value, place)
        else:
            self.draft.understood -= 1
            self.draft.count("record without a type")

    def header(self, value: dict[str, Any], place: Any, *, rewritten: bool) -> None:
        """The session header, possibly with messages."""
        self.draft.id = text_in(value, "sessionId") or self.draft.id
        self.draft.saw_time(moment(value.get("startTime")))
        for message in self.draft.objects(value, "messages", "message"):
            if not rewritten:
                self.message(message, place(message))
            elif (id := text_in(message, "id")) not in self.messages:
                self.rewritten.add(id)
                self.message(message, place(message))

    def message(self, value: dict[str, Any], place: Place) -> None:
        self.messages[text_in(value, "id") or f"line {place.line} byte {place.offset}"] = (value, place)

    def finish(self) -> Submission:
        for id, (value, place) in self.messages.items():
            self.take_message(id, value, place)
        return super().finish()

    def take_message(self, id: str, value: dict[str, Any], place: Place) -> None:
        """One message as events."""
        kind, time = text_in(value, "type"), moment(value.get("timestamp"))
        content = value.get("content")
        self.draft.saw_time(time)
        if kind == "error":
            self.draft.error(text_of(content), place, "", "", time)
            return
        role = _SPEAKERS.get(kind)
        if role is None:
            self.draft.count(f"{kind or 'untyped'} message")
            return
        model = self.draft.saw_model(value.get("model")) if role == "assistant" else ""
        text = text_of(content)
        if id in self.rewritten or (role == "user" and text.startswith(_SET_UP)):
            role = "system"
        if role == "user" and self.draft.task is None and text.strip() and not text.startswith("/"):
            self.draft.task = text_of(value.get("displayContent")).strip() or text
        speaker = Speaker(role, place, "", model, time)
        self.thoughts(value, speaker)
        take_parts(self.draft, content, speaker)
        for response in responses(content):
            self.answered(text_in(response, "id"), text_in(response, "name"), response_of(response), place)
        self.calls(value, speaker)
        if (usage := usage_of(value.get("tokens"), _TOKENS)) is not None:
            self.draft.usage[id] = usage

    def thoughts(self, value: dict[str, Any], speaker: Speaker) -> None:
        for thought in list_in(value, "thoughts"):
            if isinstance(thought, dict):
                words = "\n".join(filter(None, (text_in(thought, "subject"), text_in(thought, "description"))))
                time = moment(thought.get("timestamp"))
                self.draft.reasoning(words, speaker.place, "", speaker.model, time)

    def calls(self, value: dict[str, Any], speaker: Speaker) -> None:
        """The tool calls of a message, with their results."""
        for call in self.draft.objects(value, "toolCalls", "tool call"):
            id, name = text_in(call, "id"), text_in(call, "name")
            time = moment(call.get("timestamp")) or speaker.time
            self.draft.saw_time(time)
            if not id or id not in self.draft.calls:
                index = self.draft.call(name, call.get("args"), speaker.place, id, "", speaker.model, time)
                id = id or f"event {index}"
                self.draft.calls[id] = index
            if (response := _outcome(call)) is not None:
                self.answered(id, name, response, speaker.place)

    def answered(self, id: str, name: str, response: Response, place: Place) -> None:
        """The result of a call. A history may repeat it, shortened; the first one is kept."""
        index = self.draft.calls.get(id)
        if index is None:
            self.draft.result(id, response.text, place, response.failed, name)
        elif self.draft.waits(index):
            self.draft.answer(index, response.text, place, response.failed)


def _outcome(call: dict[str, Any]) -> Response | None:
    """The result of a call; None while it waits or runs."""
    status = text_in(call, "status")
    outcomes = [response_of(response) for response in responses(call.get("result"))]
    shown = call.get("resultDisplay")
    if outcomes:
        text = "\n".join(response.text for response in outcomes)
    elif status in _WAITING or (call.get("result") is None and shown is None and not status):
        return None
    else:
        text = text_of(call.get("result")) or written(shown)
    return Response(text, status in _FAILED or any(response.failed for response in outcomes))
