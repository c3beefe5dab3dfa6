"""Which final score is official. Pure.

A rubric may make the calibrated score official, the one people would give. Then the raw result is kept beside it, and
without a calibration that reaches it there is no official score: never the raw one in its place. A person's judgement
needs no calibration: what people give is what a calibration aims at.
"""

from __future__ import annotations

from decimal import Decimal

from evenhand.core.basics.methodology import HIGHEST, LOWEST, grade_above, grade_of
from evenhand.core.basics.numbers import hundredths, points
from evenhand.core.values.label import PERSON
from evenhand.core.values.rubric import RAW, Terms
from evenhand.core.values.scorecard import Interval, NextStep, Official, RawResult, Scorecard

NOT_CALIBRATED = (
    "its judge is not calibrated; judge with --calibration FILE, or make the file from people's labels with: "
    "evenhand calibrate"
)


def awaiting_calibration(card: Scorecard, terms: Terms) -> Scorecard:
    """The scorecard as it is before any calibration: without an official score if its rubric wants a calibrated one."""
    if terms.official == RAW or card.judge.get("name", "").startswith(PERSON):
        return card
    raw = RawResult(card.final, card.grade, card.passed, card.interval, card.next_step)
    return unofficial(card._replace(official=Official(raw, None)), NOT_CALIBRATED)


def unofficial(card: Scorecard, reason: str) -> Scorecard:
    """The scorecard without an official score, and why. People might give anything."""
    assert card.official is not None
    return card._replace(
        final=None,
        grade=None,
        passed=None,
        next_step=None,
        interval=_interval(points(LOWEST), points(HIGHEST)),
        official=card.official._replace(unscored=reason),
    )


def officially(card: Scorecard, low: Decimal, high: Decimal, then: Decimal | None) -> Scorecard:
    """The scorecard with its official score, from `low` to `high` when a dimension is unscored; `then` is the official
    score after its next step, if that is known."""
    assert card.official is not None
    raw = card.official.raw
    best, worst = grade_of(hundredths(high)), grade_of(hundredths(low))
    passed = True if low >= card.pass_mark else False if high < card.pass_mark else None
    return card._replace(
        final=low if raw.interval is None else None,
        grade=best if best is worst and not card.unread else None,
        passed=None if card.unread else passed,
        interval=None if raw.interval is None else _interval(low, high),
        next_step=None if raw.next_step is None or then is None else _step(raw.next_step, low, then),
        official=card.official._replace(unscored=None),
    )


def _interval(low: Decimal, high: Decimal) -> Interval:
    worst, best = (grade_of(hundredths(end)).letter for end in (low, high))
    return Interval(low=low, high=high, grades=(worst, best))


def _step(raw: NextStep, final: Decimal, then: Decimal) -> NextStep:
    """What the same step is worth by official scores."""
    above = grade_above(grade_of(hundredths(final)))
    return NextStep(
        dimension=raw.dimension,
        gain=then - final,
        final=then,
        grade=grade_of(hundredths(then)).letter,
        next_grade=above.letter if above else None,
        distance=points(above.lower) - final if above else points(0),
    )
