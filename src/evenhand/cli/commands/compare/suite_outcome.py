"""What a run of a suite decided, on a terminal, as a page and in the formats of other tools."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from evenhand.cli.output_option import is_written_to_file
from evenhand.cli.presenter import console, present, print_sentences
from evenhand.cli.shared import say

if TYPE_CHECKING:
    from pathlib import Path

    from rich.console import Console

    from evenhand.decisions.decision import Decision
    from evenhand.decisions.gate import Ruling
    from evenhand.decisions.values.answer import Answer
    from evenhand.decisions.values.suite_run import SuiteRun
    from evenhand.reports.comparison.verdict_answer import AnswerReport
    from evenhand.reports.exchange.junit import Case
    from evenhand.store.protocol import Store
    from evenhand.suites.results.kept_results import SuiteOutcome
    from evenhand.suites.results.suite_results import StoredResults
    from evenhand.work.agent_run import CaseResult, RunId


MORE: Final = "what this rests on: --full, or a page with -o FILE.html"


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
    answer: Answer | None = None,
    full: bool = False,
) -> None:
    """What a run decided: on a terminal the answer alone unless `full` asks for more, on a page with its `results`,
    which are gone through several times.

    `kept` has scorecards and outputs; `folder` has the kept runs, if not beside it. `reasons` are those of runs that
    do not pass, where no store has them. Where a file takes the report, what was decided is said all the same.
    """
    from evenhand.decisions.values.suite_results import run_document
    from evenhand.reports.comparison.preferences import preference_lines
    from evenhand.reports.comparison.suite_decision import (
        FACT_COLUMNS,
        basis_lines,
        conclusion_lines,
        decision_document,
        fact_rows,
        run_answer_report,
    )

    decision, rulings = outcome
    conclusions = conclusion_lines(run, decision)
    lines = basis_lines(run, decision)
    if run.pairs is not None:
        lines += ["", "side by side, the first run of each case:", *preference_lines(run.pairs)]
    facts = fact_rows(decision)
    told, first = (None if answer is None else run_answer_report(answer, decision, full=some) for some in (True, full))

    def markdown() -> str:
        from evenhand.reports.markdown import answer_markdown
        from evenhand.reports.markdown_pieces import lines_markdown, table_markdown

        basis = lines_markdown([line for line in lines if line])
        return f"{lines_markdown(conclusions)}{answer_markdown(told)}{basis}\n{table_markdown(FACT_COLUMNS, facts)}"

    def junit() -> str:
        from evenhand.reports.exchange.junit import junit_suites, ruling_case
        from evenhand.reports.exchange.suite_tests import decision_cases

        decided = [*decision_cases(decision), *map(ruling_case, rulings)]
        return junit_suites(suite_tests(run, results(), decided, kept, reasons or {}))

    def html() -> str:
        from evenhand.reports.html.suite import shown_cases, suite_page
        from evenhand.suites.results.stored_outputs import stored_details

        all_results = list(results())
        cases = shown_cases(decision, sorted({result.id.case for result in all_results}))
        details = {} if kept is None and folder is None else stored_details(kept, all_results, cases, folder)
        return suite_page(run, decision, all_results, rulings, details, answer=told)

    if is_written_to_file():
        for line in conclusions:
            say(line)
    present(
        format,
        lambda: decision_document(decision, run_document(run), rulings, answer),
        terminal=lambda: _print_outcome(decision, conclusions, first, lines if full else None, facts, rulings),
        markdown=markdown,
        junit=junit,
        html=html,
    )


def print_verdicts(conclusions: Sequence[str], decision: Decision, screen: Console, *, full: bool) -> None:
    """The conclusions as sentences; of many comparisons, unless `full`, a row for each after what goes before them."""
    from evenhand.reports.terminal.changes import MOST_SENTENCES, print_comparisons

    if full or len(decision.contrasts) <= MOST_SENTENCES:
        print_sentences(conclusions)
        return
    print_sentences(conclusions[: -len(decision.contrasts)])
    print_comparisons(decision, screen)


def _print_outcome(
    decision: Decision,
    conclusions: Sequence[str],
    answer: AnswerReport | None,
    basis: Sequence[str] | None,
    facts: Sequence[tuple[str, ...]],
    rulings: Sequence[Ruling],
) -> None:
    """The conclusions, what to do about them, what they rest on if asked for, with the variants side by side; the gate.

    Of one variant alone, its numbers are the answer.
    """
    from evenhand.reports.terminal.changes import print_answer
    from evenhand.reports.terminal.reports import print_rulings

    screen = console()
    print_verdicts(conclusions, decision, screen, full=basis is not None)
    if answer is not None:
        print_answer(answer, screen, full=basis is not None)
    if basis is not None:
        print_sentences(basis, plain=True)
    if basis is not None or not decision.contrasts:
        _print_facts(facts, screen)
    if rulings:
        print_rulings(rulings, screen)
    if basis is None:
        screen.print(MORE, style="dim")


def _print_facts(facts: Sequence[tuple[str, ...]], screen: Console) -> None:
    from rich.table import Table

    from evenhand.reports.comparison.suite_decision import FACT_COLUMNS

    # A column with nothing in it would only make the others too narrow.
    columns = [column for column in zip(FACT_COLUMNS, *facts, strict=True) if set(column[1:]) != {"-"}]
    headings, *filled = zip(*columns, strict=True)
    headings = tuple("met" if heading == "expectations met" else heading for heading in headings)  # it would be cut off
    table = Table(*headings, box=None, pad_edge=False)
    table.columns[0].overflow = "fold"  # cut off, long names could not be told apart
    for row in filled:
        table.add_row(*row)
    screen.print(table)


def suite_tests(
    run: SuiteRun,
    results: Iterable[CaseResult],
    decided: Sequence[Case],
    kept: Store | None,
    reasons: Mapping[RunId, Sequence[str]] | None = None,
) -> dict[str, Sequence[Case]]:
    """Test suites for CI: one with every case and variant, one with what was decided."""
    from evenhand.reports.exchange.suite_tests import case_tests
    from evenhand.suites.results.stored_outputs import stored_shortcomings

    known = reasons or {}
    is_judged = bool({*run.judges} - {"checks"})
    tests = case_tests(
        results, lambda result: known.get(result.id) or stored_shortcomings(kept, result), is_judged=is_judged
    )
    name = f"evenhand run {run.suite}"
    return {name: tests, f"{name}: decision": decided} if decided else {name: tests}
