"""Parameters that not every server supports, each with forms to try in turn until the server accepts one.

A form that a server refused is not sent again in this run, so a refusal costs one request, not one per call.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from evenhand.judges.providers.exchange import Request
from evenhand.judges.providers.responses import Rejected

Form = Callable[[Request], dict[str, Any]]
"""A part of the request's body."""

REFUSALS = (400, 403, 404, 422, 501)
"""Statuses with which servers refuse a parameter."""

TOO_LONG = (
    "context length",
    "context_length",
    "context size",
    "context window",
    "prompt is too long",
    "too many tokens",
)
"""Phrases of a refusal that is about the text's length; dropping a parameter would not help."""


class Ladder(NamedTuple):
    """One parameter."""

    words: tuple[str, ...]
    """If the server's message contains one of these, it is about this parameter."""
    forms: tuple[Form, ...]
    """From the most specific to none at all."""


def too_long(message: str) -> bool:
    """Whether a refusal is about the length of this one text, so that the next may succeed."""
    lower = message.lower()
    return any(words in lower for words in TOO_LONG)


def nothing(request: Request) -> dict[str, Any]:
    """Leave the parameter out."""
    return {}


class Ladders:
    """The current rung on each ladder. One instance per provider and run."""

    def __init__(self, ladders: tuple[Ladder, ...]) -> None:
        self._ladders = ladders
        self._rungs = [0] * len(ladders)

    def body(self, request: Request) -> tuple[dict[str, Any], tuple[int, ...]]:
        """The parameters in the forms the server accepts, as far as known, and their rungs."""
        body: dict[str, Any] = {}
        for ladder, rung in zip(self._ladders, self._rungs, strict=True):
            body |= ladder.forms[rung](request)
        return body, tuple(self._rungs)

    def step_down(self, refused: Rejected, sent: tuple[int, ...], request: Request) -> bool:
        """Whether to ask again: moves the refused parameter down a rung, unless another call already did."""
        place = self._refused_ladder(refused, sent, request)
        if place is None:
            return False
        forms = self._ladders[place].forms
        while self._rungs[place] < len(forms) - 1 and forms[self._rungs[place]](request) == forms[sent[place]](request):
            self._rungs[place] += 1
        return True

    def _refused_ladder(self, refused: Rejected, sent: tuple[int, ...], request: Request) -> int | None:
        message = refused.message.lower()
        if refused.status not in REFUSALS or too_long(message):
            return None
        named = (refused.parameter or "").lower()
        for text in (named, message):
            for place, ladder in enumerate(self._ladders):
                was_sent = ladder.forms[sent[place]](request) != {}
                if was_sent and text and any(word in text for word in ladder.words):
                    return place
        return None
