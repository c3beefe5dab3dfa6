"""What to change in a skill, from existing evaluations of its outputs."""

from __future__ import annotations

from collections.abc import Iterable

from evenhand.core.advice.complaints import complaints_of
from evenhand.core.advice.grouped_complaints import what_to_change
from evenhand.core.values.change import Changes, Complaint
from evenhand.core.values.scorecard import Scorecard
from evenhand.judging.files import Named


class CollectedComplaints:
    """Complaints by case, added to scorecard by scorecard."""

    def __init__(self) -> None:
        self._complaints: dict[str, list[list[Complaint]]] = {}
        self._is_read = False
        self._shown: set[str] = set()

    def add(self, card: Scorecard, case: str) -> None:
        """One scorecard of a run of a case."""
        self._complaints.setdefault(case, []).append(complaints_of(card, case))
        self._is_read = self._is_read or not card.unread
        self._shown |= {member.judge.get("skill_file", "") for member in card.panel.members} if card.panel else set()

    def changes(self, skill: tuple[str, str] | None = None) -> Changes:
        """What they ask for; `skill` is the name and the text of the skill's file."""
        is_shown = bool(self._shown) and "" not in self._shown
        return what_to_change(self._complaints, is_read=self._is_read, skill=skill, is_shown=is_shown)


def changes_of(cards: Iterable[Named], skill: tuple[str, str] | None = None) -> Changes:
    """What to change, by scorecards of outputs of one skill."""
    collected = CollectedComplaints()
    for entry in cards:
        place = entry.card.suite
        collected.add(entry.card, entry.label if place is None else place.case)
    return collected.changes(skill)
