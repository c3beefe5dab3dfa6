"""A judgement and the terms of a rubric to a scorecard (R1 to R10). Pure; everything in whole hundredths.

Every number was validated on input (R4). The only check left needs the rubric: a claim must name a red flag or bonus
that the rubric lists (R7). `audit` shows every step of a scorecard as a line.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal
from functools import lru_cache
from typing import NamedTuple

from evenhand.core.bounds import bounds_of, unread
from evenhand.core.criteria import scored_criteria
from evenhand.core.finding import Bound
from evenhand.core.judgement import PERSON, Claim, Judgement, Unscored
from evenhand.core.numbers import half_up, hundredths, points, whole
from evenhand.core.rubric import RAW, Bonus, RedFlag, Terms, Tree
from evenhand.core.rules import (
    BONUS,
    BONUS_CAP,
    DEDUCTION_CAP,
    DIMENSIONS,
    HIGHEST,
    LOWEST,
    Grade,
    grade_above,
    grade_of,
)
from evenhand.core.scorecard import (
    Award,
    Deduction,
    Interval,
    NextStep,
    Official,
    RawResult,
    Receipt,
    Scorecard,
    ScoredDimension,
    Total,
)
from evenhand.errors import JudgementError, Problem, unknown

# --- The terms of a rubric (R6), and the claims that count (R7) -------------------------------------------------------


def make_terms(
    *,
    rubric: str,
    sha256: str,
    weights: Mapping[str, Decimal],
    pass_mark: Decimal,
    red_flags: Iterable[RedFlag],
    bonuses: Iterable[Bonus],
    criteria: Mapping[str, str] | None = None,
    official: str = RAW,
    trees: Mapping[str, Tree] | None = None,
) -> Terms:
    """Terms, with the weights made whole once for all scorecards."""
    units, scale = whole_units(weights)
    return Terms(
        rubric=rubric,
        sha256=sha256,
        weights=weights,
        pass_mark=pass_mark,
        red_flags={flag.id: flag for flag in red_flags},
        bonuses={bonus.id: bonus for bonus in bonuses},
        units=units,
        scale=scale,
        criteria=criteria or {},
        official=official,
        trees=trees or {},
    )


def whole_units(weights: Mapping[str, Decimal]) -> tuple[tuple[int, ...], int]:
    """Weights that sum to 1 (R6) as whole numbers, in the order of the dimensions, and what those sum to."""
    places = max(-int(weights[name].as_tuple().exponent) for name in DIMENSIONS)
    scale = 10 ** max(0, places)
    return tuple(whole(weights[name], scale) for name in DIMENSIONS), scale


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


# --- Scores to a scorecard (R1 to R3, R5, R8 to R10) ------------------------------------------------------------------


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
    """Apply the methodology to a judgement that has been through `settle` with the same terms.

    A panel's judgement is scored like any other; `panel.with_panel` adds the judges' own scores.
    """
    bounds, read = bounds_of(judgement), not unread(judgement)
    dimensions, low_sum, high_sum = _weighted_sums(judgement, terms, bounds)
    complete = all([line.score is not None for line in dimensions.values()])  # R5
    red_flags = tuple([_deduction(terms.red_flags[claim.id], claim) for claim in judgement.red_flags])
    bonuses = tuple([_award(terms.bonuses[claim.id], claim) for claim in judgement.bonuses])
    nominal_deduction = sum([hundredths(flag.deduction) for flag in red_flags])
    nominal_bonus = BONUS * len(bonuses)
    deduction, bonus = min(nominal_deduction, DEDUCTION_CAP), min(nominal_bonus, BONUS_CAP)  # R9
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
        interval=None if complete else interval_of(low.final, high.final),
        pass_mark=terms.pass_mark,
        passed=passes(low.final, high.final, hundredths(terms.pass_mark)) if read else None,
        next_step=next_step(low.final) if complete else None,
        warnings=judgement.warnings + warnings,
        receipt=receipt,
        checked=judgement.checked,
        bounds=bounds,
        case=case,
        rubric_version=rubric_version,
        skill_version=skill_version,
    )
    return card if terms.official == RAW else awaiting_calibration(card, terms)


def _weighted_sums(
    judgement: Judgement, terms: Terms, bounds: Mapping[str, Bound]
) -> tuple[dict[str, ScoredDimension], int, int]:
    """R1: each dimension with its points, and the exact weighted sum, with the unscored at their lowest and highest."""
    dimensions = {}
    low = high = 0
    uncapped: Mapping[str, Decimal] = {} if judgement.checked is None else judgement.checked.uncapped
    for name, unit in zip(DIMENSIONS, terms.units, strict=True):
        score, justification, evidence, _, verdicts = judgement.opinions[name]
        weight = terms.weights[name]
        if isinstance(score, Unscored):
            worst, best = (LOWEST, HIGHEST) if score.interval is None else map(hundredths, score.interval)
            most = hundredths(bounds[name].at_most) if name in bounds else HIGHEST
            low += min(worst, most) * unit
            high += min(best, most) * unit
            line = ScoredDimension(None, score.reason, None, weight, None, justification, evidence, score.interval)
        else:
            product, shown_points = _product(score, unit, terms.scale)
            low += product
            high += product
            line = ScoredDimension(score, None, uncapped.get(name), weight, shown_points, justification, evidence)
        if verdicts:
            line = line._replace(criteria=scored_criteria(judgement, name, terms.trees[name]))
        dimensions[name] = line
    return dimensions, low, high


@lru_cache(maxsize=16_384)
def _product(score: Decimal, unit: int, scale: int) -> tuple[int, Decimal]:
    """Score times weight: exact, in hundredths times the scale, and rounded for show."""
    product = hundredths(score) * unit
    return product, points(half_up(product, scale))


class Outcome(NamedTuple):
    """The steps after the weighted sum, in hundredths, and the grade they end in."""

    composite: int
    after_deductions: int
    final: int
    grade: Grade


def apply_claims(weighted: int, scale: int, deduction: int, bonus: int) -> Outcome:
    """R2, R10, R3: round once, deduct, floor, add, cap, grade. The amounts are capped already (R9)."""
    return _outcome(half_up(weighted, scale), deduction, bonus)


@lru_cache(maxsize=16_384)
def _outcome(composite: int, deduction: int, bonus: int) -> Outcome:
    after = max(LOWEST, composite - deduction)
    final = min(HIGHEST, after + bonus)
    assert LOWEST <= final <= HIGHEST  # step 5 of the specification changes nothing (R10)
    return Outcome(composite, after, final, grade_of(final))


def interval_of(low: int, high: int) -> Interval:
    """Where the final score can lie, with the grades of both ends."""
    return Interval(points(low), points(high), (grade_of(low).letter, grade_of(high).letter))


def passes(low: int, high: int, pass_mark: int) -> bool | None:
    """Whether the pass mark is reached; None when an interval straddles it."""
    return True if low >= pass_mark else False if high < pass_mark else None


@lru_cache(maxsize=1024)
def next_step(final: int) -> NextStep:
    """The grade above that of a final score, and how far it is."""
    above = grade_above(grade_of(final))
    return NextStep(None, points(0)) if above is None else NextStep(above.letter, points(above.lower - final))


@lru_cache(maxsize=1024)
def _total(nominal: int, applied: int) -> Total:
    return Total(nominal=points(nominal), applied=points(applied))


def _deduction(flag: RedFlag, claim: Claim) -> Deduction:
    return Deduction(flag.id, flag.description, claim.explanation, claim.evidence, flag.deduction)


def _award(bonus: Bonus, claim: Claim) -> Award:
    return Award(bonus.id, bonus.description, claim.explanation, claim.evidence, points(BONUS))


# --- The official score, where a rubric makes the calibrated one official --------------------------------------------
#
# Then the raw result is kept beside it, and without a calibration that reaches it there is no official score: never the
# raw one in its place. A person's judgement needs no calibration: what people give is what a calibration aims at.

NOT_CALIBRATED = (
    "its judge is not calibrated; judge with --set judge.calibration=FILE, or make the file from people's labels with: "
    "evenhand trust calibrate"
)


def awaiting_calibration(card: Scorecard, terms: Terms) -> Scorecard:
    """The scorecard as it is before any calibration: without an official score if its rubric wants a calibrated one."""
    if terms.official == RAW or card.judge.get("name", "").startswith(PERSON):
        return card
    raw = RawResult(card.final, card.grade, card.passed, card.interval)
    return unofficial(card._replace(official=Official(raw, None)), NOT_CALIBRATED)


def unofficial(card: Scorecard, reason: str) -> Scorecard:
    """The scorecard without an official score, and why. People might give anything."""
    assert card.official is not None
    return card._replace(
        final=None,
        grade=None,
        passed=None,
        next_step=None,
        interval=interval_of(LOWEST, HIGHEST),
        official=card.official._replace(unscored=reason),
    )


def officially(card: Scorecard, low: int, high: int) -> Scorecard:
    """The scorecard with its official score in hundredths, from `low` to `high` when a dimension is unscored."""
    assert card.official is not None
    complete = card.official.raw.interval is None
    best, worst = grade_of(high), grade_of(low)
    return card._replace(
        final=points(low) if complete else None,
        grade=best if best is worst and not card.unread else None,
        passed=None if card.unread else passes(low, high, hundredths(card.pass_mark)),
        interval=None if complete else interval_of(low, high),
        next_step=next_step(low) if complete else None,
        official=card.official._replace(unscored=None),
    )
