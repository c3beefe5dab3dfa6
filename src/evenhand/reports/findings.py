"""What the checks saw, in words. Pure; renderers below it do no arithmetic."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from evenhand.core.bounds import (
    EXPECTATION,
    HIGHEST_WITH,
    NOT_READ,
    ONLY_CRITERIA,
    evidence_of,
    finding_id,
    unread_reason,
)
from evenhand.core.finding import Checked, Ended, Expected, Finding, Place, Severity
from evenhand.core.judgement import Evidence
from evenhand.core.scorecard import Scorecard
from evenhand.in_words import counted

HOW_TO_GET_IT_READ = "name a judge with --judge, or write a judgement yourself and run evenhand score"

_ORDER: tuple[Severity, ...] = tuple(reversed(list(HIGHEST_WITH)))


@dataclass(frozen=True, slots=True, kw_only=True)
class FaultRow:
    """A fault as a report shows it."""

    severity: Severity
    dimension: str
    message: str
    consequence: str
    """What follows from it: "correctness is at most 4.00", a red flag, or why it does not count."""
    evidence: Evidence | None
    event: str = ""
    """The event that contradicts the quote: "session.jsonl:12: 1 failed"; empty without one."""
    where: str = ""
    """Where that event is, without its words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectationRow:
    """An expectation as a report shows it."""

    result: Literal["met", "unmet", "undecided"]
    words: str
    message: str
    """What was found, with the share of yes over samples or judges, where there were several."""
    consequence: str
    evidence: Evidence | None = None
    """The quote of the judge that decided it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EndedRow:
    """How one thing ended, as a report shows it."""

    thing: str
    what: str
    outcome: str
    """"failed", "done", "failed, made up for later"."""
    event: str
    """Where the event is, with its words."""
    is_open: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class FindingsReport:
    """What the checks saw, as data to show."""

    faults: tuple[FaultRow, ...]
    """Worst first."""
    notes: tuple[FaultRow, ...]
    """What is only likely: hints that count for nothing."""
    endings: tuple[EndedRow, ...]
    """How each consequential thing in the transcript ended."""
    fine: tuple[str, ...]
    """What was looked for and not found, in one line, and what a user's own checks found in order."""
    expectations: tuple[ExpectationRow, ...]
    caps: tuple[str, ...]
    """Scores that a fault capped: "correctness 6.00 instead of 8.00 (contradicted-claim)"."""


def findings_report(card: Scorecard) -> FindingsReport | None:
    """The findings of a scorecard in words; None when no checks ran."""
    checked = card.checked
    if checked is None:
        return None
    seen = [finding for finding in checked.findings if finding.severity is not None]
    seen.sort(key=lambda finding: _ORDER.index(finding.severity) if finding.severity else 0)
    return FindingsReport(
        faults=tuple(_fault(finding, card, checked) for finding in seen if not finding.note),
        notes=tuple(_fault(finding, card, checked) for finding in seen if finding.note),
        endings=tuple(map(_ended, checked.endings)),
        fine=(
            *(finding.message for finding in checked.findings if finding.severity is None),
            *_looked_for(checked),
        ),
        expectations=tuple(
            ExpectationRow(
                result=expected.result,
                words=expected.words.rstrip("."),
                message=_answered(expected),
                consequence=_unmet(expected, card),
                evidence=_quoted(expected),
            )
            for expected in checked.expectations
        ),
        caps=tuple(
            f"{name} {card.bounds[name].at_most} instead of {score} ({', '.join(card.bounds[name].checks)})"
            for name, score in checked.uncapped.items()
            if name in card.bounds
        ),
    )


def unread_headline(card: Scorecard) -> str:
    """ "not graded: no one has read this output; at best B- (7.40 of 10)"."""
    assert card.interval is not None
    if only_criteria(card):
        results = [expected.result for expected in card.checked.expectations] if card.checked is not None else []
        met = f"{results.count('met')} of {counted(len(results), 'criterion', 'criteria')} met"
        return f"not graded: {ONLY_CRITERIA}; {met}"
    from evenhand.core.criteria_results import sentences_of  # scorecards that someone has read need none

    sentences = len(sentences_of(card.checked))
    asks = f"; {counted(sentences, 'expectation')} need{'s' if sentences == 1 else ''} a judge" if sentences else ""
    return f"not graded: {NOT_READ}; at best {card.interval.grades[1]} ({card.interval.high} of 10){asks}"


def only_criteria(card: Scorecard) -> bool:
    """Whether sentences were given and no rubric, so that nothing else was asked."""
    return unread_reason(card) == ONLY_CRITERIA


def bounds_line(card: Scorecard) -> str:
    """What the faults leave possible, in one sentence."""
    if only_criteria(card):
        results = [expectation.result for expectation in card.checked.expectations] if card.checked is not None else []
        left = [f"{results.count(word)} {word}" for word in ("unmet", "undecided") if word in results]
        return f"{' and '.join(left).capitalize()}." if left else "Every criterion is met."
    flags = _flags_by_checks(card)
    charged = f"The faults found are charged as {counted(len(flags), 'red flag')}: {', '.join(flags)}." if flags else ""
    if not card.bounds:
        return charged or "The checks found no fault that limits it."
    parts = [f"{name} {bound.at_most} ({', '.join(bound.checks)})" for name, bound in card.bounds.items()]
    return f"At most: {', '.join(parts)}. {charged}".rstrip()


def _flags_by_checks(card: Scorecard) -> list[str]:
    """The red flags that faults raised, each once; such a fault bounds no dimension, so that it is charged once."""
    if card.checked is None:
        return []
    lifted = {entry.finding for entry in card.checked.lifted}
    raised = {finding.flag for finding in card.checked.findings if finding.flag and finding_id(finding) not in lifted}
    return sorted(raised)


def _fault(finding: Finding, card: Scorecard, checked: Checked) -> FaultRow:
    assert finding.severity is not None
    return FaultRow(
        severity=finding.severity,
        dimension=finding.dimension,
        message=finding.message,
        consequence=_consequence(finding, card, checked),
        evidence=evidence_of(finding) if finding.quote else None,
        event=": ".join(part for part in (_where(finding.shown_at), finding.shown) if part),
        where=_where(finding.shown_at),
    )


def _ended(ended: Ended) -> EndedRow:
    where = _where(ended.place)
    made_up_for = ended.outcome not in ("done", "unknown") and not ended.open
    return EndedRow(
        thing=ended.thing,
        what=ended.what,
        outcome=f"{ended.outcome}, made up for later" if made_up_for else ended.outcome,
        event=f"{where}: {ended.quote}" if where and ended.quote else where or ended.quote,
        is_open=ended.open,
    )


def _where(place: Place | None) -> str:
    return "" if place is None else place.file if place.line is None else f"{place.file}:{place.line}"


def _looked_for(checked: Checked) -> tuple[str, ...]:
    """One line that says which checks found nothing."""
    seen = {finding.check for finding in checked.findings}
    quiet = [check.replace("-", " ") for check in checked.coverage if check not in seen]
    return (f"Looked for and not found: {', '.join(quiet)}.",) if quiet else ()


def _answered(expected: Expected) -> str:
    if not expected.votes:
        return expected.message
    from evenhand.reports.criteria_rows import share_words  # few scorecards have votes on criteria

    return f"{expected.message} ({share_words(expected.votes)})"


def _quoted(expected: Expected) -> Evidence | None:
    """The quote behind a judge's answer; a program's message says what it found."""
    if not expected.quote or not expected.by:
        return None
    place = expected.place
    source = _where(place) or None
    return Evidence(expected.quote, True, expected.line_of_quote, expected.offset, source)


def _unmet(expected: Expected, card: Scorecard) -> str:
    bound = card.bounds.get(expected.dimension)
    if expected.result != "unmet" or bound is None or EXPECTATION not in bound.checks:
        return ""
    return f"{expected.dimension} is at most {bound.at_most}"


def _consequence(finding: Finding, card: Scorecard, checked: Checked) -> str:
    lifted = next((entry for entry in checked.lifted if entry.finding == finding_id(finding)), None)
    if lifted is not None:
        return f"does not count: {lifted.by}: {lifted.reason}"
    if finding.flag:
        return f"raises the red flag {finding.flag}"
    if finding.note:
        return "a note"
    bound = card.bounds.get(finding.dimension)
    if bound is not None and finding.check in bound.checks:
        return f"{finding.dimension} is at most {bound.at_most} [{finding_id(finding)}]"
    return "" if card.unread else "for information"
