"""A scorecard as a page: the grade, the bars, the arithmetic, and beside it the judged text with every quote marked."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from evenhand.core.values.opinion import Evidence
from evenhand.core.values.rubric import Rubric
from evenhand.core.values.scorecard import Scorecard
from evenhand.core.values.submission import Submission
from evenhand.reports.advice import TITLE, AdviceRow
from evenhand.reports.cases import UNNAMED, case_name
from evenhand.reports.criteria_rows import CriterionRow
from evenhand.reports.document import CardReport, ClaimRow, DimensionRow, card_report, evidence_note
from evenhand.reports.findings import ExpectationRow, FaultRow
from evenhand.reports.history import FLAGGED, is_unusual, strength_words
from evenhand.reports.html.charts import Bar, GradeChart, probability_chart, score_bar
from evenhand.reports.html.environment import Page, page, render
from evenhand.reports.html.judged_text import JudgedText, Quoted, judged_text
from evenhand.reports.html.marked_text import Kind
from evenhand.reports.panel import LostClaim


class Quote(NamedTuple):
    """A quote as the scorecard's side of the page shows it."""

    text: str
    where: str
    """ "line 12", or that it is not in the output."""
    state: str
    """ "found", "missing" or "unchecked"."""
    number: int | None
    """Its number in the judged text beside it; None when that is not on the page."""


class QuotedRow(NamedTuple):
    """A dimension, a criterion, a claim, a fault, an expectation or a recommendation, with its quotes."""

    row: DimensionRow | ClaimRow | LostClaim | FaultRow | AdviceRow | CriterionRow | ExpectationRow
    quotes: tuple[Quote, ...]
    bar: Bar | None = None
    """Of a dimension."""
    criteria: tuple[QuotedRow, ...] = ()
    """Of a dimension that has criteria."""


def scorecard_page(card: Scorecard, submission: Submission | None = None, rubric: Rubric | None = None) -> Page:
    """A scorecard. With the submission, its text is beside it with every quote marked; with the rubric, the advice
    says what that asks for."""
    body = render("scorecard.html", **card_view(card, submission, rubric))
    return page(f"{case_name(card)}: {grade_words(card)}", body)


def card_view(card: Scorecard, submission: Submission | None = None, rubric: Rubric | None = None) -> dict[str, Any]:
    """Everything that a template shows of a scorecard."""
    report = card_report(card, rubric)
    quotes = list(_all_quotes(report))
    text = None if submission is None else judged_text(submission, quotes)
    shown = iter([_quote(quoted.evidence, index, text) for index, quoted in enumerate(quotes)])
    return {
        "card": card,
        "report": report,
        "name": case_name(card),
        "skill": "" if card.skill == UNNAMED else card.skill,
        "state": grade_words(card),
        "dimensions": [_dimension(card, row, shown) for row in report.rows],
        "claims": [QuotedRow(row, _take(shown, row.evidence)) for row in report.claims],
        "faults": [
            QuotedRow(row, _take(shown, () if row.evidence is None else (row.evidence,)))
            for row in (report.findings.faults if report.findings else ())
        ],
        "expectations": [
            QuotedRow(row, _take(shown, () if row.evidence is None else (row.evidence,)))
            for row in (report.findings.expectations if report.findings else ())
        ],
        "lost": [
            QuotedRow(claim, _take(shown, claim.evidence)) for claim in (report.panel.lost if report.panel else ())
        ],
        "chart": _chart(card, report),
        "advice": _advice(report),
        "advice_title": TITLE,
        "history": _history(card),
        "text": text,
        "verify": f"evenhand show {shlex.quote(card.id)} --format json | evenhand verify -",
    }


_KINDS: dict[str, Kind] = {"missed": "fault", "met": "bonus"}
"""How the quotes of a criterion are marked in the text."""


def _dimension(card: Scorecard, row: DimensionRow, shown: Iterator[Quote]) -> QuotedRow:
    quotes = _take(shown, row.evidence)
    criteria = [QuotedRow(one, _take(shown, one.evidence)) for one in (row.criteria.rows if row.criteria else ())]
    return QuotedRow(row, quotes, score_bar(card, row.name), tuple(criteria))


def grade_words(card: Scorecard) -> str:
    """The grade, or what there is in its place, in as few words as possible."""
    if card.unread:
        return "not graded"
    if card.grade is not None:
        return card.grade.letter
    return " to ".join(card.interval.grades) if card.interval is not None else "no grade"


def _all_quotes(report: CardReport) -> Iterator[Quoted]:
    """Every quote on the page, in the order in which the page shows them."""
    for row in report.rows:
        yield from _labelled(row.evidence, "score", row.name)
        for criterion in row.criteria.rows if row.criteria else ():
            yield from _labelled(criterion.evidence, _KINDS.get(criterion.state, "score"), criterion.id)
    for claim in report.claims:
        yield from _labelled(claim.evidence, "bonus" if claim.kind == "bonus" else "flag", f"{claim.kind} {claim.id}")
    for fault in report.findings.faults if report.findings else ():
        if fault.evidence is not None:
            label = f"{fault.severity} fault, {fault.dimension}"
            yield Quoted(fault.evidence, "fault", label, fault.severity, fault.message)
    for expectation in report.findings.expectations if report.findings else ():
        if expectation.evidence is not None:
            yield Quoted(expectation.evidence, "score", expectation.words)
    for lost in report.panel.lost if report.panel else ():
        yield from _labelled(lost.evidence, "other", lost.says)


def _labelled(evidence: Iterable[Evidence], kind: Kind, label: str) -> Iterator[Quoted]:
    return (Quoted(quote, kind, label) for quote in evidence)


def _quote(evidence: Evidence, index: int, text: JudgedText | None) -> Quote:
    state = {True: "found", False: "missing", None: "unchecked"}[evidence.verified]
    number = None if text is None else text.numbers.get(index)
    return Quote(evidence.quote, evidence_note(evidence), state, number)


def _take(quotes: Iterator[Quote], evidence: Sequence[Evidence]) -> tuple[Quote, ...]:
    return tuple(next(quotes) for _ in evidence)


def _advice(report: CardReport) -> list[QuotedRow]:
    """The recommendations; the numbers of their quotes in the text are with the dimensions and claims below."""
    return [QuotedRow(row, tuple(_quote(evidence, 0, None) for evidence in row.evidence)) for row in report.advice.rows]


def _chart(card: Scorecard, report: CardReport) -> GradeChart | None:
    """The probability of each grade, when several judges or distributions make it more than a guess."""
    if card.agreement is None or not card.agreement.grades or report.panel is None:
        return None
    known = card.panel is not None and (len(card.panel.members) > 1 or card.panel.members[0].distributions)
    return probability_chart(card.agreement.grades) if known else None


def _history(card: Scorecard) -> list[dict[str, Any]]:
    """Each dimension against the mean of earlier evaluations, as the cells of a table."""
    if card.history is None:
        return []
    return [
        {
            "name": name,
            "mean": f"{line.mean:.2f}",
            "deviation": "" if line.deviation is None else f"{line.deviation:.2f}",
            "difference": f"{line.delta:+.2f}",
            "chance": "" if line.strength is None else strength_words(line.strength),
            "flagged": FLAGGED if line.flagged else "",
            "unusual": is_unusual(line),
        }
        for name, line in card.history.dimensions.items()
    ]
