"""Scorecards and a baseline -> red, green or underpowered. Pure.

A gate looks at scores, grades and named red flags, and at a drop against a baseline that is both
larger than a margin and hard to explain by chance. It never looks at the literal history flag (R17).
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from math import inf
from typing import Literal, NamedTuple

from evenhand.core.basics.methodology import GRADES, grade_of
from evenhand.core.basics.numbers import hundredths, points
from evenhand.core.history.pairs import compare_pairs, detectable, fell
from evenhand.core.method.bounds import failures
from evenhand.core.values.finding import Severity
from evenhand.core.values.scorecard import Scorecard
from evenhand.phrases import counted

LEVEL = 0.01
"""How rarely chance alone may turn a gate red."""

Colour = Literal["green", "red", "underpowered", "unscored"]


class Ruling(NamedTuple):
    """A gate's verdict on one scorecard, or on all of them."""

    name: str
    colour: Colour
    says: str


class Gate(NamedTuple):
    """The limits to apply; None means no limit."""

    min_score: Decimal | None = None
    min_grade: str | None = None
    no_red_flags: tuple[str, ...] = ()
    no_fault: Severity | None = None
    """The lowest severity at which a fault found by checks turns the gate red."""
    margin: Decimal = Decimal("0.2")


def judge_card(card: Scorecard, gate: Gate) -> Ruling:
    """One scorecard against the limits; an interval is judged at both ends. Unread work is never treated as read."""
    worst, best = (card.interval.low, card.interval.high) if card.interval else (card.final, card.final)
    assert worst is not None and best is not None
    faults, open_questions = [], []
    limits = [(gate.min_score, f"{best}", f"{gate.min_score}")] if gate.min_score is not None else []
    if gate.min_grade is not None:
        limits.append((_lowest(gate.min_grade), grade_of(hundredths(best)).letter, gate.min_grade))
    for limit, reached, required in limits:
        if best < limit:
            faults.append(f"{reached} is below {required}")
        elif worst < limit:
            open_questions.append(f"{required} may or may not be reached")
    faults += [f"red flag {flag.id} was raised" for flag in card.red_flags if flag.id in gate.no_red_flags]
    if gate.no_red_flags and card.unread:
        open_questions.append("only a reader can tell whether a red flag applies")
    if gate.no_fault is not None:
        if card.checked is None:
            return Ruling(card.id, "unscored", "no checks ran on it, so its faults are unknown")
        faults += failures(card.checked, gate.no_fault)
    if faults:
        return Ruling(card.id, "red", "; ".join(faults))
    if open_questions:
        why = "nobody has read it" if card.unread else "a dimension is unscored"
        if card.no_official is not None:
            why = f"no official score ({card.no_official})"
        return Ruling(card.id, "unscored", f"{why}: {'; '.join(open_questions)}")
    if card.unread:
        return Ruling(card.id, "green", "no fault that the gate looks for; nobody has read it")
    return Ruling(card.id, "green", f"{worst}" if worst == best else f"{worst} to {best}")


def judge_drop(differences: Sequence[Fraction], margin: Decimal) -> Ruling:
    """Paired differences to a baseline, in hundredths, now minus then: red only for a real and large drop."""
    name = "against the baseline"
    if not differences:
        return Ruling(name, "underpowered", "nothing could be paired with the baseline")
    comparison = compare_pairs(differences)
    chance = fell(differences) if len(differences) > 1 else 1.0
    drop = -comparison.mean
    pairs = counted(comparison.pairs, "pair")
    summary = f"mean change {comparison.mean:+.2f} over {pairs}, chance of such a drop {chance:.3f}"
    if chance <= LEVEL and drop > float(margin):
        return Ruling(name, "red", f"{summary}; the drop exceeds the margin of {margin}")
    beyond = [-(difference + 100 * Fraction(margin)) for difference in differences]
    if len(differences) > 1 and fell(beyond) <= LEVEL:
        return Ruling(name, "green", f"{summary}; a drop beyond the margin of {margin} is ruled out")
    least = _detectable(comparison.deviation, comparison.pairs)
    if least > float(margin):
        visible = f"only a drop of {least:.2f} or more" if least < inf else "no drop"
        return Ruling(
            name, "underpowered", f"{summary}; with pairs this few or this scattered, {visible} could be detected"
        )
    return Ruling(name, "green", f"{summary}; no drop beyond the margin of {margin} was detected")


def _detectable(deviation: float | None, pairs: int) -> float:
    """The smallest drop the one-sided test can show; infinite while even all pairs falling is not rare enough."""
    if deviation is None or 0.5**pairs > LEVEL:
        return inf
    return detectable(deviation, pairs, LEVEL)


def _lowest(letter: str) -> Decimal:
    return points(next(grade.lower for grade in GRADES if grade.letter == letter))
