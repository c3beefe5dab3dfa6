"""Choosing what people review, so that each item's probability of being chosen is known. Pure.

By a random sample, every item has the same probability, and estimates hold for all of them. By doubt, only doubtful
items can be chosen, each with a probability in proportion to its number of doubts; estimates hold for the doubtful,
with each item weighted by one over its probability. The same seed chooses the same items, in whatever order they come.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final, NamedTuple

from evenhand.core.receipt import sha256
from evenhand.core.rules import GRADES

EDGE: Final = 10
"""Hundredths of a point: a final score this close to the edge of a grade is in doubt."""

DISPUTED: Final = "disputed"
NEAR_EDGE: Final = "near a grade edge"
ALARM: Final = "alarm"
UNSCORED: Final = "unscored"
DOUBTS: Final = (DISPUTED, NEAR_EDGE, ALARM, UNSCORED)

PLACES: Final = Decimal("0.000000001")
"""A probability is recorded to nine decimals."""


class Candidate(NamedTuple):
    """An item that can be chosen."""

    key: str
    doubts: tuple[str, ...] = ()


class Chosen(NamedTuple):
    """An item that was chosen, with the probability that it had."""

    key: str
    probability: Fraction
    doubts: tuple[str, ...]

    @property
    def recorded(self) -> Decimal:
        """The probability as it is recorded."""
        ratio = Decimal(self.probability.numerator) / Decimal(self.probability.denominator)
        return max(ratio.quantize(PLACES), PLACES).normalize()


def by_sample(candidates: Sequence[Candidate], size: int, seed: str) -> list[Chosen]:
    """A random sample without replacement; each item has the probability size / number of items. In random order."""
    drawn = _shuffled(candidates, seed)[:size]
    return [Chosen(item.key, Fraction(len(drawn), len(candidates)), item.doubts) for item in drawn]


def by_doubt(candidates: Sequence[Candidate], size: int, seed: str) -> list[Chosen]:
    """Doubtful items only, each with a probability in proportion to its number of doubts. In random order."""
    doubtful = _shuffled([item for item in candidates if item.doubts], seed)
    probabilities = inclusion([len(item.doubts) for item in doubtful], size)
    start = Fraction(int(sha256(f"{seed}\nstart"), 16), 2**256)
    chosen, total = [], Fraction(0)
    for item, probability in zip(doubtful, probabilities, strict=True):
        # Systematic sampling: the items lie end to end, as long as their probabilities, and every whole step is taken.
        if _steps(total + probability, start) > _steps(total, start):
            chosen.append(Chosen(item.key, probability, item.doubts))
        total += probability
    return _shuffled(chosen, f"{seed}\norder")


def inclusion(weights: Sequence[int], size: int) -> list[Fraction]:
    """Probabilities in proportion to weights that sum to the size of the sample; none is above 1."""
    if size >= len(weights):
        return [Fraction(1)] * len(weights)
    sure: set[int] = set()
    while True:
        rest = sum(weight for place, weight in enumerate(weights) if place not in sure)
        share = Fraction(size - len(sure), rest)
        shares = {weight: weight * share for weight in set(weights)}  # few differ
        too_likely = {weight for weight, chance in shares.items() if chance > 1}
        above = {place for place, weight in enumerate(weights) if place not in sure and weight in too_likely}
        if not above:
            return [Fraction(1) if place in sure else shares[weight] for place, weight in enumerate(weights)]
        sure |= above


def doubts_of(document: Mapping[str, Any], final: int | None) -> tuple[str, ...]:
    """Why a scorecard's document is in doubt; nothing when it is not. `final` is in hundredths."""
    history = document.get("history") or {}
    disputed = bool((document.get("panel") or {}).get("disputed"))
    alarm = bool(history.get("flags")) or bool((history.get("drift") or {}).get("alarm"))
    return doubts_in(final, disputed=disputed, alarm=alarm)


def doubts_in(final: int | None, *, disputed: bool, alarm: bool) -> tuple[str, ...]:
    """Why an evaluation with these signs is in doubt. `final` is in hundredths."""
    reasons = {
        DISPUTED: disputed,
        NEAR_EDGE: final is not None and near_edge(final),
        ALARM: alarm,
        UNSCORED: final is None,
    }
    return tuple(reason for reason in DOUBTS if reasons[reason])


def near_edge(final: int) -> bool:
    """Whether a final score is so close to the lower edge of a grade that a slightly different score changes it."""
    return any(abs(final - grade.lower) <= EDGE for grade in GRADES[:-1])


def _steps(length: Fraction, start: Fraction) -> int:
    return (length - start).__ceil__()


def _shuffled(items: Sequence[Any], seed: str) -> list[Any]:
    """Items in an order that depends on the seed and their keys alone."""
    return sorted(items, key=lambda item: (sha256(f"{seed}\n{item.key}"), item.key))
