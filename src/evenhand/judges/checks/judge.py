"""From findings to a judgement: the judge named `checks`.

The mapping, the same for every dimension, and monotone: a base, plus the effects of what was found,
kept within 1 and 10. The base depends on what there was to compare the output with, never on the
output's own words, so that no word can raise it. A fault that raises a red flag is charged there and
not in its dimension; a merit that earns a bonus likewise.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Final

from evenhand.core.basics.methodology import DIMENSIONS, HIGHEST, LOWEST
from evenhand.core.basics.numbers import points
from evenhand.core.values.judgement import Judgement
from evenhand.core.values.opinion import Claim, Evidence, Opinion, Unscored
from evenhand.core.values.rubric import Rubric
from evenhand.core.values.submission import Submission
from evenhand.judges.checks.facts.substance import lacks_substance
from evenhand.judges.checks.finding import Check, Finding, sound
from evenhand.judges.checks.registry import built_in, refuse_doubles
from evenhand.judges.checks.subject import Subject

VERSION: Final = "1"
"""Bumped when the same output would be scored differently."""

BASE: Final = 550
"""An output alone: hardly anything of it can be checked, and what nobody read does not pass for that."""

WITH_TASK: Final = 50
"""Added when the task is known: requirements and constraints can be compared."""

WITH_TRANSCRIPT: Final = 50
"""Added when the transcript is known: what was done can be compared with what is said."""


class ChecksJudge:
    """The judge that needs no model."""

    def __init__(self, more: Sequence[Check] = ()) -> None:
        self._checks = (*built_in(), *more)
        refuse_doubles(self._checks)
        self._own = ",".join(sorted(check.id for check in more))

    @property
    def identity(self) -> Mapping[str, str]:
        """The version of the checks, and the ids of the user's own."""
        return {"name": "checks", "version": VERSION, **({"added": self._own} if self._own else {})}

    def judge(self, rubric: Rubric, submission: Submission) -> Judgement:
        """Run every check and say what each found. Where one fails, its dimensions are unscored, with the reason."""
        subject = Subject(submission)
        lacking = lacks_substance(subject)
        if lacking is not None:
            nothing = dict.fromkeys(DIMENSIONS, Opinion(points(LOWEST), lacking))
            return self._judgement(submission, nothing, Decimal(1), subject=subject)
        findings: list[Finding] = []
        failed: dict[str, Unscored] = {}
        for check in self._checks:
            try:
                findings += sound(check, check.run(subject))
            except Exception as error:  # whatever a check raises; no traceback, and no score that pretends it ran
                why = f"the check {check.id} failed: {type(error).__name__}: {str(error)[:200]}"
                failed.update(dict.fromkeys(check.dimensions, Unscored(why)))
        raised, earned = _claims(rubric, findings)
        charged = {flag.detect for flag in rubric.red_flags if any(claim.id == flag.id for claim in raised)}
        rewarded = {bonus.detect for bonus in rubric.bonuses if any(claim.id == bonus.id for claim in earned)}
        opinions = {}
        for name in DIMENSIONS:
            here = [finding for finding in findings if finding.dimension == name]
            counted = [f for f in here if f.check not in (charged if f.effect < 0 else rewarded)]
            opinions[name] = _opinion(here, counted, _base(submission), failed.get(name))
        share = sum((rubric.weights[f] for f in {finding.dimension for finding in findings}), Decimal(0))
        return self._judgement(submission, opinions, share, raised, earned, subject=subject)

    def _judgement(
        self,
        submission: Submission,
        opinions: Mapping[str, Opinion],
        share: Decimal,
        raised: tuple[Claim, ...] = (),
        earned: tuple[Claim, ...] = (),
        *,
        subject: Subject,
    ) -> Judgement:
        return Judgement(
            opinions=opinions,
            judge=self.identity,
            skill=submission.skill or "unnamed",
            red_flags=raised,
            bonuses=earned,
            id=submission.id if submission.format == "submissions" else None,  # a session goes on under one id
            output=submission.source,
            task=submission.task,
            evidence_share=share,
            warnings=tuple(subject.notes),
        )


def _base(submission: Submission) -> int:
    return BASE + WITH_TASK * bool(submission.task) + WITH_TRANSCRIPT * bool(submission.events)


def _opinion(here: Sequence[Finding], counted: Sequence[Finding], base: int, failed: Unscored | None = None) -> Opinion:
    """The base, moved by each finding that counts, and what was seen in words."""
    score = failed or points(min(HIGHEST, max(LOWEST, base + sum(finding.effect for finding in counted))))
    if not here:
        return Opinion(
            score, "" if failed else f"Nothing here could be checked; it stands at its base of {points(base)}."
        )
    said = [f"{_signed(finding)}{finding.says}" for finding in counted]
    said += [f"(charged once, as a flag or bonus) {finding.says}" for finding in here if finding not in counted]
    return Opinion(score, f"Base {points(base)}. " + " ".join(said), _evidence(here))


def _signed(finding: Finding) -> str:
    return f"{points(finding.effect):+}: " if finding.effect else "In order: "


def _claims(rubric: Rubric, findings: Sequence[Finding]) -> tuple[tuple[Claim, ...], tuple[Claim, ...]]:
    """The flags and bonuses whose rubric names a check that saw something, and no others."""
    faults = [finding for finding in findings if finding.effect < 0]
    merits = [finding for finding in findings if finding.effect > 0]
    raised = [_claim(flag.id, flag.detect, faults) for flag in rubric.red_flags if flag.detect]
    earned = [_claim(bonus.id, bonus.detect, merits) for bonus in rubric.bonuses if bonus.detect]
    return tuple(filter(None, raised)), tuple(filter(None, earned))


def _claim(id: str, detect: str, findings: Sequence[Finding]) -> Claim | None:
    seen = [finding for finding in findings if finding.check == detect]
    if not seen:
        return None
    return Claim(id=id, explanation=" ".join(finding.says for finding in seen), evidence=_evidence(seen))


def _evidence(findings: Sequence[Finding]) -> tuple[Evidence, ...]:
    return tuple(dict.fromkeys(Evidence(finding.quote) for finding in findings if finding.quote))
