"""Which of a model's answers count. The honesty rules are enforced here, outside the model.

Every quote is checked against the submission; one that is too short to prove anything, or that lies in a passage
withheld from the judge in this reading, is not evidence. A score of 7 or more needs a verified quote, or it is
`Unscored`. A red flag or a bonus needs one, or it is listed as unverified and does not count. The judge does not see
hidden characters; a quote that spans some is reported as it is written in the submission.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Literal, NamedTuple

from evenhand.core.criteria import majority, votes_of
from evenhand.core.judgement import Claim, Discounted, Evidence, Opinion, Unscored, Verdict
from evenhand.core.numbers import hundredths
from evenhand.core.rubric import CANNOT_TELL, PARTLY, UNANSWERED, YES
from evenhand.core.rules import DIMENSIONS
from evenhand.judges.models.attempts import Lacking, QuestionResult
from evenhand.judges.models.questions.shown_work import Shown, quotable
from evenhand.judges.models.replies.answers import Answer, CriterionAnswer, DimensionAnswer, Unlisted
from evenhand.judges.models.replies.distributions import mean, score_distribution
from evenhand.providers.exchange import Reply
from evenhand.work.quotes import checker, restorer
from evenhand.work.submission import Submission

NEEDS_A_QUOTE = Decimal(7)
"""From this score up, a verified quote is required."""

RESTORED = "a quote is shown with its hidden characters, which were removed before the judge saw it"
"""The scorecard's warning about such a quote."""

NOT_ANSWERED = "the reply does not answer this question"

WHOLE = 1_000_000
"""The parts of one sample when several are combined."""


class Claims(NamedTuple):
    """The red flags and bonuses a judge claims, with and without evidence."""

    red_flags: tuple[Claim, ...] = ()
    bonuses: tuple[Claim, ...] = ()
    discounted: tuple[Discounted, ...] = ()
    abstained: str | None = None
    """Why there is no answer about them; None when there is one."""


class Weighing:
    """Weighs the answers of one judge about one submission, as it was shown to that judge."""

    def __init__(self, submission: Submission, shown: Shown, judge: str) -> None:
        self._check = checker(submission)
        self._restore = restorer(submission)
        self._shown = shown
        self._judge = judge
        self._known: dict[str, Evidence | None] = {}
        self._shows: dict[tuple[str, ...], tuple[Evidence, ...]] = {}
        self._restored: set[str] = set()

    def lacking(self, answer: Answer) -> Lacking:
        """Which parts of an answer cannot be used, for the repair request."""
        problems = {name: problem for name in answer.dimensions if (problem := self._problem(name, answer))}
        rest = {name: unread.reason for name, unread in answer.unread.items()}
        rest |= {id: problem for id, part in answer.criteria.items() if (problem := self._unshown(id, part))}
        dimensions = [name for name in (*rest, *problems) if name in DIMENSIONS]
        whole = len(dimensions) < len(rest) + len(problems)
        return Lacking("; ".join([*rest.values(), *problems.values()]), () if whole else tuple(dimensions))

    def opinion(self, name: str, samples: Sequence[QuestionResult]) -> Opinion:
        """The judge's opinion on a dimension, over all its samples."""
        usable = [pair for sample in samples if (pair := self._usable(name, sample)) is not None]
        if 2 * len(usable) <= len(samples):
            return Opinion(Unscored(self._why_not(name, samples)))
        evidence = self._evidence(tuple([quote for answer, _ in usable for quote in answer.quotes]))
        shapes = [score_distribution(reply, answer) for answer, reply in usable]
        if len(usable) == 1 and not shapes[0]:
            return Opinion(usable[0][0].score, usable[0][0].justification, evidence)
        # Each sample weighs the same, however sure its model was: its distribution is scaled to WHOLE parts and added.
        # They are integers, because a score must come out the same on every machine.
        pooled: dict[int, int] = {}
        for shape, (answer, _) in zip(shapes, usable, strict=True):
            known = shape or {hundredths(answer.score): 1}
            total = sum(known.values())
            for score, parts in known.items():
                pooled[score] = pooled.get(score, 0) + parts * WHOLE // total
        middle = mean(pooled)
        # Each sample that counts had its quote where it needed one, but their mean may need one although none did.
        if middle >= NEEDS_A_QUOTE and not any(quote.verified for quote in evidence):
            return Opinion(Unscored(_no_quote(middle)))
        nearest = min(usable, key=lambda pair: abs(pair[0].score - middle))
        return Opinion(middle, nearest[0].justification, evidence, pooled)

    def verdict(self, id: str, samples: Sequence[QuestionResult]) -> Verdict:
        """The judge's answer to a criterion, over all its samples: the one that most of them gave."""
        usable = [part for sample in samples if (part := self._usable_criterion(id, sample)) is not None]
        if 2 * len(usable) <= len(samples):
            return Verdict(CANNOT_TELL, self._why_no_verdict(id, samples), by=UNANSWERED)
        answer = majority(part.answer for part in usable)
        votes = votes_of([part.answer for part in usable]) if len(samples) > 1 else {}
        voices = [part for part in usable if part.answer == answer]
        if not voices:
            return Verdict(CANNOT_TELL, "its samples disagree", votes=votes)
        evidence = self._evidence(tuple([quote for part in voices for quote in part.quotes]))
        return Verdict(answer, voices[0].explanation, evidence, votes=votes)

    def _usable_criterion(self, id: str, sample: QuestionResult) -> CriterionAnswer | None:
        parts = (answer.criteria.get(id) for answer, _ in sample.answers)
        return next((part for part in parts if part is not None and not self._unshown(id, part)), None)

    def _why_no_verdict(self, id: str, samples: Sequence[QuestionResult]) -> str:
        for sample in samples:
            for answer, _ in sample.answers:
                if id in answer.criteria and (problem := self._unshown(id, answer.criteria[id])):
                    return f"{problem} (asked twice)"
            if sample.problem:
                return sample.problem
        return NOT_ANSWERED

    def _unshown(self, id: str, part: CriterionAnswer) -> str:
        """What is wrong with an answer that nothing backs up. "No" needs no quote: there may be nothing to quote."""
        if part.answer not in (YES, PARTLY) or part.absent:
            return ""
        if any(quote.verified for quote in self._evidence(part.quotes)):
            return ""
        return f'{id}: "{part.answer}" without a quote found in the submission'

    def claims(self, samples: Sequence[QuestionResult], outside: Callable[[str], bool] = lambda quote: True) -> Claims:
        """The red flags and bonuses claimed in more than half of the samples that answered; a bonus needs a quote
        `outside` the passages that speak to the judge."""
        answers = [sample.answers[0][0] for sample in samples if sample.answers]
        if not answers:
            return Claims(abstained=samples[0].problem if samples else None)
        present = [claim for answer in answers for claim in answer.claims if claim.present]
        kept: dict[str, list[Claim]] = {"red_flag": [], "bonus": []}
        discounted = [self._observation(noticed) for answer in answers for noticed in answer.unlisted]
        for kind, id in dict.fromkeys((claim.kind, claim.id) for claim in present):
            raised = [claim for claim in present if (claim.kind, claim.id) == (kind, id)]
            evidence = self._evidence(tuple([quote for claim in raised for quote in claim.quotes]))
            shown = any(quote.verified and (kind == "red_flag" or outside(quote.quote)) for quote in evidence)
            if shown and 2 * len(raised) > len(answers):
                kept[kind].append(Claim(id, raised[0].explanation, evidence))
            else:
                why: Literal["outvoted", "unverified"] = "outvoted" if shown else "unverified"
                discounted.append(Discounted(kind, id, self._judge, why, raised[0].explanation, evidence))
        return Claims(tuple(kept["red_flag"]), tuple(kept["bonus"]), tuple(discounted))

    def _observation(self, noticed: Unlisted) -> Discounted:
        evidence = self._evidence(noticed.quotes)
        return Discounted("observation", "", self._judge, "unlisted", noticed.observation, evidence)

    def _usable(self, name: str, sample: QuestionResult) -> tuple[DimensionAnswer, Reply] | None:
        """The latest answer about a dimension that can be used."""
        for answer, reply in sample.answers:
            if not self._problem(name, answer):
                return answer.dimensions[name], reply
        return None

    def _why_not(self, name: str, samples: Sequence[QuestionResult]) -> str:
        for sample in samples:
            if self._usable(name, sample) is None:
                for answer, _ in sample.answers:
                    if problem := self._problem(name, answer):
                        return f"{problem} (asked twice)"
                return sample.problem or NOT_ANSWERED
        return NOT_ANSWERED

    def _problem(self, name: str, answer: Answer) -> str:
        dimension = answer.dimensions.get(name)
        if dimension is None:
            unread = answer.unread.get(name)
            return unread.reason if unread is not None else f"{name} is missing from the reply"
        if dimension.score >= NEEDS_A_QUOTE and not any(quote.verified for quote in self._evidence(dimension.quotes)):
            return f"{name}: {_no_quote(dimension.score)}"
        return ""

    def notes(self, opinions: Mapping[str, Opinion], claims: Claims) -> tuple[str, ...]:
        """The warnings that the scorecard needs for these opinions and claims."""
        verdicts: tuple[Opinion | Claim, ...] = (*opinions.values(), *claims.red_flags, *claims.bonuses)
        restored = any(quote.quote in self._restored for verdict in verdicts for quote in verdict.evidence)
        return (RESTORED,) if restored else ()

    def _evidence(self, quotes: tuple[str, ...]) -> tuple[Evidence, ...]:
        """The quotes, each checked once. One that is in the submission but proves nothing, because it is too short or
        was not shown, is dropped; one that is not in the submission is kept and marked."""
        if quotes not in self._shows:
            checked = [self._checked(quote) for quote in dict.fromkeys([quote.strip() for quote in quotes])]
            self._shows[quotes] = tuple([evidence for evidence in checked if evidence is not None])
        return self._shows[quotes]

    def _checked(self, quote: str) -> Evidence | None:
        """A quote with the result of checking it; None when it proves nothing."""
        if quote not in self._known:
            evidence = self._looked_up(quote)
            self._known[quote] = evidence if not evidence.verified or quotable(self._shown, quote) else None
            if evidence.quote != quote:
                self._restored.add(evidence.quote)
        return self._known[quote]

    def _looked_up(self, quote: str) -> Evidence:
        """The quote, checked; if that fails, the passage with hidden characters that it came from."""
        evidence = self._check(Evidence(quote))
        if evidence.verified:
            return evidence
        passage = self._restore(quote)
        return evidence if passage is None else self._check(Evidence(passage))


def _no_quote(score: Decimal) -> str:
    return f"a score of {score.normalize():f} without a quote found in the submission"
