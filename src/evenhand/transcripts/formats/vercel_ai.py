"""Vercel AI SDK: UI messages, model messages, or the chunks of a UI message stream.

Follows packages/ai/src/ui/ui-messages.ts, packages/ai/src/ui-message-stream/ui-message-chunks.ts and
packages/provider-utils/src/types of vercel/ai, version 4 (toolInvocations) to 6. A list, an object with `messages`, or
one per line. Vercel's telemetry is read as `otel`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from evenhand.core.finding import Place
from evenhand.errors import InputError
from evenhand.transcripts.conversation import located
from evenhand.transcripts.draft import Draft, list_in, listed, text_in
from evenhand.transcripts.head import Head
from evenhand.transcripts.json_stream import documents, within
from evenhand.transcripts.json_text import maybe_json, written
from evenhand.transcripts.shapes.content_blocks import result_text
from evenhand.transcripts.sources import Source
from evenhand.work.submission import Submission

FORMAT = "vercel-ai"
TITLE = "Vercel AI SDK messages"
PLACE = 270
MARKS = "role parts toolCallId"
LATE_MARKS = "toolCallId"


# Messages of the Vercel AI SDK: UI messages with `parts`, older ones with `toolInvocations`, and model messages.

_QUIET = frozenset("step-start source-url source-document source tool-approval-request tool-approval-response".split())


# The chunks of a UI message stream of the Vercel AI SDK, assembled: text, reasoning and tools by their ids.

CHUNKS = frozenset(
    "start start-step finish-step finish abort error text-start text-delta text-end reasoning-start reasoning-delta "
    "reasoning-end tool-input-start tool-input-delta tool-input-available tool-input-error tool-output-available "
    "tool-output-error tool-output-denied tool-approval-request source-url source-document file "
    "message-metadata".split()
)


class Stream:
    """The state of a stream while its chunks are read."""

    def __init__(self, draft: Draft) -> None:
        self._draft = draft
        self._texts: dict[tuple[str, str], tuple[list[str], Place]] = {}
        self._inputs: dict[str, tuple[str, list[str], Place]] = {}

    def take(self, chunk: dict[str, Any], place: Place) -> bool:
        """One chunk; False when it is of no known type."""
        kind = text_in(chunk, "type")
        if kind not in CHUNKS and not kind.startswith("data-"):
            return False
        what, _, how = kind.rpartition("-")
        if what in ("text", "reasoning"):
            self._spoken(what, how, chunk, place)
        elif kind.startswith("tool-input"):
            self._called(kind, chunk, place)
        elif kind.startswith("tool-output"):
            self._answered(kind, chunk, place)
        elif kind in ("error", "abort"):
            self._draft.error(text_in(chunk, "errorText") or kind, place)
        return True

    def _spoken(self, what: str, how: str, chunk: dict[str, Any], place: Place) -> None:
        key = (what, text_in(chunk, "id"))
        pieces, _ = self._texts.setdefault(key, ([], place))
        if how == "delta":
            pieces.append(text_in(chunk, "delta"))
        elif how == "end":
            self._close(key)

    def _close(self, key: tuple[str, str]) -> None:
        pieces, begun = self._texts.pop(key)
        text = "".join(pieces)
        if key[0] == "text":
            self._draft.message("assistant", text, begun)
        else:
            self._draft.reasoning(text, begun)

    def _called(self, kind: str, chunk: dict[str, Any], place: Place) -> None:
        id = text_in(chunk, "toolCallId")
        name, pieces, begun = self._inputs.get(id, (text_in(chunk, "toolName"), [], place))
        if kind == "tool-input-delta":
            pieces.append(text_in(chunk, "inputTextDelta"))
        elif kind in ("tool-input-available", "tool-input-error") and id not in self._draft.calls:
            index = self._draft.call(name or text_in(chunk, "toolName"), chunk.get("input"), begun, id)
            if kind == "tool-input-error":
                self._draft.answer(index, text_in(chunk, "errorText"), place, True)
        self._inputs[id] = (name, pieces, begun)

    def _answered(self, kind: str, chunk: dict[str, Any], place: Place) -> None:
        id = text_in(chunk, "toolCallId")
        if chunk.get("preliminary") is True:
            return
        self._begin(id)
        failed = kind != "tool-output-available"
        text = text_in(chunk, "errorText") or kind if failed else result_text(chunk.get("output"))
        if id in self._draft.calls:
            self._draft.result(id, text, place, failed)
        else:
            self._draft.message("tool", text, place)

    def _begin(self, id: str) -> None:
        """A call whose input only came in pieces."""
        if id in self._inputs and id not in self._draft.calls:
            name, pieces, begun = self._inputs[id]
            self._draft.call(name, maybe_json("".join(pieces)), begun, id)

    def end(self) -> None:
        """Keep what was started but never finished."""
        for key in list(self._texts):
            self._close(key)
        for id in list(self._inputs):
            self._begin(id)


def is_message(value: Any) -> bool:
    """Whether a value is a message that only this SDK writes."""
    if not isinstance(value, dict) or value.get("role") not in ("user", "assistant", "system", "tool"):
        return False
    if isinstance(value.get("toolInvocations"), list):
        return True
    parts = [part for part in value.get("parts") or () if isinstance(part, dict)] if _has_list(value, "parts") else []
    if parts and "id" in value and all(isinstance(part.get("type"), str) for part in parts):
        texts = [part for part in parts if part["type"] == "text"]
        return all("text" in part for part in texts) and ("content" not in value or isinstance(value["content"], str))
    content = value.get("content") if _has_list(value, "content") else []
    kinds = ("tool-call", "tool-result")
    return any(isinstance(part, dict) and part.get("type") in kinds and "toolCallId" in part for part in content or ())


def _has_list(value: dict[str, Any], key: str) -> bool:
    return isinstance(value.get(key), list)


def take_message(draft: Draft, message: dict[str, Any], place: Place) -> None:
    """One message as events."""
    role, time = text_in(message, "role"), text_in(message, "createdAt")
    draft.saw_time(time)
    parts: Any = message.get("parts") if _has_list(message, "parts") else message.get("content")
    if isinstance(parts, str):
        draft.message(role, parts, place, "", "", time)
        parts = []
    for part in parts if isinstance(parts, list) else ():
        if isinstance(part, dict):
            _part(draft, role, part, place, time)
        else:
            draft.count("part that is not an object")
    if not _has_list(message, "parts"):
        for call in message.get("toolInvocations") or ():
            if isinstance(call, dict):
                _invocation(draft, call, place, time)


def _part(draft: Draft, role: str, part: dict[str, Any], place: Place, time: str) -> None:
    kind = text_in(part, "type")
    if kind == "text":
        draft.message(role, text_in(part, "text"), place, "", "", time)
    elif kind == "reasoning":
        text = text_in(part, "text") or text_in(part, "reasoning")
        draft.reasoning(text, place, "", "", time)
    elif kind == "tool-invocation" and isinstance(part.get("toolInvocation"), dict):
        _invocation(draft, part["toolInvocation"], place, time)
    elif kind == "tool-call":
        arguments = maybe_json(part.get("input", part.get("args")))
        draft.call(text_in(part, "toolName"), arguments, place, text_in(part, "toolCallId"), "", "", time)
    elif kind == "tool-result":
        _result(draft, part, place, time)
    elif (kind.startswith("tool-") or kind == "dynamic-tool") and "toolCallId" in part:
        _tool(draft, part, place, time)
    elif kind in ("file", "image"):
        draft.message(role, f"[{kind}]", place, "", "", time)
        draft.attach(part)
    elif kind not in _QUIET and not kind.startswith("data-"):
        draft.count(f"{kind or 'untyped'} part")


def _tool(draft: Draft, part: dict[str, Any], place: Place, time: str) -> None:
    """A tool's part of a UI message, which has the call and, once there is one, the result."""
    name = text_in(part, "toolName") or text_in(part, "type").removeprefix("tool-")
    id, state = text_in(part, "toolCallId"), text_in(part, "state")
    index = draft.call(name, part.get("input", part.get("rawInput")), place, id, "", "", time)
    if state in ("output-error", "output-denied") or part.get("errorText"):
        draft.answer(index, text_in(part, "errorText") or state, place, True)
    elif state == "output-available" or "output" in part:
        draft.answer(index, result_text(part.get("output")), place, False)


def _invocation(draft: Draft, call: dict[str, Any], place: Place, time: str) -> None:
    """A call as version 4 has it."""
    id = text_in(call, "toolCallId")
    index = draft.call(text_in(call, "toolName"), call.get("args"), place, id, "", "", time)
    if call.get("state") == "result" or "result" in call:
        draft.answer(index, result_text(call.get("result")), place, call.get("isError") is True)


def _result(draft: Draft, part: dict[str, Any], place: Place, time: str) -> None:
    output = part.get("output", part.get("result"))
    failed = part.get("isError") is True
    if isinstance(output, dict) and text_in(output, "type") and output.keys() & {"value", "reason"}:
        failed = failed or text_in(output, "type").startswith(("error", "execution-denied"))
        output = output.get("value", output.get("reason"))
    text = result_text(output) if not isinstance(output, dict) else written(output)
    draft.result(text_in(part, "toolCallId"), text, place, failed, text_in(part, "toolName"), "", time)


def sniff(head: Head) -> bool:
    """A message with Vercel's parts, an object that holds some, or the chunks of a stream."""
    if any(is_message(value) or _holder(value) is not None for value in head.objects):
        return True
    kinds = {text_in(value, "type") for value in head.objects}
    return len(kinds & CHUNKS) >= 2 and bool(kinds & {"text-delta", "tool-input-start", "tool-input-available"})


def _holder(value: dict[str, Any]) -> list[Any] | None:
    messages = list_in(value, "messages")
    return messages if any(map(is_message, messages[:50])) else None


def read(source: Source) -> Iterator[Submission | InputError]:
    """One conversation, or one for each object that holds messages."""
    draft = Draft(source, FORMAT)
    stream = Stream(draft)
    for document in documents(source, within("messages")):
        for value in listed(document.value):
            messages = _holder(value) if isinstance(value, dict) else None
            if messages is not None:
                held = Draft(source, FORMAT)
                for message in messages:
                    if isinstance(message, dict) and "role" in message:
                        take_message(held, message, document.place(message))
                    else:
                        held.count("entry that is not a message")
                held.id = text_in(value, "id")
                yield located(held.finish(), document, value)
            elif isinstance(value, dict) and "role" in value:
                draft.understood += 1
                take_message(draft, value, document.place(value))
            elif isinstance(value, dict) and stream.take(value, document.place(value)):
                draft.understood += 1
            else:
                draft.count(text_in(value, "type") or "entry")
    stream.end()
    if draft.understood:
        yield draft.finish_if_any()
