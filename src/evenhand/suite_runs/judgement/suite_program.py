"""The checks and expectations of a suite. Where a case expects something of files, the workspace is made again."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from evenhand.core.values import Checked
from evenhand.decisions.values.suite import Suite
from evenhand.expectations.expectation import Surroundings
from evenhand.expectations.expectation_list import expectations_from
from evenhand.judges.program import AroundProgram
from evenhand.judging.program import CHECKS, open_program
from evenhand.runs.kept_runs import KeptRuns
from evenhand.runs.planned import Planner
from evenhand.runs.workspaces.kept_back import kept_back
from evenhand.runs.workspaces.rebuilt_workspace import rebuild
from evenhand.runs.workspaces.workspace import Changed, remove
from evenhand.suite_runs.judgement.run_submissions import Handle, handle_of
from evenhand.work.submission import Submission

Workspace = Callable[[Handle], contextlib.AbstractContextManager[Surroundings]]
"""A run's workspace as it was at the end, for a moment; no folder when it cannot be made again."""

LOST = "what the agent wrote is too much to keep, or cannot be read"

LOOKS = ("file", "command", "script")
"""The kinds of expectations that look at a workspace, or run in it."""


class SuiteProgram(AroundProgram):
    """The judge named `checks`, for runs of a suite."""

    def __init__(self, workspace: Workspace, *, run_scripts: bool = False) -> None:
        """`run_scripts`: pieces of JavaScript and Python, which often come from elsewhere, may run."""
        super().__init__(open_program([CHECKS]))
        self._workspace = workspace
        self._run_scripts = run_scripts

    def look(self, submission: Submission) -> tuple[Checked | None, tuple[str, ...]]:
        """The results of the checks and of each expectation. Commands that a suite expects to work are run."""
        expected = () if submission.expect is None else expectations_from(submission.expect)
        if not any(part.about in LOOKS for expectation in expected for part in expectation.each()):
            return self._program.look(submission)
        with self._workspace(handle_of(submission)) as surroundings:
            surroundings = surroundings._replace(run_commands=True, run_scripts=self._run_scripts)
            return self._program.within(surroundings).look(submission)


def workspaces_of(suite: Suite, kept: KeptRuns, revisions: Path) -> Workspace:
    """How the workspaces of a suite's runs are made again; `revisions` is where skills of git revisions are put."""
    cases = {case.id: case for case in suite.cases}
    variants = {variant.name: variant for variant in suite.variants}
    planner = Planner(suite.variants, revisions, kept_back(suite))

    @contextlib.contextmanager
    def workspace(handle: Handle) -> Iterator[Surroundings]:
        planned = planner.plan(cases[handle.case], variants[handle.variant], handle.repeat)
        kept_run = kept.find(handle.key)
        if kept_run is None or planned.key != handle.key:
            yield Surroundings()
            return
        root = Path(tempfile.mkdtemp(prefix="evenhand-look-"))
        try:
            try:
                rebuild(planned, kept_run[1], root / "workspace")
            except Changed:
                yield Surroundings()
            else:
                yield Surroundings(root / "workspace", lost="" if kept_run[1].whole else LOST)
        finally:
            remove(root)

    return workspace
