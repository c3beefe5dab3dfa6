"""A panel: several judges asked at once, one consensus, and a stronger judge asked only where it is needed."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from decimal import Decimal

from evenhand.core.bounds import ONLY_CRITERIA, decisive_findings, finding_id
from evenhand.core.criteria import merged_verdicts
from evenhand.core.criteria_results import sentences_of, with_answers
from evenhand.core.finding import Finding, Lifted
from evenhand.core.judgement import NOT_ASKED, Escalation, Judgement, Member, Opinion, Panel, Unscored
from evenhand.core.numbers import points
from evenhand.core.panel import add_calls, consensus, panel_identity
from evenhand.core.receipt import terms_of
from evenhand.core.rubric import Criterion, Rubric, Terms
from evenhand.core.rules import DIMENSIONS, GRADES, HIGHEST
from evenhand.core.scorecard import Receipt
from evenhand.core.scoring import score, settle
from evenhand.judges.families import relatives
from evenhand.judges.models.together import every
from evenhand.judges.program import ProgramJudge
from evenhand.judges.protocol import AskedJudge, Reader
from evenhand.judges.told_endings import as_text, told, weighed
from evenhand.work.submission import Submission

APART = Decimal(2)
"""Judges that differ by this much disagree."""

NEAR = Decimal("0.10")
"""A final score this close to a grade's lower bound, on either side, could just as well get the other grade."""


class PanelJudge:
    """One judge or several, and their consensus."""

    def __init__(
        self,
        judges: Sequence[Reader],
        *,
        quorum: int | None = None,
        escalate_to: AskedJudge | None = None,
        program: ProgramJudge | None = None,
        only_criteria: bool = False,
    ) -> None:
        self.judges = judges
        self.only_criteria = only_criteria
        """Whether nothing is scored, because only criteria are asked about."""
        self.stronger = escalate_to
        self._program = program
        self._quorum = quorum
        self._terms: tuple[Rubric, Terms] | None = None
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
        if program is not None and program.hash:  # checks cap scores, so they are part of the identity
            self.identity = {**self.identity, "checks": program.hash}

    def with_judges(self, judges: Sequence[Reader], stronger: AskedJudge | None) -> PanelJudge:
        """This panel with other judges."""
        return PanelJudge(
            judges,
            quorum=self._quorum,
            escalate_to=stronger,
            program=self._program,
            only_criteria=self.only_criteria,
        )

    async def judge(self, rubric: Rubric, submission: Submission, *, only: Collection[str] | None = None) -> Judgement:
        """The panel's judgement, with each judge's part in its `panel`."""
        rubric = self.asked_about(rubric)
        checked, notes = (None, ()) if self._program is None else self._program.look(submission)
        things = told(checked) if only is None else ()
        if self.only_criteria:
            judgement = self._unscored(submission)
        else:
            facts = as_text(things)
            judgements = await every(judge.judge(rubric, submission, only=only, facts=facts) for judge in self.judges)
            judgement = consensus(judgements, quorum=self._quorum, identity=self.identity)
            if self.stronger is not None:
                judgement = await self._escalate(rubric, submission, judgements, judgement, self.stronger)
        if checked is not None and judgement.panel is not None and things:
            checked, panel = weighed(checked, judgement.panel, things, len(self.judges))
            judgement = judgement._replace(panel=panel)
        warnings = [*judgement.warnings, *_abstention(judgement), *self._family_warnings(submission), *notes]
        judgement = judgement._replace(judge=self.identity, checked=checked, warnings=tuple(dict.fromkeys(warnings)))
        judgement = await self._with_sentences(rubric, submission, judgement)
        return judgement if self.only_criteria else await self._disputed(rubric, submission, judgement)

    def _unscored(self, submission: Submission) -> Judgement:
        """A judgement without scores, where only criteria are asked about."""
        scores = dict.fromkeys(DIMENSIONS, Unscored(ONLY_CRITERIA))
        members = tuple(Member(judge.identity, scores, {}, (), (), NOT_ASKED) for judge in self.judges)
        return Judgement(
            {name: Opinion(score) for name, score in scores.items()},
            self.identity,
            submission.skill or "unnamed",
            id=submission.id if submission.format == "submissions" else None,
            output=submission.source,
            task=submission.task,
            reference=submission.reference,
            panel=Panel(members, None),
        )

    async def _with_sentences(self, rubric: Rubric, submission: Submission, judgement: Judgement) -> Judgement:
        """Have the judges decide the sentences that a case expects to be true; most of them must agree."""
        checked, panel = judgement.checked, judgement.panel
        sentences = sentences_of(checked)
        if checked is None or panel is None or not sentences:
            return judgement
        replies = await every(judge.answer(rubric, submission, sentences) for judge in self.judges)
        names = [judge.identity["name"] for judge in self.judges]
        verdicts = merged_verdicts([(name, answers) for name, (answers, _) in zip(names, replies, strict=True)])
        calls = add_calls([panel.calls, *(calls for _, calls in replies)])
        return judgement._replace(panel=panel._replace(calls=calls), checked=with_answers(checked, verdicts, names))

    def asked_about(self, rubric: Rubric) -> Rubric:
        """The rubric that the judges are shown: an empty one where only criteria are asked about."""
        return _NOTHING if self.only_criteria else rubric

    def sentences(self, submission: Submission) -> list[Criterion]:
        """The sentences that the judges are asked to decide about a submission."""
        return [] if self._program is None else sentences_of(self._program.look(submission)[0])

    async def _disputed(self, rubric: Rubric, submission: Submission, judgement: Judgement) -> Judgement:
        """Let the judges refute findings that would cap their scores; one that most of them refute does not count."""
        checked, panel = judgement.checked, judgement.panel
        if checked is None or panel is None:
            return judgement
        capping = decisive_findings(judgement, self._terms_of(rubric))
        if not capping:
            return judgement
        replies = await every(judge.refute(rubric, submission, capping) for judge in self.judges)
        lifted = []
        for finding in capping:
            reasons = [refuted[id] for refuted, _ in replies if (id := finding_id(finding)) in refuted]
            if 2 * len(reasons) > len(self.judges):
                lifted.append(Lifted(id, f"{len(reasons)} of {len(self.judges)} readers", reasons[0]))
        calls = add_calls([panel.calls, *(calls for _, calls in replies)])
        return judgement._replace(
            panel=panel._replace(calls=calls), checked=checked._replace(lifted=(*checked.lifted, *lifted))
        )

    def facts(self, submission: Submission) -> str:
        """What the judges are told of how things in a submission ended."""
        return "" if self._program is None else as_text(told(self._program.look(submission)[0]))

    def disputable(self, rubric: Rubric, submission: Submission) -> list[Finding]:
        """The findings that the judges might be asked to refute, if they gave the best scores."""
        if self._program is None or self.only_criteria:
            return []
        checked, _ = self._program.look(submission)
        best = dict.fromkeys(DIMENSIONS, Opinion(points(HIGHEST)))
        return decisive_findings(
            Judgement(best, self.identity, "", panel=Panel((), None), checked=checked), self._terms_of(rubric)
        )

    def _terms_of(self, rubric: Rubric) -> Terms:
        """The terms of a rubric, worked out once for all submissions that are judged by it."""
        if self._terms is None or self._terms[0] is not rubric:
            self._terms = rubric, terms_of(rubric)
        return self._terms[1]

    def calls(self, rubric: Rubric, only: Collection[str] | None = None) -> int:
        """The number of calls, without the stronger judge's."""
        return sum(judge.calls(rubric, only) for judge in self.judges)

    async def _escalate(
        self,
        rubric: Rubric,
        submission: Submission,
        judgements: list[Judgement],
        first: Judgement,
        stronger: AskedJudge,
    ) -> Judgement:
        why = reasons_to_escalate(judgements, first, self._terms_of(rubric))
        stronger_judgements = [_scored(await stronger.judge(rubric, submission, only=frozenset(why)))] if why else []
        needed = stronger.calls(rubric, frozenset(why)) if why else 0
        escalation = Escalation(stronger.identity["name"], why, saved_calls=stronger.calls(rubric) - needed)
        return consensus(
            [*judgements, *stronger_judgements], quorum=self._quorum, identity=self.identity, escalation=escalation
        )

    def _family_warnings(self, submission: Submission) -> list[str]:
        every_judge = [*self.judges, *([self.stronger] if self.stronger is not None else [])]
        return [
            f"the judge {judge.identity['name']} is from the same model family as {author}, which wrote the output; "
            "judges tend to favour their own family: add one from another"
            for judge in every_judge
            if (author := relatives(judge.identity.get("model", ""), submission.models)) is not None
        ]


_NOTHING = Rubric("", "", "", "", "", {}, Decimal(7), "", {}, (), ())
"""A rubric of which nothing is shown."""


def _abstention(judgement: Judgement) -> list[str]:
    """A warning when a single judge did not vote on claims; for several judges, the consensus adds it."""
    members = judgement.panel.members if judgement.panel is not None else ()
    if len(members) != 1 or members[0].abstained in (None, NOT_ASKED):
        return []
    return [f"red flags and bonuses were not judged: {members[0].judge['name']}: {members[0].abstained}"]


def _scored(judgement: Judgement) -> Judgement:
    """Drop the dimensions the stronger judge did not score; the other judges' scores remain."""
    opinions = {
        name: opinion for name, opinion in judgement.opinions.items() if not isinstance(opinion.score, Unscored)
    }
    unscored = [name for name in judgement.opinions if name not in opinions]
    if not unscored or judgement.panel is None:
        return judgement
    member = judgement.panel.members[0]
    member = member._replace(scores={name: member.scores[name] for name in opinions})
    note = f"{judgement.judge['name']} was asked about {', '.join(unscored)} and gave no score"
    return judgement._replace(
        opinions=opinions,
        panel=judgement.panel._replace(members=(member,)),
        warnings=(*judgement.warnings, note),
    )


def reasons_to_escalate(judgements: Sequence[Judgement], official: Judgement, terms: Terms) -> dict[str, str]:
    """The dimensions a stronger judge should look at, each with why."""
    why: dict[str, str] = {}
    for name in DIMENSIONS:
        opinions = [judgement.opinions[name] for judgement in judgements if name in judgement.opinions]
        scores = [opinion.score for opinion in opinions if not isinstance(opinion.score, Unscored)]
        if scores and max(scores) - min(scores) >= APART:
            why[name] = f"the judges differ by {max(scores) - min(scores)}"
        elif any(isinstance(opinion.score, Unscored) for opinion in opinions):
            why[name] = "a judge gave no score"
        elif any(quote.verified is False for opinion in opinions for quote in opinion.evidence):
            why[name] = "a quote is not in the submission"
    final = _final(official, terms)
    near = None if final is None else _boundary_near(final)
    if near is not None:
        for name in DIMENSIONS:
            why.setdefault(name, f"the final score {final} is within {NEAR} of a grade's bound, {near}")
    return {name: why[name] for name in DIMENSIONS if name in why}


def _final(judgement: Judgement, terms: Terms) -> Decimal | None:
    no_receipt = Receipt("", "", "", None)
    return score(settle(judgement, terms)[0], terms, id="", created="", receipt=no_receipt).raw_final


def _boundary_near(final: Decimal) -> Decimal | None:
    bounds = [points(grade.lower) for grade in GRADES[:-1]]
    return next((bound for bound in bounds if abs(final - bound) <= NEAR), None)
