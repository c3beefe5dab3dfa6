"""Judgement + terms -> scorecard. Pure. `audit` shows every step of a scorecard as a line.

Everything is in whole hundredths, and every number was validated on input. The only check left needs
the rubric: a claim must name a flag or bonus that the rubric lists (R7).
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from functools import lru_cache

from evenhand.core.basics.methodology import (
    BONUS,
    BONUS_CAP,
    DEDUCTION_CAP,
    DIMENSIONS,
    HIGHEST,
    LOWEST,
    TIE_BREAKS,
    grade_above,
    grade_of,
)
from evenhand.core.basics.numbers import half_up, hundredths, points
from evenhand.core.method.arithmetic import apply_claims
from evenhand.core.method.bounds import bounds_of, unread
from evenhand.core.method.official_result import awaiting_calibration
from evenhand.core.values.finding import Bound
from evenhand.core.values.judgement import Judgement
from evenhand.core.values.opinion import Claim, Unscored
from evenhand.core.values.rubric import RAW, Bonus, RedFlag, Terms
from evenhand.core.values.scorecard import (
    Award,
    Deduction,
    Interval,
    NextStep,
    Receipt,
    Scorecard,
    ScoredDimension,
    Total,
)
from evenhand.errors import JudgementError, Problem, unknown


def score(
    judgement: Judgement,
    terms: Terms,
    *,
    id: str,
    created: str,
    receipt: Receipt,
    warnings: tuple[str, ...] = (),
    case: str | None = None,
    rubric_version: str | None = None,
    skill_version: str | None = None,
) -> Scorecard:
    """Apply the methodology. `judgement` must have been through `settle` with the same terms.

    A panel's judgement is scored like any other; `panel.agreement.with_panel` adds the judges' own scores.
    """
    bounds, read = bounds_of(judgement), not unread(judgement)
    dimensions, low_sum, high_sum, room = _weighted_sums(judgement, terms, bounds)
    complete = len(room) == len(DIMENSIONS)
    red_flags = tuple([_deduction(terms.red_flags[claim.id], claim) for claim in judgement.red_flags])
    bonuses = tuple([_award(terms.bonuses[claim.id], claim) for claim in judgement.bonuses])
    nominal_deduction = sum([hundredths(flag.deduction) for flag in red_flags])
    nominal_bonus = BONUS * len(bonuses)
    deduction = min(nominal_deduction, DEDUCTION_CAP)
    bonus = min(nominal_bonus, BONUS_CAP)
    low = apply_claims(low_sum, terms.scale, deduction, bonus)
    high = low if complete else apply_claims(high_sum, terms.scale, deduction, bonus)
    card = Scorecard(
        id=id,
        skill=judgement.skill,
        created=created,
        rubric=terms.rubric,
        judge=judgement.judge,
        task=judgement.task,
        reference=judgement.reference,
        output=judgement.output,
        dimensions=dimensions,
        composite=points(low.composite) if complete else None,
        red_flags=red_flags,
        deduction=_total(nominal_deduction, deduction),
        after_deductions=points(low.after_deductions) if complete else None,
        bonuses=bonuses,
        bonus=_total(nominal_bonus, bonus),
        final=points(low.final) if complete else None,
        grade=low.grade if low.grade is high.grade and read else None,
        interval=None
        if complete
        else Interval(low=points(low.final), high=points(high.final), grades=(low.grade.letter, high.grade.letter)),
        pass_mark=terms.pass_mark,
        passed=_passed(low.final, high.final, hundredths(terms.pass_mark)) if read else None,
        next_step=_next_step(room, terms, low_sum, low.final, deduction, bonus) if complete else None,
        warnings=judgement.warnings + warnings,
        receipt=receipt,
        checked=judgement.checked,
        bounds=bounds,
        case=case,
        rubric_version=rubric_version,
        skill_version=skill_version,
    )
    return card if terms.official == RAW else awaiting_calibration(card, terms)


def _passed(low: int, high: int, pass_mark: int) -> bool | None:
    """Whether the pass mark is reached; None when an interval straddles it."""
    return True if low >= pass_mark else False if high < pass_mark else None


def _weighted_sums(
    judgement: Judgement, terms: Terms, bounds: Mapping[str, Bound]
) -> tuple[dict[str, ScoredDimension], int, int, dict[str, int]]:
    """Each dimension with its points; the exact weighted sum with the unscored at 1 and at 10 or their bound (R1);
    how far each scored dimension can rise with one more point."""
    dimensions = {}
    low = high = 0
    room = {}
    opinions, weights, scale = judgement.opinions, terms.weights, terms.scale
    uncapped: Mapping[str, Decimal] = {} if judgement.checked is None else judgement.checked.uncapped
    for name, unit in zip(DIMENSIONS, terms.units, strict=True):
        score, justification, evidence, _, verdicts = opinions[name]
        if isinstance(score, Unscored):
            worst, best = (LOWEST, HIGHEST) if score.interval is None else map(hundredths, score.interval)
            most = hundredths(bounds[name].at_most) if name in bounds else HIGHEST
            low += min(worst, most) * unit
            high += min(best, most) * unit
            dimensions[name] = ScoredDimension(
                None, score.reason, weights[name], None, justification, evidence, None, score.interval
            )
        else:
            product, shown_points, room[name] = _product(score, unit, scale)
            low += product
            high += product
            dimensions[name] = ScoredDimension(
                score, None, weights[name], shown_points, justification, evidence, uncapped.get(name)
            )
        if verdicts:
            from evenhand.core.criteria.judged import scored_criteria  # few rubrics have criteria

            criteria = scored_criteria(judgement, name, terms.trees[name])
            dimensions[name] = dimensions[name]._replace(criteria=criteria)
    return dimensions, low, high, room


def settle(judgement: Judgement, terms: Terms) -> tuple[Judgement, tuple[str, ...]]:
    """The judgement with each flag and bonus once, and a warning for each repeat (R7)."""
    if not judgement.red_flags and not judgement.bonuses:
        return judgement, ()
    unlisted = [
        _unlisted(claim.id, listed, (field, place), noun, terms.rubric)
        for field, noun, claims, listed in (
            ("red_flags", "red flag", judgement.red_flags, terms.red_flags),
            ("bonuses", "bonus", judgement.bonuses, terms.bonuses),
        )
        for place, claim in enumerate(claims)
        if claim.id not in listed
    ]
    if unlisted:
        raise JudgementError(unlisted)
    flags, flag_warnings = _unique(judgement.red_flags, "red flag")
    bonuses, bonus_warnings = _unique(judgement.bonuses, "bonus")
    if len(flags) == len(judgement.red_flags) and len(bonuses) == len(judgement.bonuses):
        return judgement, ()
    settled = judgement._replace(red_flags=flags, bonuses=bonuses)
    return settled, flag_warnings + bonus_warnings


@lru_cache(maxsize=16_384)
def _product(score: Decimal, unit: int, scale: int) -> tuple[int, Decimal, int]:
    """Score times weight: exact, in hundredths times the scale, and rounded for show; what one more point adds."""
    product = hundredths(score) * unit
    return product, points(half_up(product, scale)), min(100 * unit, HIGHEST * unit - product)


def _next_step(
    room: Mapping[str, int], terms: Terms, weighted: int, final: int, deduction: int, bonus: int
) -> NextStep:
    """Try one more point in each dimension; equal gains go to the dimension that breaks ties first."""
    best = max(TIE_BREAKS, key=room.__getitem__)
    gain = room[best]
    then = apply_claims(weighted + gain, terms.scale, deduction, bonus).final
    return _step(best if gain else None, final, then)


@lru_cache(maxsize=16_384)
def _step(dimension: str | None, final: int, then: int) -> NextStep:
    above = grade_above(grade_of(final))
    return NextStep(
        dimension=dimension,
        gain=points(then - final),
        final=points(then),
        grade=grade_of(then).letter,
        next_grade=above.letter if above else None,
        distance=points(above.lower - final if above else 0),
    )


@lru_cache(maxsize=1024)
def _total(nominal: int, applied: int) -> Total:
    return Total(nominal=points(nominal), applied=points(applied))


def _deduction(flag: RedFlag, claim: Claim) -> Deduction:
    return Deduction(flag.id, flag.description, claim.explanation, claim.evidence, flag.deduction)


def _award(bonus: Bonus, claim: Claim) -> Award:
    return Award(bonus.id, bonus.description, claim.explanation, claim.evidence, points(BONUS))


def _unique(claims: tuple[Claim, ...], noun: str) -> tuple[tuple[Claim, ...], tuple[str, ...]]:
    kept: dict[str, Claim] = {}
    warnings = []
    for claim in claims:
        if claim.id in kept:
            warnings.append(f"{noun} {claim.id} is named more than once; it counts once")
        else:
            kept[claim.id] = claim
    return tuple(kept.values()), tuple(warnings)


def _unlisted(id: str, listed: Mapping[str, object], path: tuple[str, int], noun: str, rubric: str) -> Problem:
    otherwise = "" if listed else f"the rubric lists no {noun}"
    return Problem(f"rubric {rubric}: {unknown(noun, id, listed, otherwise=otherwise)}", path=path)
