"""Every criterion of a scorecard as one row: those of its rubric, and the sentences that judges decided. Pure.

Whatever follows criteria over several scorecards goes through these rows: comparisons, suites, labels, long tables.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import NamedTuple

from evenhand.core.criteria.costs import State, criteria_costs
from evenhand.core.values.criterion import CANNOT_TELL, NO, PARTLY, YES
from evenhand.core.values.finding import NEEDS_A_READER
from evenhand.core.values.opinion import Answer, Verdict
from evenhand.core.values.scorecard import Scorecard

_ONE = Fraction(1)
_ANSWERS: Mapping[str, Answer] = {"met": YES, "unmet": NO, "undecided": CANNOT_TELL}
_STATES: Mapping[str, State] = {"met": "met", "unmet": "missed", "undecided": "open"}


class VerdictRow(NamedTuple):
    """One criterion of one scorecard."""

    id: str
    """Its id in the rubric; of a sentence, the sentence itself."""
    dimension: str
    """Whose score it gives; empty for a sentence, which gives none."""
    sentence: str
    points: Fraction
    verdict: Verdict
    state: State
    met: Fraction | None
    """How far it is met, from 0 to 1; None when it cannot be told or does not apply."""
    lost: Fraction
    """What it costs the final score, in points, before claims: at most that, where it cannot be told."""


def verdict_rows(card: Scorecard) -> Iterator[VerdictRow]:
    """The criteria of a scorecard in the order of its dimensions and rubric, then its sentences."""
    for name, line in card.dimensions.items():
        if line.criteria is None or not line.criteria.verdicts:
            continue
        costs = {cost.criterion.id: cost for cost in criteria_costs(line.criteria)}
        values = {YES: _ONE, NO: _ONE - 1, PARTLY: line.criteria.tree.partly}
        for criterion in line.criteria.tree.criteria():
            cost = costs[criterion.id]
            value = values.get(cost.verdict.answer)
            met = value if value is None or criterion.points >= 0 else 1 - value
            yield VerdictRow(
                criterion.id,
                name,
                criterion.sentence,
                criterion.points,
                cost.verdict,
                cost.state,
                met,
                cost.lost * Fraction(line.weight),
            )
    for expected in () if card.checked is None else card.checked.expectations:
        if expected.by or expected.message == NEEDS_A_READER:
            met = None if expected.result == "undecided" else Fraction(expected.result == "met")
            verdict = Verdict(_ANSWERS[expected.result], expected.message, (), expected.by, expected.votes)
            state = _STATES[expected.result]
            yield VerdictRow(expected.words, "", expected.words, _ONE, verdict, state, met, _ONE - 1)
