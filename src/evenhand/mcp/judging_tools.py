"""The tools that look at work: `judge_begin`, `judge_submit` and `findings`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from evenhand.api.judging import check
from evenhand.errors import InputError, JudgementError, Problem, StoreUnavailable
from evenhand.files.text import refuse_path
from evenhand.in_words import counted
from evenhand.judging.agent_judgement import assign, evaluate, instructions, judge_name, refuse_person
from evenhand.judging.keeper import keep_one
from evenhand.judging.recommended import recommended_document
from evenhand.judging.steps import read_submissions
from evenhand.mcp.call import Call, Reply
from evenhand.mcp.handles import LIFETIME
from evenhand.mcp.output_schemas import published
from evenhand.reports.markdown import report_markdown
from evenhand.reports.scorecard import scorecard_report
from evenhand.rubrics.resolved import rubric_used
from evenhand.work.submission import Submission

NEXT = """\
When you have judged, call judge_submit with the handle {handle} and the judgement, an object with this schema:
{schema}
"""


def judge_begin(
    call: Call,
    *,
    output: str | None = None,
    file: str | None = None,
    item: int | None = None,
    task: str | None = None,
    rubric: str | None = None,
    skill: str | None = None,
) -> Reply:
    """Everything the calling agent needs in order to judge, and the handle for its judgement."""
    submission = _submission(call, output, file, item, task, skill)
    assignment = assign(submission, rubric=call.confinement.rubric(rubric))
    handle = call.handles.add(assignment)
    schema = published("judgement")
    text = instructions(assignment)
    document = {
        "handle": handle,
        "instructions": text,
        "judgement_schema": schema,
        "expires_in_seconds": LIFETIME,
        "condensed": assignment.shown.condensed is not None,
    }
    return Reply(text + NEXT.format(handle=handle, schema=json.dumps(schema)), document)


def judge_submit(call: Call, *, handle: str, judgement: Mapping[str, Any], judge: str | None = None) -> Reply:
    """The scorecard of an agent's judgement, stored; or everything to fix, with the handle still open."""
    refuse_person(judgement.get("judge"))
    with call.handles.used(handle) as assignment:
        call.report(0, 2, "checking the quotes")
        try:
            evaluated = evaluate(assignment, judgement, judge_name(judge, call.agent))
        except JudgementError as error:
            raise _to_fix(error) from None
        call.report(1, 2, "storing the scorecard")
        card, note = evaluated.card, ""
        if call.store is not None:
            try:
                card = keep_one(call.store, evaluated)
            except StoreUnavailable as error:
                note = f"NOT STORED: {error}. The handle stays open: submit the same judgement again to store it.\n\n"
        if not note:
            call.handles.close(handle, card.id)
    return Reply(note + report_markdown(scorecard_report(card, rubric_used(card))), recommended_document(card))


def findings(
    call: Call, *, output: str | None = None, file: str | None = None, item: int | None = None, task: str | None = None
) -> Reply:
    """What the deterministic checks find. Nothing is graded and nothing is stored."""
    submission = _submission(call, output, file, item, task, None)
    call.report(1, 2, "running the checks")
    card = check(submission)
    return Reply(report_markdown(scorecard_report(card)), recommended_document(card))


def _to_fix(error: JudgementError) -> InputError:
    """What is wrong with a judgement, and that nothing is lost."""
    things = counted(len(error.problems), "thing")
    head = f"not scored yet: {things} to fix, then call judge_submit again with this handle"
    return InputError([Problem(head), *(Problem(f"- {problem.message}") for problem in error.problems)])


def _submission(
    call: Call, output: str | None, file: str | None, item: int | None, task: str | None, skill: str | None
) -> Submission:
    """What is to be judged: a text, or one submission of a file."""
    if (output is None) == (file is None):
        raise InputError("give either output (the text) or file (a path), and not both")
    refuse_path("task", task)
    if output is not None:
        return Submission(output=output, task=task, skill=skill)
    assert file is not None
    path = call.confinement.file(file)
    call.report(0, 2, f"reading {file}")
    submissions = list(read_submissions([path], task=task, skill=skill))
    if len(submissions) > 1 and item is None:
        raise InputError(Problem(f"holds {len(submissions)} submissions; choose one with item, from 1", file))
    place = item or 1
    if place > len(submissions):
        raise InputError(Problem(f"holds {len(submissions)}, so there is no item {place}", file))
    submission = submissions[place - 1]
    if isinstance(submission, InputError):
        raise submission
    # A transcript brings the files of its sub-agents along; links among them may lead out.
    for name in {event.place.file for event in submission.events if not event.place.file.startswith(path)}:
        call.confinement.file(str(Path(name).absolute()))
    return submission
