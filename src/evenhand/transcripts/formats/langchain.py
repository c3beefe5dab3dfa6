"""LangChain and LangGraph: messages as they are dumped, as plain dicts, or in the state of a graph.

Follows libs/core/langchain_core (load/dump.py; messages/ai.py, tool.py, base.py) and the state of LangGraph's API
(`values` with `messages`). A list, one message per line, or an object that holds them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from evenhand.core.values.submission import Submission, Usage
from evenhand.errors import InputError
from evenhand.transcripts.draft import Draft, count_of, text_in
from evenhand.transcripts.head import Head
from evenhand.transcripts.json_stream import Document, documents
from evenhand.transcripts.json_text import Key
from evenhand.transcripts.shapes.chat_shapes import langchain_message
from evenhand.transcripts.shapes.content_blocks import Speaker
from evenhand.transcripts.shapes.messages import take_message
from evenhand.transcripts.sources import Source

FORMAT = "langchain"
TITLE = "LangChain or LangGraph messages"
PLACE = 260
MARKS = "content type response_metadata"

_HOLDERS = ("values", "channel_values", "state", "kwargs", "output")


def sniff(head: Head) -> bool:
    """A message of LangChain, or an object that holds some."""
    return any(langchain_message(value) is not None or _messages(value) is not None for value in head.objects)


def _messages(value: Any, depth: int = 0) -> list[Any] | None:
    """The messages that an object holds."""
    if not isinstance(value, dict) or depth > 3:
        return None
    messages = value.get("messages")
    if isinstance(messages, list) and any(langchain_message(message) is not None for message in messages[:20]):
        return messages
    inner = (_messages(value.get(key), depth + 1) for key in _HOLDERS)
    return next((messages for messages in inner if messages is not None), None)


def read(source: Source) -> Iterator[Submission | InputError]:
    """Every conversation of a file."""
    running: _Conversation | None = None
    for document in documents(source, _is_opened):
        values = document.value if isinstance(document.value, list) else [document.value]
        for value in values:
            messages = _messages(value)
            if messages is None:
                running = running or _Conversation(Draft(source, FORMAT))
                running.take(value, document)
                continue
            conversation = _Conversation(Draft(source, FORMAT))
            for message in messages:
                conversation.take(message, document)
            submission = conversation.finish()
            yield (
                submission._replace(source=f"{source.name}:{document.place(value).line}")
                if document.is_line
                else submission
            )
    if running:
        yield running.finish()


def _is_opened(path: tuple[Key, ...]) -> bool:
    return not path or path[-1] in ("messages", *_HOLDERS)


class _Conversation:
    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self.understood = 0

    def take(self, value: Any, document: Document) -> None:
        """One message."""
        message = langchain_message(value)
        if message is None:
            self.draft.count(text_in(value, "type") or "entry" if isinstance(value, dict) else "entry")
            return
        self.understood += 1
        inner = next((value[key] for key in ("kwargs", "data") if isinstance(value.get(key), dict)), value)
        metadata = inner.get("response_metadata")
        metadata = metadata if isinstance(metadata, dict) else {}
        model = text_in(metadata, "model_name") or text_in(metadata, "model")
        if message["role"] == "assistant":
            model = self.draft.saw_model(model)
            self._usage(inner, metadata)
        take_message(self.draft, message, Speaker("", document.place(value), "", model))

    def _usage(self, inner: dict[str, Any], metadata: dict[str, Any]) -> None:
        for used in (inner.get("usage_metadata"), metadata.get("token_usage"), metadata.get("usage")):
            if isinstance(used, dict):
                details = used.get("input_token_details")
                cached = count_of(details.get("cache_read")) if isinstance(details, dict) else 0
                sent = count_of(used.get("input_tokens", used.get("prompt_tokens")))
                got = count_of(used.get("output_tokens", used.get("completion_tokens")))
                self.draft.usage[text_in(inner, "id") or len(self.draft.usage)] = Usage(sent, got, cached)
                return

    def finish(self) -> Submission:
        return self.draft.finish_if_any(self.understood)
