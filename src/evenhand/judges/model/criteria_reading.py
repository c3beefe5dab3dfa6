"""A judge's answers to criteria about one submission, beside those that programs decided. What requires another
criterion is asked after it, if at all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from evenhand.core.panel import add_calls
from evenhand.core.values import ANSWERS, CANNOT_TELL, NO, YES, Answer, Calls, Criterion, Rubric, Verdict
from evenhand.judges.model.alarm import alarm_in
from evenhand.judges.model.asking import Asker
from evenhand.judges.model.attempts import QuestionResult
from evenhand.judges.model.influence import masked
from evenhand.judges.model.together import every
from evenhand.judges.model.weighing import Weighing
from evenhand.questions.questions import AskedCriterion, Question
from evenhand.questions.shown_work import Shown
from evenhand.work.submission import Submission

FOR_SENTENCES: Final[tuple[Answer, ...]] = (YES, NO, CANNOT_TELL)
"""What a bare sentence may be answered with: it is met or not."""

NOTHING_DECIDED: Final[Mapping[str, Verdict]] = {}


def criteria_questions(
    criteria: Sequence[Criterion], per_call: int = 1, answers: tuple[Answer, ...] = ANSWERS
) -> list[Question]:
    """The criteria that a model is asked about, `per_call` in each question."""
    asked = [AskedCriterion(node.id, node.sentence, answers, node.applies_when) for node in criteria if node.asked]
    return [Question("criteria", criteria=tuple(asked[i : i + per_call])) for i in range(0, len(asked), per_call)]


class CriteriaReading:
    """Asks one judge about one submission."""

    def __init__(self, asker: Asker, rubric: Rubric, submission: Submission, shown: Shown) -> None:
        self._asker = asker
        self._rubric = rubric
        self._submission = submission
        self._shown = shown
        self._calls: list[Calls] = []

    async def verdicts(
        self,
        criteria: Sequence[Criterion],
        answers: tuple[Answer, ...] = ANSWERS,
        decided: Mapping[str, Verdict] = NOTHING_DECIDED,
    ) -> tuple[dict[str, Verdict], Calls]:
        """The answer to each criterion: `decided` by a program, or asked. One whose prerequisite was not met is left
        out, and no one is asked about it."""
        verdicts: dict[str, Verdict] = {}
        skipped: set[str] = set()
        left = [criterion for criterion in criteria if criterion.asked or criterion.id in decided]
        while left:
            waiting = {criterion.id for criterion in left}
            # A rubric's file with a circle is refused; in one made in Python, what is in a circle is simply asked.
            ready = [criterion for criterion in left if not waiting.intersection(criterion.requires)] or left
            closed = {id for id, verdict in verdicts.items() if verdict.answer in (NO, CANNOT_TELL)} | skipped
            due = [criterion for criterion in ready if not closed.intersection(criterion.requires)]
            skipped |= {criterion.id for criterion in ready} - {criterion.id for criterion in due}
            verdicts |= {criterion.id: decided[criterion.id] for criterion in due if criterion.id in decided}
            verdicts |= await self._answered([criterion for criterion in due if criterion.id not in decided], answers)
            done = {criterion.id for criterion in ready}
            left = [criterion for criterion in left if criterion.id not in done]
        return verdicts, add_calls(self._calls)

    async def _answered(self, criteria: Sequence[Criterion], answers: tuple[Answer, ...]) -> dict[str, Verdict]:
        """Answers that count. Where the work may address the judge, only those that masking it does not change."""
        if not criteria:
            return {}
        alarm = alarm_in(self._shown, self._submission)
        if alarm.untrusted:
            why = f"{alarm.untrusted} was read from the transcript, and may address the judge"
            return {criterion.id: Verdict(CANNOT_TELL, why) for criterion in criteria}
        verdicts = await self._read(criteria, self._shown, answers)
        if not alarm.masks:
            return verdicts
        shown = self._shown._replace(text=masked(self._shown.text, alarm.masks), masked=True)
        others = await self._read(criteria, shown, answers)
        return {id: _agreed(verdict, others[id]) for id, verdict in verdicts.items()}

    async def _read(
        self, criteria: Sequence[Criterion], shown: Shown, answers: tuple[Answer, ...]
    ) -> dict[str, Verdict]:
        settings = self._asker.settings
        weighing = Weighing(self._submission, shown, self._asker.identity["name"])
        questions = [
            (question, sample)
            for question in criteria_questions(criteria, settings.per_call, answers)
            for sample in range(settings.samples)
        ]
        results = await every(
            self._asker.ask(self._rubric, shown, question, sample=sample, lacking=weighing.lacking)
            for question, sample in questions
        )
        self._calls += [result.calls for result in results]
        about: dict[str, list[QuestionResult]] = {}
        for (question, _), result in zip(questions, results, strict=True):
            for criterion in question.criteria:
                about.setdefault(criterion.id, []).append(result)
        return {id: weighing.verdict(id, samples) for id, samples in about.items()}


def _agreed(verdict: Verdict, other: Verdict) -> Verdict:
    if verdict.answer == other.answer:
        return verdict
    why = f"a passage may address the judge: {verdict.answer} as it is, {other.answer} with its words masked"
    return Verdict(CANNOT_TELL, why)
