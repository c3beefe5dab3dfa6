"""A judge's answers to criteria about one submission, beside those that programs decided. What requires another
criterion is asked after it, if at all."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from evenhand.core.judgement import Calls, Verdict
from evenhand.core.panel import add_calls
from evenhand.core.rubric import ANSWERS, CANNOT_TELL, NO, YES, Answer, Criterion, Rubric
from evenhand.judges.models.asking import Asker
from evenhand.judges.models.attempts import QuestionResult
from evenhand.judges.models.questions.questions import AskedCriterion, Question
from evenhand.judges.models.questions.shown_work import Shown
from evenhand.judges.models.together import every
from evenhand.judges.models.weighing import Weighing
from evenhand.work.submission import Submission

FOR_SENTENCES: Final[tuple[Answer, ...]] = (YES, NO, CANNOT_TELL)
"""What a bare sentence may be answered with: it is met or not."""

NOTHING_DECIDED: Final[Mapping[str, Verdict]] = {}


def criteria_questions(
    groups: Iterable[Sequence[Criterion]], per_call: int, answers: tuple[Answer, ...] = ANSWERS
) -> list[Question]:
    """The criteria that a model is asked about, group by group, at most `per_call` in a question."""
    questions = []
    for group in groups:
        asked = [AskedCriterion(node.id, node.sentence, answers, node.applies_when) for node in group if node.asked]
        starts = range(0, len(asked), per_call)
        questions += [Question("criteria", criteria=tuple(asked[start : start + per_call])) for start in starts]
    return questions


class CriteriaReading:
    """Asks one judge about one submission."""

    def __init__(
        self, asker: Asker, rubric: Rubric, submission: Submission, shown: Shown, *, again: bool = False
    ) -> None:
        self._asker = asker
        self._again = again
        self._rubric = rubric
        self._submission = submission
        self._shown = shown
        self._calls: list[Calls] = []
        self.results: list[QuestionResult] = []
        """What came of every question."""

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
            verdicts |= await self._read([criterion for criterion in due if criterion.id not in decided], answers)
            done = {criterion.id for criterion in ready}
            left = [criterion for criterion in left if criterion.id not in done]
        return verdicts, add_calls(self._calls)

    async def _read(self, criteria: Sequence[Criterion], answers: tuple[Answer, ...]) -> dict[str, Verdict]:
        settings = self._asker.settings
        weighing = Weighing(self._submission, self._shown, self._asker.identity["name"])
        questions = [
            (question, sample)
            for question in criteria_questions(self._by_dimension(criteria), settings.per_call, answers)
            for sample in settings.numbers(again=self._again)
        ]
        results = await every(
            self._asker.ask(self._rubric, self._shown, question, sample=sample, lacking=weighing.lacking)
            for question, sample in questions
        )
        self._calls += [result.calls for result in results]
        self.results += results
        about: dict[str, list[QuestionResult]] = {}
        for (question, _), result in zip(questions, results, strict=True):
            for criterion in question.criteria:
                about.setdefault(criterion.id, []).append(result)
        return {id: weighing.verdict(id, samples) for id, samples in about.items()}

    def _by_dimension(self, criteria: Sequence[Criterion]) -> list[list[Criterion]]:
        """The criteria of each dimension apart, because answers to one colour those to another; those of none last."""
        ids = {
            criterion.id: name
            for name, part in self._rubric.dimensions.items()
            if part.tree is not None
            for criterion in part.tree.criteria()
        }
        groups: dict[str, list[Criterion]] = {}
        for criterion in criteria:
            groups.setdefault(ids.get(criterion.id, ""), []).append(criterion)
        return list(groups.values())
