"""Vercel AI SDK: UI messages, model messages, or the chunks of a UI message stream.

Follows packages/ai/src/ui/ui-messages.ts, packages/ai/src/ui-message-stream/ui-message-chunks.ts and
packages/provider-utils/src/types of vercel/ai, version 4 (toolInvocations) to 6. A list, an object with `messages`, or
one per line. Vercel's telemetry is read as `otel`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from evenhand.core.values.submission import Submission
from evenhand.errors import InputError
from evenhand.transcripts.draft import Draft, text_in
from evenhand.transcripts.head import Head
from evenhand.transcripts.json_stream import documents
from evenhand.transcripts.json_text import Key
from evenhand.transcripts.shapes.vercel_messages import is_message, take_message
from evenhand.transcripts.shapes.vercel_stream import CHUNKS, Stream
from evenhand.transcripts.sources import Source

FORMAT = "vercel-ai"
TITLE = "Vercel AI SDK messages"
PLACE = 270
MARKS = "role parts toolCallId"
LATE_MARKS = "toolCallId"


def sniff(head: Head) -> bool:
    """A message with Vercel's parts, an object that holds some, or the chunks of a stream."""
    if any(is_message(value) or _holder(value) is not None for value in head.objects):
        return True
    kinds = {text_in(value, "type") for value in head.objects}
    return len(kinds & CHUNKS) >= 2 and bool(kinds & {"text-delta", "tool-input-start", "tool-input-available"})


def _holder(value: dict[str, Any]) -> list[Any] | None:
    messages = value.get("messages")
    return messages if isinstance(messages, list) and any(map(is_message, messages[:50])) else None


def read(source: Source) -> Iterator[Submission | InputError]:
    """One conversation, or one for each object that holds messages."""
    draft = Draft(source, FORMAT)
    stream = Stream(draft)
    understood = 0
    for document in documents(source, _is_opened):
        for value in document.value if isinstance(document.value, list) else [document.value]:
            messages = _holder(value) if isinstance(value, dict) else None
            if messages is not None:
                own = Draft(source, FORMAT)
                for message in messages:
                    if isinstance(message, dict) and "role" in message:
                        take_message(own, message, document.place(message))
                    else:
                        own.count("entry that is not a message")
                submission = own.finish(id=text_in(value, "id") or None)
                yield (
                    submission._replace(source=f"{source.name}:{document.place(value).line}")
                    if document.is_line
                    else submission
                )
            elif isinstance(value, dict) and "role" in value:
                understood += 1
                take_message(draft, value, document.place(value))
            elif isinstance(value, dict) and stream.take(value, document.place(value)):
                understood += 1
            else:
                draft.count(text_in(value, "type") or "entry" if isinstance(value, dict) else "entry")
    stream.end()
    if understood:
        yield draft.finish_if_any(understood)


def _is_opened(path: tuple[Key, ...]) -> bool:
    return not path or path[-1] == "messages"
