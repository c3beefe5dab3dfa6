"""The checks and expectations of a suite. Where a case expects something of files, the workspace is made again."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from evenhand.core.finding import Checked
from evenhand.decisions.suite import Suite
from evenhand.findings.expectations.expectation import Expectation, FreshCopy, Surroundings
from evenhand.findings.expectations.expectation_list import expectations_from
from evenhand.findings.expectations.products import asked_for, matching, without_tests
from evenhand.judges.program import AroundProgram
from evenhand.judging.program import CHECKS, open_program
from evenhand.runs.kept_runs import KeptRuns
from evenhand.runs.planned import PlannedRun, Planner
from evenhand.runs.run_document import Aftermath
from evenhand.runs.run_environment import whole_prompt
from evenhand.runs.workspaces.kept_back import kept_back
from evenhand.runs.workspaces.rebuilt_workspace import changed_files, rebuild, with_products
from evenhand.runs.workspaces.workspace import Changed, remove
from evenhand.suites.judgement.run_submissions import Handle, handle_of
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


@contextlib.contextmanager
def _fresh_copy(
    planned: PlannedRun, aftermath: Aftermath, root: Path, expectation: Expectation, whole: bool
) -> Iterator[FreshCopy]:
    """The folder for a command: the given files, and what of the run's work counts, or all but given tests."""
    written, given = changed_files(aftermath), {entry.target for entry in planned.listing}
    options = expectation.options
    command = expectation.value, str(options.get("folder") or "")
    if "products" in options:
        products = matching(options["products"], written)
    else:
        task = whole_prompt(planned.case)
        products = without_tests(*command, written, given) if whole else asked_for(task, *command, written, given)
    folder = Path(tempfile.mkdtemp(prefix="command-", dir=root)) / "workspace"
    try:
        with_products(planned, aftermath, products, folder)
        if whole:
            for name in without_tests(*command, aftermath.gone, given):
                (folder / name).unlink(missing_ok=True)
        left_out = (*(name for name in written if name not in products), *aftermath.gone)
        yield FreshCopy(folder, products, left_out)
    finally:
        remove(folder.parent)


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
                aftermath = kept_run[1]
                yield Surroundings(
                    root / "workspace",
                    fresh=partial(_fresh_copy, planned, aftermath, root),
                    lost="" if aftermath.whole else LOST,
                    changed={*(entry.target for entry in aftermath.written), *aftermath.gone},
                )
        finally:
            remove(root)

    return workspace
