"""A second implementation of rules R1 to R12, in `Fraction`, that shares no code with the first.

It knows the specification's numbers by heart on purpose: a constant changed by mistake in the
package must not change here too.
"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from functools import cache
from math import floor
from typing import Any

ORDER = ["correctness", "completeness", "adherence", "actionability", "efficiency", "safety", "consistency"]
TIES = ["correctness", "safety", "completeness", "actionability", "adherence", "efficiency", "consistency"]
DEFAULT_WEIGHTS = dict(zip(ORDER, ["0.25", "0.20", "0.15", "0.15", "0.10", "0.10", "0.05"], strict=True))
GRADES = [
    ("9.5", "A+", "Exceptional"),
    ("9", "A", "Excellent"),
    ("8.5", "A-", "Very Good"),
    ("8", "B+", "Good"),
    ("7.5", "B", "Above Average"),
    ("7", "B-", "Satisfactory"),
    ("6.5", "C+", "Adequate"),
    ("6", "C", "Mediocre"),
    ("5.5", "C-", "Below Average"),
    ("5", "D+", "Poor"),
    ("4", "D", "Very Poor"),
    ("1", "F", "Failing"),
]


@cache
def exact(text: str | Decimal) -> Fraction:
    """A decimal text as the fraction it is."""
    return Fraction(text)


def to_cents(value: Fraction) -> Fraction:
    """Two decimals, halves upward."""
    return Fraction(floor(value * 100 + Fraction(1, 2)), 100)


def evaluate(
    scores: dict[str, str],
    amounts: list[str],
    bonuses: int,
    weights: dict[str, str] | None = None,
) -> dict[str, Any]:
    """Scores, flag amounts and a number of bonuses, as decimal texts, into every number of a scorecard."""
    weighing = {name: exact(text) for name, text in (weights or DEFAULT_WEIGHTS).items()}
    quantised = {name: to_cents(exact(text)) for name, text in scores.items()}
    composite = to_cents(sum((quantised[name] * weighing[name] for name in ORDER), Fraction(0)))
    nominal = sum(map(exact, amounts), Fraction(0))
    deduction = min(nominal, Fraction(2))
    after = max(Fraction(1), composite - deduction)
    bonus = min(bonuses * Fraction(1, 4), Fraction(1))
    final = min(Fraction(10), after + bonus)
    letter, label = next((letter, label) for edge, letter, label in GRADES if final >= exact(edge))
    return {
        "composite": composite,
        "deduction": deduction,
        "after_deductions": after,
        "bonus": bonus,
        "final": final,
        "grade": letter,
        "label": label,
    }


def rank_key(case: dict[str, Any]) -> tuple[Fraction, ...]:
    """What a ranking compares, higher first."""
    result = evaluate(case["scores"], case["amounts"], case["bonuses"], case.get("weights"))
    ties = [to_cents(Fraction(case["scores"][name])) for name in TIES]
    return (result["final"], *ties, Fraction(-len(case["amounts"])), Fraction(case["bonuses"]))
