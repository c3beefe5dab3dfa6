"""The arithmetic that several rules share: weights made whole, and the steps after the weighted sum.

Pure, in whole hundredths.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal
from functools import lru_cache
from typing import TYPE_CHECKING

from evenhand.core.basics.methodology import (
    DIMENSIONS,
    HIGHEST,
    LOWEST,
    Grade,
    grade_of,
)
from evenhand.core.basics.numbers import half_up, whole
from evenhand.core.values.rubric import RAW, Bonus, RedFlag, Terms
from evenhand.named_tuple import NamedTuple

if TYPE_CHECKING:
    from evenhand.core.values.criterion import Tree


def make_terms(
    *,
    rubric: str,
    sha256: str,
    weights: Mapping[str, Decimal],
    pass_mark: Decimal,
    red_flags: Iterable[RedFlag],
    bonuses: Iterable[Bonus],
    criteria: Mapping[str, str] | None = None,
    official: str = RAW,
    trees: Mapping[str, Tree] | None = None,
) -> Terms:
    """Terms, with the weights made whole once for all scorecards."""
    units, scale = whole_units(weights)
    return Terms(
        rubric=rubric,
        sha256=sha256,
        weights=weights,
        pass_mark=pass_mark,
        red_flags={flag.id: flag for flag in red_flags},
        bonuses={bonus.id: bonus for bonus in bonuses},
        units=units,
        scale=scale,
        criteria=criteria or {},
        official=official,
        trees=trees or {},
    )


def whole_units(weights: Mapping[str, Decimal]) -> tuple[tuple[int, ...], int]:
    """Weights that sum to 1 as whole numbers, in the order of the dimensions, and what those sum to."""
    places = max(-int(weights[name].as_tuple().exponent) for name in DIMENSIONS)
    scale = 10 ** max(0, places)
    return tuple(whole(weights[name], scale) for name in DIMENSIONS), scale


class Outcome(NamedTuple):
    """The steps after the weighted sum, in hundredths, and the grade they end in."""

    composite: int
    after_deductions: int
    final: int
    grade: Grade


def apply_claims(weighted: int, scale: int, deduction: int, bonus: int) -> Outcome:
    """R2, R10: round once, deduct, floor, add, cap. The amounts are capped already (R9)."""
    return _outcome(half_up(weighted, scale), deduction, bonus)


@lru_cache(maxsize=16_384)
def _outcome(composite: int, deduction: int, bonus: int) -> Outcome:
    after = max(LOWEST, composite - deduction)
    final = min(HIGHEST, after + bonus)
    assert LOWEST <= final <= HIGHEST  # step 5 of the specification changes nothing (R10)
    return Outcome(composite, after, final, grade_of(final))
