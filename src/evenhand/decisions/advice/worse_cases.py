"""The cases in which a variant is worse than its reference, and what costs it more there. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from fractions import Fraction

from evenhand.decisions.decision import CaseDifference
from evenhand.decisions.values.answer import WorseCase
from evenhand.decisions.values.change import Complaint

MOST_WORSE = 20
"""Cases that got worse which are explained."""

Runs = Sequence[Sequence[Complaint]]
"""What cost each run of a case points."""


def fallen(differences: Sequence[CaseDifference]) -> list[CaseDifference]:
    """Those below zero, the largest fall first."""
    return sorted((fall for fall in differences if fall.high < 0), key=lambda fall: (fall.difference, fall.case))


def worse_case(difference: CaseDifference, now: Runs, before: Runs) -> WorseCase:
    """A case, explained by the complaints about each side's runs; not explained where the reference's are not known."""
    found = new_complaint(now, before) if before else None
    return WorseCase(
        difference.case,
        difference.before,
        difference.after,
        "" if found is None else found.text,
        None if found is None else next((quote for quote in found.quotes if quote.source == "output"), None),
    )


def new_complaint(now: Runs, before: Runs) -> Complaint | None:
    """The one whose cost has grown most, in the mean over runs; None when nothing costs more than before."""
    costs = _costs(now)
    for key, cost in _costs(before).items():
        costs[key] -= cost
    grown = [(cost, key) for key, cost in costs.items() if cost > 0]
    if not grown:
        return None
    _, most = max(grown)
    return max((one for run in now for one in run if _key(one) == most), key=lambda one: one.cost)


def _costs(runs: Runs) -> dict[tuple[str, str, str], Fraction]:
    costs: dict[tuple[str, str, str], Fraction] = defaultdict(Fraction)
    for run in runs:
        for one in run:
            costs[_key(one)] += one.cost / len(runs)
    return costs


def _key(complaint: Complaint) -> tuple[str, str, str]:
    """What a complaint is about: a dimension, or a red flag, check, criterion or expectation."""
    return complaint.kind, complaint.name, complaint.dimension
