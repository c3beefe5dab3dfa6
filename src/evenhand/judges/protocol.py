"""What a judge is: a rubric and a submission in, a judgement out."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Protocol

from evenhand.core.finding import Finding
from evenhand.core.judgement import Calls, Judgement, Verdict
from evenhand.core.rubric import Criterion, Rubric
from evenhand.work.submission import Submission


class Judge(Protocol):
    """A judge. It never sees a skill's history or another judge's scores."""

    @property
    def identity(self) -> Mapping[str, str]:
        """Who judges: at least a `name`, plus anything else a score depends on, such as a version."""

    def judge(self, rubric: Rubric, submission: Submission) -> Judgement:
        """Judge one submission. A dimension that cannot be scored is `Unscored` with the reason, never a number."""


class AskedJudge(Protocol):
    """An asynchronous judge; several may judge several submissions at once."""

    @property
    def identity(self) -> Mapping[str, str]:
        """As for `Judge`."""

    async def judge(self, rubric: Rubric, submission: Submission, *, only: Collection[str] | None = None) -> Judgement:
        """Judge one submission; with `only`, these dimensions and no claims. Raises `Stopped` when the run ends."""

    def calls(self, rubric: Rubric, only: Collection[str] | None = None) -> int:
        """How many calls one submission takes, repairs aside."""


class Reader(AskedJudge, Protocol):
    """A judge that can also say which findings of a program are wrong."""

    async def judge(
        self, rubric: Rubric, submission: Submission, *, only: Collection[str] | None = None, facts: str = ""
    ) -> Judgement:
        """As for every asked judge; `facts` is what a program saw of the work, for the question about flags."""

    async def refute(
        self, rubric: Rubric, submission: Submission, findings: Sequence[Finding]
    ) -> tuple[Mapping[str, str], Calls]:
        """The findings of a program that are wrong, by id, each with why; only those shown by a verified quote."""

    async def answer(
        self, rubric: Rubric, submission: Submission, criteria: Sequence[Criterion]
    ) -> tuple[Mapping[str, Verdict], Calls]:
        """The answers to sentences about the work, by id; one that was not answered is left out."""
