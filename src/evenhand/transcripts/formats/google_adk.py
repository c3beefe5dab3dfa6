"""Google's Agent Development Kit (ADK): a session with its events, or events one per line.

Follows src/google/adk (sessions/session.py, events/event.py, events/event_actions.py) of google/adk-python, and the
Content of google-genai; names in snake_case or camelCase. An event's `author` is the user or the name of an agent.
Partial stream events are left out, since the complete event follows.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from evenhand.core.finding import Place
from evenhand.transcripts.conversation import Reader, read_conversations
from evenhand.transcripts.draft import count_of, list_in, text_in
from evenhand.transcripts.json_stream import within
from evenhand.transcripts.json_text import written
from evenhand.transcripts.shapes.content_blocks import Speaker, result_text, says_error
from evenhand.transcripts.sources import Source
from evenhand.work.submission import Submission, Usage

FORMAT = "google-adk"
TITLE = "Google ADK session"
PLACE = 290
MARKS = "events author content"

_NOBODY = frozenset(("user", "model", ""))
"""Authors that are not the name of an agent."""


def is_ours(value: dict[str, Any]) -> bool:
    """An event with an author and an invocation, or a session that holds events."""
    return _is_event(value) or _held(value) is not None


def _is_event(value: Any) -> bool:
    if not isinstance(value, dict) or not isinstance(value.get("author"), str):
        return False
    return "invocation_id" in value or "invocationId" in value


def _held(value: dict[str, Any]) -> list[Any] | None:
    events = list_in(value, "events")
    return events if any(map(_is_event, events[:20])) else None


def _either(value: dict[str, Any], snake: str, camel: str) -> Any:
    return value.get(snake, value.get(camel))


class _Session(Reader):
    format = FORMAT
    stray = "entry that is not an event"

    def __init__(self, source: Source, holder: dict[str, Any] | None = None) -> None:
        super().__init__(source, holder)
        self.events: list[tuple[dict[str, Any], Place]] = []
        self.draft.id = text_in(holder, "id")
        self.draft.output = ""

    def take(self, value: dict[str, Any], place: Place) -> None:
        if _is_event(value):
            self.draft.understood += 1
            self.events.append((value, place))
        else:
            self.draft.count(self.stray)

    def finish(self) -> Submission:
        """The submission. Events name their agent only when there are several."""
        self.several = len({event["author"] for event, _ in self.events} - _NOBODY) > 1
        for event, place in self.events:
            self._event(event, place)
        return super().finish()

    def _event(self, event: dict[str, Any], place: Place) -> None:
        time = _time(event.get("timestamp"))
        self.draft.saw_time(time)
        if event.get("partial") is True:
            return
        author = event["author"]
        agent = author if self.several and author not in _NOBODY else ""
        model = self.draft.saw_model(_either(event, "model_version", "modelVersion"))
        speaker = Speaker("user" if author == "user" else "assistant", place, agent, model, time)
        parts = list_in(event.get("content"), "parts")
        texts = [text for part in parts if (text := self._part(part, speaker)) is not None]
        self.draft.message(speaker.role, "".join(texts), speaker.place, agent, "" if author == "user" else model, time)
        if author != "user" and "".join(texts).strip():
            self.draft.output = "".join(texts)
        if code := _either(event, "error_code", "errorCode"):
            message = _either(event, "error_message", "errorMessage")
            self.draft.error(": ".join(filter(None, (written(code), written(message)))), speaker.place, agent, "", time)
        if isinstance(used := _either(event, "usage_metadata", "usageMetadata"), dict):
            self.draft.usage[len(self.draft.usage)] = Usage(
                count_of(_either(used, "prompt_token_count", "promptTokenCount")),
                count_of(_either(used, "candidates_token_count", "candidatesTokenCount"))
                + count_of(_either(used, "thoughts_token_count", "thoughtsTokenCount")),
                count_of(_either(used, "cached_content_token_count", "cachedContentTokenCount")),
            )

    def _part(self, part: Any, speaker: Speaker) -> str | None:
        """A part of a message; returns its text, if it is text."""
        if not isinstance(part, dict):
            self.draft.count("part that is not an object")
            return None
        call = _either(part, "function_call", "functionCall")
        response = _either(part, "function_response", "functionResponse")
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
            if (index := draft.open_call("code_execution")) is not None:
                draft.answer(index, text_in(result, "output"), speaker.place, failed)
            else:
                draft.message("tool", text_in(result, "output"), speaker.place, speaker.agent, "", speaker.time)
        elif part.keys() & {"inline_data", "inlineData", "file_data", "fileData"}:
            return "[file]"
        elif part.keys() - {"thought_signature", "thoughtSignature"}:
            draft.count(f"{next(iter(part))} part")
        return None

    def _response(self, response: dict[str, Any], speaker: Speaker) -> None:
        """What came back from a tool; without an id it answers the first open call of its name."""
        draft, result = self.draft, response.get("response")
        text, name, id = result_text(result), text_in(response, "name"), text_in(response, "id")
        status = text_in(result, "status").lower()
        failed = status in ("error", "failed") or says_error(text)
        # Without ids, responses come in the order of the calls.
        index = draft.calls.get(id) if id else min(draft.open_calls(name), default=None)
        if index is None:
            draft.message("tool", text, speaker.place, speaker.agent, "", speaker.time)
            return
        known = draft.events[index].call
        if known is not None and known.result is None:
            draft.answer(index, text, speaker.place, failed)
        elif known is not None:  # a long-running tool first reports that it started, then its result
            draft.answer(index, f"{known.result}\n{text}", speaker.place, failed)


def _time(value: Any) -> str:
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < 10**11:
        return datetime.fromtimestamp(value, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return value if isinstance(value, str) else ""


read = read_conversations(_Session, within("events"), _held)
