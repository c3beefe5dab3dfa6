"""Two scorecards side by side: what moved, by how many points, and which evidence is new. Pure."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, NamedTuple, TypedDict

from evenhand.core.basics.methodology import DIMENSIONS
from evenhand.core.basics.published import Json
from evenhand.core.values.opinion import Evidence
from evenhand.core.values.scorecard import Scorecard

ZERO = Decimal("0.00")


class Move(NamedTuple):
    """One thing that differs, and its effect on the final score."""

    name: str
    before: Decimal | None
    """The score, or the signed amount of a flag or bonus; None where there is none."""
    after: Decimal | None
    points: Decimal | None
    """None where a dimension is unscored on one side."""


MovedQuote = TypedDict("MovedQuote", {"for": str, "quote": str, "verified": bool | None})
"""A quote that only one of the two has, and what it was given for."""


def _write_evidence(moved: tuple[tuple[str, Evidence], ...]) -> list[MovedQuote]:
    return [{"for": name, "quote": quote.quote, "verified": quote.verified} for name, quote in moved]


_MovedEvidence = Annotated[tuple[tuple[str, Evidence], ...], Json(shape=list[MovedQuote], write=_write_evidence)]


class Changes(NamedTuple):
    """From one scorecard to another. The points of all moves and the rest add up to the change of the final score."""

    final: Decimal | None
    moves: tuple[Move, ...]
    rest: Decimal | None
    """The effect of rounding, caps, floor and ceiling; None without two final scores."""
    new_evidence: _MovedEvidence
    gone_evidence: _MovedEvidence
    notes: tuple[str, ...]


def changes(before: Scorecard, after: Scorecard) -> Changes:
    """What changed from one scorecard to the other."""
    moves = [*_dimensions(before, after), *_claims(before, after)]
    final = None if before.final is None or after.final is None else after.final - before.final
    counted = [move.points for move in moves]
    rest = None
    if final is not None:
        rest = final - sum((points for points in counted if points is not None), ZERO)
    there, here = _evidence(before), _evidence(after)
    return Changes(
        moves=tuple(moves),
        rest=rest,
        final=final,
        new_evidence=tuple(here[key] for key in here if key not in there),
        gone_evidence=tuple(there[key] for key in there if key not in here),
        notes=_notes(before, after),
    )


def _dimensions(before: Scorecard, after: Scorecard) -> list[Move]:
    moves = []
    for name in DIMENSIONS:
        old, new = before.dimensions[name], after.dimensions[name]
        if old.score == new.score and old.weight == new.weight:
            continue
        points = None if old.points is None or new.points is None else new.points - old.points
        moves.append(Move(name, old.score, new.score, points))
    return moves


def _claims(before: Scorecard, after: Scorecard) -> list[Move]:
    old_flags = {flag.id: -flag.deduction for flag in before.red_flags}
    new_flags = {flag.id: -flag.deduction for flag in after.red_flags}
    old_bonuses = {award.id: award.bonus for award in before.bonuses}
    new_bonuses = {award.id: award.bonus for award in after.bonuses}
    moves = []
    for noun, old, new in (("red flag", old_flags, new_flags), ("bonus", old_bonuses, new_bonuses)):
        for id in {**old, **new}:
            was, now = old.get(id), new.get(id)
            if was != now:
                moves.append(Move(f"{noun} {id}", was, now, (now or ZERO) - (was or ZERO)))
    return moves


def _evidence(card: Scorecard) -> dict[tuple[str, str], tuple[str, Evidence]]:
    lists = [(name, line.evidence) for name, line in card.dimensions.items()]
    lists += [(f"red flag {flag.id}", flag.evidence) for flag in card.red_flags]
    lists += [(f"bonus {award.id}", award.evidence) for award in card.bonuses]
    return {(name, item.quote): (name, item) for name, evidence in lists for item in evidence}


def _notes(before: Scorecard, after: Scorecard) -> tuple[str, ...]:
    """Why the two may not be comparable (R18)."""
    pairs = (
        ("skills", before.skill, after.skill),
        ("rubrics", before.receipt.rubric, after.receipt.rubric),
        ("judges", before.judge, after.judge),
    )
    return tuple(f"the two come from different {what}" for what, old, new in pairs if old != new)
