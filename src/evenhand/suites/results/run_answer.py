"""What a suite's run asks to be changed, and where a variant got worse, by the scorecards of its runs."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence

from evenhand.decisions.decision import Decision
from evenhand.decisions.grouped_complaints import MOST_CASES, MOST_WORSE, CollectedComplaints, fallen, worse_case
from evenhand.decisions.what_to_change import Answer
from evenhand.store.protocol import Store
from evenhand.store.stored_cards import card_of
from evenhand.work.agent_run import CaseResult

Complaints = Mapping[str, CollectedComplaints]
"""By variant."""


def stored_complaints(
    store: Store, results: Iterable[CaseResult], cases: Container[str] | None = None
) -> dict[str, CollectedComplaints]:
    """By variant, as far as scorecards are stored; of some cases, or of all."""
    collected: dict[str, CollectedComplaints] = {}
    for result in results:
        if result.evaluation is None or (cases is not None and result.id.case not in cases):
            continue
        if (record := store.find(result.evaluation, None)) is not None:
            collected.setdefault(result.id.variant, CollectedComplaints()).add(card_of(record), result.id.case)
    return collected


def run_answer(
    decision: Decision,
    cases: Sequence[str],
    complaints: Callable[[Container[str]], Complaints],
    skill: Callable[[str], tuple[str, str] | None] = lambda variant: None,
) -> Answer:
    """About the variant whose shortcomings matter most. `complaints` are those of some of the `cases`, `skill` is the
    name and the text of a variant's own instructions."""
    variant = decision.advised_variant
    contrast = next((one for one in decision.contrasts if one.variant == variant), None)
    worse = [] if contrast is None else fallen(contrast.differences)
    first = cases[:MOST_CASES]
    found = complaints({*first, *(difference.case for difference in worse[:MOST_WORSE])})
    none = CollectedComplaints()
    now = found.get(variant, none)
    before = none if contrast is None else found.get(contrast.reference, none)
    fell = [worse_case(one, now.of_case(one.case), before.of_case(one.case)) for one in worse[:MOST_WORSE]]
    changes = now.changes(skill(variant), cases=first) if variant in found else None
    return Answer(variant, changes, tuple(fell), len(worse) - len(fell))
