"""Where a judge and people differ most, with what each of them said. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from heapq import nsmallest
from math import fsum
from typing import Annotated, Final, NamedTuple

from evenhand.core.published import SIX_PLACES
from evenhand.stats.agreement.label_scales import CATEGORIES, Scale

WORST: Final = 5
"""How many are listed unless another number is asked for."""

Reasons = Mapping[tuple[str, str], str]
"""By item and rater: why the rater gave the item its value."""


class Disagreement(NamedTuple):
    """One item that a judge and people see differently."""

    item: str
    judge: str
    """The judge's value."""
    people: str
    """The mean of people's values, or the most frequent one where values are words."""
    difference: Annotated[float | None, SIX_PLACES] = None
    """The judge's value less people's; in steps where values are words in order; None where they have none."""
    judge_reason: str | None = None
    people_reasons: tuple[str, ...] = ()
    """What people wrote, each with its rater."""


def worst_disagreements(
    judge: str,
    people: Sequence[str],
    values: Mapping[str, Mapping[str, str]],
    scale: Scale,
    reasons: Reasons,
    *,
    most: int = WORST,
) -> tuple[Disagreement, ...]:
    """The items on which the judge is farthest from people, the farthest first; items they agree on are left out."""
    apart = []
    for item, row in values.items():
        given = [row[rater] for rater in people if rater in row]
        if judge in row and given and (distance := _distance(row[judge], given, scale)):
            apart.append((-abs(distance), item, distance, given))
    found = []
    for _, item, distance, given in nsmallest(most, apart):
        said = tuple(f"{rater}: {reasons[item, rater]}" for rater in people if (item, rater) in reasons)
        in_order = scale.ordered or not scale.words
        difference = distance if scale.name != CATEGORIES and in_order else None
        reason = reasons.get((item, judge))
        found.append(Disagreement(item, values[item][judge], _shown(given, scale), difference, reason, said))
    return tuple(found)


def _distance(value: str, given: Sequence[str], scale: Scale) -> float:
    """How far the judge's value is above people's; 1 for another word without an order."""
    if not scale.words and scale.name != CATEGORIES:
        return round(float(value) - fsum(map(float, given)) / len(given), 9)
    if not scale.words or not scale.ordered:
        return float(value != _most_frequent(given))
    places = {word: place for place, word in enumerate(scale.words)}
    return round(places[value] - sum(places[word] for word in given) / len(given), 9)


def _shown(given: Sequence[str], scale: Scale) -> str:
    """What people gave together."""
    if scale.words or scale.name == CATEGORIES:
        return _most_frequent(given)
    return f"{fsum(map(float, given)) / len(given):.2f}".rstrip("0").rstrip(".")


def _most_frequent(given: Sequence[str]) -> str:
    counts = Counter(given)
    return max(dict.fromkeys(given), key=lambda word: counts[word])
