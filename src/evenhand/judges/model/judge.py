"""A model as a judge: ask it, check its quotes, and ignore what it cannot back up."""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Collection, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import NamedTuple

from evenhand.core.criteria import scored_by_criteria
from evenhand.core.panel import add_calls
from evenhand.core.rules import DIMENSIONS
from evenhand.core.scoring import finding_id
from evenhand.core.values import (
    NOT_ASKED,
    Answer,
    Calls,
    Criterion,
    Finding,
    Influence,
    Judgement,
    Member,
    Opinion,
    Panel,
    RedFlag,
    Rubric,
    Tree,
    Unscored,
    Verdict,
)
from evenhand.judges.decided_criteria import decided_verdicts
from evenhand.judges.model.asking import Asker
from evenhand.judges.model.attempts import QuestionResult
from evenhand.judges.model.call_plan import Plan, add_plans
from evenhand.judges.model.canary import Canary
from evenhand.judges.model.criteria_reading import FOR_SENTENCES, CriteriaReading, criteria_questions
from evenhand.judges.model.influence import NO_SCATTER, Heard, Scatter, scatter_of
from evenhand.judges.model.neutral_samples import NeutralSamples
from evenhand.judges.model.rereading import Rereading
from evenhand.judges.model.together import every
from evenhand.judges.model.weighing import Claims, Weighing
from evenhand.providers.exchange import Message
from evenhand.questions import prompt
from evenhand.questions.criteria_wording import criteria_hash
from evenhand.questions.pictures import unseen_note
from evenhand.questions.prompt import Question
from evenhand.questions.shown_work import Shown, show
from evenhand.work.submission import Submission

LEAST_ROOM = 100
"""The fewest tokens of a condensed submission that a judge must see to score it."""


class ModelJudge:
    """One model. It may judge many submissions at once."""

    def __init__(self, asker: Asker, *, rereads: bool = True, at_once: bool = False) -> None:
        self._asker = asker
        self.identity: Mapping[str, str] = asker.identity
        """The provider and model, the prompt's hash and the call settings."""
        self._rereads = rereads
        self._at_once = at_once  # whether every reply takes so long that the sample is asked about along with the work
        self._canary = Canary(asker)
        self._samples = NeutralSamples(asker)

    @property
    def window(self) -> int | None:
        """How many tokens a question and its reply may take together; None when unknown."""
        return self._asker.window

    def with_examples(self, text: str) -> ModelJudge:
        """This model, shown these calibration examples; our own sample is judged without them."""
        judge = copy.copy(self)
        judge._asker = self._asker.with_examples(text)
        judge.identity = judge._asker.identity
        return judge

    def calls(self, rubric: Rubric, only: Collection[str] | None = None) -> int:
        """One call per question and sample."""
        questions = len(self.questions(rubric, only)) + len(self._about_criteria(rubric, only))
        return questions * self._asker.settings.samples

    def questions(self, rubric: Rubric, only: Collection[str] | None = None) -> list[Question]:
        """The questions about one submission but those about criteria; with `only`, just these dimensions and no
        claims."""
        questions = prompt.questions(rubric_without_criteria(rubric), economy=self._asker.settings.economy)
        return [
            question for question in questions if only is None or question.kind == "all" or question.dimension in only
        ]

    def _about_criteria(self, rubric: Rubric, only: Collection[str] | None = None) -> list[Question]:
        trees = (tree for name, tree in trees_of(rubric).items() if only is None or name in only)
        criteria = [criterion for tree in trees for criterion in tree.criteria()]
        return criteria_questions(criteria, self._asker.settings.per_call)

    async def judge(self, rubric: Rubric, submission: Submission, *, only: Collection[str] | None = None) -> Judgement:
        """The model's judgement, as far as its quotes back it up; with `only`, of these dimensions and no claims."""
        names = [name for name in DIMENSIONS if only is None or name in only]
        shown = self._show(rubric, submission)
        if shown.condensed is not None and (self._room(rubric) or 0) < LEAST_ROOM:
            opinions = dict.fromkeys(names, Opinion(Unscored(self._no_room())))
            claims = Claims(abstained=self._no_room())
            return self._judgement(submission, Heard(opinions, claims, {}), shown, warnings=shown.notes)
        trees = {name: tree for name, tree in trees_of(rubric).items() if name in names}
        scored_names = [name for name in names if name not in trees]
        by_bands = rubric_without_criteria(rubric) if self._asker.settings.economy else rubric
        weighing = Weighing(submission, shown, self.identity["name"])
        reading = self._first_reading(by_bands, shown, weighing, scored_names, only)
        if self._at_once and self._rereads:
            first, _ = await asyncio.gather(reading, self._canary.ask())
        else:
            first = await reading
        heard, calls = first.heard, first.calls
        influence: tuple[Influence, ...] = ()
        warnings = self._notes(shown, first.unseen) + weighing.notes(heard.opinions, heard.claims)
        if self._rereads and (calls.asked or calls.stored):  # a server that never answered is not asked more
            # After the work, so that a budget that ends here has paid for the judgement rather than for the sample.
            obeys, canary_calls = await self._canary.warning()
            again = Rereading(
                self._asker, self._samples, by_bands, submission, shown, scored_names, claims=only is None
            )
            outcome = await again.after(heard, first.scatter, obeys=bool(obeys))
            heard, influence = outcome.heard, outcome.influence
            calls, warnings = add_calls([calls, canary_calls, outcome.calls]), (*warnings, *obeys, *outcome.warnings)
        if trees:
            heard, more = await self._with_criteria(heard, rubric, submission, shown, trees)
            calls = add_calls([calls, more])
            opinions = {name: heard.opinions[name] for name in names}
            judgement = self._judgement(
                submission,
                heard._replace(opinions=opinions),
                shown,
                warnings=warnings,
                calls=calls,
                influence=influence,
            )
            return scored_by_criteria(judgement, trees)
        return self._judgement(submission, heard, shown, warnings=warnings, calls=calls, influence=influence)

    async def _first_reading(
        self,
        rubric: Rubric,
        shown: Shown,
        weighing: Weighing,
        names: Sequence[str],
        only: Collection[str] | None,
    ) -> _FirstReading:
        """The judge's view of the work as it is."""
        samples = range(self._asker.settings.samples)
        questions = [(question, sample) for question in self.questions(rubric, only) for sample in samples]
        results = await every(
            self._asker.ask(rubric, shown, question, sample=sample, lacking=weighing.lacking)
            for question, sample in questions
        )
        self._asker.heard(results)
        answers = [(question, result) for (question, _), result in zip(questions, results, strict=True)]
        opinions = {name: weighing.opinion(name, _about(name, answers)) for name in names}
        about_claims = [result for question, result in answers if question.kind != "dimension"]
        claims = weighing.claims(about_claims) if only is None else Claims(abstained=NOT_ASKED)
        about = {name: _about(name, answers) for name in names}
        heard = Heard(opinions, claims, weighing.stated(names, about))
        scatter = _scatter({name: weighing.scores(name, about[name]) for name in names})
        return _FirstReading(heard, add_calls(result.calls for result in results), scatter, _unseen(results))

    async def _with_criteria(
        self, heard: Heard, rubric: Rubric, submission: Submission, shown: Shown, trees: Mapping[str, Tree]
    ) -> tuple[Heard, Calls]:
        """What was heard, with the answers to the criteria of each dimension that has some."""
        criteria = [criterion for tree in trees.values() for criterion in tree.criteria()]
        reading = CriteriaReading(self._asker, rubric, submission, shown)
        verdicts, calls = await reading.verdicts(criteria, decided=decided_verdicts(trees, submission))
        opinions = {
            name: Opinion(
                Unscored(BY_CRITERIA),
                verdicts={one.id: verdicts[one.id] for one in tree.criteria() if one.id in verdicts},
            )
            for name, tree in trees.items()
        }
        return heard._replace(opinions={**heard.opinions, **opinions}), calls

    async def answer(
        self,
        rubric: Rubric,
        submission: Submission,
        criteria: Sequence[Criterion],
        answers: tuple[Answer, ...] = FOR_SENTENCES,
    ) -> tuple[Mapping[str, Verdict], Calls]:
        """The model's answers to sentences or criteria about the work, by id, each backed by a quote where there is
        one."""
        shown = self._show(rubric, submission)
        if shown.condensed is not None and (self._room(rubric) or 0) < LEAST_ROOM:
            return {}, Calls()
        return await CriteriaReading(self._asker, rubric, submission, shown).verdicts(criteria, answers)

    def plan_answers(
        self, rubric: Rubric, submission: Submission, criteria: Sequence[Criterion], answers: tuple[Answer, ...]
    ) -> Plan:
        """Estimate what `answer` would take at most, not counting repairs."""
        questions = criteria_questions(criteria, self._asker.settings.per_call, answers)
        return self._asker.plan(rubric, self._show(rubric, submission), questions)

    async def refute(
        self, rubric: Rubric, submission: Submission, findings: Sequence[Finding]
    ) -> tuple[Mapping[str, str], Calls]:
        """The findings of the checks that the model refutes, by id, with its reason, all backed by verified quotes.

        One call, using the question about red flags: does the work itself show that this report is wrong?
        """
        question = _refutation(findings)
        shown = self._show(rubric, submission)
        weighing = Weighing(submission, shown, self.identity["name"])
        result = await self._asker.ask(rubric, shown, question, sample=0, lacking=weighing.lacking)
        claims = weighing.claims([result])
        return {claim.id: claim.explanation for claim in claims.red_flags}, result.calls

    def plan(
        self,
        rubric: Rubric,
        submission: Submission,
        findings: Sequence[Finding] = (),
        sentences: Sequence[Criterion] = (),
    ) -> Plan:
        """Estimate what judging one submission would take at most, not counting repairs.

        `findings` are those that the model may be asked to refute, `sentences` what a case says must be so.
        """
        shown = self._show(rubric, submission)
        asked = [*self._about_criteria(rubric), *self._about_sentences(sentences)]
        plans = [self._asker.plan(rubric, shown, [*self.questions(rubric), *asked])]
        if findings:
            plans.append(self._asker.plan(rubric, shown, [_refutation(findings)], samples=1))
        if self._rereads and self.questions(rubric):
            names = tuple(rubric_without_criteria(rubric).dimensions)
            again = Rereading(self._asker, self._samples, rubric, submission, shown, names, claims=True)
            plans.append(again.plan())
        return add_plans(plans)

    def _about_sentences(self, sentences: Sequence[Criterion]) -> list[Question]:
        return criteria_questions(sentences, self._asker.settings.per_call, FOR_SENTENCES)

    def plan_once(self) -> Plan:
        """Estimate what this judge takes once per run, however many submissions there are."""
        return self._canary.plan() if self._rereads else Plan(cost=Decimal(0))

    def prompts(
        self, rubric: Rubric, submission: Submission, sentences: Sequence[Criterion] = ()
    ) -> Iterator[tuple[str, tuple[Message, ...]]]:
        """Every question as the model gets it, with its name and a placeholder for the nonce."""
        shown = self._show(rubric, submission)
        for question in [*self.questions(rubric), *self._about_criteria(rubric), *self._about_sentences(sentences)]:
            yield question.name, self._asker.first_messages(rubric, shown, question)

    def _show(self, rubric: Rubric, submission: Submission) -> Shown:
        return show(
            submission,
            window_tokens=self._room(rubric),
            judge_name=self.identity["name"],
            no_pictures=self._asker.no_pictures,
        )

    def _notes(self, shown: Shown, unseen: str) -> tuple[str, ...]:
        """What to say about what was shown; `unseen` says why pictures were refused."""
        if not unseen:
            return shown.notes
        return (*shown.notes[:-1], unseen_note(len(shown.pictures), self.identity["name"], unseen))

    def _room(self, rubric: Rubric) -> int | None:
        """The tokens that the window leaves for the task and the submission."""
        frame = self._asker.frame
        questions = [*self.questions(rubric), *self._about_criteria(rubric)] or [Question("claims")]
        return prompt.room(rubric, questions, reply_tokens=self._asker.settings.max_tokens, **frame)

    def _no_room(self) -> str:
        return (
            f"the window of {self._asker.window:,} tokens leaves no room for the submission after the question and "
            "the reply; set a larger window, or smaller max_tokens, in evenhand.toml"
        )

    def _judgement(
        self,
        submission: Submission,
        heard: Heard,
        shown: Shown,
        *,
        warnings: tuple[str, ...],
        calls: Calls = Calls(),  # noqa: B008, immutable
        influence: tuple[Influence, ...] = (),
    ) -> Judgement:
        opinions, claims = heard.opinions, heard.claims
        by_criteria = any(opinion.verdicts for opinion in opinions.values())
        member = Member(
            judge={**self.identity, "criteria": criteria_hash()} if by_criteria else self.identity,
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
            panel=Panel(
                (member,),
                None,
                discounted=claims.discounted,
                condensed=(shown.condensed,) if shown.condensed is not None else (),
                calls=calls,
                influence=influence,
            ),
            warnings=warnings,
        )


BY_CRITERIA = "its criteria give its score"
"""In place of a score until the answers are counted."""


def trees_of(rubric: Rubric) -> dict[str, Tree]:
    """The dimensions of a rubric that have criteria, with them."""
    return {name: part.tree for name, part in rubric.dimensions.items() if part.tree is not None}


_by_bands: dict[int, tuple[Rubric, Rubric]] = {}
"""By a rubric's id, with the rubric, which keeps the id from being reused: prompts are kept by rubric too."""


def rubric_without_criteria(rubric: Rubric) -> Rubric:
    """The rubric with the dimensions that are scored by their bands; always the same object."""
    if not trees_of(rubric):
        return rubric
    if id(rubric) not in _by_bands:
        dimensions = {name: part for name, part in rubric.dimensions.items() if part.tree is None}
        _by_bands[id(rubric)] = rubric, rubric._replace(dimensions=dimensions)
    return _by_bands[id(rubric)][1]


class _FirstReading(NamedTuple):
    heard: Heard
    calls: Calls
    scatter: Scatter
    """How far the judge's answers differ by chance, as far as its samples show."""
    unseen: str
    """Why it did not see the pictures; empty when it did, or there were none."""


def _scatter(samples: Mapping[str, Sequence[Decimal]]) -> Scatter:
    """Of three or more samples of every dimension; fewer show nothing."""
    rows = [dict(zip(samples, row, strict=True)) for row in zip(*samples.values(), strict=False)]
    return scatter_of(rows) if len(rows) >= 3 else NO_SCATTER


def _unseen(results: Sequence[QuestionResult]) -> str:
    return next((reply.unseen for result in results for _, reply in result.answers if reply.unseen), "")


def _refutation(findings: Sequence[Finding]) -> Question:
    reports = tuple(RedFlag(finding_id(finding), _report(finding), Decimal(1)) for finding in findings)
    return Question("claims", reports=reports)


def _report(finding: Finding) -> str:
    about = f' It is about this passage: "{finding.quote}"' if finding.quote else ""
    return f'This report about the work is wrong, and the work itself shows that: "{finding.message}"{about}'


def _about(name: str, answers: Sequence[tuple[Question, QuestionResult]]) -> list[QuestionResult]:
    return [result for question, result in answers if question.kind == "all" or question.dimension == name]
