"""The runs of a suite, many at once: reused where they are kept, made where they are not, each kept when it ends."""

from __future__ import annotations

import os
import queue
import signal
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import NamedTuple, TypeVar

from evenhand import clock
from evenhand.decisions.suite import Case, Command, Function, Model, Recorded, Suite, Variant
from evenhand.errors import InputError
from evenhand.runs.kept_runs import KeptRuns
from evenhand.runs.limited_process import Interrupted
from evenhand.runs.one_run import execute
from evenhand.runs.planned import PlannedRun, Planner, recorded_path
from evenhand.runs.redaction import redacted
from evenhand.runs.run_document import Aftermath
from evenhand.runs.run_environment import secrets
from evenhand.runs.scratch import Scratch
from evenhand.runs.visible_paths import hidden_paths, workspaces
from evenhand.runs.workspaces.kept_back import kept_back
from evenhand.runs.workspaces.workspace import remove
from evenhand.suites.execution.agent_spending import AgentSpending
from evenhand.suites.execution.run_order import in_order, run_count
from evenhand.suites.judgement.run_submissions import completed
from evenhand.work.agent_run import AgentRun, RunId

AskModel = Callable[[PlannedRun], AgentRun]
"""Runs a `Model` variant. Interrupted when the budget is spent."""


BEYOND_LIMIT = "it could have exceeded the limit of `max_cost`"


INTERRUPTED = (-signal.SIGINT, 128 + signal.SIGINT)
"""Exit codes of a program that was interrupted. Such a run is not kept."""

_MOMENT = 0.3
"""Seconds in which we would learn that we are to stop too."""


class Reuse(NamedTuple):
    """Which kept runs count."""

    fresh: bool = False
    """None: everything is run again."""
    retry_failed: bool = False
    """Only finished ones: what failed, timed out or was stopped is run again."""

    def takes(self, run: AgentRun) -> bool:
        """Whether a kept run is used."""
        return not self.fresh and not (self.retry_failed and run.outcome != "finished")


class Activity:
    """What is going on, for a display; read from another thread."""

    def __init__(self, total: int) -> None:
        self.total = total
        self.running: dict[RunId, float] = {}
        """The moment at which each run under way began."""
        self.outcomes: Counter[str] = Counter()
        self.reused = 0


class SuiteWork:
    """All runs of a suite on this machine."""

    def __init__(
        self,
        suite: Suite,
        kept: KeptRuns,
        *,
        jobs: int,
        reuse: Reuse | None = None,
        ask_model: AskModel | None = None,
        activity: Activity | None = None,
        spending: AgentSpending | None = None,
    ) -> None:
        """`spending` limits what commands spend."""
        self._spending = spending
        self._suite = suite
        self._kept = kept
        self._jobs = jobs
        self._reuse = reuse or Reuse()
        self._ask_model = ask_model
        self._environment = dict(os.environ)
        self._hidden = hidden_paths(suite, [kept.folder])
        self.stop = threading.Event()
        """Set it to end everything: runs under way are killed and not kept."""
        self.activity = activity or Activity(run_count(suite))

    def results(self) -> Iterator[AgentRun]:
        """Every run, as it ends. Those that were under way when it was stopped are missing."""
        order = in_order(self._suite)
        with Scratch(workspaces()) as scratch:
            planner = Planner(self._suite.variants, scratch.folder / "revisions", kept_back(self._suite))

            def make(item: tuple[Case, Variant, int]) -> AgentRun:
                return self._result(item, planner, scratch)

            yield from results_of(order, make, self._jobs, self.stop)

    def _result(self, item: tuple[Case, Variant, int], planner: Planner, scratch: Scratch) -> AgentRun:
        planned = planner.plan(*item)
        self.activity.running[planned.id] = clock.elapsed()
        try:
            run, is_reused = self.found(planned), True
            if run is None:
                run, is_reused = self._made(planned, scratch)
        finally:
            del self.activity.running[planned.id]
        self.activity.outcomes[run.outcome] += 1
        self.activity.reused += is_reused
        return run

    def found(self, planned: PlannedRun) -> AgentRun | None:
        """The run if it need not be made: it is kept, or recorded, or cannot start; else None."""
        if planned.problem:
            return AgentRun(planned.id, planned.key, "not started", planned.problem)
        if isinstance(planned.variant.does, Recorded):
            path = recorded_path(planned.variant.does, planned.id)
            return completed(planned.variant, AgentRun(planned.id, planned.key, "finished", transcript=path), Path())
        run = None if self._reuse.fresh else self._kept.load(planned.key, planned.id)
        return run if run is not None and self._reuse.takes(run) else None

    def _made(self, planned: PlannedRun, scratch: Scratch) -> tuple[AgentRun, bool]:
        """The run, made or waited for, and whether another process made it."""
        with self._kept.claim(planned.key, self.stop):
            if (run := self.found(planned)) is not None:
                return run, True
            if self._spending is None or not isinstance(planned.variant.does, Command):
                return self._kept_run(planned, scratch), False
            reserved = self._spending.reserved(planned.variant.name, self.stop)
            if reserved is None:
                return AgentRun(planned.id, planned.key, "not started", BEYOND_LIMIT), False
            cost: Decimal | None = Decimal(0)
            try:
                run = self._kept_run(planned, scratch)
                cost = run.cost if run.outcome != "not started" else cost
                return run, False
            finally:
                self._spending.settle(planned.variant.name, reserved, cost)

    def _kept_run(self, planned: PlannedRun, scratch: Scratch) -> AgentRun:
        """The run, made and kept."""
        into = self._kept.new()
        try:
            run, aftermath = self._executed(planned, scratch, into)
            if run.outcome == "not started":
                return run
            if run.exit_code in INTERRUPTED:  # by Ctrl-C most likely, which is nothing that the agent did
                if self.stop.wait(_MOMENT):
                    raise Interrupted
                remove(into)
                return run._replace(transcript=None, changes=None)
            run = completed(planned.variant, run, into)
            if isinstance(planned.variant.does, Command | Function):
                run = redacted(run, into, secrets(planned.variant.does, self._environment))
            return self._kept.keep(into, run, aftermath)
        except BaseException:
            remove(into)
            raise

    def _executed(self, planned: PlannedRun, scratch: Scratch, into: Path) -> tuple[AgentRun, Aftermath]:
        if isinstance(planned.variant.does, Model):
            if self._ask_model is None:
                raise InputError(f'the variant "{planned.variant.name}" is a model, which cannot be asked here')
            return self._ask_model(planned), Aftermath()
        return execute(planned, scratch.new(), into, self.stop, self._environment, self._hidden)


# --- the threads in which runs are made: one for each run at once, which also waits for it

Item = TypeVar("Item")


def results_of(
    items: Iterator[Item], make: Callable[[Item], AgentRun], jobs: int, stop: threading.Event
) -> Iterator[AgentRun]:
    """Every run, as it ends; what one of them raises is raised here, after the others were stopped.

    Whoever stops listening stops the runs.
    """
    done: queue.Queue[AgentRun | BaseException | None] = queue.Queue(maxsize=4 * jobs)
    taking = threading.Lock()

    def work() -> None:
        try:
            while not stop.is_set():
                with taking:
                    item = next(items, None)
                if item is None:
                    return
                done.put(make(item))
        except Interrupted:
            return
        except BaseException as error:
            done.put(error)
        finally:
            done.put(None)

    workers = [threading.Thread(target=work, daemon=True) for _ in range(jobs)]
    for worker in workers:
        worker.start()
    try:
        working = jobs
        while working:
            result = done.get()
            if result is None:
                working -= 1
            elif isinstance(result, BaseException):
                raise result
            else:
                yield result
    finally:
        stop.set()
        while any(worker.is_alive() for worker in workers):
            try:
                done.get(timeout=0.05)  # or a thread would wait until there is room
            except queue.Empty:
                continue
