"""Estimate how many tokens a text takes, before any model has counted them. Pure.

The estimate errs on the high side, because a call that overflows a window is lost: a token for every four lower-case
letters and spaces, one for every other ASCII character, and one for every two bytes of UTF-8 beyond ASCII (so one and
a half for a Chinese character).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from evenhand.judges.providers.exchange import Message, Reply

_COMMON: Final = b"abcdefghijklmnopqrstuvwxyz \n\t\r"
_ASCII: Final = bytes(range(128))
_FRAME: Final = 8
"""Tokens that mark up one turn of a conversation."""


def estimate_tokens(text: str) -> int:
    """A high estimate of the tokens in a text. Never falls as a text grows; a whole never costs more than its parts."""
    encoded = text.encode("utf-8", "surrogatepass")
    rare = encoded.translate(None, _COMMON)
    beyond = len(rare.translate(None, _ASCII))
    common = len(encoded) - len(rare)
    return -(-common // 4) + (len(rare) - beyond) + -(-beyond // 2)


def estimate_prefix(messages: Iterable[Message]) -> int:
    """The tokens of a conversation up to its last break."""
    total = pending = 0
    for message in messages:
        if message.breaks:
            total += pending + estimate_tokens(message.content[: message.breaks[-1]]) + _FRAME
            pending = 0
        else:
            pending += estimate_tokens(message.content) + _FRAME
    return total


def estimate_input(messages: Iterable[Message]) -> int:
    """The tokens a conversation takes, including the markup of each turn."""
    return sum(estimate_tokens(message.content) + _FRAME for message in messages)


def with_estimates(reply: Reply, messages: Iterable[Message]) -> Reply:
    """The reply with an estimate of every number of tokens that the server did not state."""
    if reply.input_tokens is not None and reply.output_tokens is not None:
        return reply
    read = estimate_input(messages) if reply.input_tokens is None else reply.input_tokens
    written = estimate_tokens(reply.text) if reply.output_tokens is None else reply.output_tokens
    return reply._replace(input_tokens=read, output_tokens=written)
