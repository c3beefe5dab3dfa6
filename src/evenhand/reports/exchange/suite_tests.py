"""A suite's run as test cases for CI: one for each case and variant with the reasons, one for each comparison. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from evenhand.core.rules import PASS_MARK
from evenhand.decisions.values.decision import Decision
from evenhand.reports.comparison.conclusion import conclusion
from evenhand.reports.exchange.junit import Case
from evenhand.work.agent_run import CaseResult

MOST_REASONS = 5
"""Reasons that a test case names."""


def case_tests(results: Iterable[CaseResult], reasons: Callable[[CaseResult], Sequence[str]]) -> list[Case]:
    """A test case for each case and variant, in their order: it fails if one of its runs does not pass.

    A run passes when it finished, all its expectations are met and its final score, if it has one, reaches the pass
    mark. `reasons` says why one does not, with quotes, as far as its scorecard is known.
    """
    runs: dict[tuple[str, str], list[CaseResult]] = {}
    for result in results:
        runs.setdefault(result.id[:2], []).append(result)
    return [_case(case, variant, some, reasons) for (case, variant), some in sorted(runs.items())]


def decision_cases(decision: Decision) -> list[Case]:
    """A test case for each variant: worse fails, what the data cannot tell is skipped."""
    fields = {"worse": "failure", "undecided": "skipped"}
    return [
        Case(f"{contrast.variant} against {contrast.reference}", "decision")._replace(
            **{fields.get(contrast.verdict, "says"): conclusion(contrast, decision.measure)}
        )
        for contrast in decision.contrasts
    ]


def _case(case: str, variant: str, runs: Sequence[CaseResult], reasons: Callable[[CaseResult], Sequence[str]]) -> Case:
    wrong: dict[str, None] = {}
    for run in runs:
        if run.outcome != "finished":
            wrong[f"{run.outcome}: {run.reason or 'no reason given'}"] = None
        elif run.met < run.expectations or (run.final is not None and run.final < PASS_MARK):
            wrong |= dict.fromkeys(reasons(run) or [_why(run)])
    says = "; ".join(filter(None, map(_says, runs)))
    shown = list(wrong)[:MOST_REASONS]
    rest = [f"and {len(wrong) - MOST_REASONS} more"] if len(wrong) > MOST_REASONS else []
    unscored = "" if wrong else next((run.unscored for run in runs if run.unscored and not run.expectations), "")
    return Case(case, variant, failure="; ".join([*shown, *rest]), skipped=unscored, says=says)


def _why(run: CaseResult) -> str:
    if run.met < run.expectations:
        return f"{run.expectations - run.met} of {run.expectations} expectations unmet"
    assert run.final is not None
    return f"{run.final / 100:.2f} is below {PASS_MARK / 100:.2f}"


def _says(run: CaseResult) -> str:
    score = "" if run.final is None else f"final score {run.final / 100:.2f}{f' ({run.grade})' if run.grade else ''}"
    met = f"{run.met} of {run.expectations} expectations met" if run.expectations else ""
    undecided = [verdict for verdict in run.verdicts if verdict not in ("met", "unmet")]
    left_out = f"{len(undecided)} not decided: {', '.join(dict.fromkeys(undecided))}" if undecided else ""
    return ", ".join(filter(None, (score, met, left_out)))
