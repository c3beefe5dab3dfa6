"""What to change in a variant's skill, by the stored scorecards of a suite's run."""

from __future__ import annotations

from collections.abc import Iterable

from evenhand.core.values.agent_run import CaseResult
from evenhand.evaluations.collected_complaints import CollectedComplaints
from evenhand.evaluations.comparisons import card_of
from evenhand.store.protocol import Store


def stored_complaints(store: Store, results: Iterable[CaseResult]) -> dict[str, CollectedComplaints]:
    """By variant, as far as scorecards are stored."""
    collected: dict[str, CollectedComplaints] = {}
    for result in results:
        record = None if result.evaluation is None else store.find(result.evaluation, None)
        if record is not None:
            collected.setdefault(result.id.variant, CollectedComplaints()).add(card_of(record), result.id.case)
    return collected
