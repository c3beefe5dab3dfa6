"""Anthropic's messages API. No token probabilities; a schema is enforced by the server or by a forced tool call.

It caches a prompt up to the places that a request marks, so the breaks of a message become such marks.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Mapping
from decimal import Decimal
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

from evenhand.providers.exchange import Message, Picture, Reply, Request
from evenhand.providers.http.ladders import PICTURE_WORDS, PICTURES, Ladder, nothing, sampling_ladders
from evenhand.providers.http.served import ONLY_REASONING, Served, called_a_tool, clean, count, no_message
from evenhand.providers.known import KnownProvider

WINDOW = 200_000
"""Tokens that every Anthropic model accepts."""

if TYPE_CHECKING:
    from evenhand.providers.batch.batch_api import AnthropicBatches

_TOOL = "answer"
_FINISH: dict[str | None, Literal["stop", "length", "refused"]] = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "tool_use": "stop",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "refused",
}


class Anthropic(Served):
    """An Anthropic model, or one behind a server with the same API."""

    headers = MappingProxyType({"anthropic-version": "2023-06-01"})
    key_header = "x-api-key"
    cached_at_most = Decimal("0.1")
    cache_write_at_most = Decimal("1.25")
    charges_alike = True

    path = "messages"

    def fixed(self, request: Request) -> dict[str, Any]:
        """The system message is separate from the turns."""
        system = "\n\n".join(message.content for message in request.messages if message.role == "system")
        return {
            "max_tokens": request.max_tokens,
            "messages": _turns(request.as_text() if request.has_pictures else request),
            **({"system": system} if system else {}),
        }

    def parameters(self, is_home: bool) -> tuple[Ladder, ...]:
        return (
            Ladder(
                "schema",
                ("output_config", "output_format", "json_schema", "tool_choice", "schema"),
                (_format, _tool, nothing),
            ),
            *sampling_ladders(),
            Ladder(PICTURES, PICTURE_WORDS, (_pictures, nothing)),
        )

    @staticmethod
    def read(document: Any) -> Reply:
        return read_message(document)

    def batch_api(self) -> AnthropicBatches:
        from evenhand.providers.batch.batch_api import AnthropicBatches

        return AnthropicBatches(self.client, self.identity["name"])


def _turns(request: Request) -> list[dict[str, Any]]:
    return [{"role": turn.role, "content": _content(turn)} for turn in request.messages if turn.role != "system"]


def _pictures(request: Request) -> dict[str, Any]:
    """The turns with their pictures, in place of those without."""
    return {"messages": _turns(request)} if request.has_pictures else {}


def _content(message: Message) -> str | list[dict[str, Any]]:
    """A turn's text, in blocks if it has pictures or parts to cache: what precedes a mark is cached."""
    if not message.breaks and not message.pictures:
        return message.content
    at = message.pictures_at if message.pictures else -1
    blocks: list[dict[str, Any]] = []
    start = 0
    for stop in sorted({*message.breaks, *([at] if message.pictures else []), len(message.content)}):
        if stop > start:
            blocks.append({"type": "text", "text": message.content[start:stop]})
        if stop == at:
            blocks += [_picture(picture) for picture in message.pictures]
        if stop in message.breaks and stop < len(message.content):
            blocks[-1]["cache_control"] = {"type": "ephemeral"}
        start = stop
    return blocks


def _picture(picture: Picture) -> dict[str, Any]:
    source = {"type": "base64", "media_type": picture.media, "data": b64encode(picture.data).decode()}
    return {"type": "image", "source": source}


def _format(request: Request) -> dict[str, Any]:
    if request.schema is None:
        return {}
    return {"output_config": {"format": {"type": "json_schema", "schema": request.schema}}}


def _tool(request: Request) -> dict[str, Any]:
    if request.schema is None:
        return {}
    tool = {"name": _TOOL, "description": "Give the answer in this form.", "input_schema": request.schema}
    return {"tools": [tool], "tool_choice": {"type": "tool", "name": _TOOL}}


def read_message(document: Any) -> Reply:
    """A message as a reply. ValueError when it is not one. The input of the forced tool is the answer, as JSON."""
    if not isinstance(document, dict) or not isinstance(document.get("content"), list):
        error = document.get("error") if isinstance(document, dict) else None
        raise no_message(error)
    blocks = [block for block in document["content"] if isinstance(block, dict)]
    texts = [block["text"] for block in blocks if block.get("type") == "text" and isinstance(block.get("text"), str)]
    called = [block for block in blocks if block.get("type") == "tool_use"]
    answers = [block.get("input") for block in called if block.get("name") == _TOOL]
    if not answers and len(called) == 1 and not "".join(texts).strip():
        answers = [called[0]["input"]] if called[0].get("input") else []  # an answer under another name
    usage = document.get("usage")
    usage = usage if isinstance(usage, dict) else {}
    stop = document.get("stop_reason")
    text = clean(json.dumps(answers[0], ensure_ascii=False) if answers else "".join(texts))
    return Reply(
        text=text,
        finish=_FINISH.get(stop if isinstance(stop, str) else None, "unknown"),
        model=clean(str(document.get("model") or "")),
        input_tokens=_input_tokens(usage),
        output_tokens=count(usage.get("output_tokens")),
        cached_tokens=count(usage.get("cache_read_input_tokens")),
        written_tokens=count(usage.get("cache_creation_input_tokens")),
        instead="" if text.strip() else _instead(blocks),
    )


def _instead(blocks: list[dict[str, Any]]) -> str:
    """What a message without a text contains."""
    calls = [block.get("name") for block in blocks if block.get("type") == "tool_use"]
    if calls:
        return called_a_tool(calls[0])
    thoughts = any(block.get("type") in ("thinking", "redacted_thinking") for block in blocks)
    return ONLY_REASONING if thoughts else ""


def _input_tokens(usage: Mapping[str, Any]) -> int | None:
    """Input tokens, cached or not."""
    plain = count(usage.get("input_tokens"))
    cached = (count(usage.get(f"cache_{use}_input_tokens")) or 0 for use in ("creation", "read"))
    return None if plain is None else plain + sum(cached)


PROVIDER = KnownProvider(
    "anthropic",
    "a model of Anthropic's",
    place=2,
    kind="anthropic",
    serve=Anthropic,
    address="https://api.anthropic.com/v1",
    key="ANTHROPIC_API_KEY",
    window=WINDOW,
)
