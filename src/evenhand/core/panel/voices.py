"""The judges of a panel, each with what it said, under a name that no other has. Pure."""

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
    """Its own, with a number behind it when two judges have the same."""
    said: Judgement
    member: Member
    discounted: tuple[Discounted, ...]
    """Its claims that do not count whatever the others say."""


def voices_of(judgements: Sequence[Judgement]) -> list[Voice]:
    """Each judge with its member of the panel; a claim without a verified quote is no vote."""
    voices: list[Voice] = []
    for said in judgements:
        name = _free(said.judge["name"], {voice.name for voice in voices})
        member = said.panel.members[0] if said.panel is not None else _member(said)
        renamed = {**member.judge, "name": name}
        quoted = [{claim.id for claim in claims if _verified(claim)} for claims in (said.red_flags, said.bonuses)]
        member = member._replace(
            judge=renamed,
            red_flags=tuple(id for id in dict.fromkeys(member.red_flags) if id in quoted[0]),
            bonuses=tuple(id for id in dict.fromkeys(member.bonuses) if id in quoted[1]),
        )
        earlier = said.panel.discounted if said.panel is not None else ()
        discounted = tuple(each._replace(judge=name) for each in earlier) + _unverified(said, name)
        voices.append(Voice(name, said, member, discounted))
    return voices


def _free(name: str, taken: set[str]) -> str:
    """The name, with a number behind it if another judge has it already."""
    number = 1
    free = name
    while free in taken:
        number += 1
        free = f"{name} #{number}"
    return free


def _member(said: Judgement) -> Member:
    """A judge that keeps no panel of its own, such as the checks: what it said is all there is."""
    return Member(
        judge=said.judge,
        scores={name: opinion.score for name, opinion in said.opinions.items()},
        distributions={name: opinion.distribution for name, opinion in said.opinions.items() if opinion.distribution},
        red_flags=tuple(claim.id for claim in said.red_flags),
        bonuses=tuple(claim.id for claim in said.bonuses),
    )


def _verified(claim: Claim) -> bool:
    return any(each.verified for each in claim.evidence)


def _unverified(said: Judgement, name: str) -> tuple[Discounted, ...]:
    """Claims that came this far without a verified quote; they do not count."""
    return tuple(
        Discounted(SINGULAR[kind], claim.id, name, "unverified", claim.explanation, claim.evidence)
        for kind in SINGULAR
        for claim in getattr(said, kind)
        if not _verified(claim)
    )
