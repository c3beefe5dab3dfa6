"""Judgement + terms -> scorecard: the eight steps, each a line of the audit trail. Pure.

Everything is whole hundredths here; the door has already checked every number. What is left to
check is what needs the rubric: a claim must name a flag or bonus that the rubric lists (R7).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from functools import lru_cache
from typing import NamedTuple

from evenhand.core.methodology import (
    BONUS,
    BONUS_CAP,
    DEDUCTION_CAP,
    DIMENSIONS,
    HIGHEST,
    LOWEST,
    TIE_BREAKS,
    Grade,
    grade_above,
    grade_of,
)
from evenhand.core.model import (
    AuditLine,
    Award,
    Claim,
    Deduction,
    Interval,
    Judgement,
    NextStep,
    Opinion,
    Receipt,
    Scorecard,
    ScoredDimension,
    Terms,
    Total,
    Unscored,
)
from evenhand.core.names import nearest
from evenhand.core.numbers import half_up, hundredths, points, ratio, shown, whole
from evenhand.errors import JudgementError, Problem


def score(
    judgement: Judgement,
    terms: Terms,
    *,
    id: str,
    created: str,
    receipt: Receipt,
    warnings: Sequence[str] = (),
) -> Scorecard:
    """Apply the methodology. `judgement` must have been through `settle` with the same terms."""
    opinions = [judgement.opinions[name] for name in DIMENSIONS]
    products = [
        None if isinstance(opinion.score, Unscored) else _product(name, hundredths(opinion.score), unit, terms.scale)
        for name, opinion, unit in zip(DIMENSIONS, opinions, terms.units, strict=True)
    ]
    flags = [terms.red_flags[claim.id] for claim in judgement.red_flags]
    costs = [hundredths(flag.deduction) for flag in flags]
    low = _settle_up(_scores(opinions, LOWEST), terms, costs, len(judgement.bonuses))
    high = low if None not in products else _settle_up(_scores(opinions, HIGHEST), terms, costs, len(judgement.bonuses))
    complete = low is high
    grade = grade_of(low.final) if grade_of(low.final) is grade_of(high.final) else None
    pass_mark = hundredths(terms.pass_mark)
    return Scorecard(
        id=id,
        skill=judgement.skill,
        created=created,
        rubric=terms.rubric,
        judge=judgement.judge,
        task=judgement.task,
        output=judgement.output,
        dimensions={
            name: ScoredDimension(
                score=None if isinstance(opinion.score, Unscored) else opinion.score,
                unscored=opinion.score.reason if isinstance(opinion.score, Unscored) else None,
                weight=terms.weights[name],
                points=None if product is None else product.points,
                justification=opinion.justification,
                evidence=opinion.evidence,
            )
            for name, opinion, product in zip(DIMENSIONS, opinions, products, strict=True)
        },
        composite=points(low.composite) if complete else None,
        red_flags=tuple(
            Deduction(
                id=flag.id,
                description=flag.description,
                explanation=claim.explanation,
                evidence=claim.evidence,
                deduction=flag.deduction,
            )
            for flag, claim in zip(flags, judgement.red_flags, strict=True)
        ),
        deduction=Total(nominal=points(sum(costs)), applied=points(low.deduction)),
        after_deductions=points(low.after_deductions) if complete else None,
        bonuses=tuple(
            Award(
                id=claim.id,
                description=terms.bonuses[claim.id].description,
                explanation=claim.explanation,
                evidence=claim.evidence,
                bonus=points(BONUS),
            )
            for claim in judgement.bonuses
        ),
        bonus=Total(nominal=points(BONUS * len(judgement.bonuses)), applied=points(low.bonus)),
        final=points(low.final) if complete else None,
        grade=grade,
        interval=None
        if complete
        else Interval(
            low=points(low.final),
            high=points(high.final),
            grades=(grade_of(low.final).letter, grade_of(high.final).letter),
        ),
        pass_mark=terms.pass_mark,
        passed=_passed(low.final, high.final, pass_mark),
        next_step=_next_step(_scores(opinions, LOWEST), terms, costs, len(judgement.bonuses), low)
        if complete
        else None,
        audit=_audit(products, judgement, terms, costs, low, high),
        warnings=tuple(warnings),
        receipt=receipt,
    )


def settle(judgement: Judgement, terms: Terms) -> tuple[Judgement, tuple[str, ...]]:
    """The judgement with each flag and bonus once, and a warning for each repeat (R7)."""
    flags, flag_warnings = _unique(judgement.red_flags, terms.red_flags, "red_flags", "red flag", terms.rubric)
    bonuses, bonus_warnings = _unique(judgement.bonuses, terms.bonuses, "bonuses", "bonus", terms.rubric)
    if len(flags) == len(judgement.red_flags) and len(bonuses) == len(judgement.bonuses):
        return judgement, ()
    settled = judgement._replace(red_flags=flags, bonuses=bonuses)
    return settled, flag_warnings + bonus_warnings


def whole_units(weights: Mapping[str, Decimal]) -> tuple[tuple[int, ...], int]:
    """Weights that sum to 1 as whole numbers, in the order of the dimensions, and what those sum to."""
    places = max(-int(weights[name].as_tuple().exponent) for name in DIMENSIONS)
    scale = 10 ** max(0, places)
    return tuple(whole(weights[name], scale) for name in DIMENSIONS), scale


class _Outcome(NamedTuple):
    """The steps after the scores, in hundredths."""

    weighted: int
    """The weighted sum, still exact: hundredths times the scale of the weights."""
    composite: int
    deduction: int
    after_deductions: int
    bonus: int
    final: int


def _settle_up(scores: Sequence[int], terms: Terms, costs: Iterable[int], bonuses: int) -> _Outcome:
    """R2, R9, R10: round once, deduct, floor, add, cap."""
    weighted = sum(map(int.__mul__, scores, terms.units))
    composite = half_up(weighted, terms.scale)
    deduction = min(sum(costs), DEDUCTION_CAP)
    after = max(LOWEST, composite - deduction)
    bonus = min(BONUS * bonuses, BONUS_CAP)
    final = min(HIGHEST, after + bonus)
    assert LOWEST <= final <= HIGHEST  # step 5 of the specification changes nothing (R10)
    return _Outcome(weighted, composite, deduction, after, bonus, final)


def _scores(opinions: Sequence[Opinion], unscored: int) -> list[int]:
    return [unscored if isinstance(o.score, Unscored) else hundredths(o.score) for o in opinions]


def _passed(low: int, high: int, pass_mark: int) -> bool | None:
    return True if low >= pass_mark else False if high < pass_mark else None


def _next_step(scores: Sequence[int], terms: Terms, costs: Sequence[int], bonuses: int, now: _Outcome) -> NextStep:
    """Try one more point in each dimension; equal gains go to the dimension that breaks ties first."""
    gains = {
        name: min(100, HIGHEST - score) * unit
        for name, score, unit in zip(DIMENSIONS, scores, terms.units, strict=True)
    }
    best = max(TIE_BREAKS, key=gains.__getitem__)
    raised = [
        min(HIGHEST, score + 100) if name == best else score for name, score in zip(DIMENSIONS, scores, strict=True)
    ]
    then = _settle_up(raised, terms, costs, bonuses) if gains[best] else now
    above = grade_above(grade_of(now.final))
    return NextStep(
        dimension=best if gains[best] else None,
        gain=points(then.final - now.final),
        final=points(then.final),
        grade=grade_of(then.final).letter,
        next_grade=above.letter if above else None,
        distance=points(above.lower - now.final if above else 0),
    )


class _Product(NamedTuple):
    points: Decimal
    line: AuditLine


@lru_cache(maxsize=16_384)
def _product(name: str, score: int, unit: int, scale: int) -> _Product:
    """One dimension's product: rounded for show, exact in its audit line."""
    exact_product = ratio(score * unit, 100 * scale)
    text = f"{name} {shown(points(score))} x {shown(ratio(unit, scale))} = {shown(exact_product)}"
    return _Product(points(half_up(score * unit, scale)), AuditLine("R1", text))


def _audit(
    products: Sequence[_Product | None],
    judgement: Judgement,
    terms: Terms,
    costs: Sequence[int],
    low: _Outcome,
    high: _Outcome,
) -> tuple[AuditLine, ...]:
    lines = [
        product.line if product else AuditLine("R5", f"{name} is unscored; it stands for anything from 1 to 10")
        for name, product in zip(DIMENSIONS, products, strict=True)
    ]

    def say(rule: str, text: str) -> None:
        lines.append(AuditLine(rule, text))

    def both(value: str) -> str:
        """A number, or the two ends of it when a dimension is unscored."""
        at_low, at_high = getattr(low, value), getattr(high, value)
        return f"{points(at_low)}" if at_low == at_high else f"{points(at_low)} to {points(at_high)}"

    sums = [shown(ratio(end.weighted, 100 * terms.scale)) for end in (low, high)]
    say("R1", f"sum of the products = {sums[0] if sums[0] == sums[1] else ' to '.join(sums)}")
    say("R2", f"composite = {both('composite')}, rounded once, halves up")
    for claim, cost in zip(judgement.red_flags, costs, strict=True):
        say("R8", f"red flag {claim.id} = -{points(cost)}")
    say(
        "R9",
        f"deductions: {points(sum(costs))} nominal, at most {points(DEDUCTION_CAP)}: {points(low.deduction)} applied",
    )
    say("R10", f"after deductions = {both('after_deductions')}, not below {points(LOWEST)}")
    for claim in judgement.bonuses:
        say("R8", f"bonus {claim.id} = +{points(BONUS)}")
    nominal = BONUS * len(judgement.bonuses)
    say("R9", f"bonuses: {points(nominal)} nominal, at most {points(BONUS_CAP)}: {points(low.bonus)} applied")
    say("R10", f"final = {both('final')}, not above {points(HIGHEST)}")
    say("R3", f"grade = {_grades(grade_of(low.final), grade_of(high.final))}")
    return tuple(lines)


def _grades(low: Grade, high: Grade) -> str:
    if low is high:
        return f"{low.letter} ({low.label}), from {points(low.lower)}"
    return f"{low.letter} to {high.letter}: no single grade"


def _unique(
    claims: tuple[Claim, ...], listed: Mapping[str, object], field: str, noun: str, rubric: str
) -> tuple[tuple[Claim, ...], tuple[str, ...]]:
    kept: dict[str, Claim] = {}
    warnings = []
    for place, claim in enumerate(claims):
        if claim.id not in listed:
            raise JudgementError(_unlisted(claim.id, listed, (field, place), noun, rubric))
        if claim.id in kept:
            warnings.append(f"{noun} {claim.id} is named more than once; it counts once")
        else:
            kept[claim.id] = claim
    return tuple(kept.values()), tuple(warnings)


def _unlisted(id: str, listed: Mapping[str, object], path: tuple[str, int], noun: str, rubric: str) -> Problem:
    guess = nearest(id, listed)
    hint = f"did you mean {guess}? " if guess else ""
    valid = f"valid ids: {', '.join(listed)}" if listed else f"the rubric lists no {noun}"
    return Problem(f'rubric {rubric} has no {noun} "{id}"; {hint}{valid}', path=path)
