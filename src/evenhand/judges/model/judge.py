"""A model as a judge: ask it, check its quotes, and ignore what it cannot back up."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from decimal import Decimal

from evenhand.core.basics.methodology import DIMENSIONS, LOWEST
from evenhand.core.basics.numbers import points
from evenhand.core.method.bounds import finding_id
from evenhand.core.panel.consensus import add_calls
from evenhand.core.values.finding import Finding
from evenhand.core.values.judgement import Judgement
from evenhand.core.values.opinion import Opinion, Unscored
from evenhand.core.values.panel import NOT_ASKED, Calls, Member, Panel
from evenhand.core.values.rubric import RedFlag, Rubric
from evenhand.core.values.submission import Submission
from evenhand.judges.checks.facts.substance import lacks_substance
from evenhand.judges.checks.subject import Subject
from evenhand.judges.model.asking import Asker, QuestionResult
from evenhand.judges.model.call_plan import Plan
from evenhand.judges.model.question import prompt
from evenhand.judges.model.question.prompt import Question
from evenhand.judges.model.question.showing import Shown, nothing_to_judge, show
from evenhand.judges.model.together import every
from evenhand.judges.model.weighing import Claims, Weighing
from evenhand.judges.providers.exchange import Message

LEAST_ROOM = 100
"""The fewest tokens of a condensed submission that a judge must see to score it."""


class ModelJudge:
    """One model. It may judge many submissions at once."""

    def __init__(self, asker: Asker) -> None:
        self._asker = asker
        self.identity: Mapping[str, str] = asker.identity
        """The provider and model, the prompt's hash and the call settings."""

    def calls(self, rubric: Rubric, only: Collection[str] | None = None) -> int:
        """One call per question and sample."""
        return len(self.questions(rubric, only)) * self._asker.settings.samples

    def questions(self, rubric: Rubric, only: Collection[str] | None = None) -> list[Question]:
        """The questions about one submission; with `only`, just these dimensions and no claims."""
        questions = prompt.questions(rubric, economy=self._asker.settings.economy)
        return [
            question for question in questions if only is None or question.kind == "all" or question.dimension in only
        ]

    async def judge(self, rubric: Rubric, submission: Submission, *, only: Collection[str] | None = None) -> Judgement:
        """The model's judgement, as far as its quotes back it up; with `only`, of these dimensions and no claims."""
        names = [name for name in DIMENSIONS if only is None or name in only]
        lacking = lacks_substance(Subject(submission))
        shown = self._show(rubric, submission)
        if lacking is None and shown.masked:  # is anything left besides words to the judge?
            lacking = nothing_to_judge(submission)
        if lacking is not None:
            opinions = dict.fromkeys(names, Opinion(points(LOWEST), lacking))
            return self._judgement(submission, opinions, Claims(abstained=_abstains(only)), warnings=shown.notes)
        if shown.condensed is not None and (self._room(rubric) or 0) < LEAST_ROOM:
            opinions = dict.fromkeys(names, Opinion(Unscored(self._no_room())))
            return self._judgement(submission, opinions, Claims(abstained=self._no_room()), warnings=shown.notes)
        weighing = Weighing(submission, shown, self.identity["name"])
        samples = range(self._asker.settings.samples)
        questions = [(question, sample) for question in self.questions(rubric, only) for sample in samples]
        results = await every(
            self._asker.ask(rubric, shown, question, sample=sample, lacking=weighing.lacking)
            for question, sample in questions
        )
        answers = [(question, result) for (question, _), result in zip(questions, results, strict=True)]
        opinions = {name: weighing.opinion(name, _about(name, answers)) for name in names}
        about_claims = [result for question, result in answers if question.kind != "dimension"]
        claims = weighing.claims(rubric, about_claims) if only is None else Claims(abstained=NOT_ASKED)
        made = self._judgement(submission, opinions, claims, warnings=shown.notes + weighing.notes(opinions, claims))
        assert made.panel is not None
        calls = add_calls(result.calls for result in results)
        condensed = (shown.condensed,) if shown.condensed is not None else ()
        return made._replace(panel=made.panel._replace(calls=calls, condensed=condensed))

    async def refute(
        self, rubric: Rubric, submission: Submission, findings: Sequence[Finding]
    ) -> tuple[Mapping[str, str], Calls]:
        """The findings of the checks that the model refutes, by id, with its reason, all backed by verified quotes.

        One call, using the question about red flags: does the work itself show that this report is wrong?
        """
        reports = tuple(RedFlag(finding_id(finding), _report(finding), Decimal(1)) for finding in findings)
        question = Question("claims", reports=reports)
        shown = self._show(rubric, submission)
        weighing = Weighing(submission, shown, self.identity["name"])
        result = await self._asker.ask(rubric, shown, question, sample=0, lacking=weighing.lacking)
        claims = weighing.claims(question.about(rubric), [result])
        return {claim.id: claim.explanation for claim in claims.red_flags}, result.calls

    def plan(self, rubric: Rubric, submission: Submission) -> Plan:
        """Estimate what judging one submission would take, not counting repairs."""
        if lacks_substance(Subject(submission)) is not None:
            return Plan(cost=Decimal(0))
        return self._asker.plan(rubric, self._show(rubric, submission), self.questions(rubric))

    def prompts(self, rubric: Rubric, submission: Submission) -> Iterator[tuple[str, tuple[Message, ...]]]:
        """Every question as the model gets it, with its name and a placeholder for the nonce."""
        shown = self._show(rubric, submission)
        for question in self.questions(rubric):
            yield question.name, self._asker.first_messages(rubric, shown, question)

    def _show(self, rubric: Rubric, submission: Submission) -> Shown:
        return show(submission, window_tokens=self._room(rubric), judge_name=self.identity["name"])

    def _room(self, rubric: Rubric) -> int | None:
        """The tokens that the window leaves for the task and the submission."""
        frame = self._asker.frame
        return prompt.room(rubric, self.questions(rubric), reply_tokens=self._asker.settings.max_tokens, **frame)

    def _no_room(self) -> str:
        return (
            f"the window of {self._asker.window:,} tokens leaves no room for the submission after the question and "
            "the reply; set a larger window, or smaller max_tokens, in evenhand.toml"
        )

    def _judgement(
        self,
        submission: Submission,
        opinions: Mapping[str, Opinion],
        claims: Claims,
        warnings: tuple[str, ...] = (),
    ) -> Judgement:
        member = Member(
            judge=self.identity,
            scores={name: opinion.score for name, opinion in opinions.items()},
            distributions={name: opinion.distribution for name, opinion in opinions.items() if opinion.distribution},
            red_flags=tuple(claim.id for claim in claims.red_flags),
            bonuses=tuple(claim.id for claim in claims.bonuses),
            abstained=claims.abstained,
        )
        return Judgement(
            opinions=opinions,
            judge=self.identity,
            skill=submission.skill or "unnamed",
            red_flags=claims.red_flags,
            bonuses=claims.bonuses,
            id=submission.id if submission.format == "submissions" else None,  # a session keeps its id as it grows
            output=submission.source,
            task=submission.task,
            reference=submission.reference,
            panel=Panel((member,), None, discounted=claims.discounted),
            warnings=warnings,
        )


def _report(finding: Finding) -> str:
    about = f' It is about this passage: "{finding.quote}"' if finding.quote else ""
    return f'This report about the work is wrong, and the work itself shows that: "{finding.message}"{about}'


def _about(name: str, answers: Sequence[tuple[Question, QuestionResult]]) -> list[QuestionResult]:
    return [result for question, result in answers if question.kind == "all" or question.dimension == name]


def _abstains(only: Collection[str] | None) -> str | None:
    return None if only is None else NOT_ASKED
