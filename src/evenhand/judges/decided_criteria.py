"""The criteria that a program decides: by a check, or by an expectation. No model is asked about them.

A check that finds a fault says no, one that found none says yes. Of a work without a transcript, a check of what an
agent did says that the criterion does not apply. An expectation that is met says yes, one that is not says no. What
could not be run or decided cannot be told.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from evenhand.core.bounds import evidence_of
from evenhand.core.judgement import Verdict
from evenhand.core.rubric import CANNOT_TELL, DOES_NOT_APPLY, NO, YES, Criterion, Tree
from evenhand.errors import InputError, unknown
from evenhand.work.submission import Submission

RUNNING = ("command", "script")
"""Expectations that run something: a suite may, a rubric that someone passes on may not."""
READ = ("text", "graded")
"""Expectations that only a reader can decide."""


def decided_verdicts(trees: Mapping[str, Tree], submission: Submission) -> dict[str, Verdict]:
    """The verdict on each criterion that a program decides, by id."""
    criteria = [criterion for tree in trees.values() for criterion in tree.criteria() if not criterion.asked]
    return {
        criterion.id: _by_check(criterion, submission) if criterion.check else _by_expectation(criterion, submission)
        for criterion in criteria
    }


def undecidable(trees: Mapping[str, Tree]) -> Iterator[tuple[str, str]]:
    """The criteria whose program cannot decide them: the id, and why."""
    for tree in trees.values():
        for criterion in tree.criteria():
            why = "" if criterion.asked else _why_undecidable(criterion)
            if why:
                yield criterion.id, why


def _why_undecidable(criterion: Criterion) -> str:
    if criterion.check:
        from evenhand.findings.registry import built_in, installed

        known = [check.id for check in (*built_in(), *installed())]
        return "" if criterion.check in known else unknown("check", criterion.check, known)
    from evenhand.findings.expectations.expectation_list import expectations_from

    try:
        expectations = expectations_from([criterion.expect])
    except InputError as error:
        return error.problems[0].message
    about = {part.about for expectation in expectations for part in expectation.each()}
    if about & set(RUNNING):
        return "a rubric runs no commands and scripts; put the expectation into a suite"
    return "only a reader can decide it; leave out `decided by`, and a judge is asked" if about & set(READ) else ""


def _by_check(criterion: Criterion, submission: Submission) -> Verdict:
    from evenhand.findings.finding import sound
    from evenhand.findings.registry import about_runs, built_in, installed
    from evenhand.findings.subject import Subject

    by = f"check {criterion.check}"
    check = next((check for check in (*built_in(), *installed()) if check.id == criterion.check), None)
    if check is None or (check.whole and submission.problems):
        return Verdict(CANNOT_TELL, "there is no such check" if check is None else "part of the file is unread", by=by)
    try:
        findings = sound(check, check.run(Subject(submission)))
    except Exception as error:  # whatever a check raises is not a verdict on the work
        return Verdict(CANNOT_TELL, f"the check failed: {type(error).__name__}: {str(error)[:200]}", by=by)
    faults = [finding for finding in findings if finding.severity is not None]
    evidence = tuple(evidence_of(finding) for finding in faults if finding.quote)
    if not submission.events and check.id in about_runs():
        return Verdict(DOES_NOT_APPLY, "there is no transcript for the check to look at", by=by)
    if not findings:
        return Verdict(YES, "the check found no fault", by=by)
    message = " ".join(finding.message for finding in faults or findings[:1])
    return Verdict(NO if faults else YES, message, evidence, by)


def _by_expectation(criterion: Criterion, submission: Submission) -> Verdict:
    from pathlib import Path

    from evenhand.findings.expectations.decisions import decide
    from evenhand.findings.expectations.expectation import NOWHERE
    from evenhand.findings.expectations.expectation_list import expectations_from

    why = _why_undecidable(criterion)
    if why:
        return Verdict(CANNOT_TELL, why, by="expectation")
    folder = None if submission.workspace is None else Path(submission.workspace)
    results = decide(expectations_from([criterion.expect]), submission, NOWHERE._replace(folder=folder))
    reason = " ".join(dict.fromkeys(expected.line for expected in results))
    if any(expected.result == "unmet" for expected in results):
        return Verdict(NO, reason, by="expectation")
    return Verdict(YES if all(e.result == "met" for e in results) else CANNOT_TELL, reason, by="expectation")
