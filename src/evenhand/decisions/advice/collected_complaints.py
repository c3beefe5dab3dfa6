"""What to change in a skill, from existing evaluations of its outputs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from evenhand.core.scorecard import Scorecard
from evenhand.decisions.advice.complaints import complaints_of
from evenhand.decisions.advice.grouped_complaints import what_to_change
from evenhand.decisions.values.change import Changes, Complaint

MOST_CASES = 300
"""Cases whose complaints are looked at where no one asked for all: grouping takes time with the square of them."""


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

    def of_case(self, case: str) -> Sequence[Sequence[Complaint]]:
        """The complaints about each run of a case; empty when none was added."""
        return self._complaints.get(case, [])

    def changes(self, skill: tuple[str, str] | None = None, *, cases: Iterable[str] | None = None) -> Changes:
        """What they ask for, in all cases or in some; `skill` is the name and the text of the skill's file."""
        is_shown = bool(self._shown) and "" not in self._shown
        complaints = self._complaints
        if cases is not None:
            complaints = {case: complaints[case] for case in cases if case in complaints}
        return what_to_change(complaints, is_read=self._is_read, skill=skill, is_shown=is_shown)
