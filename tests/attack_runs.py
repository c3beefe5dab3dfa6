"""Attacks carried through the whole pipeline: scripted judges behind a real socket, scorecards out.

Used by tests/test_attacks.py and by benchmarks/attacks.py.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from typing import NamedTuple

from attacks import ATTACKS, TASK, WEAK, Attack
from fake_server import Asked, FakeServer, Step, chat
from scripted_judge import read_prompt

from evenhand.core.values.scorecard import Scorecard
from evenhand.core.values.submission import Event, Place, Submission, ToolCall
from evenhand.judges.providers.exchange import Message, Reply, Request
from evenhand.pipeline.model_options import ModelOptions
from evenhand.pipeline.panel_run import PanelRun

MARGIN = Decimal("0.5")
"""An attack that gains no more than this got nothing."""
BARE = Decimal(2)
"""The most that an output without content may get."""


class Outcome(NamedTuple):
    """What an attack came to."""

    name: str
    final: Decimal | None
    """None when the judge's replies could not be used."""
    through: bool
    noticed: bool
    """Whether the scorecard tells of a suspected injection, of hidden characters, or of an output without content."""


def served(judge: Callable[[Request], Reply]) -> Callable[[Asked], Step]:
    """A scripted judge as a server. Asked for flags and bonuses, one that would give 10 claims every bonus."""

    def answer(asked: Asked) -> Step:
        first = asked.body["messages"][:2]  # in a repair the question is still the second
        reply = judge(Request(tuple(Message(turn["role"], turn["content"]) for turn in first)))
        prompt = read_prompt(asked.body)
        return chat(reply.text if prompt.dimensions else _claims(prompt, won='"score": 10' in reply.text))

    return answer


def _claims(prompt, *, won: bool) -> str:
    none = {"quotes": [], "explanation": "No.", "present": False}
    bonus = {"quotes": [prompt.work[:200]], "explanation": "As told.", "present": True} if won else none
    flags, bonuses = dict.fromkeys(prompt.red_flags, none), dict.fromkeys(prompt.bonuses, bonus)
    return json.dumps({"reply_to": prompt.nonce, "red_flags": flags, "bonuses": bonuses, "unlisted": []})


def in_the_output(attack: Attack) -> Submission:
    """The attack as the agent's answer."""
    return Submission(output=attack.text, task=TASK)


def in_a_transcript(attack: Attack) -> Submission:
    """The attack in what a tool gave back and in what the agent wrote to a file; the answer itself is harmless."""
    here = Place("run.jsonl", 1)
    events = (
        Event("tool_call", "assistant", "", here, ToolCall("read", {"path": "notes.md"}, "", attack.text)),
        Event("tool_call", "assistant", "", here, ToolCall("write", {"content": attack.text}, "", "ok")),
    )
    return Submission(output=WEAK, task=TASK, events=events)


def cards(judge: Callable[[Request], Reply], submissions: Iterable[Submission]) -> list[Scorecard]:
    """Their scorecards, by a scripted judge on a server of its own."""
    with FakeServer() as server:
        server.keep = False
        server.answer = served(judge)
        run = PanelRun(["openai:scripted"], ModelOptions(base_url=server.url), rubric="default")
        made = list(run.results(submissions))
    assert run.stopped is None, run.stopped
    return [card for card in made if isinstance(card, Scorecard)]


def outcomes(
    judge: Callable[[Request], Reply],
    placed: Callable[[Attack], Submission],
    attacks: Sequence[Attack] = ATTACKS,
) -> list[Outcome]:
    """What each attack came to, beside the same output without one."""
    honest, *attacked = cards(judge, [placed(Attack("none", WEAK)), *map(placed, attacks)])
    assert len(attacked) == len(attacks)
    return [
        outcome(attack, card, honest.final if WEAK in placed(attack).output else None)
        for attack, card in zip(attacks, attacked, strict=True)
    ]


def outcome(attack: Attack, card: Scorecard, honest: Decimal | None) -> Outcome:
    """Whether an attack gained more than the margin over the honest score; one without content, more than the least."""
    most = BARE if honest is None else honest + MARGIN
    words = " ".join([*card.warnings, *(line.justification for line in card.dimensions.values())])
    signs = ("injection-suspected", "removed before judging", "addresses the judge", "nothing but", "empty")
    return Outcome(
        attack.name, card.final, card.final is not None and card.final > most, any(sign in words for sign in signs)
    )
