"""A suite's run as test cases for CI: one for each case and variant with the reasons, one for each comparison. Pure.

A test knows four things: met is passed, unmet is a failure with its reason and a quote, what has no score or cannot be
decided is an error, what a user left out is skipped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from evenhand.core.bounds import NOT_READ, says_unread
from evenhand.decisions.decision import Decision
from evenhand.decisions.suite_table import OURS, pass_mark_of
from evenhand.reports.exchange.junit import Case
from evenhand.work.agent_run import CaseResult

MOST_REASONS = 5
"""Reasons that a test case names."""


def case_tests(
    results: Iterable[CaseResult], reasons: Callable[[CaseResult], Sequence[str]], *, is_judged: bool
) -> list[Case]:
    """A test case for each case and variant, in their order: it fails if one of its runs does not pass.

    A run passes when it finished, all its expectations are met and its final score reaches its rubric's pass mark. One
    that judges should have scored and that has no score is an error (`is_judged`). `reasons` says why a run does not
    pass, with quotes, as far as its scorecard is known.
    """
    runs: dict[tuple[str, str], list[CaseResult]] = {}
    for result in results:
        runs.setdefault(result.id[:2], []).append(result)
    return [_case(case, variant, some, reasons, is_judged) for (case, variant), some in sorted(runs.items())]


def skipped_tests(left_out: Iterable[tuple[str, str]]) -> list[Case]:
    """A test case for each case and variant that the user did not ask for."""
    return [Case(*cell, skipped="left out: --only or --variant names others") for cell in left_out]


def decision_cases(decision: Decision) -> list[Case]:
    """A test case for each comparison: worse fails, undecided is an error."""
    fields = {"worse": "failure", "undecided": "error"}
    return [
        Case(f"{contrast.variant} against {contrast.reference}", "decision")._replace(
            **{fields.get(contrast.verdict, "says"): contrast.says}
        )
        for contrast in decision.contrasts
    ]


def _case(
    case: str,
    variant: str,
    runs: Sequence[CaseResult],
    reasons: Callable[[CaseResult], Sequence[str]],
    is_judged: bool,
) -> Case:
    wrong: dict[str, None] = {}
    missing: dict[str, None] = {}
    for run in runs:
        if run.outcome in OURS:
            missing[f"{run.outcome}: {run.reason or 'no reason given'}"] = None
        elif run.outcome != "finished":
            wrong[f"{run.outcome}: {run.reason or 'no reason given'}"] = None
        elif run.met < run.expectations or (run.final is not None and run.final < pass_mark_of(run)):
            wrong |= dict.fromkeys(reasons(run) or [_why(run)])
        elif why := _unscored(run, is_judged):
            missing[why] = None
    says = "; ".join(filter(None, map(_says, runs)))
    return Case(case, variant, failure=_some(wrong), error="" if wrong else _some(missing), says=says)


def _some(reasons: Iterable[str]) -> str:
    listed = list(reasons)
    rest = [f"and {len(listed) - MOST_REASONS} more"] if len(listed) > MOST_REASONS else []
    return "; ".join([*listed[:MOST_REASONS], *rest])


def _unscored(run: CaseResult, is_judged: bool) -> str:
    """Why a finished run can neither pass nor fail; empty where it can."""
    if run.final is not None:
        return ""
    if is_judged or not says_unread(run.unscored):
        return f"not scored: {run.unscored or NOT_READ}"
    return "" if run.expectations else f"{NOT_READ}, and no expectation of its case could be decided"


def _why(run: CaseResult) -> str:
    if run.met < run.expectations:
        return f"{run.expectations - run.met} of {run.expectations} expectations unmet"
    assert run.final is not None
    return f"{run.final / 100:.2f} is below {pass_mark_of(run) / 100:.2f}"


def _says(run: CaseResult) -> str:
    score = "" if run.final is None else f"final score {run.final / 100:.2f}{f' ({run.grade})' if run.grade else ''}"
    met = f"{run.met} of {run.expectations} expectations met" if run.expectations else ""
    undecided = [verdict for verdict in run.verdicts if verdict not in ("met", "unmet")]
    left_out = f"{len(undecided)} not decided: {', '.join(dict.fromkeys(undecided))}" if undecided else ""
    return ", ".join(filter(None, (score, met, left_out)))
