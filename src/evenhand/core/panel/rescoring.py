"""A judgement already made, under a changed rubric: weights, amounts and pass mark are new, the words are not. Pure.

No judge is asked again, so what a judge was never asked about cannot count, and what it was asked
about in other words is said.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from evenhand.core.basics.methodology import DIMENSIONS
from evenhand.core.panel.official import Kind
from evenhand.core.panel.voices import SINGULAR
from evenhand.core.values.judgement import Judgement
from evenhand.core.values.opinion import Claim
from evenhand.core.values.panel import Discounted, Panel
from evenhand.core.values.rubric import Terms
from evenhand.core.values.scorecard import Scorecard


def under(judgement: Judgement, terms: Terms) -> tuple[Judgement, tuple[str, ...]]:
    """The judgement with the claims that these terms list, and a warning that names the others."""
    flags = [claim for claim in judgement.red_flags if claim.id not in terms.red_flags]
    bonuses = [claim for claim in judgement.bonuses if claim.id not in terms.bonuses]
    gone = [f"red flag {claim.id}" for claim in flags] + [f"bonus {claim.id}" for claim in bonuses]
    made = judgement._replace(
        red_flags=tuple(claim for claim in judgement.red_flags if claim not in flags),
        bonuses=tuple(claim for claim in judgement.bonuses if claim not in bonuses),
        panel=None
        if judgement.panel is None
        else _panel(judgement.panel, terms, {"red_flags": flags, "bonuses": bonuses}),
    )
    return made, (f"the rubric no longer lists {_and(gone)}; it does not count",) if gone else ()


def _panel(panel: Panel, terms: Terms, gone: Mapping[Kind, Iterable[Claim]]) -> Panel:
    """Votes for what is no longer listed are taken off each judge, and told as unlisted."""
    lost = [
        Discounted(SINGULAR[kind], claim.id, member.judge["name"], "unlisted", claim.explanation, claim.evidence)
        for member in panel.members
        for kind, claims in gone.items()
        for claim in claims
        if claim.id in getattr(member, kind)
    ]
    return panel._replace(
        members=tuple(
            member._replace(
                red_flags=tuple(id for id in member.red_flags if id in terms.red_flags),
                bonuses=tuple(id for id in member.bonuses if id in terms.bonuses),
            )
            for member in panel.members
        ),
        discounted=(*(_still(each, terms) for each in panel.discounted), *lost),
    )


def _still(claim: Discounted, terms: Terms) -> Discounted:
    listed = terms.red_flags if claim.kind == "red_flag" else terms.bonuses
    return claim if claim.id in listed else claim._replace(reason="unlisted")  # an observation is unlisted anyway


def changed_since(asked: Mapping[str, str], now: Mapping[str, str]) -> tuple[str, ...]:
    """What a reader must know about criteria that are not those the judges were asked about."""
    other = [name for name in now if name in asked and asked[name] != now[name]]
    new = [name for name in now if name not in asked]
    warnings = []
    bands = [name for name in DIMENSIONS if name in other]
    if bands:
        warnings.append(f"the criteria of {_and(bands)} changed since the judging; the scores answer the old criteria")
    words = [_claim(name) for name in other if "." in name]
    if words:
        warnings.append(f"{_and(words)} changed in words since the judging; the judges answered the old words")
    if "summary" in other:
        warnings.append("the rubric's introduction changed since the judging; the scores answer the old one")
    if new:
        warnings.append(f"nobody was asked about {_and(map(_claim, new))}; the rubric did not list it at the judging")
    return tuple(warnings)


def came_from(card: Scorecard) -> str:
    """What a rescored scorecard says of the one it was made from."""
    was = f"{card.final} ({card.grade.letter})" if card.final is not None and card.grade else "without a final score"
    return (
        f"rescored from {card.id}, which was {was} under rubric {card.rubric} "
        f"(sha256 {card.receipt.rubric[:12]}); no judge was asked again"
    )


def _claim(name: str) -> str:
    kind, _, id = name.partition(".")
    return f"{'red flag' if kind == 'red_flags' else 'bonus'} {id}"


def _and(names: Iterable[str]) -> str:
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last
