"""Where a judge and people differ most, with what each of them said. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Annotated, Final, NamedTuple

from evenhand.files.published import Json, SixPlaces
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
    difference: Annotated[SixPlaces | None, Json(optional=True)]
    """The judge's value less people's; in steps where values are words in order; None where they have none."""
    judge_reason: Annotated[str | None, Json(optional=True)] = None
    people_reasons: Annotated[tuple[str, ...], Json(optional=True)] = ()
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
    found: list[tuple[Fraction, Disagreement]] = []
    for item, row in values.items():
        given = [row[rater] for rater in people if rater in row]
        if judge not in row or not given:
            continue
        shown, distance = _distance(row[judge], given, scale)
        if distance == 0:
            continue
        said = tuple(f"{rater}: {reasons[item, rater]}" for rater in people if (item, rater) in reasons)
        in_order = scale.ordered or not scale.words
        difference = float(distance) if scale.name != CATEGORIES and in_order else None
        entry = Disagreement(item, row[judge], shown, difference, reasons.get((item, judge)), said)
        found.append((abs(distance), entry))
    found.sort(key=lambda pair: (-pair[0], pair[1].item))
    return tuple(entry for _, entry in found[:most])


def _distance(value: str, given: Sequence[str], scale: Scale) -> tuple[str, Fraction]:
    """What people gave together, and how far the judge's value is above it; 1 for another word without an order."""
    if not scale.words and scale.name != CATEGORIES:
        mean = sum(map(Fraction, given), Fraction(0)) / len(given)
        return f"{float(mean):.2f}".rstrip("0").rstrip("."), Fraction(value) - mean
    counts = Counter(given)
    most_frequent = max(dict.fromkeys(given), key=lambda word: counts[word])
    if not scale.words or not scale.ordered:
        return most_frequent, Fraction(value != most_frequent)
    places = {word: place for place, word in enumerate(scale.words)}
    mean = Fraction(sum(places[word] for word in given), len(given))
    return most_frequent, places[value] - mean
