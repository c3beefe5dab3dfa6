"""A model as a judge: it is asked, its quotes are checked, and what it cannot show does not count."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from decimal import Decimal

from evenhand.core.basics.methodology import DIMENSIONS, LOWEST
from evenhand.core.basics.numbers import points
from evenhand.core.panel.consensus import add_calls
from evenhand.core.values.judgement import Judgement
from evenhand.core.values.opinion import Opinion, Unscored
from evenhand.core.values.panel import NOT_ASKED, Member, Panel
from evenhand.core.values.rubric import Rubric
from evenhand.core.values.submission import Submission
from evenhand.judges.checks.facts.substance import lacks_substance
from evenhand.judges.checks.subject import Subject
from evenhand.judges.model.asking import Asked, Asker, Plan, add_plans
from evenhand.judges.model.question import prompt
from evenhand.judges.model.question.prompt import Question
from evenhand.judges.model.question.showing import Shown, nothing_to_judge, show
from evenhand.judges.model.together import every
from evenhand.judges.model.weighing import Claims, Weighing
from evenhand.judges.providers.exchange import Message

LEAST_ROOM = 100
"""Tokens of a submission that a judge must see at least; whoever sees less of a longer one cannot judge it."""


class ModelJudge:
    """One model. Many submissions may be put to it at once."""

    def __init__(self, asker: Asker) -> None:
        self._asker = asker
        self.identity: Mapping[str, str] = asker.identity
        """The provider and model, the prompt's hash and how it is asked."""

    def calls(self, rubric: Rubric, only: Collection[str] | None = None) -> int:
        """One a question and sample."""
        return len(self.questions(rubric, only)) * self._asker.settings.samples

    def questions(self, rubric: Rubric, only: Collection[str] | None = None) -> list[Question]:
        """What is asked about one submission; with `only`, about these dimensions and no claims."""
        wanted = prompt.questions(rubric, economy=self._asker.settings.economy)
        return [each for each in wanted if only is None or each.kind == "all" or each.dimension in only]

    async def judge(self, rubric: Rubric, submission: Submission, *, only: Collection[str] | None = None) -> Judgement:
        """What the model says, as far as it can be shown; with `only`, of these dimensions and of no claims."""
        names = [name for name in DIMENSIONS if only is None or name in only]
        lacking = lacks_substance(Subject(submission))
        shown = self._show(rubric, submission)
        if lacking is None and shown.masked:  # what is left once the words to the judge are taken away?
            lacking = nothing_to_judge(submission)
        if lacking is not None:
            said = dict.fromkeys(names, Opinion(points(LOWEST), lacking))
            return self._judgement(submission, said, Claims(abstained=_abstains(only)), warnings=shown.notes)
        if shown.condensed is not None and (self._room(rubric) or 0) < LEAST_ROOM:
            said = dict.fromkeys(names, Opinion(Unscored(self._cramped())))
            return self._judgement(submission, said, Claims(abstained=self._cramped()), warnings=shown.notes)
        weighing = Weighing(submission, shown, self.identity["name"])
        wanted = [(each, n) for each in self.questions(rubric, only) for n in range(self._asker.settings.samples)]
        came = await every(
            self._asker.ask(rubric, shown, question, sample=sample, lacking=weighing.lacking)
            for question, sample in wanted
        )
        answers = [(question, asked) for (question, _), asked in zip(wanted, came, strict=True)]
        opinions = {name: weighing.opinion(name, _about(name, answers)) for name in names}
        asked_claims = [asked for question, asked in answers if question.kind != "dimension"]
        claims = weighing.claims(rubric, asked_claims) if only is None else Claims(abstained=NOT_ASKED)
        made = self._judgement(submission, opinions, claims, warnings=shown.notes + weighing.notes(opinions, claims))
        assert made.panel is not None
        calls = add_calls(asked.calls for asked in came)
        condensed = (shown.condensed,) if shown.condensed is not None else ()
        return made._replace(panel=made.panel._replace(calls=calls, condensed=condensed))

    def plan(self, rubric: Rubric, submission: Submission) -> Plan:
        """What judging one submission would take, repairs aside."""
        if lacks_substance(Subject(submission)) is not None:
            return Plan(cost=Decimal(0))
        shown = self._show(rubric, submission)
        samples = range(self._asker.settings.samples)
        return add_plans(
            self._asker.plan(rubric, shown, question, sample=n) for question in self.questions(rubric) for n in samples
        )

    def prompts(self, rubric: Rubric, submission: Submission) -> Iterator[tuple[str, tuple[Message, ...]]]:
        """Every question as the model gets it, with its name; a placeholder stands for the nonce."""
        shown = self._show(rubric, submission)
        for question in self.questions(rubric):
            yield question.name, prompt.messages(rubric, shown, question, prompt.PLACEHOLDER)

    def _show(self, rubric: Rubric, submission: Submission) -> Shown:
        return show(submission, window_tokens=self._room(rubric), judge_name=self.identity["name"])

    def _room(self, rubric: Rubric) -> int | None:
        """The tokens that the window leaves for the task and the submission."""
        return prompt.room(rubric, self.questions(rubric), self._asker.window, self._asker.settings.max_tokens)

    def _cramped(self) -> str:
        return (
            f"the window of {self._asker.window:,} tokens leaves no room for the submission beside the question and "
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
            scores={name: said.score for name, said in opinions.items()},
            distributions={name: said.distribution for name, said in opinions.items() if said.distribution},
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
            id=submission.id if submission.format == "submissions" else None,  # a session goes on under one id
            output=submission.source,
            task=submission.task,
            panel=Panel((member,), None, discounted=claims.discounted),
            warnings=warnings,
        )


def _about(name: str, answers: Sequence[tuple[Question, Asked]]) -> list[Asked]:
    return [asked for question, asked in answers if question.kind == "all" or question.dimension == name]


def _abstains(only: Collection[str] | None) -> str | None:
    return None if only is None else NOT_ASKED
