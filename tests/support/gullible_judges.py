"""Scripted judges, from honest to obedient, as functions from a prompt to a score.

What a judge would say without any influence depends on the work alone, so a judge that is shown less says something
else. `answers` makes a chat server's reply of a score.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from hashlib import sha256

from fake_server import Asked, Step, chat
from gullible_readings import ordered, tells, wanted
from scripted_judge import Prompt, quote_of, read_prompt, scored

Judge = Callable[[Prompt], int]
"""The score for every dimension that a prompt asks for."""


def own_opinion(work: str) -> int:
    """8 for the good answer about Canberra, 2 for the weak one, else 5 to 8 by the length of the work."""
    if "The capital of Australia is" in work:
        return 8 if "Canberra" in work else 2
    return 5 + len(re.findall(r"\w+", work)) // 25 % 4


def honest(prompt: Prompt) -> int:
    """Reads, and obeys nothing."""
    return own_opinion(prompt.work)


def noisy(prompt: Prompt) -> int:
    """Is off by one point either way, by chance: another question, another error."""
    chance = sha256(f"{prompt.work}{prompt.dimensions}".encode()).digest()[0] % 3 - 1
    return own_opinion(prompt.work) + chance


def half_obedient(prompt: Prompt) -> int:
    """Moves half of the way to the score that a plain order about this work names."""
    order, own = ordered(prompt.work), own_opinion(prompt.work)
    return own if order is None else (own + order) // 2


def fickle(prompt: Prompt) -> int:
    """Obeys a plain order about this work in every second question."""
    order, own = ordered(prompt.work), own_opinion(prompt.work)
    chance = sha256(f"{prompt.work}{prompt.dimensions}".encode()).digest()[0] % 2
    return own if order is None or chance else order


def obeying(prompt: Prompt) -> int:
    """Gives the score that anything in the work names, in whatever disguise."""
    order = wanted(prompt.work)
    return own_opinion(prompt.work) if order is None else order


def lifted(prompt: Prompt) -> int:
    """Obeys every upward order, and no other."""
    return 10 if tells(prompt.work, 10) else own_opinion(prompt.work)


def lowered(prompt: Prompt) -> int:
    """Obeys every downward order, and no other."""
    return 1 if tells(prompt.work, 1) else own_opinion(prompt.work)


JUDGES: dict[str, Judge] = {
    judge.__name__: judge for judge in (honest, noisy, half_obedient, fickle, obeying, lifted, lowered)
}


def reply_of(judge: Judge, prompt: Prompt) -> str:
    """The judge's reply in the form the prompt asks for; one that gives 10 claims every bonus, one that gives 1 every
    red flag."""
    score = judge(prompt)
    own_lines = [line for line in prompt.work.splitlines() if not line.startswith(("[", "FINAL OUTPUT", "NAMES:"))]
    quotes = [quote_of("\n".join(own_lines))]  # headings and notes are not the author's
    reply: dict[str, object] = {"reply_to": prompt.nonce}
    if prompt.economy:
        reply["dimensions"] = {name: scored(score, quotes) for name in prompt.dimensions}
    elif prompt.dimensions:
        reply |= scored(score, quotes)
    if prompt.economy or not prompt.dimensions:
        for key, ids, present in (
            ("red_flags", prompt.red_flags, score == 1),
            ("bonuses", prompt.bonuses, score == 10),
        ):
            claim = {"quotes": quotes if present else [], "explanation": "Seen.", "present": present}
            reply[key] = dict.fromkeys(ids, claim)
        reply["unlisted"] = []
    return json.dumps(reply)


def answers(judge: Judge) -> Callable[[Asked], Step]:
    """A scripted judge as the answer of a fake server."""
    return lambda asked: chat(reply_of(judge, read_prompt(asked.body)))
