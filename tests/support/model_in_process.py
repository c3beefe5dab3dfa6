"""A model in this process, for tests of how models are asked: no socket, no clock."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Coroutine
from types import MappingProxyType
from typing import Any

from scripted_judge import Prompt, in_form, quote_of, read_prompt, scored

from evenhand.core.rules import DIMENSIONS
from evenhand.errors import StoreUnavailable
from evenhand.judges.models.asking import Asker
from evenhand.judges.models.attempts import Lacking
from evenhand.judges.models.budget import Budget
from evenhand.judges.models.call_plan import CallSettings
from evenhand.judges.models.questions.prompt import Question
from evenhand.judges.models.questions.shown_work import Shown
from evenhand.providers.exchange import CallFailed, Reply, Request
from evenhand.providers.prices import Price
from evenhand.rubrics.library import load_rubric

RUBRIC = load_rubric("default")
WORK = "The capital of Australia is Canberra, as everybody can look up in an atlas."
SHOWN = Shown(task="Name the capital of Australia.", text=WORK)
ALL, SAFETY = Question("all", DIMENSIONS), Question("scores", ("safety",))
EXAMPLES = "Examples of works that people have judged: none, really.\n"


def honest(prompt: Prompt) -> int:
    """A judge that gives 6 to whatever it reads."""
    return 6


def reply_of(judge: Callable[[Prompt], int], prompt: Prompt) -> str:
    """What such a judge replies."""
    entry = scored(judge(prompt), [quote_of(prompt.work)])
    return json.dumps(in_form(prompt, dict.fromkeys(prompt.dimensions, entry)))


class Provider:
    """A model in this process, which reads the question and answers it; several calls may be in flight."""

    identity = MappingProxyType({"name": "model:m", "provider": "test", "model": "m"})

    def __init__(self, judge: Callable[..., int] = honest, *, window: int | None = None, **about: Any) -> None:
        self.judge, self.window = judge, window
        self.replies: list[Reply | CallFailed] = []
        """Given first, one for each call."""
        self.about = about
        """What each reply says about itself."""
        self.price: Price | None = None
        self.requests: list[Request] = []
        self.in_flight = self.most_in_flight = 0

    async def ask(self, request: Request) -> Reply:
        self.requests.append(request)
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        for _ in range(20):
            await asyncio.sleep(0)  # others may begin
        self.in_flight -= 1
        if self.replies:
            reply = self.replies.pop(0)
            if isinstance(reply, CallFailed):
                raise reply
            return reply
        turns = [{"role": message.role, "content": message.content} for message in request.messages]
        return Reply(reply_of(self.judge, read_prompt({"messages": turns})), **self.about)

    async def close(self) -> None:
        """Nothing to close."""


class Kept(dict[str, str]):
    """Stored replies."""

    def put(self, key: str, reply: str) -> None:
        self[key] = reply


class Full(Kept):
    """A store that can be read, but not written."""

    def put(self, key: str, reply: str) -> None:
        raise StoreUnavailable("the disk is full")


def asker_of(provider: Provider, settings: CallSettings | None = None, **options: Any) -> Asker:
    options = {"budget": Budget()} | options
    return Asker(provider, settings or CallSettings(), **options)


def ask(asker: Asker, question: Question = SAFETY, shown: Shown = SHOWN, sample: int = 0) -> Coroutine[Any, Any, Any]:
    return asker.ask(RUBRIC, shown, question, sample=sample, lacking=lambda answer: Lacking())


def at_once(*asking: Coroutine[Any, Any, Any]) -> list[Any]:
    async def gathered() -> list[Any]:
        return await asyncio.gather(*asking)

    return asyncio.run(gathered())
