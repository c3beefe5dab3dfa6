"""Everything a gate says: its sentences, and how they show numbers. `gate` decides which of them is true."""

from __future__ import annotations

from decimal import Decimal
from typing import Final

from evenhand.core.numbers import shown
from evenhand.decisions.values.decision import Measure
from evenhand.in_words import counted

SENTENCES: Final = {
    # one scorecard
    "below": "{reached} is below {required}",
    "open": "{why}: {questions}",
    "limit open": "{required} may or may not be reached",
    "flag": "red flag {id} was raised: {why}",
    "flags open": "only a reader can tell whether a red flag applies",
    "no checks": 'no checks ran on it, so its faults are unknown; add the judge "checks"',
    "no expectations": "no expectation was looked at",
    "expectation": "{result}: {line}",
    "sentences open": "{sentences} undecided: {which}",
    "criterion": "criterion {id} is {result}: {why}",
    "criterion open": "criterion {id} cannot be told: {why}",
    "no criterion": "criterion {id} was not asked about",
    "not comparable": "{name} cannot be compared: {reason}",
    "worse": "worse than the baseline: decided by {rule} ({finals})",
    "equal": "not better than the baseline: equal in everything ({finals})",
    "unscored dimension": "a dimension is unscored",
    "no official score": "no official score ({reason})",
    "no fault": "no fault that the gate looks for; {unread}",
    # a drop
    "unread cases": "{unread}, so there is nothing to compare with the baseline",
    "unscored cases": "{missing} of {outputs} have no final score, and a drop there would not be seen",
    "no case": "no case has a value on both sides",
    "one case": "only one case has a value on both sides",
    "change": "mean change {mean} over {cases}",
    "counts": ", better in {better} and worse in {worse}",
    "chance": ", chance of such a drop {chance:.3f}",
    "drop": "; the drop exceeds the margin of {margin}",
    "hidden drop": "; counted as losses, the runs without a value would be a drop",
    "worse by chance": "; only a chance of at most {level:.3f} makes a gate red",
    "drop by chance": "; the drop exceeds the margin of {margin}, but may be chance",
    "ruled out": "; a drop beyond the margin of {margin} is ruled out",
    "no drop": "; no drop beyond the margin of {margin} was detected",
    "too few": "; with cases this few or this scattered, {visible} could be detected",
    # why a comparison is not relied on
    "doubt": "{says}; but {doubt}",
    "seen": "{runs} may have seen the answers, so nothing is concluded",
    "mostly left out": (
        "only {counted} of {expectations} expectations could be decided on both sides, fewer than two thirds, "
        "so nothing is concluded"
    ),
    "turned": "with runs that have no value counted as losses the difference does not hold, so nothing is concluded",
    "contradicted": "most cases and the mean point in opposite directions, so nothing is concluded",
    # a variant of a suite
    "mean score": "{mean:.2f} over {cases} cases; at least {least} is required",
    "no mean score": "{unread}, so there is no score to compare with {least}",
    "failed runs": "{failed} of {runs} runs failed; at most {most:%} may",
    "faults": "faults found: {faults}",
    "no faults": "no {least} fault or worse was found",
    # all rulings together
    "closed": "red: the gate is closed",
    "unread files": "undecided: {errors} could not be read",
    "undecided": "undecided: the data cannot tell; this is not a pass",
    "is open": "the gate is open",
}
"""Everything a gate says."""

TITLES: Final = {"red": "The gate is closed", "green": "The gate is open", "undecided": "Undecided"}
"""The heading of a page, by the result of a gate."""


def say(sentence: str, **values: object) -> str:
    """A sentence with its values."""
    return SENTENCES[sentence].format(**values)


def change(mean: float, cases: int, measure: Measure, unit: str = "case") -> str:
    """How much a mean has changed."""
    return say("change", mean=measured(mean, measure), cases=counted(cases, unit))


def measured(value: float, measure: Measure, *, sign: bool = True) -> str:
    """A value or a difference in the unit of its measure: points, or a share of expectations."""
    plus = "+" if sign else ""
    return f"{value:{plus}.2f}" if measure == "final score" else f"{100 * value:{plus}.1f}%"


def exactly(margin: Decimal, measure: Measure) -> str:
    """A margin with all its decimals."""
    return shown(margin) if measure == "final score" else f"{shown(100 * margin)}%"
