"""Decisions on runs that earlier versions stopped as soon as they could, by tests that hold at any time. Pure.

Newer runs look at their results at moments that are fixed in the plan: see `core.suites.looks`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction

from evenhand.core.history.case_verdicts import LEVEL, RANGE
from evenhand.core.history.weighted import holm
from evenhand.core.suites.board import Board, Pair, pairs
from evenhand.core.suites.contrasts import SCENARIOS, decide
from evenhand.core.suites.looks import planned_order
from evenhand.core.suites.sequential import Evidence, no_evidence, states
from evenhand.core.values.suites.decision import Decision, Difference, Verdict, WhatIf
from evenhand.core.values.suites.suite_run import SuiteRun


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
    adjusted = dict(zip(family, holm([test.p_value for test in family.values()]), strict=True))
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
                turned=False,
                contradicted=False,
                what_if=tuple(scenarios),
                differences=tuple(test for pair in paired if (test := pair.difference(plain.measure)) is not None),
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
    return states(family, level)[name]


def _difference(family: Mapping[str, Evidence], name: str, level: float, plain: Decision) -> Difference:
    evidence, furthest = family[name], RANGE[plain.measure]
    low, high = evidence.interval(level / len(family))
    # The interval comes from a weaker bound than the test, and one that holds what the test rejects would mislead.
    is_weaker = _verdict(family, name, level) in ("better", "worse") and low <= 0 <= high
    says_nothing = is_weaker or (low <= -furthest and high >= furthest)
    return Difference(
        cases=evidence.cases,
        mean=evidence.mean,
        low=None if says_nothing else max(low, -furthest),
        high=None if says_nothing else min(high, furthest),
        p_value=evidence.p_value if evidence.cases else None,
        test="anytime" if evidence.cases else "none",
        detectable=None,
    )
