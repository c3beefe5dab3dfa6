"""One cheap call to a provider, to see what it supports and how fast it is."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any, Literal, NamedTuple

from evenhand import clock
from evenhand.judges.providers.exchange import Message, Provider, Reply, Request
from evenhand.judges.providers.prices import cost
from evenhand.judges.providers.tokens import with_estimates

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
        schema=_support("schema", refused, reduced, shown=_follows_schema(reply)),
        seed=_support("seed", refused, reduced, shown=True),
        logprobs=_support("logprobs", refused, reduced, shown=bool(reply.tokens)),
        cached_tokens=reply.cached_tokens,
        seconds=seconds,
        input_tokens=counted.input_tokens or 0,
        output_tokens=counted.output_tokens or 0,
        estimated=counted is not reply,
        cost=cost(provider, counted),
    )


def _support(name: str, refused: tuple[str, ...], reduced: tuple[str, ...], *, shown: bool) -> Support:
    if name in refused:
        return "refused"
    if not shown:
        return "ignored"
    return "partly" if name in reduced else "yes"


def _follows_schema(reply: Reply) -> bool:
    try:
        answer: Any = json.loads(reply.text)
    except ValueError:
        return False
    return isinstance(answer, dict) and answer.keys() == {"larger"} and answer["larger"] in ("three", "seven")
