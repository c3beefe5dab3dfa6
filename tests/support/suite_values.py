"""Small suites for tests: cases, commands and the folder in which runs are kept."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

from evenhand.decisions.suite import Case, Command, Limits, StartFile, Suite, Variant
from evenhand.runs.kept_runs import KeptRuns
from evenhand.runs.one_run import execute
from evenhand.runs.planned import PlannedRun, Planner
from evenhand.suites.execution.agent_runs import Reuse, SuiteWork
from evenhand.work.agent_run import AgentRun


def shell(script: str, **more: Any) -> Command:
    """A command that a shell reads."""
    return Command((script,), shell=True, **more)


def planned(does: Any, tmp_path: Path, *, case: Case | None = None, **variant: Any) -> PlannedRun:
    """The first run of a variant."""
    chosen = Variant("v", does, **variant)
    return Planner([chosen], tmp_path / "revisions").plan(case or Case("c", "Say hello."), chosen, 1)


def run_once(does: Any, tmp_path: Path, **more: Any) -> tuple[AgentRun, Path]:
    """A variant's run and the folder with what is kept of it."""
    into = tmp_path / "kept"
    into.mkdir()
    run, _ = execute(planned(does, tmp_path, **more), tmp_path / "root", into, threading.Event())
    return run, into


def suite_of(*variants: Variant, cases: int = 1, repeats: int = 1, files: tuple[StartFile, ...] = ()) -> Suite:
    """A suite with numbered cases."""
    listed = tuple(Case(f"c{number}", f"Prompt {number}", files=files) for number in range(1, cases + 1))
    return Suite("suite", listed, variants, repeats=repeats)


def all_runs(suite: Suite, folder: Path, *, jobs: int = 2, reuse: Reuse | None = None) -> list[AgentRun]:
    """Every run of a suite, sorted."""
    with KeptRuns(folder) as kept:
        return sorted(SuiteWork(suite, kept, jobs=jobs, reuse=reuse).results())


QUICK = Limits(seconds=None)
