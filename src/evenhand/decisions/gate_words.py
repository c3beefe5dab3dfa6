"""Everything a gate says: its sentences, and how they show numbers. `gate` decides which of them is true."""

from __future__ import annotations

from decimal import Decimal
from typing import Final

from evenhand.core.numbers import shown
from evenhand.decisions.table import MeasureName

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
    "criterion open": "criterion {id} could not be decided: {why}",
    "no criterion": "criterion {id} was not asked about",
    "not comparable": "{name} cannot be compared: {reason}",
    "worse": "worse than the baseline: decided by {rule} ({finals})",
    "equal": "not better than the baseline: equal in everything ({finals})",
    "unscored dimension": "a dimension is unscored",
    "no official score": "no official score ({reason})",
    "no fault": "no fault that the gate looks for; {unread}",
    # a drop
    "unread cases": "{unread}, so there is nothing to compare with the baseline",
    "drop": "; the drop exceeds the margin of {margin}",
    "small drop": "; whether by more than the margin of {margin} is unclear",
    "drop possible": "; a {kind} drop beyond the margin of {margin} is not ruled out",
    "ruled out": "; a {kind} drop beyond the margin of {margin} is ruled out",
    "unscored side": "; {unscored} of {runs} of {side} could not be scored",
    # a variant of a suite
    "mean score": "{mean:.2f} over {cases}; at least {least} is required",
    "open mean score": (
        "between {low:.2f} and {high:.2f}, as {unscored} of {runs} runs have no score; at least {least} is required"
    ),
    "no mean score": "{unread}, so there is no score to compare with {least}: name a judge",
    "unmet": "{unmet} of {expectations} expectations unmet, {lost} lost",
    "not all decided": "{runs} could not be decided",
    "all met": "all of {expectations} met",
    "failed runs": "{failed} of {runs} runs failed; at most {most:%} may",
    "faults": "faults found: {faults}",
    "no faults": "no {least} fault or worse was found",
    "no runs to look at": "no run finished, so there was nothing to find faults in",
    # all rulings together
    "closed": "red: the gate is closed",
    "unread files": "undecided: {errors} could not be read",
    "not scored": "undecided: a score is missing; this is not a pass",
    "undecided": "undecided: the data cannot tell; this is not a pass",
    "is open": "the gate is open",
}
"""Everything a gate says."""

TITLES: Final = {"red": "The gate is closed", "green": "The gate is open", "undecided": "Undecided"}
"""The heading of a page, by the result of a gate."""


def say(sentence: str, **values: object) -> str:
    """A sentence with its values."""
    return SENTENCES[sentence].format(**values)


def exactly(margin: Decimal, measure: MeasureName) -> str:
    """A margin with all its decimals."""
    return shown(margin) if measure in ("final score", "graders passed") else f"{shown(100 * margin)}%"
