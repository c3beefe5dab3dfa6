"""A suite that stops when the answer is clear: results in, "decided" out.

Results may come in any order. They are looked at case by case in the planned order, as far as it is complete: if cases
counted as they finish, quick ones would count first, and how long a case takes may depend on how it ends.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

from evenhand.core.history.weighted import holm
from evenhand.core.suites.board import Board, Pair, pairs
from evenhand.core.suites.contrasts import LEVEL, RANGE, SCENARIOS, decide
from evenhand.core.suites.sequential import Evidence, State, no_evidence, states
from evenhand.core.values.agent_run import CaseResult
from evenhand.core.values.decision import Decision, Difference, Measure, Verdict, WhatIf
from evenhand.core.values.suite import Case
from evenhand.core.values.suite_run import SuiteRun


def planned_order(cases: Iterable[str]) -> list[str]:
    """Cases in the order of the hashes of their ids: fixed before anything runs, and as good as shuffled."""
    return sorted(cases, key=lambda case: (hashlib.sha256(case.encode()).digest(), case))


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


def decide_watched(board: Board, run: SuiteRun, *, level: float = LEVEL) -> Decision:
    """As `decide`, for a run that stopped when the answer was clear: tests and intervals that hold at any time."""
    assert run.watched is not None
    plain = decide(board, run.variants, run.reference, level=level)
    mean_weight = Fraction(run.watched) / max(1, run.cases)
    sides = {c.variant: _ordered_pairs(board, run, c.variant) for c in plain.contrasts}

    def evidence(paired: Iterable[Pair], first: bool = False, second: bool = False) -> Evidence:
        total = no_evidence(plain.measure)
        for pair in paired:
            difference = pair.difference(plain.measure, first, second)
            if difference is not None:
                total = total.after(difference._replace(weight=difference.weight / mean_weight))
        return total

    family = {variant: evidence(paired) for variant, paired in sides.items()}
    adjusted = dict(zip(family, holm([one.p_value for one in family.values()]), strict=True))
    contrasts = []
    for contrast in plain.contrasts:
        name, paired = contrast.variant, sides[contrast.variant]
        scenarios = []
        for losses, first, second in SCENARIOS if contrast.what_if else ():
            others = {v: evidence(sides[v], first, second) for v in sides} if losses == "everybody's" else dict(family)
            others[name] = evidence(paired, first, second)
            scenarios.append(WhatIf(losses, _verdict(others, name, level), _difference(others, name, level, plain)))
        contrasts.append(
            contrast._replace(
                verdict=_verdict(family, name, level),
                difference=_difference(family, name, level, plain),
                adjusted=adjusted[name],
                more=None,
                what_if=tuple(scenarios),
                differences=tuple(one for pair in paired if (one := pair.difference(plain.measure)) is not None),
            )
        )
    return plain._replace(contrasts=tuple(contrasts))


def _ordered_pairs(board: Board, run: SuiteRun, variant: str) -> list[Pair]:
    """The cases in the planned order, as far as it is complete."""
    paired = {pair.case: pair for pair in pairs(board, variant, board, run.reference)}
    complete = []
    for case in planned_order(board.cases):
        cells = board.cases[case].cells
        if any(name not in cells or cells[name].runs < run.repeats for name in run.variants):
            break
        complete.append(paired[case])
    return complete


def _verdict(family: Mapping[str, Evidence], name: str, level: float) -> Verdict:
    state = states(family, level)[name]
    return "not enough data" if state == "undecided" else state


def _difference(family: Mapping[str, Evidence], name: str, level: float, plain: Decision) -> Difference:
    evidence, furthest = family[name], RANGE[plain.measure]
    low, high = evidence.interval(level / len(family))
    says_nothing = low <= -furthest and high >= furthest
    return Difference(
        cases=evidence.cases,
        mean=evidence.mean,
        low=None if says_nothing else max(low, -furthest),
        high=None if says_nothing else min(high, furthest),
        p_value=evidence.p_value if evidence.cases else None,
        test="anytime" if evidence.cases else "none",
        detectable=None,
    )
