"""Parameters that not every server knows: each with the forms to try, one after another, until the server is content.

What a server refused once is not sent to it again in this run, so that a refusal costs one request, not one a call.
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
"""Words of a refusal that is about the text's length; leaving a parameter out would only hide it."""


class Ladder(NamedTuple):
    """One parameter."""

    words: tuple[str, ...]
    """If one of these is in what the server says, it means this parameter."""
    forms: tuple[Form, ...]
    """From the one that tells the server most to nothing at all."""


def too_long(said: str) -> bool:
    """Whether a refusal is about the length of this one text, and says nothing about the next."""
    lower = said.lower()
    return any(words in lower for words in TOO_LONG)


def nothing(request: Request) -> dict[str, Any]:
    """Leave it out."""
    return {}


class Ladders:
    """Where on each ladder a server stands. One for each provider and run."""

    def __init__(self, ladders: tuple[Ladder, ...]) -> None:
        self._ladders = ladders
        self._rungs = [0] * len(ladders)

    def body(self, request: Request) -> tuple[dict[str, Any], tuple[int, ...]]:
        """The parameters in the forms the server takes, as far as is known, and the rungs they stand on."""
        body: dict[str, Any] = {}
        for ladder, rung in zip(self._ladders, self._rungs, strict=True):
            body |= ladder.forms[rung](request)
        return body, tuple(self._rungs)

    def step_down(self, refused: Rejected, sent: tuple[int, ...], request: Request) -> bool:
        """Whether to ask again, in another form: the named parameter goes down a rung, unless another call did that."""
        place = self._meant(refused, sent, request)
        if place is None:
            return False
        forms = self._ladders[place].forms
        while self._rungs[place] < len(forms) - 1 and forms[self._rungs[place]](request) == forms[sent[place]](request):
            self._rungs[place] += 1
        return True

    def _meant(self, refused: Rejected, sent: tuple[int, ...], request: Request) -> int | None:
        said = refused.said.lower()
        if refused.status not in REFUSALS or too_long(said):
            return None
        named = (refused.parameter or "").lower()
        for text in (named, said):
            for place, ladder in enumerate(self._ladders):
                was_sent = ladder.forms[sent[place]](request) != {}
                if was_sent and text and any(word in text for word in ladder.words):
                    return place
        return None
