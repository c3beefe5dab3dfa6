"""What of a model's answers counts. The rules of honesty stand here, outside the model.

A quote is checked against the submission; one that is too short to show anything, or that lies in a
passage addressed to the judge, is no evidence. A score of 7 or more needs a verified quote, or it is
`Unscored`. A red flag or a bonus needs one, or it is listed as unverified and counts for nothing.
The judge does not see hidden characters; a quote that runs across some is given as it stands in the submission.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Literal, NamedTuple

from evenhand.core.basics.numbers import hundredths
from evenhand.core.text.evidence import checker, restorer
from evenhand.core.values.opinion import Claim, Evidence, Opinion, Unscored
from evenhand.core.values.panel import Discounted
from evenhand.core.values.rubric import Rubric
from evenhand.core.values.submission import Submission
from evenhand.judges.model.asking import Asked
from evenhand.judges.model.question.showing import Shown, quotable
from evenhand.judges.model.reply.answers import Answer, Said, Unlisted
from evenhand.judges.model.reply.distributions import mean, score_distribution
from evenhand.judges.providers.exchange import Reply

NEEDS_A_QUOTE = Decimal(7)
"""From here on a score must be shown, not only said."""

RESTORED = "a quote is given with the hidden characters in it, which were taken out for the judge"
"""What the scorecard's warnings say of such a quote."""

WHOLE = 1_000_000
"""The parts of one sample, when several are put together."""


class Claims(NamedTuple):
    """What a judge claims with evidence, and what it claims without."""

    red_flags: tuple[Claim, ...] = ()
    bonuses: tuple[Claim, ...] = ()
    discounted: tuple[Discounted, ...] = ()
    abstained: str | None = None
    """Why nothing was said of them; None when something was."""


class Weighing:
    """One submission as one judge was shown it."""

    def __init__(self, submission: Submission, shown: Shown, judge: str) -> None:
        self._check = checker(submission)
        self._restore = restorer(submission)
        self._shown = shown
        self._judge = judge
        self._known: dict[str, Evidence | None] = {}
        self._shows: dict[tuple[str, ...], tuple[Evidence, ...]] = {}
        self._restored: set[str] = set()

    def lacking(self, answer: Answer) -> str:
        """What of an answer cannot be used, for the judge to mend; nothing when all of it can."""
        wrong = [problem for name in answer.said if (problem := self._problem(name, answer))]
        return "; ".join([*(each.reason for each in answer.unread.values()), *wrong])

    def opinion(self, name: str, samples: Sequence[Asked]) -> Opinion:
        """What the judge says of a dimension, over all its samples."""
        said = [found for asked in samples if (found := self._usable(name, asked)) is not None]
        if 2 * len(said) <= len(samples):
            return Opinion(Unscored(self._why_not(name, samples)))
        evidence = self._evidence(tuple([quote for each, _ in said for quote in each.quotes]))
        shapes = [score_distribution(reply, each) for each, reply in said]
        if len(said) == 1 and not shapes[0]:
            return Opinion(said[0][0].score, _justification(said[0][0]), evidence)
        pooled: dict[int, int] = {}
        for shape, (each, _) in zip(shapes, said, strict=True):
            known = shape or {hundredths(each.score): 1}
            total = sum(known.values())
            for score, parts in known.items():
                pooled[score] = pooled.get(score, 0) + parts * WHOLE // total
        middle = mean(pooled)
        if middle >= NEEDS_A_QUOTE and not any(quote.verified for quote in evidence):
            return Opinion(Unscored(_no_quote(middle)))
        nearest = min(said, key=lambda each: abs(each[0].score - middle))
        return Opinion(middle, _justification(nearest[0]), evidence, pooled)

    def claims(self, rubric: Rubric, samples: Sequence[Asked]) -> Claims:
        """The red flags and bonuses claimed in more than half of the samples that answered."""
        answers = [asked.answers[0][0] for asked in samples if asked.answers]
        if not answers:
            return Claims(abstained=samples[0].problem if samples else None)
        said = [claim for answer in answers for claim in answer.claims if claim.present]
        kept: dict[str, list[Claim]] = {"red_flag": [], "bonus": []}
        discounted = [self._observation(each) for answer in answers for each in answer.unlisted]
        for kind, id in dict.fromkeys((claim.kind, claim.id) for claim in said):
            raised = [claim for claim in said if (claim.kind, claim.id) == (kind, id)]
            evidence = self._evidence(tuple([quote for claim in raised for quote in claim.quotes]))
            shown = any(quote.verified for quote in evidence)
            if shown and 2 * len(raised) > len(answers):
                kept[kind].append(Claim(id, raised[0].explanation, evidence))
            else:
                why: Literal["outvoted", "unverified"] = "outvoted" if shown else "unverified"
                discounted.append(Discounted(kind, id, self._judge, why, raised[0].explanation, evidence))
        return Claims(tuple(kept["red_flag"]), tuple(kept["bonus"]), tuple(discounted))

    def _observation(self, noticed: Unlisted) -> Discounted:
        evidence = self._evidence(noticed.quotes)
        return Discounted("observation", "", self._judge, "unlisted", noticed.observation, evidence)

    def _usable(self, name: str, asked: Asked) -> tuple[Said, Reply] | None:
        """The latest answer about a dimension that can be used."""
        for answer, reply in asked.answers:
            if not self._problem(name, answer):
                return answer.said[name], reply
        return None

    def _why_not(self, name: str, samples: Sequence[Asked]) -> str:
        for asked in samples:
            if self._usable(name, asked) is None:
                for answer, _ in asked.answers:
                    if problem := self._problem(name, answer):
                        return f"{problem} (asked twice)"
                return asked.problem or "the reply does not speak of it"
        return "the reply does not speak of it"

    def _problem(self, name: str, answer: Answer) -> str:
        said = answer.said.get(name)
        if said is None:
            unread = answer.unread.get(name)
            return unread.reason if unread is not None else f"{name} is missing from the reply"
        if said.score >= NEEDS_A_QUOTE and not any(quote.verified for quote in self._evidence(said.quotes)):
            return f"{name}: {_no_quote(said.score)}"
        return ""

    def notes(self, opinions: Mapping[str, Opinion], claims: Claims) -> tuple[str, ...]:
        """What the scorecard should warn of, if this is what was found."""
        said: tuple[Opinion | Claim, ...] = (*opinions.values(), *claims.red_flags, *claims.bonuses)
        restored = any(each.quote in self._restored for one in said for each in one.evidence)
        return (RESTORED,) if restored else ()

    def _evidence(self, quotes: tuple[str, ...]) -> tuple[Evidence, ...]:
        """The quotes, each checked once. One that stands in the submission but proves nothing, because it is too short
        or speaks to the judge, is left out; one that stands nowhere is kept, and marked."""
        if quotes not in self._shows:
            checked = [self._checked(quote) for quote in dict.fromkeys([quote.strip() for quote in quotes])]
            self._shows[quotes] = tuple([each for each in checked if each is not None])
        return self._shows[quotes]

    def _checked(self, quote: str) -> Evidence | None:
        """A quote with what checking it found; None when it proves nothing."""
        if quote not in self._known:
            found = self._found(quote)
            self._known[quote] = found if not found.verified or quotable(self._shown, quote) else None
            if found.quote != quote:
                self._restored.add(found.quote)
        return self._known[quote]

    def _found(self, quote: str) -> Evidence:
        """The quote, or the passage with hidden characters that it was taken from, checked like any other."""
        found = self._check(Evidence(quote))
        if found.verified:
            return found
        passage = self._restore(quote)
        return found if passage is None else self._check(Evidence(passage))


def _no_quote(score: Decimal) -> str:
    return f"a score of {score.normalize():f} without a quote that stands in the submission"


def _justification(said: Said) -> str:
    """The judge's sentences, then what it observed."""
    answers = {True: "yes", False: "no", None: "not said"}
    observed = "; ".join(f"{each.statement.rstrip('.')}: {answers[each.holds]}" for each in said.observations)
    return " ".join(filter(None, (said.justification, f"({observed}.)" if observed else "")))
