"""Parameters that not every server supports, each with forms to try in turn until the server accepts one.

A form that a server refused is not sent again in this run, so a refusal costs one request, not one per call. Where a
refusal does not name the parameter, each is left out in turn to find it, once per run.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from evenhand.options.model_options import SENT
from evenhand.providers.exchange import CallFailed, Request
from evenhand.providers.http.failures import Rejected

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

CONTENT = (
    "content_filter",
    "content filter",
    "content_policy",
    "content policy",
    "content management policy",
    "responsibleai",
    "moderation",
    "flagged",
    "safety system",
    "usage policies",
    "data_inspection",
    "prohibited content",
)
"""Phrases of a refusal that is about what the text says."""

TOO_LARGE = 413

PICTURES = "images"
"""The ladder of pictures: the turns with them, or without."""
PICTURE_WORDS = ("image", "vision", "multimodal", "multi-modal", "modalities", "mmproj")
_ONE_PICTURE = re.compile(
    r"process|decod|corrupt|too large|too big|exceed|at most|dimension|pixel|resolution|size|media.?type|format|invalid"
    r"|unsafe|safety|moderation"
)
_ALL_PICTURES = re.compile(
    r"(?:not|n't|cannot|only) (?:support|accept|allow)\w* (?:for )?(?:\w+ )?(?:text|image|vision|multi)|image inputs?\b"
    r"|mmproj|vision|modal|(?:this|certain|some|other) models?|unknown variant|expected a string|must be a string"
    r"|support image"
)
"""What a refusal of pictures as such says."""

_ABOUT_A_PARAMETER = re.compile(
    r"param|argument|field|propert|option|request body|bad request|invalid request|unsupported|not supported|"
    r"unrecognized|unrecognised|unexpected|extra|not permitted|validation"
)


class Ladder(NamedTuple):
    """One parameter."""

    name: str
    """The parameter in a word."""
    words: tuple[str, ...]
    """If the server's message contains one of these, it is about this parameter."""
    forms: tuple[Form, ...]
    """From the most specific to none at all."""


def too_long(message: str) -> bool:
    """Whether a refusal is about the length of this one text, so that the next may succeed."""
    lower = message.lower()
    return any(words in lower for words in TOO_LONG)


def refuses_this_text(failure: CallFailed) -> bool:
    """Whether a call failed because of the text it sent, so that the next may succeed."""
    if not isinstance(failure, Rejected):
        return False
    message = f"{failure.code} {failure.message}".lower()
    return failure.status == TOO_LARGE or too_long(message) or any(words in message for words in CONTENT)


def refuses_a_picture(refused: Rejected) -> bool:
    """Whether a refusal is about a picture that this one request holds, and not about pictures as such."""
    message = refused.message.lower()
    if refused.status not in REFUSALS or not any(word in message for word in ("image", "picture")):
        return False
    return _ONE_PICTURE.search(message) is not None and _ALL_PICTURES.search(message) is None


def vague(refused: Rejected) -> bool:
    """Whether a refusal seems to be about a parameter; asked after none that we know is named in it."""
    if refused.status not in (400, 422) or refuses_this_text(refused):
        return False
    return not refused.message or _ABOUT_A_PARAMETER.search(refused.message.lower()) is not None


def nothing(request: Request) -> dict[str, Any]:
    """Leave the parameter out."""
    return {}


def sampling_ladders() -> tuple[Ladder, ...]:
    """A parameter for each option that servers are sent."""

    def ladder(name: str) -> Ladder:
        return Ladder(
            name, (name,), (lambda request: {key: value for key, value in request.sampling if key == name}, nothing)
        )

    return tuple(map(ladder, SENT))


class Ladders:
    """The current rung on each ladder. One instance per provider and run."""

    def __init__(self, ladders: tuple[Ladder, ...]) -> None:
        self._ladders = ladders
        self._rungs = [0] * len(ladders)

    def body(self, request: Request) -> tuple[dict[str, Any], tuple[int, ...]]:
        """The parameters in the forms the server accepts, as far as known, and their rungs."""
        rungs = tuple(self._rungs)
        return self._body(request, rungs), rungs

    def _body(self, request: Request, rungs: tuple[int, ...]) -> dict[str, Any]:
        body: dict[str, Any] = {}
        for ladder, rung in zip(self._ladders, rungs, strict=True):
            body |= ladder.forms[rung](request)
        return body

    def without_each(self, request: Request) -> Iterator[tuple[str, dict[str, Any], tuple[int, ...]]]:
        """Bodies with one parameter less: its name, the body, the rungs; at last one with none of them."""
        last = tuple(len(ladder.forms) - 1 for ladder in self._ladders)
        sent = [place for place in self._order() if self._ladders[place].forms[self._rungs[place]](request)]
        for place in sent:
            rungs = tuple(last[at] if at == place else rung for at, rung in enumerate(self._rungs))
            yield self._ladders[place].name, self._body(request, rungs), rungs
        if len(sent) > 1:
            yield ", ".join(self._ladders[place].name for place in sent), self._body(request, last), last

    def settle(self, rungs: tuple[int, ...]) -> None:
        """Use these forms from now on: the server accepted them."""
        self._rungs = list(rungs)

    def leave_out(self, name: str) -> None:
        """Send a parameter no more."""
        last = {ladder.name: len(ladder.forms) - 1 for ladder in self._ladders}
        self._rungs = [
            last[name] if ladder.name == name else rung for ladder, rung in zip(self._ladders, self._rungs, strict=True)
        ]

    def leaves_out(self, name: str, rungs: tuple[int, ...]) -> bool:
        """Whether a parameter is left out at these rungs."""
        pairs = zip(self._ladders, rungs, strict=True)
        return any(ladder.name == name and rung == len(ladder.forms) - 1 for ladder, rung in pairs)

    def refused(self) -> tuple[str, ...]:
        """The parameters that are no longer sent, because the server refuses every form of them."""
        pairs = zip(self._ladders, self._rungs, strict=True)
        return tuple(ladder.name for ladder, rung in pairs if rung == len(ladder.forms) - 1)

    def reduced(self) -> tuple[str, ...]:
        """The parameters that are sent in a form with less in it."""
        pairs = zip(self._ladders, self._rungs, strict=True)
        return tuple(ladder.name for ladder, rung in pairs if 0 < rung < len(ladder.forms) - 1)

    def _order(self) -> list[int]:
        """The parameters that are missed least come first: the schema of the reply, which is the first ladder, last."""
        return [*range(1, len(self._ladders)), 0]

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
        if refused.status not in REFUSALS or refuses_this_text(refused):
            return None
        named = (refused.parameter or "").lower()
        for text in (named, message):
            for place, ladder in enumerate(self._ladders):
                was_sent = ladder.forms[sent[place]](request) != {}
                if was_sent and text and any(word in text for word in ladder.words):
                    return place
        return None
