"""A suite that stops when the answer is clear: results in, "decided" out.

Results may come in any order. They are looked at case by case in the planned order, as far as it is complete: if cases
counted as they finish, quick ones would count first, and how long a case takes may depend on how it ends.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from evenhand.core.suites.board import Board, pairs
from evenhand.core.suites.contrasts import LEVEL
from evenhand.core.suites.sequential import Evidence, State, no_evidence, states
from evenhand.core.values.agent_run import CaseResult
from evenhand.core.values.decision import Measure
from evenhand.core.values.suite import Case


class Watch:
    """Feed it results; ask whether it is decided. Shuffle the cases first, so that the early ones resemble the rest."""

    def __init__(
        self,
        cases: Sequence[Case],
        variants: Sequence[str],
        reference: str,
        repeats: int,
        *,
        measure: Measure,
        level: float = LEVEL,
        relevant: float | None = None,
    ) -> None:
        self._order = [case.id for case in cases]
        self._mean_weight = sum((Fraction(case.weight) for case in cases), Fraction(0)) / max(1, len(cases))
        self._runs_of_case = repeats * len(variants)
        self._reference, self._measure, self._level = reference, measure, level
        self._waiting: dict[str, Board] = {}
        self._arrived: dict[str, int] = {}
        self._next = 0
        self.without_pair = 0
        """Cases that are complete and have no value on one side or the other, over all variants."""
        start = no_evidence(measure, relevant)
        self.evidence: dict[str, Evidence] = {name: start for name in variants if name != reference}

    def add(self, result: CaseResult) -> None:
        """Take in one run, finished or failed."""
        case = result.id.case
        self._waiting.setdefault(case, Board()).add(result)
        self._arrived[case] = self._arrived.get(case, 0) + 1
        while self._next < len(self._order) and self._arrived.get(self._order[self._next]) == self._runs_of_case:
            self._look(self._waiting.pop(self._order[self._next]))
            self._next += 1

    def _look(self, board: Board) -> None:
        for variant, evidence in self.evidence.items():
            for pair in pairs(board, variant, board, self._reference):
                difference = pair.difference(self._measure)
                if difference is None:
                    self.without_pair += 1
                else:
                    weight = difference.weight / self._mean_weight
                    self.evidence[variant] = evidence.after(difference._replace(weight=weight))

    @property
    def states(self) -> dict[str, State]:
        """What has been decided about each variant."""
        return states(self.evidence, self._level)

    @property
    def decided(self) -> bool:
        """Whether nothing is left undecided, so that the remaining cases need not run."""
        return "undecided" not in self.states.values()
