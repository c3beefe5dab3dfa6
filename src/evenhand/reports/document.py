"""What a scorecard's report shows, in words. Pure; renderers below it do no arithmetic."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING

from evenhand.core.audit import audit
from evenhand.core.numbers import cents, points, shown
from evenhand.core.rules import BONUS_CAP, DEDUCTION_CAP, HIGHEST, LOWEST
from evenhand.core.scoring import NONE_READ, NOT_READ
from evenhand.core.values import Award, Deduction, Evidence, Rubric, Scorecard, ScoredDimension
from evenhand.in_words import counted, dollars
from evenhand.reports.advice import AdviceReport, advice_report
from evenhand.reports.findings import (
    HOW_TO_GET_IT_READ,
    FindingsReport,
    bounds_line,
    findings_report,
    only_criteria,
    unread_headline,
)
from evenhand.reports.history import Weight, flag_lines, flag_words, history_lines, is_unusual, mean_words
from evenhand.reports.panel import PanelReport, panel_report
from evenhand.reports.trust.calibration import calibration_lines

if TYPE_CHECKING:
    from evenhand.reports.criteria_rows import CriteriaReport


@dataclass(frozen=True, slots=True, kw_only=True)
class DimensionRow:
    """One dimension as a report shows it."""

    name: str
    score: str
    """"8.00", or "unscored"."""
    share: Decimal | None
    """How much of a bar is filled, 0 to 1; None when unscored."""
    sum: str
    """ "8 x 25% = 2", or empty."""
    mean: str
    """ "mean 8.10 (deviation 0.30)" over earlier evaluations; empty without any."""
    flagged: str
    """ "flagged for review: 1.10 below its mean"; empty when it is not."""
    unusual: bool
    """Whether the score is further from that mean than chance explains."""
    says: str
    """The justification, or why there is no score."""
    evidence: tuple[Evidence, ...]
    criteria: CriteriaReport | None = None
    """The criteria that give the score; None where it has none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimRow:
    """A red flag or bonus as a report shows it."""

    kind: str
    """ "red flag" or "bonus"."""
    id: str
    amount: str
    """Signed, two decimals."""
    description: str
    explanation: str
    evidence: tuple[Evidence, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CardReport:
    """A scorecard as data to show."""

    id: str
    skill: str
    letter: str
    """The grade, or "-" when there is no single one."""
    headline: str
    """ "7.80 / 10  Above Average"."""
    meaning: str
    verdict: str
    """Whether it reaches the pass mark."""
    passed: bool | None
    before_claims: str
    """ "was 8.05 before one red flag (-0.50); 7.55 after deductions"; empty without flags and bonuses."""
    flagged: tuple[tuple[str, Weight], ...]
    """A line for each dimension flagged for review, and how loudly to show it."""
    advice: AdviceReport
    rows: tuple[DimensionRow, ...]
    claims: tuple[ClaimRow, ...]
    composite: str
    arithmetic: str
    lost: str
    next_step: str
    history: tuple[tuple[str, Weight], ...]
    """Further lines on the comparison with earlier evaluations."""
    calibration: tuple[str, ...]
    """What people would give, when the judge was calibrated."""
    warnings: tuple[str, ...]
    audit: tuple[tuple[str, str], ...]
    facts: tuple[tuple[str, str], ...]
    """Where the scorecard comes from: rubric, judge, hashes."""
    panel: PanelReport | None
    """The judges' own scores, when models judged."""
    findings: FindingsReport | None
    """What checks and expectations show, when they ran."""


def card_report(card: Scorecard, rubric: Rubric | None = None) -> CardReport:
    """Put a scorecard into words. With the rubric it was made with, its advice says what that asks for."""
    past = {} if card.history is None else card.history.dimensions
    return CardReport(
        id=card.id,
        skill=card.skill,
        letter=card.grade.letter if card.grade else "-",
        headline=_headline(card),
        meaning=_meaning(card),
        verdict=_verdict(card),
        passed=card.passed,
        before_claims=_before_claims(card),
        flagged=() if card.history is None else flag_lines(card.history),
        advice=advice_report(card, rubric),
        rows=tuple(
            DimensionRow(
                name=name,
                score="unscored" if line.score is None else str(line.score),
                share=None if line.score is None else line.score / points(HIGHEST),
                sum="" if line.score is None else f"x {_percent(line.weight):>3} = {line.points}",
                mean=mean_words(past[name]) if name in past else "",
                flagged=flag_words(past[name]) if name in past else "",
                unusual=name in past and is_unusual(past[name]),
                says=line.justification if line.unscored is None else _no_score(line),
                evidence=line.evidence,
                criteria=_criteria(line),
            )
            for name, line in card.dimensions.items()
        ),
        claims=(*map(_claim, card.red_flags), *map(_claim, card.bonuses)),
        composite="" if card.composite is None else str(card.composite),
        arithmetic=_arithmetic(card),
        lost=_lost(card),
        next_step=_next_step(card),
        history=() if card.history is None else history_lines(card.history, flags=False),
        calibration=calibration_lines(card),
        warnings=card.warnings,
        audit=tuple((line.rule, line.text) for line in audit(card)),
        facts=_facts(card),
        panel=panel_report(card),
        findings=findings_report(card),
    )


def _no_score(line: ScoredDimension) -> str:
    if line.interval is None:
        return f"no score: {line.unscored}"
    return f"no score, but between {line.interval[0]} and {line.interval[1]}: {line.unscored}"


def _criteria(line: ScoredDimension) -> CriteriaReport | None:
    if line.criteria is None:
        return None
    from evenhand.reports.criteria_rows import criteria_report  # few rubrics have criteria

    return criteria_report(line)


def _meaning(card: Scorecard) -> str:
    if card.unread:
        return bounds_line(card)
    if card.no_official is not None:
        return f"No official score: {card.no_official}."
    return card.grade.meaning if card.grade else "No single grade: a dimension is unscored."


def _headline(card: Scorecard) -> str:
    if card.unread:
        return unread_headline(card)
    if card.no_official is not None:
        return "no official score"
    if card.interval is not None:
        low, high = card.interval.grades
        if card.interval.low == card.interval.high:
            return f"{card.interval.low} of 10 ({low}), whatever scores the unscored dimensions get"
        grades = low if low == high else f"{low} to {high}"
        return f"between {card.interval.low} and {card.interval.high} of 10 ({grades})"
    assert card.grade is not None
    return f"{card.final} of 10  {card.grade.label}{'' if card.official is None else ' (calibrated)'}"


def _verdict(card: Scorecard) -> str:
    if only_criteria(card):
        return "for a grade as well, name a rubric with --rubric"
    if card.unread:
        return f"to get a grade, {HOW_TO_GET_IT_READ}"
    mark = f"the rubric {card.rubric} asks for {card.pass_mark}"
    if card.passed is None:
        return f"undecided: {mark}"
    return f"passes: {mark}" if card.passed else f"does not pass: {mark}"


def _claim(claim: Deduction | Award) -> ClaimRow:
    deducts = isinstance(claim, Deduction)
    return ClaimRow(
        kind="red flag" if deducts else "bonus",
        id=claim.id,
        amount=f"-{claim.deduction}" if isinstance(claim, Deduction) else f"+{claim.bonus}",
        description=claim.description,
        explanation=claim.explanation,
        evidence=claim.evidence,
    )


def _arithmetic(card: Scorecard) -> str:
    """From the composite to the final score, in one line."""
    if card.official is None:
        return _to_final(card)
    raw = card._replace(final=card.official.raw.final, interval=card.official.raw.interval)
    end = "" if card.final is None else f", calibrated {card.final}"
    return f"{_to_final(raw)} raw{end}"


def _to_final(card: Scorecard) -> str:
    if only_criteria(card):
        return "no score was asked for"
    if card.unread and card.interval is not None:
        flags = f", {counted(len(card.red_flags), 'red flag')} included" if card.red_flags else ""
        return f"anything from {card.interval.low} to {card.interval.high}{flags}"
    if card.interval is not None:
        unscored = sum(line.score is None for line in card.dimensions.values())
        which = _spelled(unscored, "unscored dimension", "unscored dimensions")
        if any(line.interval is not None for line in card.dimensions.values()):
            whose = "its" if unscored == 1 else "their"
            return f"{which} at {whose} lowest gives {card.interval.low}, at {whose} highest {card.interval.high}"
        return f"{which} at 1 gives {card.interval.low}, at 10 gives {card.interval.high}"
    assert card.composite is not None and card.after_deductions is not None
    text = f"composite {card.composite}"
    if card.red_flags:
        text += f" - {card.deduction.applied} ({counted(len(card.red_flags), 'red flag')}"
        if card.deduction.applied < card.deduction.nominal:
            text += f", {card.deduction.nominal} capped at {points(DEDUCTION_CAP)}"
        if card.composite - card.deduction.applied < points(LOWEST):
            text += f", but not below {points(LOWEST)}"
        text += f") = {card.after_deductions} after deductions"
    if card.bonuses:
        text += f" + {card.bonus.applied} ({counted(len(card.bonuses), 'bonus', 'bonuses')}"
        if card.bonus.applied < card.bonus.nominal:
            text += f", {card.bonus.nominal} capped at {points(BONUS_CAP)}"
        if card.after_deductions + card.bonus.applied > points(HIGHEST):
            text += f", but not above {points(HIGHEST)}"
        text += ")"
    return f"{text} = {card.final}" if card.bonuses or not card.red_flags else f"{text}, final {card.final}"


def _before_claims(card: Scorecard) -> str:
    """What red flags and bonuses changed, for the first lines."""
    if card.composite is None or card.official is not None or not (card.red_flags or card.bonuses):
        return ""
    claims = []
    if card.red_flags:
        claims.append(f"{_spelled(len(card.red_flags), 'red flag', 'red flags')} (-{card.deduction.applied})")
    if card.bonuses:
        claims.append(f"{_spelled(len(card.bonuses), 'bonus', 'bonuses')} (+{card.bonus.applied})")
    after = f"; {card.after_deductions} after deductions" if card.red_flags else ""
    return f"was {card.composite} before {' and '.join(claims)}{after}"


def _lost(card: Scorecard) -> str:
    """The dimensions that lost the most points."""
    costs = sorted(
        ((line.weight * 10 - line.points, name) for name, line in card.dimensions.items() if line.points is not None),
        key=lambda cost: -cost[0],
    )
    named = [f"{name} ({cents(cost)})" for cost, name in costs[:2] if cost > 0]
    return f"most points in {' and '.join(named)}" if named else ""


def _next_step(card: Scorecard) -> str:
    step = card.next_step
    if card.unread:
        return ""
    if step is None and card.official is not None and card.official.raw.final is not None:
        return ""
    if step is None:
        return "Have the unscored dimensions scored to get a grade"
    if step.next_grade is None:
        return "This is the best grade"
    return f"{step.next_grade} is {step.distance} away"


def _facts(card: Scorecard) -> tuple[tuple[str, str], ...]:
    judge = card.judge.get("name", "")
    settings = ", ".join(f"{key} {value}" for key, value in card.judge.items() if key != "name")
    facts = [
        ("id", card.id),
        *([("case", card.case)] if card.case not in (None, card.id) else []),
        ("made", card.created),
        ("judge", f"{judge} ({settings})" if settings else judge),
        ("rubric", f"{card.rubric}, sha256 {card.receipt.rubric}"),
        ("judgement", f"sha256 {card.receipt.judgement}"),
    ]
    if card.receipt.submission is not None:
        facts.append(("output", f"{card.output or 'given as text'}, sha256 {card.receipt.submission}"))
    facts.append(("methodology", card.receipt.methodology))
    return tuple(facts)


def _percent(weight: Decimal) -> str:
    return f"{shown(weight * 100)}%"


def _spelled(number: int, one: str, many: str) -> str:
    return f"one {one}" if number == 1 else f"{number} {many}"


def evidence_note(evidence: Evidence) -> str:
    """Where a quote was found, or that it was not."""
    if evidence.verified is None:
        return "not checked"
    if not evidence.verified:
        return "NOT IN THE OUTPUT"
    return f"line {evidence.line}" if evidence.source is None else evidence.source


def counts_line(
    letters: Sequence[str],
    cost: Decimal | None = None,
    *,
    unread: int = 0,
    asks: int = 0,
    answers: Counter[str] | None = None,
) -> str:
    """How many were judged, their grades and what models took: "5 scored: 3 B, 2 not graded; $0.0312".

    `asks` is how many expectations need a judge; `answers` are the results of all criteria, where nothing else was
    asked.
    """
    count = len(letters)
    if answers:
        results = ", ".join(
            f"{answers[result]} {result}" for result in ("met", "unmet", "undecided") if answers[result]
        )
        spent = "" if cost is None else f"; {dollars(cost)}"
        return f"{count} judged by criteria alone, none graded: {results}{spent}"
    if unread == count:
        need = f"; {counted(asks, 'expectation needs', 'expectations need')} a judge" if asks else ""
        return f"{count} checked, none graded: {NONE_READ if count > 1 else NOT_READ}{need}"
    graded = grade_counts([letter for letter in letters if letter != "-"])
    left = f"{letters.count('-')} not graded" if "-" in letters else ""
    spent = "" if cost is None else f"; {dollars(cost)}"
    return f"{count} scored: {', '.join(filter(None, (graded, left)))}{spent}"


def grade_counts(letters: Sequence[str]) -> str:
    """How many of each grade, best first: "3 A, 1 C+"."""
    from evenhand.core.rules import GRADES

    counts = Counter(letters)
    order = [grade.letter for grade in GRADES] + ["-"]
    return ", ".join(f"{counts[letter]} {letter}" for letter in order if counts[letter])
