"""Google's Agent Development Kit (ADK): a session with its events, or events one per line.

Follows src/google/adk (sessions/session.py, events/event.py, events/event_actions.py) of google/adk-python, and the
Content of google-genai; names in snake_case or camelCase. An event's `author` is the user or the name of an agent.
Partial stream events are left out, since the complete event follows.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from evenhand.core.values.submission import Submission, Usage
from evenhand.errors import InputError
from evenhand.transcripts.draft import Draft, count_of, text_in
from evenhand.transcripts.head import Head
from evenhand.transcripts.json_stream import Document, documents
from evenhand.transcripts.json_text import Key, written
from evenhand.transcripts.shapes.content_blocks import Speaker, result_text, says_error
from evenhand.transcripts.shapes.messages import open_call
from evenhand.transcripts.sources import Source

FORMAT = "google-adk"
TITLE = "Google ADK session"
PLACE = 290
MARKS = "events author content"

_NOBODY = frozenset(("user", "model", ""))
"""Authors that are not the name of an agent."""


def sniff(head: Head) -> bool:
    """An event with an author and an invocation, or a session that holds events."""
    return any(_is_event(value) or _is_session(value) for value in head.objects)


def _is_event(value: Any) -> bool:
    if not isinstance(value, dict) or not isinstance(value.get("author"), str):
        return False
    return "invocation_id" in value or "invocationId" in value


def _is_session(value: dict[str, Any]) -> bool:
    events = value.get("events")
    return isinstance(events, list) and any(_is_event(event) for event in events[:20])


def read(source: Source) -> Iterator[Submission | InputError]:
    """Every session of a file."""
    running: list[tuple[Any, Document]] = []
    for document in documents(source, _is_opened):
        for value in document.value if isinstance(document.value, list) else [document.value]:
            if isinstance(value, dict) and _is_session(value):
                submission = _Session(Draft(source, FORMAT), [(event, document) for event in value["events"]]).finish(
                    value
                )
                yield (
                    submission._replace(source=f"{source.name}:{document.place(value).line}")
                    if document.is_line
                    else submission
                )
            else:
                running.append((value, document))
    if running:
        yield _Session(Draft(source, FORMAT), running).finish({})


def _is_opened(path: tuple[Key, ...]) -> bool:
    return not path or path[-1] == "events"


def _either(value: dict[str, Any], snake: str, camel: str) -> Any:
    return value.get(snake, value.get(camel))


class _Session:
    def __init__(self, draft: Draft, events: list[tuple[Any, Document]]) -> None:
        self.draft = draft
        self.events = events
        names = {event["author"] for event, _ in events if _is_event(event)} - _NOBODY
        self.several = len(names) > 1
        self.output = ""

    def finish(self, session: dict[str, Any]) -> Submission:
        understood = 0
        for event, document in self.events:
            if _is_event(event):
                understood += 1
                self._event(event, document)
            else:
                self.draft.count("entry that is not an event")
        submission = self.draft.finish_if_any(understood, id=text_in(session, "id") or None)
        return submission._replace(output=self.output)

    def _event(self, event: dict[str, Any], document: Document) -> None:
        time = _time(event.get("timestamp"))
        self.draft.saw_time(time)
        if event.get("partial") is True:
            return
        author = event["author"]
        agent = author if self.several and author not in _NOBODY else ""
        model = self.draft.saw_model(_either(event, "model_version", "modelVersion"))
        speaker = Speaker("user" if author == "user" else "assistant", document.place(event), agent, model, time)
        content = event.get("content")
        parts = content.get("parts") if isinstance(content, dict) else None
        texts = [
            text
            for part in (parts if isinstance(parts, list) else ())
            if (text := self._part(part, speaker)) is not None
        ]
        self.draft.message(speaker.role, "".join(texts), speaker.place, agent, "" if author == "user" else model, time)
        if author != "user" and "".join(texts).strip():
            self.output = "".join(texts)
        if code := _either(event, "error_code", "errorCode"):
            message = _either(event, "error_message", "errorMessage")
            self.draft.error(": ".join(filter(None, (written(code), written(message)))), speaker.place, agent, "", time)
        self._usage(event)

    def _part(self, part: Any, speaker: Speaker) -> str | None:
        """A part of a message; returns its text, if it is text."""
        if not isinstance(part, dict):
            self.draft.count("part that is not an object")
            return None
        call, response = (
            _either(part, "function_call", "functionCall"),
            _either(part, "function_response", "functionResponse"),
        )
        draft = self.draft
        if isinstance(call, dict):
            name, id = text_in(call, "name"), text_in(call, "id")
            draft.call(name, call.get("args"), speaker.place, id, speaker.agent, speaker.model, speaker.time)
        elif isinstance(response, dict):
            self._response(response, speaker)
        elif part.get("thought") is True:
            draft.reasoning(text_in(part, "text"), speaker.place, speaker.agent, speaker.model, speaker.time)
        elif isinstance(part.get("text"), str):
            return str(part["text"])
        elif isinstance(code := _either(part, "executable_code", "executableCode"), dict):
            draft.call("code_execution", code, speaker.place, "", speaker.agent, speaker.model, speaker.time)
        elif isinstance(result := _either(part, "code_execution_result", "codeExecutionResult"), dict):
            failed = text_in(result, "outcome") not in ("OUTCOME_OK", "")
            if (index := open_call(draft, "code_execution")) is not None:
                draft.answer(index, text_in(result, "output"), speaker.place, failed)
            else:
                draft.message("tool", text_in(result, "output"), speaker.place, speaker.agent, "", speaker.time)
        elif part.keys() & {"inline_data", "inlineData", "file_data", "fileData"}:
            return "[file]"
        elif part.keys() - {"thought_signature", "thoughtSignature"}:
            draft.count(f"{next(iter(part))} part")
        return None

    def _response(self, response: dict[str, Any], speaker: Speaker) -> None:
        """What came back from a tool; without an id it answers the last open call of its name."""
        draft, result = self.draft, response.get("response")
        text, name, id = result_text(result), text_in(response, "name"), text_in(response, "id")
        status = text_in(result, "status").lower() if isinstance(result, dict) else ""
        failed = status in ("error", "failed") or says_error(text)
        index = draft.calls.get(id) if id else _first_open(draft, name)
        if index is None:
            draft.message("tool", text, speaker.place, speaker.agent, "", speaker.time)
            return
        known = draft.events[index].call
        if known is not None and known.result is None:
            draft.answer(index, text, speaker.place, failed)
        elif known is not None:  # a long-running tool first reports that it started, then its result
            draft.answer(index, f"{known.result}\n{text}", speaker.place, failed)

    def _usage(self, event: dict[str, Any]) -> None:
        used = _either(event, "usage_metadata", "usageMetadata")
        if isinstance(used, dict):
            self.draft.usage[len(self.draft.usage)] = Usage(
                count_of(_either(used, "prompt_token_count", "promptTokenCount")),
                count_of(_either(used, "candidates_token_count", "candidatesTokenCount"))
                + count_of(_either(used, "thoughts_token_count", "thoughtsTokenCount")),
                count_of(_either(used, "cached_content_token_count", "cachedContentTokenCount")),
            )


def _first_open(draft: Draft, name: str) -> int | None:
    """The first call of a name without an answer: responses come in the order of the calls."""
    start = max(0, len(draft.events) - 200)
    for index in range(start, len(draft.events)):
        call = draft.events[index].call
        if call is not None and call.result is None and call.name == name:
            return index
    return None


def _time(value: Any) -> str:
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < 10**11:
        return datetime.fromtimestamp(value, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return value if isinstance(value, str) else ""
