"""`evenhand run`: a suite run and judged, the results written as they come, then the decision and the exit code."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evenhand.cli.commands.compare.suite_outcome import show_outcome
from evenhand.cli.presenter import one_line, write
from evenhand.cli.shared import DONE, NOT_SCORED, OUT_OF_REACH, UNDECIDED, end_gate, say
from evenhand.in_words import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evenhand.decisions.decision import Decision, State
    from evenhand.decisions.suite import Suite
    from evenhand.suites.results.kept_results import SuiteKeeper
    from evenhand.suites.suite_run import OpenSuite
    from evenhand.work.submission import Submission

INTERRUPTED_CODE = 130


def run_and_show(
    run: OpenSuite, suite: Suite, keeper: SuiteKeeper, format: str, *, is_part: bool, undecided: str, full: bool,
    left_out: Sequence[tuple[str, str]],
) -> int:  # fmt: skip
    """Run it, write and keep the results, and decide unless some are missing; the exit code. `left_out` are the cases
    and variants that the user did not ask for."""
    from evenhand.cli.commands.compare.run_progress import watched
    from evenhand.decisions.suite_run import result_document, run_document
    from evenhand.decisions.suite_table import most_frequent_reason
    from evenhand.suites.results.suite_results import results_text

    is_streamed = format == "jsonl" and not suite.pairs
    if is_streamed:
        write(one_line(run_document(keeper.run)))
    unscored = finished = 0
    is_interrupted = False
    outputs: dict[str, dict[str, Submission]] = {variant.name: {} for variant in suite.variants}
    try:
        for judged in watched(run.results(), run):
            keeper.add(judged)
            if suite.pairs and judged.result.id.repeat == 1 and judged.submission is not None:
                outputs[judged.result.id.variant][judged.result.id.case] = judged.submission
            finished += judged.run.outcome == "finished"
            unscored += judged.run.outcome == "finished" and judged.result.final is None
            if is_streamed:
                write(one_line(result_document(judged.result)))
    except KeyboardInterrupt:
        is_interrupted = True
    state = _state(run, is_part=is_part, is_interrupted=is_interrupted)
    if suite.pairs and state in ("complete", "shard"):
        keeper.run = keeper.run._replace(pairs=run.compare_pairs(outputs))
    outcome = keeper.finish(state)
    for problem in keeper.problems:
        say(f"warning: not stored: {problem}")
    if format != "jsonl":
        stored = keeper.store if keeper.is_stored else None
        show_outcome(
            format,
            keeper.run,
            outcome,
            lambda: keeper.results,
            stored,
            folder=run.folder,
            reasons=keeper.reasons,
            left_out=left_out,
            answer=keeper.answer(outcome, run.skill_of, lambda problem: say(f"warning: {problem}")),
            full=full,
        )
    elif not is_streamed:  # the pairs are known at the end, and belong to the first line
        for line in results_text(keeper.run, keeper.results):
            write(line)
    if keeper.is_stored:
        say(f"stored: evenhand run show {keeper.run.id}")
    code = _code(
        run,
        outcome.decision,
        finished=finished,
        unscored=unscored if suite.judges and not suite.only_criteria else 0,
        reason=most_frequent_reason(keeper.results) if unscored else "",
    )
    if undecided != "ok" and code == DONE and not outcome.rulings and outcome.decision.is_undecided:
        code = UNDECIDED
    return end_gate(outcome.rulings, code, undecided=undecided)


def _state(run: OpenSuite, *, is_part: bool, is_interrupted: bool) -> State:
    from evenhand.judging.panels.concurrency import INTERRUPTED

    if is_interrupted or run.budget.stopped == INTERRUPTED:
        return "interrupted"
    if run.budget.stopped is not None:
        return "stopped"
    return "shard" if is_part else "complete"


def _code(run: OpenSuite, decision: Decision, *, finished: int, unscored: int, reason: str) -> int:
    """The exit code of the run itself, with what to do next; `reason` is why finished runs have no score."""
    again = "what is finished is kept; run the same command again to continue"
    if decision.state == "interrupted":
        activity = run.runs.activity
        kept = sum(activity.outcomes.values()) - activity.outcomes["not started"]
        say(f"interrupted after {kept:,} of {activity.total:,} runs; {again}")
        return INTERRUPTED_CODE
    ended = sum(facts.runs for facts in decision.variants)
    if decision.state == "stopped":
        missing = run.runs.activity.total - ended
        runs = f", {counted(missing, 'run was', 'runs were')} not made" if missing else ""
        say(f"{'error' if run.budget.broken else 'stopped'}: {run.budget.stopped}{runs}; {again}")
        return OUT_OF_REACH if run.budget.broken else NOT_SCORED
    if not finished:
        reason = next((entry.reason for facts in decision.variants for entry in facts.missing), "")
        say(f"error: no run finished: {reason}")
        return NOT_SCORED
    if unscored:
        say(f"error: {unscored:,} of {counted(ended, 'run')} could not be scored{f': {reason}' if reason else ''}")
    return NOT_SCORED if unscored else DONE
