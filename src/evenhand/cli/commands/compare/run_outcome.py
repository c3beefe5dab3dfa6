"""`evenhand run`: a suite run and judged, the results written as they come, then the decision and the exit code."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, TypeVar

from evenhand import clock
from evenhand.cli.commands.compare.suite_outcome import show_outcome
from evenhand.cli.presenter import one_line, write
from evenhand.cli.shared import DONE, NOT_SCORED, OUT_OF_REACH, UNDECIDED, end_gate, say
from evenhand.in_words import counted, stopwatch
from evenhand.work.printable import printable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import RenderableType

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


Item = TypeVar("Item")
SHOWN = 8
"""Runs under way that are listed."""


def watched(items: Iterable[Item], run: OpenSuite) -> Iterator[Item]:
    """Pass items on, with a display that moves while nothing is finished, if standard error is a terminal."""
    if not sys.stderr.isatty():
        yield from items
        return
    from rich.console import Console
    from rich.live import Live

    display = progress_lines(run, clock.elapsed())
    with Live(get_renderable=display, console=Console(stderr=True), refresh_per_second=4, transient=True):
        yield from items


def progress_lines(run: OpenSuite, begun: float) -> Callable[[], RenderableType]:
    """What to show at any moment."""
    from rich.text import Text

    def lines() -> Text:
        return Text("\n".join([progress_line(run, clock.elapsed() - begun), *_running(run)]), no_wrap=True)

    return lines


def progress_line(run: OpenSuite, seconds: float) -> str:
    """The counts in one line."""
    activity = run.runs.activity
    ended = sum(activity.outcomes.values())
    failed = ended - activity.outcomes["finished"]
    new_runs = ended - activity.reused
    parts = [f"{ended:,} of {activity.total:,} runs done"]
    if activity.reused:
        parts.append(f"{activity.reused:,} reused")
    if failed:
        parts.append(f"{failed:,} failed")
    parts.append(f"{len(activity.running):,} running")
    if run.has_judges:
        parts.append(f"{run.judged:,} judged")
    if run.budget.calls:
        cost = "cost unknown" if run.budget.cost is None else f"${run.budget.cost:.4f} spent"
        parts.append(f"{run.budget.calls:,} calls, {cost}")
    parts.append(stopwatch(seconds))
    runs_left = seconds / new_runs * (activity.total - ended) if new_runs else 0.0
    judging_left = seconds / run.judged * (activity.total - run.judged) if run.has_judges and run.judged else 0.0
    if left := max(runs_left, judging_left):
        parts.append(f"about {stopwatch(left)} left")
    return ", ".join(parts)


def _running(run: OpenSuite) -> list[str]:
    now = clock.elapsed()
    running = sorted(run.runs.activity.running.copy().items(), key=lambda item: item[1])
    lines = [
        f"  {printable(id.variant)}  {printable(id.case)}  run {id.repeat}  {stopwatch(now - begun)}"
        for id, begun in running[:SHOWN]
    ]
    return [*lines, f"  and {len(running) - SHOWN:,} more"] if len(running) > SHOWN else lines
