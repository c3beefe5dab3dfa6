"""Scripted judges with known biases for the self-test of judges, behind the fake server."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

from fake_server import Asked, Step, chat
from scripted_judge import quote_of, read_prompt, reply_text

from evenhand.judges.probing.probes import BOILERPLATE, probe_items

_PAIR = re.compile(r"<<<first (\w+)\n(.*?)\nfirst \1>>>.*<<<second \1\n(.*?)\nsecond \1>>>", re.S)


def spoilt(work: str) -> bool:
    """Whether an output has lost the sentence that was right, or gained one that cannot be true."""
    return any(work in item.spoilt.values() for item in probe_items())


def honest(work: str) -> float:
    """6 for what is in order, 3 for what was spoilt, 1 for what says nothing."""
    if BOILERPLATE in work or len(re.findall(r"\w+", work)) < 15:
        return 1
    return 3 if spoilt(work) else 6


def by_length(work: str) -> float:
    """Honest, but for a point for every 1000 characters."""
    return honest(work) + len(work) / 1000


def blind(work: str) -> float:
    """Gives everything a 6."""
    return 6


def answers(judge: Callable[[str], float], *, prefers: str = "tie", model: str = "fake-1") -> Callable[[Asked], Step]:
    """A judge as the answer of a fake server; of two outputs it prefers `first`, `second` or neither."""

    def answer(asked: Asked) -> Step:
        text = asked.body["messages"][-1]["content"]
        if pair := _PAIR.search(text):
            quotes = {"first_quotes": [quote_of(pair[2])], "second_quotes": [quote_of(pair[3])]}
            verdict = {"reply_to": pair[1], **quotes, "justification": "So it is.", "verdict": prefers}
            return chat(json.dumps(verdict), model=model)
        prompt = read_prompt(asked.body)
        score = min(10, max(1, round(judge(prompt.work.strip()))))
        return chat(reply_text(prompt, score=score), model=model)

    return answer
