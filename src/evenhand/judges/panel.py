"""A panel: several judges asked at once, one consensus, and a stronger judge asked only where it is needed."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from decimal import Decimal

from evenhand.core.basics.methodology import DIMENSIONS, GRADES
from evenhand.core.basics.numbers import points
from evenhand.core.documents.receipt import terms_of
from evenhand.core.method.scoring import score, settle
from evenhand.core.panel.consensus import consensus, panel_identity
from evenhand.core.text.evidence import verify_judgement
from evenhand.core.values.judgement import Judgement
from evenhand.core.values.opinion import Unscored
from evenhand.core.values.panel import NOT_ASKED, Escalation
from evenhand.core.values.rubric import Rubric, Terms
from evenhand.core.values.scorecard import Receipt
from evenhand.core.values.submission import Submission
from evenhand.judges.families import relatives
from evenhand.judges.model.together import every
from evenhand.judges.protocol import AskedJudge, Judge

APART = Decimal(2)
"""Judges that differ by this much disagree."""

NEAR = Decimal("0.10")
"""A final score this close to a grade's lower bound, on either side, could as well have the other grade."""


class ImmediateJudge:
    """A judge that needs no waiting, as one that can be asked."""

    def __init__(self, judge: Judge) -> None:
        self._judge = judge
        self.identity: Mapping[str, str] = judge.identity

    async def judge(self, rubric: Rubric, submission: Submission, *, only: Collection[str] | None = None) -> Judgement:
        """What the judge says; all of it, since nothing is saved by asking for less."""
        return verify_judgement(self._judge.judge(rubric, submission), submission)

    def calls(self, rubric: Rubric, only: Collection[str] | None = None) -> int:
        """None."""
        return 0


class PanelJudge:
    """One judge or several; what they say together."""

    def __init__(
        self, judges: Sequence[AskedJudge], *, quorum: int | None = None, escalate_to: AskedJudge | None = None
    ) -> None:
        self._judges = judges
        self._quorum = quorum
        self._stronger = escalate_to
        alone = len(judges) == 1 and escalate_to is None
        self.identity: Mapping[str, str] = (
            judges[0].identity
            if alone
            else panel_identity(
                [judge.identity for judge in judges],
                quorum=quorum,
                escalate_to=None if escalate_to is None else escalate_to.identity,
            )
        )

    async def judge(self, rubric: Rubric, submission: Submission, *, only: Collection[str] | None = None) -> Judgement:
        """The panel's judgement, with everything it was made from in its `panel`."""
        said = await every(judge.judge(rubric, submission, only=only) for judge in self._judges)
        judgement = consensus(said, quorum=self._quorum, identity=self.identity)
        if self._stronger is not None:
            judgement = await self._escalate(rubric, submission, said, judgement, self._stronger)
        more = [*_silence(judgement), *self._family_warnings(submission)]
        return judgement._replace(warnings=_unique([*judgement.warnings, *more]))

    def calls(self, rubric: Rubric, only: Collection[str] | None = None) -> int:
        """Those of the judges that are always asked."""
        return sum(judge.calls(rubric, only) for judge in self._judges)

    async def _escalate(
        self, rubric: Rubric, submission: Submission, said: list[Judgement], first: Judgement, stronger: AskedJudge
    ) -> Judgement:
        why = reasons_to_escalate(said, first, terms_of(rubric))
        asked = [_scored(await stronger.judge(rubric, submission, only=frozenset(why)))] if why else []
        needed = stronger.calls(rubric, frozenset(why)) if why else 0
        escalation = Escalation(stronger.identity["name"], why, saved_calls=stronger.calls(rubric) - needed)
        return consensus([*said, *asked], quorum=self._quorum, identity=self.identity, escalation=escalation)

    def _family_warnings(self, submission: Submission) -> list[str]:
        every_judge = [*self._judges, *([self._stronger] if self._stronger is not None else [])]
        return [
            f"the judge {judge.identity['name']} is of the family of {author}, which wrote the output; "
            "such judges tend to be kind: add one of another family"
            for judge in every_judge
            if (author := relatives(judge.identity.get("model", ""), submission.models)) is not None
        ]


def _silence(judgement: Judgement) -> list[str]:
    """Said for a judge alone; where there are several, the consensus says it."""
    members = judgement.panel.members if judgement.panel is not None else ()
    if len(members) != 1 or members[0].abstained in (None, NOT_ASKED):
        return []
    return [f"nothing is known of red flags and bonuses: {members[0].judge['name']}: {members[0].abstained}"]


def _scored(judgement: Judgement) -> Judgement:
    """Without the dimensions that the stronger judge gave no score for: the others' word stands there."""
    opinions = {name: said for name, said in judgement.opinions.items() if not isinstance(said.score, Unscored)}
    silent = [name for name in judgement.opinions if name not in opinions]
    if not silent or judgement.panel is None:
        return judgement
    member = judgement.panel.members[0]
    member = member._replace(scores={name: member.scores[name] for name in opinions})
    note = f"{judgement.judge['name']} was asked about {', '.join(silent)} and gave no score"
    return judgement._replace(
        opinions=opinions,
        panel=judgement.panel._replace(members=(member,)),
        warnings=(*judgement.warnings, note),
    )


def reasons_to_escalate(said: Sequence[Judgement], together: Judgement, terms: Terms) -> dict[str, str]:
    """The dimensions a stronger judge should look at, each with why."""
    why: dict[str, str] = {}
    for name in DIMENSIONS:
        opinions = [each.opinions[name] for each in said if name in each.opinions]
        scores = [each.score for each in opinions if not isinstance(each.score, Unscored)]
        if scores and max(scores) - min(scores) >= APART:
            why[name] = f"the judges differ by {max(scores) - min(scores)}"
        elif any(isinstance(each.score, Unscored) for each in opinions):
            why[name] = "a judge gave no score"
        elif any(quote.verified is False for each in opinions for quote in each.evidence):
            why[name] = "a quote is not in the submission"
    final = _final(together, terms)
    near = None if final is None else _boundary_near(final)
    if near is not None:
        for name in DIMENSIONS:
            why.setdefault(name, f"the final score {final} is within {NEAR} of a grade's bound, {near}")
    return {name: why[name] for name in DIMENSIONS if name in why}


def _final(judgement: Judgement, terms: Terms) -> Decimal | None:
    nothing = Receipt("", "", "", None)
    return score(settle(judgement, terms)[0], terms, id="", created="", receipt=nothing).final


def _boundary_near(final: Decimal) -> Decimal | None:
    bounds = [points(grade.lower) for grade in GRADES[:-1]]
    return next((bound for bound in bounds if abs(final - bound) <= NEAR), None)


def _unique(texts: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(texts))
