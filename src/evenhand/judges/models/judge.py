"""A model as a judge: ask it, check its quotes, and ignore what it cannot back up."""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Collection, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import NamedTuple

from evenhand.core.bounds import finding_id
from evenhand.core.criteria import scored_by_criteria
from evenhand.core.finding import Finding
from evenhand.core.judgement import (
    NOT_ASKED,
    Calls,
    Claim,
    Discounted,
    Influence,
    Judgement,
    Member,
    Opinion,
    Panel,
    Reading,
    Unscored,
    Variant,
    Verdict,
)
from evenhand.core.panel import add_calls
from evenhand.core.rubric import CANNOT_TELL, Answer, Criterion, RedFlag, Rubric, Tree
from evenhand.core.rules import DIMENSIONS
from evenhand.errors import shortened_line
from evenhand.judges.decided_criteria import decided_verdicts
from evenhand.judges.models.asking import Asker
from evenhand.judges.models.attempts import QuestionResult
from evenhand.judges.models.call_plan import Plan, add_plans
from evenhand.judges.models.criteria_reading import FOR_SENTENCES, CriteriaReading, criteria_questions
from evenhand.judges.models.passages import TOO_MUCH, Passages, given_passages, lies_in, passages_in, without
from evenhand.judges.models.questions import prompt
from evenhand.judges.models.questions.criteria_wording import criteria_hash
from evenhand.judges.models.questions.layout import NONCE_HERE
from evenhand.judges.models.questions.pictures import unseen_note
from evenhand.judges.models.questions.questions import Question, flags_question, questions, score_questions
from evenhand.judges.models.questions.shown_work import Shown, show
from evenhand.judges.models.together import every
from evenhand.judges.models.weighing import NOT_ANSWERED, Claims, Weighing
from evenhand.providers.exchange import Message
from evenhand.work.submission import Submission

LEAST_ROOM = 100
"""The fewest tokens of a condensed submission that a judge must see to score it."""
_REMEMBERED = 4_096
"""Works whose reported passages are kept for the questions that follow."""


class ModelJudge:
    """One model. It may judge many submissions at once."""

    def __init__(self, asker: Asker) -> None:
        self._asker = asker
        self.identity: Mapping[str, str] = asker.identity
        """The provider and model, the prompt's hash and the call settings."""
        self._reported: dict[str, tuple[str, ...]] = {}
        """By the text of a work as shown: the passages that this judge reported there."""

    @property
    def window(self) -> int | None:
        """How many tokens a question and its reply may take together; None when unknown."""
        return self._asker.window

    def with_examples(self, text: str) -> ModelJudge:
        """This model, shown these calibration examples."""
        judge = copy.copy(self)
        judge._asker = self._asker.with_examples(text)
        judge.identity = judge._asker.identity
        return judge

    def calls(self, rubric: Rubric, only: Collection[str] | None = None) -> int:
        """One call per question and sample."""
        questions = len(self.questions(rubric, only)) + len(self._about_criteria(rubric, only))
        return questions * self._asker.settings.samples

    def questions(self, rubric: Rubric, only: Collection[str] | None = None, facts: str = "") -> list[Question]:
        """The questions about one submission but those about criteria; with `only`, just these dimensions and no
        flags."""
        names = [name for name in scored_by_bands(rubric) if only is None or name in only]
        calls = self._asker.settings.calls
        if only is not None and calls != "one":
            return list(score_questions(names, calls))
        has_more = rubric.dimensions or rubric.red_flags or rubric.bonuses
        return list(questions(names, calls, facts)) if has_more else []

    def _about_criteria(self, rubric: Rubric, only: Collection[str] | None = None) -> list[Question]:
        trees = [tree for name, tree in trees_of(rubric).items() if only is None or name in only]
        return criteria_questions([list(tree.criteria()) for tree in trees], self._asker.settings.per_call)

    async def judge(
        self, rubric: Rubric, submission: Submission, *, only: Collection[str] | None = None, facts: str = ""
    ) -> Judgement:
        """The model's judgement, as far as its quotes back it up; with `only`, of these dimensions and no flags.

        `facts` is what a program saw of the work, shown to the judge when it is asked about flags.
        """
        names = [name for name in DIMENSIONS if only is None or name in only]
        shown = self._show(rubric, submission)
        if shown.condensed is not None and (self._room(rubric) or 0) < LEAST_ROOM:
            return self._unscored(submission, shown, names, self._no_room(), Calls())
        if shown.condensed is not None:
            facts = ""  # the work was cut to what the window leaves
        async with self._asker.opening.work():
            work = _Work(self._asker, rubric, submission, shown, names)
            first = await work.first(self.questions(rubric, only, facts)[:1] if only is None or self._in_one else [])
            if first.unread:
                self._asker.heard(work.results)
                return self._unscored(submission, shown, names, first.unread, work.calls())
            passages = passages_in(shown, submission, first.reported)
            given = [_GIVEN.format(what=what, quote=_line(quote)) for what, quote in given_passages(shown, submission)]
            if first.reported:
                self._remember(shown, first.reported)
            outcome = await work.judged(first, passages)
            self._asker.heard(work.results)
        claims = first.claims if only is None else Claims(abstained=NOT_ASKED)
        warnings = (
            *self._notes(shown, work.unseen()),
            *work.weighing.notes(outcome.opinions, claims),
            *outcome.warnings,
        )
        return self._judgement(
            submission,
            outcome.opinions,
            claims._replace(bonuses=outcome.bonuses(claims), discounted=outcome.discounted(claims)),
            shown,
            warnings=(*warnings, *given),
            calls=work.calls(),
            influence=outcome.influence,
        )

    @property
    def _in_one(self) -> bool:
        return self._asker.settings.calls == "one"

    def _remember(self, shown: Shown, reported: tuple[str, ...]) -> None:
        if len(self._reported) >= _REMEMBERED:
            del self._reported[next(iter(self._reported))]
        self._reported[shown.text] = reported

    async def answer(
        self,
        rubric: Rubric,
        submission: Submission,
        criteria: Sequence[Criterion],
        answers: tuple[Answer, ...] = FOR_SENTENCES,
    ) -> tuple[Mapping[str, Verdict], Calls]:
        """The model's answers to sentences or criteria about the work, by id, each backed by a quote where there is
        one. Where passages may speak to the judge, only answers that masking them does not change."""
        shown = self._show(rubric, submission)
        if shown.condensed is not None and (self._room(rubric) or 0) < LEAST_ROOM:
            return {}, Calls()
        passages = passages_in(shown, submission, self._reported.get(shown.text, ()))
        readings = [CriteriaReading(self._asker, rubric, submission, form) for form in _forms(shown, passages)]
        if not readings:
            return {criterion.id: Verdict(CANNOT_TELL, TOO_MUCH) for criterion in criteria}, Calls()
        async with self._asker.opening.work():
            found = await every(reading.verdicts(criteria, answers) for reading in readings)
        calls = add_calls(calls for _, calls in found)
        self._asker.heard([result for reading in readings for result in reading.results])
        (verdicts, _), *others = found
        for other, _ in others:
            verdicts = {id: _agreed(verdict, other.get(id)) for id, verdict in verdicts.items()}
        return verdicts, calls

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
        facts: str = "",
    ) -> Plan:
        """Estimate what judging one submission would take, not counting repairs, nor a further reading where the judge
        finds a passage that the screen did not.

        `findings` are those that the model may be asked to refute, `sentences` what a case says must be so.
        """
        shown = self._show(rubric, submission)
        first, *others = [
            *self.questions(rubric, facts=facts),
            *self._about_criteria(rubric),
            *self._about_sentences(sentences),
        ]
        passages = passages_in(shown, submission)
        forms = _forms(shown, passages) if passages else (shown,)
        plans = [self._asker.plan(rubric, shown, [first])]
        plans += [self._asker.plan(rubric, form, [first] if self._in_one else others) for form in forms[self._in_one :]]
        if findings:
            plans.append(self._asker.plan(rubric, shown, [_refutation(findings)], samples=1))
        return add_plans(plans)

    def _about_sentences(self, sentences: Sequence[Criterion]) -> list[Question]:
        return criteria_questions([sentences], self._asker.settings.per_call, FOR_SENTENCES)

    def prompts(
        self, rubric: Rubric, submission: Submission, sentences: Sequence[Criterion] = (), facts: str = ""
    ) -> Iterator[tuple[str, tuple[Message, ...]]]:
        """Every question as the model gets it, with its name and a placeholder for the nonce."""
        shown = self._show(rubric, submission)
        asked = self.questions(rubric, facts="" if shown.condensed is not None else facts)
        for question in [*asked, *self._about_criteria(rubric), *self._about_sentences(sentences)]:
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
        questions = [*self.questions(rubric), *self._about_criteria(rubric)] or [flags_question()]
        return prompt.room(rubric, questions, reply_tokens=self._asker.settings.max_tokens, **frame)

    def _no_room(self) -> str:
        return (
            f"the window of {self._asker.window:,} tokens leaves no room for the submission after the question and "
            "the reply; set a larger window, or smaller max_tokens, in evenhand.toml"
        )

    def _unscored(
        self, submission: Submission, shown: Shown, names: Sequence[str], why: str, calls: Calls
    ) -> Judgement:
        """A judgement without a score, and why there is none."""
        opinions = dict.fromkeys(names, Opinion(Unscored(why)))
        return self._judgement(
            submission, opinions, Claims(abstained=why), shown, warnings=self._notes(shown, ""), calls=calls
        )

    def _judgement(
        self,
        submission: Submission,
        opinions: Mapping[str, Opinion],
        claims: Claims,
        shown: Shown,
        *,
        warnings: tuple[str, ...],
        calls: Calls,
        influence: tuple[Influence, ...] = (),
    ) -> Judgement:
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
APART = Decimal(1)
"""How far the composites of two readings lie apart where a passage may have power over the judge."""
_SAID = "{} as written, {} with it masked"
_GIVEN = 'the {what} may address the judge, such as "{quote}"; it is trusted, because you gave it'


def trees_of(rubric: Rubric) -> dict[str, Tree]:
    """The dimensions of a rubric that have criteria, with them."""
    return {name: part.tree for name, part in rubric.dimensions.items() if part.tree is not None}


def scored_by_bands(rubric: Rubric) -> list[str]:
    """The dimensions of a rubric that a judge scores itself."""
    return [name for name, part in rubric.dimensions.items() if part.tree is None]


def _forms(shown: Shown, passages: Passages, *, again: bool = False) -> tuple[Shown, ...]:
    """How a work is read where scores are asked for: as it is; without what others wrote to the judge; and where the
    agent itself wrote to it, also without that. Nothing where too little would be left. `again`: with other masks, so
    that a model that gives every prompt one answer reads something else too."""
    if not passages:
        return (shown,)
    hidden = without(shown, passages, solid=again)
    if hidden is None:
        return ()
    if not passages.own:
        return (hidden,)
    by_others = passages._replace(own=())
    plain = without(shown, by_others) if by_others else shown
    return (plain or shown, hidden)


class _First(NamedTuple):
    """What a judge said first."""

    claims: Claims
    reported: tuple[str, ...] = ()
    """The passages that speak to a grader, as it quotes them."""
    results: tuple[QuestionResult, ...] = ()
    unread: str = ""
    """Why none of its replies could be read."""


class _Outcome(NamedTuple):
    """What counts after all readings."""

    opinions: Mapping[str, Opinion]
    influence: tuple[Influence, ...] = ()
    warnings: tuple[str, ...] = ()
    passages: tuple[str, ...] = ()
    """Those that spoke to the judge, as they stand."""
    lifted: str = ""
    """The judge whose scores they lifted, so that its bonuses do not count either."""

    def bonuses(self, claims: Claims) -> tuple[Claim, ...]:
        return () if self.lifted else claims.bonuses

    def discounted(self, claims: Claims) -> tuple[Discounted, ...]:
        lost = [
            Discounted("bonus", claim.id, self.lifted, "unverified", claim.explanation, claim.evidence)
            for claim in (claims.bonuses if self.lifted else ())
        ]
        return (*claims.discounted, *lost)


class _Work:
    """One submission before one judge."""

    def __init__(
        self, asker: Asker, rubric: Rubric, submission: Submission, shown: Shown, names: Sequence[str]
    ) -> None:
        self._asker = asker
        self._rubric = rubric
        self._submission = submission
        self._shown = shown
        self._names = names
        self._trees = {name: tree for name, tree in trees_of(rubric).items() if name in names}
        self._judge = asker.identity["name"]
        self.weighing = Weighing(submission, shown, self._judge)
        self.results: list[QuestionResult] = []
        self._early: dict[str, Opinion] | None = None
        """The scores of the work as it is, where they were asked for along with the flags."""
        self._calls: list[Calls] = []

    def calls(self) -> Calls:
        """What all questions took so far."""
        return add_calls([*(result.calls for result in self.results), *self._calls])

    def unseen(self) -> str:
        """Why the model did not see the pictures; empty when it did, or there were none."""
        return next((reply.unseen for result in self.results for _, reply in result.answers if reply.unseen), "")

    async def first(self, asked: Sequence[Question]) -> _First:
        """Red flags, bonuses, and the passages that speak to a grader; of an agent, the scores as well."""
        if not asked:
            return _First(Claims())
        at_once = self._asker.batched and self._asker.settings.calls != "one"
        if at_once and not passages_in(self._shown, self._submission):
            # A batch takes hours: the scores of the work as it is are asked for in the same one.
            results, self._early = await asyncio.gather(
                self._ask(self._shown, asked, self.weighing), self._scores(self._shown, _First(Claims()))
            )
        else:
            results = await self._ask(self._shown, asked, self.weighing)
        answers = [answer for result in results for answer, _ in result.answers]
        if not answers:
            why = results[0].problem or NOT_ANSWERED
            # A model that was never read, or is silent, is not asked more; one that was read may well give scores.
            never_read = any(result.unread for result in results) and not self._asker.opening.was_read
            hopeless = never_read or any(result.timed_out for result in results)
            return _First(Claims(abstained=why), (), tuple(results), why if hopeless else "")
        reported = tuple(dict.fromkeys(quote for answer in answers for quote in answer.addressed))
        spans = passages_in(self._shown, self._submission, reported)
        inside = (*spans.own, *spans.others)
        outside = (lambda quote: not lies_in(self._shown.text, quote, inside)) if inside else (lambda quote: True)
        return _First(self.weighing.claims(results, outside), reported, tuple(results))

    async def judged(self, first: _First, passages: Passages) -> _Outcome:
        """The scores that count, of one reading or of two."""
        forms = _forms(self._shown, passages)
        quotes = tuple(passages.quotes(self._shown)) if passages else ()
        if not forms:
            return self._none_counts(passages, TOO_MUCH)
        readings = await every(self._scores(form, first) for form in forms)
        if not passages:
            return _Outcome(readings[0])
        plain, hidden = readings[0], readings[-1]
        if len(readings) == 1:
            why = "others wrote that, so the reading without it counts"
            return self._outcome(passages, {"masked": hidden}, "masked", why)._replace(passages=quotes)
        outcome = await self._compared(first, passages, plain, hidden)
        return outcome._replace(passages=quotes)

    async def _compared(
        self, first: _First, passages: Passages, plain: Mapping[str, Opinion], hidden: Mapping[str, Opinion]
    ) -> _Outcome:
        """Of the same questions about both forms: the lower card where they lie apart, else the one as written. A gap
        can be the judge's own noise, and the lower of two noisy cards is too low on average: both are asked again, and
        each reading as written must lie above each that is masked."""
        both: dict[Variant, Mapping[str, Opinion]] = {"first": plain, "masked": hidden}
        composites = self._composites(plain, hidden)
        if composites is None:
            if all(isinstance(opinion.score, Unscored) for opinion in plain.values()):
                return self._outcome(passages, both, "masked", "only the reading with it masked gives scores")
            why = _first_reason(hidden)
            return self._none_counts(passages, f"the reading with the passage masked failed: {why}", both)
        written, without_it = composites
        said = _SAID.format(*map(shown_score, composites))
        if written - without_it < APART:
            lower = "the lower one counts" if without_it - written >= APART else self._powerless()
            return self._outcome(passages, both, "first", f"{said}: {lower}")
        forms = _forms(self._shown, passages, again=True)
        both["first-again"], both["masked-again"] = await every(self._scores(form, first, again=True) for form in forms)
        counts: Variant = "masked"
        confirming = self._composites(both["first-again"], both["masked-again"])
        if confirming is not None:
            said = f"{said}; asked again, {_SAID.format(*map(shown_score, confirming))}"
            crossed = self._composites(plain, both["masked-again"]), self._composites(both["first-again"], hidden)
            if any(pair is not None and pair[0] - pair[1] < APART for pair in (confirming, *crossed)):
                return self._outcome(passages, both, "first", f"{said}: {self._powerless()}")
            counts = "masked-again" if confirming[1] > without_it else "masked"
        outcome = self._outcome(passages, both, counts, f"{said}: the lower one counts")
        return outcome._replace(lifted=self._judge)

    def _powerless(self) -> str:
        return f"no influence on {self._judge} found, so what is written counts"

    def _composites(
        self, plain: Mapping[str, Opinion], hidden: Mapping[str, Opinion]
    ) -> tuple[Decimal, Decimal] | None:
        """The composites of two readings over the dimensions that both score; None where there are too few."""
        weights = {name: self._rubric.weights.get(name, Decimal(1)) for name in plain}
        pairs = [
            (weights[name], one.score, other.score)
            for name, one in plain.items()
            if (other := hidden.get(name)) is not None
            and not isinstance(one.score, Unscored)
            and not isinstance(other.score, Unscored)
        ]
        total = sum((weight for weight, _, _ in pairs), Decimal(0))
        if not pairs or 2 * total < sum(weights.values(), Decimal(0)):
            return None
        written = sum((weight * score for weight, score, _ in pairs), Decimal(0)) / total
        without_it = sum((weight * score for weight, _, score in pairs), Decimal(0)) / total
        return written, without_it

    def _none_counts(
        self, passages: Passages, why: str, readings: Mapping[Variant, Mapping[str, Opinion]] | None = None
    ) -> _Outcome:
        outcome = self._outcome(passages, readings or {}, None, f"{why}, so none of its scores counts")
        return outcome._replace(opinions=dict.fromkeys(self._names, Opinion(Unscored(why))))

    def _outcome(
        self,
        passages: Passages,
        readings: Mapping[Variant, Mapping[str, Opinion]],
        counts: Variant | None,
        why: str,
    ) -> _Outcome:
        listed = tuple(
            Reading(variant, {name: opinion.score for name, opinion in opinions.items()})
            for variant, opinions in readings.items()
        )
        influence = Influence(self._judge, passages.number, listed, counts, why)
        several = f"{passages.number} passages" if passages.number > 1 else "a passage"
        quote = _line(passages.first(self._shown))
        warning = f'injection-suspected: {several} may address the judge, such as "{quote}"; {why}'
        opinions = readings[counts] if counts is not None else {}
        if counts in ("masked", "masked-again"):
            opinions = {name: _of_masked(opinion) for name, opinion in opinions.items()}
            listed = tuple(
                Reading(counts, {name: opinion.score for name, opinion in opinions.items()})
                if reading.variant == counts
                else reading
                for reading in listed
            )
            influence = influence._replace(readings=listed)
        return _Outcome(opinions, (influence,), (warning,))

    async def _scores(self, shown: Shown, first: _First, *, again: bool = False) -> dict[str, Opinion]:
        """The scores of one form of the work, by bands and by criteria; `again` for further samples of them."""
        if self._early is not None and shown is self._shown and not again:
            return self._early
        calls = self._asker.settings.calls
        names = [name for name in scored_by_bands(self._rubric) if name in self._names]
        weighing = self.weighing if shown is self._shown else Weighing(self._submission, shown, self._judge)
        if calls == "one" and shown is self._shown and not again:
            answers = [(Question("all", tuple(names)), result) for result in first.results]
        else:
            asked = questions(names, calls) if calls == "one" else score_questions(names, calls)
            results = await self._ask(shown, asked, weighing, again=again)
            listed = [question for question in asked for _ in range(self._asker.settings.samples)]
            answers = list(zip(listed, results, strict=True))
        opinions = {
            name: weighing.opinion(name, [result for question, result in answers if name in question.dimensions])
            for name in names
        }
        if self._trees:
            opinions |= await self._by_criteria(shown, again=again)
        return {name: opinions.get(name, Opinion(Unscored(NOT_ANSWERED))) for name in self._names}

    async def _by_criteria(self, shown: Shown, *, again: bool) -> dict[str, Opinion]:
        """The dimensions that have criteria, scored by the answers to them."""
        criteria = [criterion for tree in self._trees.values() for criterion in tree.criteria()]
        reading = CriteriaReading(self._asker, self._rubric, self._submission, shown, again=again)
        verdicts, calls = await reading.verdicts(criteria, decided=decided_verdicts(self._trees, self._submission))
        self._calls.append(calls)
        opinions = {
            name: Opinion(
                Unscored(BY_CRITERIA),
                verdicts={one.id: verdicts[one.id] for one in tree.criteria() if one.id in verdicts},
            )
            for name, tree in self._trees.items()
        }
        judgement = Judgement(opinions, self._asker.identity, "")
        return dict(scored_by_criteria(judgement, self._trees).opinions)

    async def _ask(
        self, shown: Shown, asked: Sequence[Question], weighing: Weighing, *, again: bool = False
    ) -> list[QuestionResult]:
        """Every question as often as there are samples."""
        results = await every(
            self._asker.ask(self._rubric, shown, question, sample=sample, lacking=weighing.lacking)
            for question in asked
            for sample in self._asker.settings.numbers(again=again)
        )
        self.results += results
        return results


def _of_masked(opinion: Opinion) -> Opinion:
    """An opinion of the masked reading; where it has no score, the reason says which reading that was."""
    if not isinstance(opinion.score, Unscored):
        return opinion
    return opinion._replace(score=opinion.score._replace(reason=f"with a passage masked: {opinion.score.reason}"))


def _first_reason(opinions: Mapping[str, Opinion]) -> str:
    return next((opinion.score.reason for opinion in opinions.values() if isinstance(opinion.score, Unscored)), "")


def shown_score(score: Decimal) -> str:
    """A composite in a sentence."""
    return f"{score.quantize(Decimal('0.01')):f}"


def _line(quote: str) -> str:
    return shortened_line(quote.replace(NONCE_HERE, ""), 120)


def _agreed(verdict: Verdict, other: Verdict | None) -> Verdict:
    if other is not None and verdict.answer == other.answer:
        return verdict
    masked = "no answer" if other is None else other.answer
    why = f"a passage may address the judge: {verdict.answer} as it is, {masked} with it masked"
    return Verdict(CANNOT_TELL, why)


def _refutation(findings: Sequence[Finding]) -> Question:
    reports = tuple(RedFlag(finding_id(finding), _report(finding), Decimal(1)) for finding in findings)
    return Question("reports", reports=reports)


def _report(finding: Finding) -> str:
    about = f' It is about this passage: "{finding.quote}"' if finding.quote else ""
    return f'This report about the work is wrong, and the work itself shows that: "{finding.message}"{about}'
