"""LangChain and LangGraph: messages as they are dumped, as plain dicts, or in the state of a graph.

Follows libs/core/langchain_core (load/dump.py; messages/ai.py, tool.py, base.py) and the state of LangGraph's API
(`values` with `messages`). A list, one message per line, or an object that holds them.
"""

from __future__ import annotations

from typing import Any

from evenhand.core.finding import Place
from evenhand.transcripts.conversation import Reader, read_conversations
from evenhand.transcripts.draft import count_of, list_in, object_in, text_in
from evenhand.transcripts.json_stream import within
from evenhand.transcripts.shapes.chat_shapes import langchain_message
from evenhand.transcripts.shapes.content_blocks import Speaker
from evenhand.transcripts.shapes.messages import take_message
from evenhand.work.submission import Usage

FORMAT = "langchain"
TITLE = "LangChain or LangGraph messages"
PLACE = 260
MARKS = "content type response_metadata"

_HOLDERS = ("values", "channel_values", "state", "kwargs", "output")


def is_ours(value: dict[str, Any]) -> bool:
    """A message of LangChain, or an object that holds some."""
    return langchain_message(value) is not None or _messages(value) is not None


def _messages(value: Any, depth: int = 0) -> list[Any] | None:
    """The messages that an object holds."""
    if not isinstance(value, dict) or depth > 3:
        return None
    messages = list_in(value, "messages")
    if any(langchain_message(message) is not None for message in messages[:20]):
        return messages
    inner = (_messages(value.get(key), depth + 1) for key in _HOLDERS)
    return next((messages for messages in inner if messages is not None), None)


class _Conversation(Reader):
    format = FORMAT
    stray = "entry"

    def take(self, value: dict[str, Any], place: Place) -> None:
        """One message."""
        message = langchain_message(value)
        if message is None:
            self.draft.count(text_in(value, "type") or self.stray)
            return
        self.draft.understood += 1
        inner = next((value[key] for key in ("kwargs", "data") if isinstance(value.get(key), dict)), value)
        metadata = object_in(inner, "response_metadata")
        model = text_in(metadata, "model_name") or text_in(metadata, "model")
        if message["role"] == "assistant":
            model = self.draft.saw_model(model)
            self._usage(inner, metadata)
        take_message(self.draft, message, Speaker("", place, "", model))

    def _usage(self, inner: dict[str, Any], metadata: dict[str, Any]) -> None:
        for used in (inner.get("usage_metadata"), metadata.get("token_usage"), metadata.get("usage")):
            if isinstance(used, dict):
                cached = count_of(object_in(used, "input_token_details").get("cache_read"))
                sent = count_of(used.get("input_tokens", used.get("prompt_tokens")))
                got = count_of(used.get("output_tokens", used.get("completion_tokens")))
                self.draft.usage[text_in(inner, "id") or len(self.draft.usage)] = Usage(sent, got, cached)
                return


read = read_conversations(_Conversation, within("messages", *_HOLDERS), _messages)
