"""A panel's results from its members: medians, majorities, pooled probabilities. Pure and exact.

The order of the judges is irrelevant. A dimension scored by fewer judges than the quorum has no
official score; nothing is imputed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from math import gcd, lcm
from typing import Literal

from evenhand.core.basics.methodology import DIMENSIONS
from evenhand.core.basics.numbers import half_up, hundredths, points
from evenhand.core.values.opinion import Distribution, Unscored
from evenhand.core.values.panel import Member

Kind = Literal["red_flags", "bonuses"]


def median(scores: Sequence[Decimal]) -> Decimal:
    """The middle score; of an even number the mean of the middle two, half up to two decimals."""
    ordered = sorted(map(hundredths, scores))
    middle = len(ordered) // 2
    if len(ordered) % 2:
        return points(ordered[middle])
    return points(half_up(ordered[middle - 1] + ordered[middle], 2))


def scores_in(members: Iterable[Member], dimension: str) -> list[Decimal]:
    """The scores that the judges gave in a dimension."""
    verdicts = (member.scores.get(dimension) for member in members)
    return [score for score in verdicts if isinstance(score, Decimal)]


def needed(members: Iterable[Member], dimension: str, quorum: int | None) -> int:
    """How many judges must have scored a dimension: the quorum, or more than half of those asked about it."""
    if quorum is not None:
        return quorum
    return sum(dimension in member.scores for member in members) // 2 + 1


def ends_in(members: Iterable[Member], dimension: str) -> list[tuple[Decimal, Decimal]]:
    """The lowest and the highest score of each judge that gave one, or some of whose criteria could not be told."""
    verdicts = [member.scores.get(dimension) for member in members]
    spans = [verdict.interval if isinstance(verdict, Unscored) else verdict for verdict in verdicts]
    return [span if isinstance(span, tuple) else (span, span) for span in spans if span is not None]


def official_ends(members: Sequence[Member], dimension: str, quorum: int | None) -> tuple[Decimal, Decimal] | None:
    """The median of the low ends and that of the high ends, or None below the quorum; equal where all judges scored."""
    ends = ends_in(members, dimension)
    if not ends or len(ends) < needed(members, dimension, quorum):
        return None
    return median([low for low, _ in ends]), median([high for _, high in ends])


def official_score(members: Sequence[Member], dimension: str, quorum: int | None) -> Decimal | None:
    """The median of those who scored; None below the quorum, or where criteria that cannot be told leave it open."""
    ends = official_ends(members, dimension, quorum)
    return ends[0] if ends is not None and ends[0] == ends[1] else None


def official_verdict(members: Sequence[Member], dimension: str, quorum: int | None) -> Decimal | Unscored | None:
    """The official score, or between which scores it lies; None below the quorum."""
    ends = official_ends(members, dimension, quorum)
    if ends is None or ends[0] == ends[1]:
        return None if ends is None else ends[0]
    undecided = sum(low != high for low, high in ends_in(members, dimension))
    return Unscored(f"{undecided} of {len(members)} judges could not tell all of its criteria", ends)


def official_scores(members: Sequence[Member], quorum: int | None) -> dict[str, Decimal | None]:
    """The official score of every dimension."""
    return {name: official_score(members, name, quorum) for name in DIMENSIONS}


def carried(members: Sequence[Member], kind: Kind) -> tuple[str, ...]:
    """The claims raised by more than half of the judges that answered the question about claims."""
    answered = [member for member in members if member.abstained is None]
    votes = Counter(id for member in answered for id in dict.fromkeys(getattr(member, kind)))
    return tuple(id for id, count in votes.items() if 2 * count > len(answered))


def pooled(members: Sequence[Member], dimension: str) -> Distribution:
    """The pooled distribution of all judges that scored, equally weighted; parts in lowest terms.

    A judge without a known distribution counts as certain of its score.
    """
    known: list[Mapping[int, int]] = []
    for member in members:
        score = member.scores.get(dimension)
        if isinstance(score, Unscored) or score is None:
            continue
        known.append(member.distributions.get(dimension) or {hundredths(score): 1})
    whole = lcm(*(sum(distribution.values()) for distribution in known))
    parts: Counter[int] = Counter()
    for distribution in known:
        share = whole // sum(distribution.values())
        for place, count in distribution.items():
            parts[place] += count * share
    common = gcd(*parts.values())
    return {place: parts[place] // common for place in sorted(parts) if parts[place]}
