"""The judges of a panel, each with its judgement and a unique name. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from evenhand.core.panel.official import Kind
from evenhand.core.values.judgement import Judgement
from evenhand.core.values.opinion import Claim
from evenhand.core.values.panel import Discounted, Member

SINGULAR: dict[Kind, Literal["red_flag", "bonus"]] = {"red_flags": "red_flag", "bonuses": "bonus"}


class Voice(NamedTuple):
    """One judge's part."""

    name: str
    """The judge's name, numbered when two judges share it."""
    judgement: Judgement
    member: Member
    discounted: tuple[Discounted, ...]
    """Its claims that do not count, regardless of the other judges."""


def voices_of(judgements: Sequence[Judgement]) -> list[Voice]:
    """Each judge with its member of the panel; a claim without a verified quote is not a vote."""
    voices: list[Voice] = []
    for judgement in judgements:
        name = _free(judgement.judge["name"], {voice.name for voice in voices})
        member = judgement.panel.members[0] if judgement.panel is not None else _member(judgement)
        renamed = {**member.judge, "name": name}
        quoted = [
            {claim.id for claim in claims if _verified(claim)} for claims in (judgement.red_flags, judgement.bonuses)
        ]
        member = member._replace(
            judge=renamed,
            red_flags=tuple(id for id in dict.fromkeys(member.red_flags) if id in quoted[0]),
            bonuses=tuple(id for id in dict.fromkeys(member.bonuses) if id in quoted[1]),
        )
        earlier = judgement.panel.discounted if judgement.panel is not None else ()
        discounted = tuple(claim._replace(judge=name) for claim in earlier) + _unverified(judgement, name)
        voices.append(Voice(name, judgement, member, discounted))
    return voices


def _free(name: str, taken: set[str]) -> str:
    """The name, numbered if another judge already has it."""
    number = 1
    free = name
    while free in taken:
        number += 1
        free = f"{name} #{number}"
    return free


def _member(judgement: Judgement) -> Member:
    """The member for a judge that has no panel, taken from its judgement."""
    return Member(
        judge=judgement.judge,
        scores={name: opinion.score for name, opinion in judgement.opinions.items()},
        distributions={
            name: opinion.distribution for name, opinion in judgement.opinions.items() if opinion.distribution
        },
        red_flags=tuple(claim.id for claim in judgement.red_flags),
        bonuses=tuple(claim.id for claim in judgement.bonuses),
        verdicts={id: v.answer for opinion in judgement.opinions.values() for id, v in opinion.verdicts.items()},
    )


def _verified(claim: Claim) -> bool:
    return any(quote.verified for quote in claim.evidence)


def _unverified(judgement: Judgement, name: str) -> tuple[Discounted, ...]:
    """Claims without a verified quote; they do not count."""
    return tuple(
        Discounted(SINGULAR[kind], claim.id, name, "unverified", claim.explanation, claim.evidence)
        for kind in SINGULAR
        for claim in getattr(judgement, kind)
        if not _verified(claim)
    )
