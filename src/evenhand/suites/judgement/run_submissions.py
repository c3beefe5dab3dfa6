"""From a run to what judges get: its output or its transcript, with the task and the expectations of its case."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from evenhand import clock
from evenhand.decisions.suite import Case, Command, Recorded, Suite, Variant
from evenhand.errors import InputError, Problem
from evenhand.runs.known_agents import AUTO
from evenhand.runs.run_environment import whole_prompt
from evenhand.transcripts import read, sniff
from evenhand.work.agent_run import AgentRun, RunId
from evenhand.work.submission import Submission

PRINTED = "printed.jsonl"
_REPORTS = ("claude-code", "codex", "gemini-stream")
"""What agents print with `--output-format json` or `stream-json`, and with `--json`."""


class Handle(NamedTuple):
    """What is written into a submission's id, so that its run is known wherever it is judged."""

    card: str
    """The id that its scorecard will have."""
    key: str
    case: str
    variant: str
    repeat: int

    @property
    def run(self) -> RunId:
        """The run it belongs to."""
        return RunId(self.case, self.variant, self.repeat)


def handle_of(submission: Submission) -> Handle:
    """The handle in a submission's id."""
    return Handle(*json.loads(submission.id or ""))


def completed(variant: Variant, run: AgentRun, folder: Path) -> AgentRun:
    """A run with the tokens and the cost that its transcript states; a recorded one that cannot be read never began.

    `folder` is where the run's files are at the moment.
    """
    if isinstance(variant.does, Command) and variant.does.output is None and variant.does.transcript == AUTO:
        run = _with_printed(run, folder)
    if run.transcript is None:
        return run
    (submission, *others) = [*read(str(folder / run.transcript))]
    if isinstance(variant.does, Recorded):
        if isinstance(submission, InputError):
            return run._replace(outcome="not started", reason=str(submission.problems[0]))
        if others:
            reason = f"{run.transcript} holds {len(others) + 1} submissions; a recorded run is one"
            return run._replace(outcome="not started", reason=reason)
        run = run._replace(output=submission.output)
    elif isinstance(submission, InputError):
        return run._replace(notes=(*run.notes, f"its transcript was not read: {submission.problems[0].message}"))
    usage = submission.usage
    return run._replace(
        input_tokens=run.input_tokens if usage is None else usage.input,
        output_tokens=run.output_tokens if usage is None else usage.output,
        cost=run.cost if submission.cost is None else submission.cost,
    )


def _with_printed(run: AgentRun, folder: Path) -> AgentRun:
    """A run whose agent printed a report of itself instead of its answer: the answer, tokens and cost that it states.

    It is the transcript too, unless the agent wrote one into its HOME, which has more in it.
    """
    if run.output is None or not run.output.lstrip().startswith(("{", "[")):
        return run
    folder.mkdir(exist_ok=True)
    path = folder / PRINTED
    path.write_text(run.output, encoding="utf-8", errors="replace")
    submission = _report(str(path))
    if submission is None:
        path.unlink()
        return run
    usage = submission.usage
    return run._replace(
        output=submission.output or run.output,
        transcript=run.transcript or PRINTED,
        input_tokens=None if usage is None else usage.input,
        output_tokens=None if usage is None else usage.output,
        cost=submission.cost,
    )


def _report(path: str) -> Submission | None:
    """What an agent's report of itself states; None when the file is not one, or states nothing."""
    try:
        submission = next(iter(read(path))) if sniff(path).name in _REPORTS else None
    except InputError:
        return None
    if submission is None or isinstance(submission, InputError):
        return None
    return submission if submission.output or submission.cost is not None else None


def submission_of(suite: Suite, case: Case, variant: Variant, run: AgentRun) -> Submission:
    """What judges get of a finished run."""
    handle = Handle(clock.new_id(), run.key, *run.id)
    submission = _read(variant, run)
    task = whole_prompt(case) if case.task is None else case.task
    return submission._replace(
        id=json.dumps(handle),
        task=task if task or submission.task is None else submission.task,
        task_read=not task and submission.task_read,
        skill=suite.skill,
        reference=case.reference,
        expect=case.expect,
        # A file of submissions gives its scorecards the ids it names; here each run has one of its own.
        format="text" if submission.format == "submissions" else submission.format,
    )


def _read(variant: Variant, run: AgentRun) -> Submission:
    plain = Submission(run.output or "", source=str(run.id.case), started=run.started, ended=_ended(run))
    if run.transcript is None:
        return plain
    submission = next(iter(read(run.transcript)))
    if isinstance(submission, InputError):  # its damage is not the agent's; the output is judged alone
        why = "judged by its output alone, because its transcript cannot be read: "
        first = submission.problems[0]
        return plain._replace(warnings=(Problem(why + first.message, first.source, first.line),))
    named = isinstance(variant.does, Command) and variant.does.output is not None
    return submission._replace(output=run.output or "") if named or not submission.output else submission


def _ended(run: AgentRun) -> str:
    """When it ended, from when it began and how long it took."""
    if not run.started or run.seconds is None:
        return ""
    moment = datetime.fromisoformat(run.started) + timedelta(seconds=float(run.seconds))
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
