"""What a run of a suite decided, on a terminal, as a page and in the formats of other tools."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from evenhand.cli.output_option import is_written_to_file
from evenhand.cli.presenter import present
from evenhand.cli.shared import say

if TYPE_CHECKING:
    from pathlib import Path

    from evenhand.decisions.gate import Ruling
    from evenhand.decisions.suite_run import StoredDetail, SuiteRun
    from evenhand.decisions.what_to_change import Answer
    from evenhand.reports.exchange.junit import Case
    from evenhand.reports.tree import Report
    from evenhand.store.protocol import Store
    from evenhand.suites.results.kept_results import SuiteOutcome
    from evenhand.suites.results.suite_results import StoredResults
    from evenhand.work.agent_run import CaseResult, RunId


def show_run(
    opened: StoredResults,
    kept: Store | None,
    format: str,
    *,
    before: StoredResults | None = None,
    label: str = "",
    rulings: Callable[[Sequence[CaseResult]], list[Ruling]] = lambda results: [],
    skill_file: str | None = None,
    full: bool = False,
) -> SuiteOutcome:
    """Show what an earlier run decided, against the run `before` where there is one; with what a gate
    rules on its results."""
    from evenhand.judging.skill_file import read_skill
    from evenhand.suites.results.kept_results import SuiteOutcome
    from evenhand.suites.results.run_answer import run_answer, stored_complaints
    from evenhand.suites.results.suite_results import decision_on

    results = list(opened.results)
    decision = decision_on(opened.run, results, before, label)
    skill = None if skill_file is None else read_skill(skill_file)
    answer = run_answer(
        decision,
        sorted({result.id.case for result in results}),
        lambda cases: {} if kept is None else stored_complaints(kept, results, cases),
        lambda variant: skill,
    )
    outcome = SuiteOutcome(decision, rulings(results))
    show_outcome(format, opened.run, outcome, lambda: results, kept, answer=answer, full=full)
    return outcome


def show_outcome(
    format: str,
    run: SuiteRun,
    outcome: SuiteOutcome,
    results: Callable[[], Iterable[CaseResult]],
    kept: Store | None,
    *,
    folder: Path | None = None,
    reasons: Mapping[RunId, Sequence[str]] | None = None,
    left_out: Sequence[tuple[str, str]] = (),
    answer: Answer | None = None,
    full: bool = False,
) -> None:
    """What a run decided: on a terminal the answer alone unless `full` asks for more, on a page with its `results`,
    which are gone through several times.

    `kept` has scorecards and outputs; `folder` has the kept runs, if not beside it. `reasons` are those of runs that
    do not pass, where no store has them. Where a file takes the report, what was decided is said all the same.
    """
    from evenhand.decisions.suite_run import run_document
    from evenhand.reports.comparison.decision import conclusion_lines
    from evenhand.reports.comparison.suite import decision_document, run_report, shown_cases

    decision, rulings = outcome
    is_brief = format == "terminal" and not full

    def junit() -> str:
        from evenhand.reports.exchange.junit import junit_suites, ruling_case
        from evenhand.reports.exchange.suite_tests import decision_cases

        decided = [*decision_cases(decision), *map(ruling_case, rulings)]
        return junit_suites(suite_tests(run, results(), decided, kept, reasons or {}, left_out))

    def report() -> Report:
        from evenhand.suites.results.stored_outputs import stored_details

        entries = [] if is_brief else list(results())
        details: Mapping[RunId, StoredDetail] = {}
        if format == "html" and (kept is not None or folder is not None):
            cases = shown_cases(decision, sorted({result.id.case for result in entries}))
            details = stored_details(kept, entries, cases, folder)
        return run_report(run, decision, entries, rulings=rulings, answer=answer, details=details, is_brief=is_brief)

    if is_written_to_file():
        for line in conclusion_lines(run, decision):
            say(line)
    present(format, lambda: decision_document(decision, run_document(run), rulings, answer), report=report, junit=junit)


def suite_tests(
    run: SuiteRun,
    results: Iterable[CaseResult],
    decided: Sequence[Case],
    kept: Store | None,
    reasons: Mapping[RunId, Sequence[str]] | None = None,
    left_out: Sequence[tuple[str, str]] = (),
) -> dict[str, Sequence[Case]]:
    """Test suites for CI: one with every case and variant, one with what was decided."""
    from evenhand.reports.exchange.suite_tests import case_tests, skipped_tests
    from evenhand.suites.results.stored_outputs import stored_shortcomings

    known = reasons or {}
    is_judged = bool({*run.judges} - {"checks"})
    tests = case_tests(
        results, lambda result: known.get(result.id) or stored_shortcomings(kept, result), is_judged=is_judged
    )
    tests += skipped_tests(left_out)
    name = f"evenhand run {run.suite}"
    return {name: tests, f"{name}: decision": decided} if decided else {name: tests}
