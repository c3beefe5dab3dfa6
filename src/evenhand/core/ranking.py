"""Scorecards -> ranking, with the rule that decided each neighbouring pair (R11, R12). Pure.

The order of the input never matters: equal scorecards share a rank, and are listed by id.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import groupby
from typing import Annotated, ClassVar, NamedTuple

from evenhand.core.bounds import NOT_READ
from evenhand.core.published import LETTERS, SCORE
from evenhand.core.rules import TIE_BREAKS
from evenhand.core.scorecard import Scorecard


@dataclass(frozen=True, slots=True)
class RankedEntry:
    """One place of a ranking."""

    rank: int
    """From 1; equal ones share a rank."""
    id: str
    """The id of the scorecard, or the name of its file."""
    skill: str
    """What made the output."""
    final: Annotated[Decimal, SCORE]
    """The final score."""
    grade: Annotated[str, LETTERS]
    """The letter of the final score."""
    equivalent_to: tuple[str, ...]
    """The others on the same rank."""
    decided_by: Annotated[str | None, {"enum": ("final", *TIE_BREAKS, "red_flags", "bonuses", "equivalent")}]
    """The rule that put this entry above the next one; null on the last."""


@dataclass(frozen=True, slots=True)
class Unranked:
    """A scorecard without a final score has no place."""

    id: str
    """The id of the scorecard, or the name of its file."""
    skill: str
    """What made the output."""
    reason: str
    """Why there is no final score."""
    at_best: Annotated[Decimal | None, SCORE, {"always": True}] = None
    """The highest final score it can still have; null when anything is possible."""
    below: Annotated[int, {"always": True}] = 0
    """How many ranked entries are certainly better."""
    above: Annotated[int, {"always": True}] = 0
    """How many ranked entries are certainly worse."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """Scorecards in order, best first."""

    SCHEMA: ClassVar = "evenhand/ranking/v1"

    entries: tuple[RankedEntry, ...]
    """The entries with a final score, best first."""
    unranked: tuple[Unranked, ...]
    """The entries without a final score, by id."""
    warnings: tuple[str, ...]
    """For example, that the scorecards follow different rubrics."""


RULES = ("final", *TIE_BREAKS, "red_flags", "bonuses")
"""R11: what is compared, in this order."""

EQUIVALENT = "equivalent"


class Contender(NamedTuple):
    """The parts of a scorecard a ranking needs, small enough for a million to fit in memory."""

    id: str
    skill: str
    rubric: str
    grade: str
    key: tuple[Decimal, ...] | None
    """One number for each of `RULES`, higher is better; None without a final score."""
    reason: str = ""
    """Why there is no key."""
    interval: tuple[Decimal, Decimal] | None = None
    """Where its final score can lie, without a key."""


def contender(card: Scorecard, name: str) -> Contender:
    """A scorecard as a ranking sees it, under its id or another name."""
    unscored = [
        f"{dim} unscored: {line.unscored}" for dim, line in card.dimensions.items() if line.unscored is not None
    ]
    if card.no_official is not None:
        unscored.append(f"no official score: {card.no_official}")
    key = None
    if card.final is not None:
        scores = [card.dimensions[name].score for name in TIE_BREAKS]
        key = (
            card.final,
            *(score for score in scores if score is not None),
            Decimal(-len(card.red_flags)),
            Decimal(len(card.bonuses)),
        )
    return Contender(
        id=name,
        skill=card.skill,
        rubric=card.receipt.rubric,
        grade=card.grade.letter if card.grade else "",
        key=key,
        reason=NOT_READ if card.unread else "; ".join(unscored),
        interval=None if card.interval is None else (card.interval.low, card.interval.high),
    )


def rank_contenders(contenders: Iterable[Contender]) -> Ranking:
    """Order contenders, best first (R11); those that no rule tells apart share a rank (R12)."""
    everyone = list(contenders)
    keyed = [(entry.key, entry) for entry in everyone if entry.key is not None]
    keyed.sort(key=lambda pair: pair[1].id)
    keyed.sort(key=lambda pair: pair[0], reverse=True)
    groups = [(key, [entry for _, entry in same]) for key, same in groupby(keyed, key=lambda pair: pair[0])]
    entries: list[RankedEntry] = []
    for place, (key, group) in enumerate(groups):
        below = groups[place + 1][0] if place + 1 < len(groups) else None
        rank_here = len(entries) + 1
        ids = [entry.id for entry in group]
        for inside, entry in enumerate(group):
            last = inside == len(group) - 1
            entries.append(
                RankedEntry(
                    rank=rank_here,
                    id=entry.id,
                    skill=entry.skill,
                    final=key[0],
                    grade=entry.grade,
                    equivalent_to=tuple(ids[:inside] + ids[inside + 1 :]),
                    decided_by=EQUIVALENT if not last else None if below is None else deciding_rule(key, below),
                )
            )
    unranked = sorted((entry for entry in everyone if entry.key is None), key=lambda entry: entry.id)
    return Ranking(
        entries=tuple(entries),
        unranked=tuple(_unranked(entry, entries) for entry in unranked),
        warnings=_warnings(everyone),
    )


def _unranked(entry: Contender, entries: Sequence[RankedEntry]) -> Unranked:
    """An entry without a place, and how many ranked ones its interval does not overlap; overlapping ones have no
    order."""
    if entry.interval is None:
        return Unranked(id=entry.id, skill=entry.skill, reason=entry.reason)
    low, high = entry.interval
    return Unranked(
        id=entry.id,
        skill=entry.skill,
        reason=entry.reason,
        at_best=high,
        below=bisect_left(entries, -high, key=lambda ranked: -ranked.final),
        above=len(entries) - bisect_right(entries, -low, key=lambda ranked: -ranked.final),
    )


def deciding_rule(above: Sequence[Decimal], below: Sequence[Decimal]) -> str:
    """The first rule on which two keys differ; `equivalent` if none does (R12)."""
    return next((rule for rule, better, worse in zip(RULES, above, below, strict=True) if better != worse), EQUIVALENT)


def _warnings(everyone: Sequence[Contender]) -> tuple[str, ...]:
    rubrics = {entry.rubric for entry in everyone}
    if len(rubrics) < 2:
        return ()
    return (f"these were scored under {len(rubrics)} different rubrics; ranks are comparable only under one rubric",)
