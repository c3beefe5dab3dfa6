"""One cheap call to a provider, to see what it supports and how fast it is; another to see whether it takes images."""

from __future__ import annotations

import json
import re
import struct
import zlib
from decimal import Decimal
from typing import Any, Literal, NamedTuple

from evenhand import clock
from evenhand.providers.exchange import CallFailed, Message, Picture, Provider, Reply, Request
from evenhand.providers.prices import cost
from evenhand.providers.tokens import picture_tokens, with_estimates

Support = Literal["yes", "partly", "ignored", "refused"]
"""ignored: the server accepted the parameter, and the reply does not show it."""

SCHEMA = {
    "type": "object",
    "properties": {"larger": {"type": "string", "enum": ["three", "seven"]}},
    "required": ["larger"],
    "additionalProperties": False,
}
REQUEST = Request(
    messages=(
        Message("system", "You answer questions with one word."),
        Message("user", "Which number is larger, 3 or 7?"),
    ),
    schema=SCHEMA,  # not mentioned in the question: a reply in this form shows that the server enforces it
    max_tokens=512,
    seed=1,
    logprobs=True,
)


class Trial(NamedTuple):
    """What the call showed."""

    model: str
    """The model as the server names it; empty if it does not."""
    schema: Support
    seed: Support
    """`yes` means accepted: one reply cannot show whether a seed has an effect."""
    logprobs: Support
    cached_tokens: int | None
    """How many tokens of the question the server had in its cache; None if it does not say."""
    seconds: float
    input_tokens: int
    output_tokens: int
    estimated: bool
    """Whether the server did not count tokens, so that they are estimated."""
    cost: Decimal | None


async def try_out(provider: Provider) -> Trial:
    """Make the call. CallFailed when there is no reply."""
    begun = clock.elapsed()
    reply = await provider.ask(REQUEST)
    seconds = clock.elapsed() - begun
    counted = with_estimates(reply, REQUEST.messages)
    refused, reduced = getattr(provider, "refused", ()), getattr(provider, "reduced", ())
    return Trial(
        model=reply.model,
        schema=_support("schema", refused, reduced, shown=follows_schema(reply)),
        seed=_support("seed", refused, reduced, shown=True),
        logprobs=_support("logprobs", refused, reduced, shown=bool(reply.tokens)),
        cached_tokens=reply.cached_tokens,
        seconds=seconds,
        input_tokens=counted.input_tokens or 0,
        output_tokens=counted.output_tokens or 0,
        estimated=counted is not reply,
        cost=cost(provider, counted),
    )


class ImageTrial(NamedTuple):
    """What a call with a picture showed."""

    support: Support | Literal["unknown"]
    """yes: the reply names the picture's colour. ignored: it was accepted, the reply does not. unknown: no reply."""
    reason: str
    """Why the model did not see it, as a clause; empty if it was sent and accepted."""
    input_tokens: int = 0
    output_tokens: int = 0
    cost: Decimal | None = None


_SIDE = 64
"""Pixels; some models refuse pictures that are much smaller."""
_RED = re.compile(r"\bred\b|rouge|rot\b|rojo|rosso|vermelh|crimson|scarlet|#f{1,2}0{2,4}|红|紅|赤", re.I)


def picture_request() -> Request:
    """A question that only a model that sees the picture can answer."""
    picture = Picture("image/png", _red_square(), "a red square", picture_tokens((_SIDE, _SIDE)))
    question = "Which colour is this picture? Answer with one word."
    shown = Message("user", question, pictures=(picture,), no_pictures="(There is no picture.) ")
    return Request(messages=(Message("system", "You answer questions with one word."), shown), max_tokens=512)


async def try_picture(provider: Provider) -> ImageTrial:
    """Make a call with a picture of 64 by 64 pixels."""
    request = picture_request()
    try:
        reply = await provider.ask(request)
    except CallFailed as failure:
        return ImageTrial("unknown", str(failure))
    counted = with_estimates(reply, request.messages)
    seen: Support = "refused" if reply.unseen else "yes" if _RED.search(reply.text) else "ignored"
    spent = counted.input_tokens or 0, counted.output_tokens or 0
    return ImageTrial(seen, reply.unseen, *spent, cost(provider, counted))


def _red_square() -> bytes:
    """A PNG of one colour."""
    rows = b"".join(b"\0" + b"\xff\0\0" * _SIDE for _ in range(_SIDE))
    header = struct.pack(">IIBBBBB", _SIDE, _SIDE, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(rows)), (b"IEND", b""))
    parts = (
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data)) for name, data in chunks
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


def _support(name: str, refused: tuple[str, ...], reduced: tuple[str, ...], *, shown: bool) -> Support:
    if name in refused:
        return "refused"
    if not shown:
        return "ignored"
    return "partly" if name in reduced else "yes"


def follows_schema(reply: Reply) -> bool:
    """Whether a reply has the form of `SCHEMA`."""
    try:
        answer: Any = json.loads(reply.text)
    except ValueError:
        return False
    return isinstance(answer, dict) and answer.keys() == {"larger"} and answer["larger"] in ("three", "seven")
