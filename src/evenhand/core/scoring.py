"""A judgement and the terms of a rubric to a scorecard (R1 to R10). Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from functools import lru_cache
from typing import Final
from zlib import crc32

from evenhand.core.numbers import half_up, hundredths, points, whole
from evenhand.core.rules import (
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
from evenhand.core.values import (
    PERSON,
    RAW,
    Award,
    Bonus,
    Bound,
    Checked,
    Claim,
    Deduction,
    Distribution,
    Evidence,
    Finding,
    Interval,
    Judgement,
    NextStep,
    Official,
    Opinion,
    RawResult,
    Receipt,
    RedFlag,
    Scorecard,
    ScoredDimension,
    Severity,
    Terms,
    Total,
    Tree,
    Unscored,
)
from evenhand.errors import JudgementError, Problem, unknown
from evenhand.named_tuple import NamedTuple

# --- arithmetic ------------------------------------------------------------------------------------------------------
# The arithmetic that several rules share: weights made whole, and the steps after the weighted sum.
#
# Pure, in whole hundredths.


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
    """Weights that sum to 1 as whole numbers, in the order of the dimensions, and what those sum to."""
    places = max(-int(weights[name].as_tuple().exponent) for name in DIMENSIONS)
    scale = 10 ** max(0, places)
    return tuple(whole(weights[name], scale) for name in DIMENSIONS), scale


class Outcome(NamedTuple):
    """The steps after the weighted sum, in hundredths, and the grade they end in."""

    composite: int
    after_deductions: int
    final: int
    grade: Grade


def apply_claims(weighted: int, scale: int, deduction: int, bonus: int) -> Outcome:
    """R2, R10: round once, deduct, floor, add, cap. The amounts are capped already (R9)."""
    return _outcome(half_up(weighted, scale), deduction, bonus)


@lru_cache(maxsize=16_384)
def _outcome(composite: int, deduction: int, bonus: int) -> Outcome:
    after = max(LOWEST, composite - deduction)
    final = min(HIGHEST, after + bonus)
    assert LOWEST <= final <= HIGHEST  # step 5 of the specification changes nothing (R10)
    return Outcome(composite, after, final, grade_of(final))


# --- bounds ----------------------------------------------------------------------------------------------------------
# Bounds and caps that follow from the faults checks found. Pure.
#
# Checks have not read the work, so they never give a score. Notes, the findings of checks that were not measured,
# count for nothing here. A fault bounds its dimension from above, by the bands that every rubric has; the lowest
# bound applies. Where no one has read it, every fault sets a bound. When models or the agent itself scored it, only
# faults from checks known to be precise cap the scores. A person's scores are never capped.


HIGHEST_WITH: Final[Mapping[Severity, int]] = {"minor": 800, "major": 600, "critical": 400}
"""Hundredths: the most a dimension can reach with a fault of each severity."""

NOT_READ: Final = "no one has read this output"
"""Why a dimension has no score when only checks ran."""

NONE_READ: Final = "no one has read these outputs"
"""The reason for several outputs."""

ONLY_CRITERIA: Final = "only the criteria were asked"
"""Why a dimension has no score where sentences were given and no rubric."""


EXPECTATION: Final = "expectation"
"""What set a bound, when it was not a check."""

CONTRADICTS: Final = 700
"""From this score on, a fault in the same dimension contradicts a person's judgement."""


def says_unread(reason: str) -> bool:
    """Whether the stored reason for a missing score is that no one has read the output, and not: read, but unscored."""
    return reason in ("", NOT_READ)


def unread_reason(card: Scorecard) -> str:
    """Why a scorecard without scores has none: only criteria were asked about, or no one has read the output."""
    return ONLY_CRITERIA if any(line.unscored == ONLY_CRITERIA for line in card.dimensions.values()) else NOT_READ


def _checksum(text: str) -> str:
    return crc32(text.encode()).to_bytes(4, "big").hex()


def finding_id(finding: Finding) -> str:
    """A short name that stays the same as long as the fault is the same."""
    return f"{finding.check}-{_checksum(finding.quote or finding.message)}"


def unread(judgement: Judgement) -> bool:
    """Whether checks ran and nobody scored anything."""
    return judgement.checked is not None and not any(
        isinstance(opinion.score, Decimal) for opinion in judgement.opinions.values()
    )


def by_person(judgement: Judgement) -> bool:
    """Whether a person judged, whose scores are never capped: neither models nor the agent itself did."""
    return judgement.panel is None and not judgement.judge.get("name", "").startswith(("agent:", "checks"))


def bounds_of(judgement: Judgement) -> dict[str, Bound]:
    """The bound of each dimension that has one."""
    if judgement.checked is None or by_person(judgement):
        return {}
    lowest: dict[str, tuple[int, list[str]]] = {}
    for dimension, severity, check in _limiting(judgement.checked, alone=unread(judgement)):
        limit = HIGHEST_WITH[severity]
        so_far, checks = lowest.get(dimension, (limit + 1, []))
        if limit < so_far:
            lowest[dimension] = (limit, [check])
        elif limit == so_far and check not in checks:
            checks.append(check)
    return {name: Bound(points(limit), tuple(checks)) for name, (limit, checks) in lowest.items()}


def _limiting(checked: Checked, *, alone: bool) -> Iterator[tuple[str, Severity, str]]:
    """Every fault and unmet expectation that bounds a dimension, with the check that found it."""
    for finding in _counting(checked, alone=alone):
        assert finding.severity is not None
        yield finding.dimension, finding.severity, finding.check
    for expected in checked.expectations:
        if expected.result == "unmet" and not expected.by:
            yield expected.dimension, expected.severity, EXPECTATION


def caps_of(bounds: Mapping[str, Bound]) -> dict[str, int]:
    """In hundredths, for arithmetic."""
    return {name: hundredths(bound.at_most) for name, bound in bounds.items()}


def bounded(judgement: Judgement, terms: Terms) -> Judgement:
    """The judgement with its checks taken into account: flags raised by `detect:`, scores capped, conflicts noted."""
    if judgement.checked is None:
        return judgement
    if by_person(judgement):
        return judgement._replace(warnings=(*judgement.warnings, *_contradictions(judgement)))
    judgement = _flagged(judgement, terms)
    caps = caps_of(bounds_of(judgement))
    opinions, uncapped = {}, {}
    for name, opinion in judgement.opinions.items():
        opinions[name] = opinion
        if name in caps and isinstance(opinion.score, Decimal) and hundredths(opinion.score) > caps[name]:
            uncapped[name] = opinion.score
            opinions[name] = _capped(opinion, caps[name])
    if not uncapped:
        return judgement
    assert judgement.checked is not None
    return judgement._replace(opinions=opinions, checked=judgement.checked._replace(uncapped=uncapped))


def decisive_findings(judgement: Judgement, terms: Terms) -> list[Finding]:
    """The faults that would change a reader's judgement: they cap a score, or raise a flag nobody else raised."""
    if judgement.checked is None or unread(judgement) or by_person(judgement):
        return []
    detected = {flag.detect for flag in terms.red_flags.values() if flag.detect}
    decisive = []
    for finding in _counting(judgement.checked, alone=False):
        assert finding.severity is not None
        score = judgement.opinions[finding.dimension].score
        above = isinstance(score, Decimal) and hundredths(score) > HIGHEST_WITH[finding.severity]
        if finding.check in detected or above:
            decisive.append(finding)
    return decisive


def faults_of(checked: Checked, least: Severity = "minor") -> list[Finding]:
    """The faults of at least a severity, waived and refuted ones left out."""
    severities = list(HIGHEST_WITH)
    counted = set(severities[severities.index(least) :])
    lifted = {entry.finding for entry in checked.lifted}
    return [f for f in checked.findings if f.is_fault and f.severity in counted and finding_id(f) not in lifted]


def failures(checked: Checked, least: Severity = "minor") -> list[str]:
    """Faults and unmet expectations of at least a severity, in words; what concerns several dimensions once."""
    severities = list(HIGHEST_WITH)
    unmet = [
        f"{expected.severity}: {expected.line}"
        for expected in checked.expectations
        if expected.result == "unmet" and severities.index(expected.severity) >= severities.index(least)
    ]
    faults = [f"{finding.severity}: {finding.message}" for finding in faults_of(checked, least)]
    return [*dict.fromkeys(faults), *unmet]


def clipped(distribution: Distribution, cap: int | None) -> Distribution:
    """A distribution with everything above a cap moved to it."""
    if cap is None or not distribution or max(distribution) <= cap:
        return distribution
    kept = {place: parts for place, parts in distribution.items() if place < cap}
    return {**kept, cap: sum(parts for place, parts in distribution.items() if place >= cap)}


def _counting(checked: Checked, *, alone: bool) -> list[Finding]:
    """The faults that bound a dimension."""
    lifted = {entry.finding for entry in checked.lifted}
    return [
        finding
        for finding in checked.findings
        if finding.is_fault and not finding.flag and (alone or finding.precise) and finding_id(finding) not in lifted
    ]


def _flagged(judgement: Judgement, terms: Terms) -> Judgement:
    """Raise the red flags whose rubric names a check that saw a fault; the fault is charged there, and only once."""
    assert judgement.checked is not None
    raised = {claim.id for claim in judgement.red_flags}
    counting = _counting(judgement.checked, alone=unread(judgement))
    flag_of = {flag.detect: flag.id for flag in terms.red_flags.values() if flag.detect}
    charged = [finding for finding in counting if finding.check in flag_of]
    if not charged:
        return judgement
    new = dict.fromkeys(flag_of[finding.check] for finding in charged)
    claims = tuple(
        _claim(id, [finding for finding in charged if flag_of[finding.check] == id]) for id in new if id not in raised
    )
    findings = tuple(
        finding._replace(flag=flag_of[finding.check]) if finding in charged else finding
        for finding in judgement.checked.findings
    )
    return judgement._replace(
        red_flags=(*judgement.red_flags, *claims), checked=judgement.checked._replace(findings=findings)
    )


def _claim(id: str, findings: list[Finding]) -> Claim:
    return Claim(
        id=id,
        explanation=" ".join(finding.message for finding in findings),
        evidence=tuple(evidence_of(finding) for finding in findings if finding.quote),
    )


def evidence_of(finding: Finding) -> Evidence:
    """A finding's quote as evidence, with the very place it is about."""
    if finding.place is None:
        return Evidence(finding.quote, finding.verified, finding.line, finding.offset)
    place = finding.place
    return Evidence(
        finding.quote, finding.verified, source=place.file if place.line is None else f"{place.file}:{place.line}"
    )


def _capped(opinion: Opinion, cap: int) -> Opinion:
    return opinion._replace(score=points(cap), distribution=clipped(opinion.distribution, cap))


def _contradictions(judgement: Judgement) -> list[str]:
    """Faults in a dimension to which a person gave a high score."""
    assert judgement.checked is not None
    notes = []
    for finding in _counting(judgement.checked, alone=True):
        score = judgement.opinions[finding.dimension].score
        if not isinstance(score, Unscored) and hundredths(score) >= CONTRADICTS:
            notes.append(f"{finding.dimension} has {score}, but a check found a fault: {finding.message}")
    return notes


# --- scoring ---------------------------------------------------------------------------------------------------------
# Judgement + terms -> scorecard. Pure. `audit` shows every step of a scorecard as a line.
#
# Everything is in whole hundredths, and every number was validated on input. The only check left needs the rubric:
# a claim must name a flag or bonus that the rubric lists (R7).


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
            from evenhand.core.criteria import scored_criteria  # few rubrics have criteria

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


# --- official result -------------------------------------------------------------------------------------------------
# Which final score is official. Pure.
#
# A rubric may make the calibrated score official, the one people would give. Then the raw result is kept beside it,
# and without a calibration that reaches it there is no official score: never the raw one in its place. A person's
# judgement needs no calibration: what people give is what a calibration aims at.


NOT_CALIBRATED = (
    "its judge is not calibrated; judge with --calibration FILE, or make the file from people's labels with: "
    "evenhand calibrate"
)


def awaiting_calibration(card: Scorecard, terms: Terms) -> Scorecard:
    """The scorecard as it is before any calibration: without an official score if its rubric wants a calibrated one."""
    if terms.official == RAW or card.judge.get("name", "").startswith(PERSON):
        return card
    raw = RawResult(card.final, card.grade, card.passed, card.interval, card.next_step)
    return unofficial(card._replace(official=Official(raw, None)), NOT_CALIBRATED)


def unofficial(card: Scorecard, reason: str) -> Scorecard:
    """The scorecard without an official score, and why. People might give anything."""
    assert card.official is not None
    return card._replace(
        final=None,
        grade=None,
        passed=None,
        next_step=None,
        interval=_span_of(points(LOWEST), points(HIGHEST)),
        official=card.official._replace(unscored=reason),
    )


def officially(card: Scorecard, low: Decimal, high: Decimal, then: Decimal | None) -> Scorecard:
    """The scorecard with its official score, from `low` to `high` when a dimension is unscored; `then` is the official
    score after its next step, if that is known."""
    assert card.official is not None
    raw = card.official.raw
    best, worst = grade_of(hundredths(high)), grade_of(hundredths(low))
    passed = True if low >= card.pass_mark else False if high < card.pass_mark else None
    return card._replace(
        final=low if raw.interval is None else None,
        grade=best if best is worst and not card.unread else None,
        passed=None if card.unread else passed,
        interval=None if raw.interval is None else _span_of(low, high),
        next_step=None if raw.next_step is None or then is None else _official_step(raw.next_step, low, then),
        official=card.official._replace(unscored=None),
    )


def _span_of(low: Decimal, high: Decimal) -> Interval:
    worst, best = (grade_of(hundredths(end)).letter for end in (low, high))
    return Interval(low=low, high=high, grades=(worst, best))


def _official_step(raw: NextStep, final: Decimal, then: Decimal) -> NextStep:
    """What the same step is worth by official scores."""
    above = grade_above(grade_of(hundredths(final)))
    return NextStep(
        dimension=raw.dimension,
        gain=then - final,
        final=then,
        grade=grade_of(hundredths(then)).letter,
        next_grade=above.letter if above else None,
        distance=points(above.lower) - final if above else points(0),
    )
