"""How reliably a skill is activated, from the runs of prompts that should and should not activate it."""

from __future__ import annotations

from fractions import Fraction

from evenhand.decisions.suites.board import CaseEntry, Cell
from evenhand.decisions.suites.triggers import triggers
from evenhand.decisions.values.suite import SHOULD, SHOULD_NOT

MET, UNMET = Fraction(100), Fraction(0)


def case(*tags: str, shares: tuple[Fraction, ...], counted: int | None = None) -> CaseEntry:
    runs = len(shares) if counted is None else counted
    return CaseEntry(tags, Fraction(1), {"v": Cell(runs=runs, counted=runs, shares=shares)})


def test_cases_that_try_no_activation_are_passed_over_wherever_they_stand():
    """By name they come first, between and last; a variant without runs counts nowhere."""
    cases = [
        ("a", case(shares=(MET,))),
        ("b", case(SHOULD, shares=(MET, UNMET))),
        ("c", case("other", shares=(UNMET,))),
        ("d", case(SHOULD_NOT, shares=(MET, MET, UNMET))),
        ("e", case(SHOULD, shares=(), counted=2)),
        ("f", CaseEntry((SHOULD,), Fraction(1), {})),
    ]
    found = triggers(cases, "v")
    assert found is not None
    assert [(prompt.case, prompt.wanted, prompt.activated, prompt.runs) for prompt in found.prompts] == [
        ("b", True, 1, 2),
        ("d", False, 1, 3),  # met means that it was rightly left alone
    ]
    assert triggers(cases, "w") is None
