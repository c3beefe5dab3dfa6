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
from evenhand.transcripts.conversation import listed, located
from evenhand.transcripts.draft import Draft, list_in, text_in
from evenhand.transcripts.head import Head
from evenhand.transcripts.json_stream import documents, within
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
