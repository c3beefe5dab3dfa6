"""A suite's decision as the sentences that its report shows."""

from __future__ import annotations

from evenhand.decisions.decision import Decision
from evenhand.decisions.values.suite_run import SuiteRun
from evenhand.reports.comparison.suite_decision import basis_lines, conclusion_lines


def decision_lines(run: SuiteRun, decision: Decision) -> list[str]:
    """The conclusions, then what they rest on."""
    return [*conclusion_lines(run, decision), *basis_lines(run, decision)]
