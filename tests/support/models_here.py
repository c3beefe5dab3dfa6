"""Models that answer in the test's own process: the providers are the real ones, but for the call itself."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from decimal import Decimal

import pytest
from scripted_judge import quote_of, read_prompt, reply_text

from evenhand.providers.builtin.openai import OpenAI
from evenhand.providers.exchange import CallFailed, Reply, Request

PAIR = re.compile(r"<<<first (\w+)\n(.*?)\nfirst \1>>>.*<<<second \1\n(.*?)\nsecond \1>>>", re.S)


class Models:
    """Every model behind OpenAI's protocol: what they are asked, and what they say."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, Request]] = []
        """The judge's name and its question, in the order of the calls."""
        self.score: Callable[[str, str], float] = lambda judge, work: 8
        """The score that a judge gives a work in every dimension."""
        self.prefers: Callable[[str, str, str], str] = lambda judge, first, second: "tie"
        """Of two outputs as they are shown: first, second or tie."""
        self.fails: Callable[[int], CallFailed | None] = lambda number: None
        """Whether the call of a number, from 1, has no reply."""
        self.served = "served-1"
        self.tokens = 100
        """Of every question and every answer."""

    @property
    def count(self) -> int:
        """How many calls were made."""
        return len(self.asked)

    async def ask(self, provider: OpenAI, request: Request) -> Reply:
        name = provider.identity["name"]
        self.asked.append((name, request))
        failure = self.fails(len(self.asked))
        if failure is not None:
            raise failure
        turns = [{"role": message.role, "content": message.content} for message in request.messages]
        text = self._text(name, turns)
        return Reply(text, model=self.served, input_tokens=self.tokens, output_tokens=self.tokens)

    def _text(self, name: str, turns: list[dict[str, str]]) -> str:
        if pair := PAIR.search(turns[-1]["content"]):
            first, second = pair[2].strip(), pair[3].strip()
            quotes = {"first_quotes": [quote_of(first)], "second_quotes": [quote_of(second)]}
            verdict = self.prefers(name, first, second)
            return json.dumps({"reply_to": pair[1], **quotes, "justification": "So it is.", "verdict": verdict})
        prompt = read_prompt({"messages": turns})
        score = min(10, max(1, round(Decimal(self.score(name, prompt.work.strip())))))
        return reply_text(prompt, score=score)


def install(monkeypatch: pytest.MonkeyPatch) -> Models:
    """Models in place of OpenAI's until the test ends."""
    made = Models()
    monkeypatch.setenv("OPENAI_API_KEY", "a-key-for-tests-only")

    async def ask(provider: OpenAI, request: Request) -> Reply:
        return await made.ask(provider, request)

    monkeypatch.setattr(OpenAI, "ask", ask)
    return made
