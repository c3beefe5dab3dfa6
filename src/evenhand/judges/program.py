"""What a program can determine about a submission: findings of the checks, and whether expectations are met."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from evenhand.core.bounds import NOT_READ, finding_id
from evenhand.core.finding import Checked, Expected, Lifted
from evenhand.core.judgement import Judgement, Opinion, Unscored
from evenhand.core.rubric import Rubric
from evenhand.core.rules import DIMENSIONS
from evenhand.findings.expectations.expectation import NOWHERE, Expectation, Surroundings
from evenhand.findings.judge import VERSION, ChecksJudge
from evenhand.work.submission import Submission


class ProgramJudge:
    """The judge named `checks`. It gives no score, because it cannot read."""

    def __init__(
        self,
        checks: ChecksJudge | None,
        expectations: Sequence[Expectation] = (),
        *,
        surroundings: Surroundings = NOWHERE,
        waivers: Sequence[Lifted] = (),
    ) -> None:
        self._checks = checks
        self._expectations = tuple(expectations)
        self._surroundings = surroundings
        self._waivers = tuple(waivers)

    @property
    def identity(self) -> Mapping[str, str]:
        """The version of the checks, and the ids of the user's own."""
        return {"name": "checks", "version": VERSION} if self._checks is None else self._checks.identity

    @property
    def hash(self) -> str:
        """Which checks run; empty when none do."""
        return "" if self._checks is None else self._checks.hash

    def within(self, surroundings: Surroundings) -> ProgramJudge:
        """These checks and expectations, for work done in another place; models cost what they did."""
        surroundings = surroundings._replace(rates=self._surroundings.rates)
        return ProgramJudge(self._checks, self._expectations, surroundings=surroundings, waivers=self._waivers)

    def judge(self, rubric: Rubric, submission: Submission) -> Judgement:
        """The findings, with every dimension unscored."""
        checked, warnings = self.look(submission)
        return Judgement(
            opinions={name: Opinion(Unscored(NOT_READ)) for name in DIMENSIONS},
            judge=self.identity,
            skill=submission.skill or "unnamed",
            id=submission.id if submission.format == "submissions" else None,  # a session keeps its id as it grows
            output=submission.source,
            task=submission.task,
            checked=checked,
            warnings=warnings,
        )

    def look(self, submission: Submission) -> tuple[Checked | None, tuple[str, ...]]:
        """The results of the checks and of each expectation; None when there are neither."""
        expectations = (*self._expectations, *_own_expectations(submission))
        if self._checks is None and not expectations:
            return None, ()
        checked, warnings = (Checked(""), ()) if self._checks is None else self._checks.look(submission)
        decided: tuple[Expected, ...] = ()
        if expectations:
            from evenhand.findings.expectations.decisions import decide  # not needed for checks alone

            surroundings = self._surroundings
            if submission.workspace is not None:
                surroundings = surroundings._replace(folder=Path(submission.workspace))
            decided = decide(expectations, submission, surroundings)
        known = {finding_id(finding) for finding in checked.findings}
        waived = tuple(waiver for waiver in self._waivers if waiver.finding in known)
        return checked._replace(expectations=decided, lifted=waived), warnings


def _own_expectations(submission: Submission) -> tuple[Expectation, ...]:
    """The expectations that came with the submission itself."""
    if submission.expect is None:
        return ()
    from evenhand.findings.expectations.expectation_list import given_expectations

    return given_expectations(submission.expect, submission.source)


class AroundProgram(ProgramJudge):
    """Another program judge, for those that only look differently."""

    def __init__(self, program: ProgramJudge) -> None:
        self._program = program

    @property
    def identity(self) -> Mapping[str, str]:
        """As of the one inside."""
        return self._program.identity

    @property
    def hash(self) -> str:
        """As of the one inside."""
        return self._program.hash
