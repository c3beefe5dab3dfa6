"""A scorecard as a page: the grade, the bars, the arithmetic, and beside it the judged text with every quote marked."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple

from markupsafe import Markup

from evenhand.core.values import Evidence, Rubric, Scorecard
from evenhand.in_words import shortened_line
from evenhand.reports.advice import TITLE, AdviceRow, shortened_quote
from evenhand.reports.cases import UNNAMED, case_name
from evenhand.reports.charts import GradeChart, ScoreBar, probability_chart, score_bar
from evenhand.reports.criteria_rows import CriterionRow
from evenhand.reports.document import CardReport, ClaimRow, DimensionRow, card_report, evidence_note
from evenhand.reports.findings import ExpectationRow, FaultRow
from evenhand.reports.history import FLAGGED, is_unusual, strength_words
from evenhand.reports.html.environment import Page, page, render
from evenhand.reports.html.texts.judged_text import JudgedText, Quoted, judged_text
from evenhand.reports.html.texts.marked_text import Kind
from evenhand.reports.html.texts.rendered_text import rendered_text
from evenhand.reports.judge_reasons import JudgeReason, judge_reasons
from evenhand.reports.panel import LostClaim, is_too_sure
from evenhand.work.answer_text import answer_text
from evenhand.work.submission import Submission

LONGEST_TITLE: Final = 90
"""Characters of a task in a page's title."""


class Quote(NamedTuple):
    """A quote as the scorecard's side of the page shows it."""

    text: str
    where: str
    """ "line 12", or that it is not in the output."""
    state: str
    """ "found", "missing" or "unchecked"."""
    number: int | None
    """Its number in the judged text beside it; None when that is not on the page."""
    again: bool = False
    """Whether it is listed elsewhere on the page too: the passage leads back there."""


class QuotedRow(NamedTuple):
    """A dimension, a criterion, a claim, a fault, an expectation or a recommendation, with its quotes."""

    row: DimensionRow | ClaimRow | LostClaim | FaultRow | AdviceRow | CriterionRow | ExpectationRow
    quotes: tuple[Quote, ...]
    bar: ScoreBar | None = None
    """Of a dimension."""
    criteria: tuple[QuotedRow, ...] = ()
    """Of a dimension that has criteria."""
    reasons: tuple[JudgeReason, ...] = ()
    """Of a dimension that several judges scored: what each of them says."""


def scorecard_page(card: Scorecard, submission: Submission | None = None, rubric: Rubric | None = None) -> Page:
    """A scorecard. With the submission, its text is beside it with every quote marked; with the rubric, the advice
    says what that asks for."""
    body = render("scorecard.html", **card_view(card, submission, rubric))
    return page(f"{evaluation_title(card, submission)}: {grade_words(card)}", body)


def evaluation_title(card: Scorecard, submission: Submission | None = None) -> str:
    """What an evaluation is called on a page: its task and its skill, or its name where the task is not known."""
    task = next(filter(None, map(_words, (submission.task or "").splitlines())), "") if submission else ""
    skill = "" if card.skill == UNNAMED else card.skill
    return " · ".join(filter(None, (shortened_line(task, LONGEST_TITLE) or case_name(card), skill)))


def _words(line: str) -> str:
    """A line without the marks of a Markdown heading, and without the colon before what follows."""
    return line.strip().lstrip("#").rstrip(":").strip()


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
        "heading": evaluation_title(card, submission),
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
        "advice": _advice(report, quotes, text),
        "advice_title": TITLE,
        "history": _history(card),
        "text": text,
        "rendered": None if submission is None else _rendered(card, submission),
        "verify": f"evenhand show {shlex.quote(card.id)} --format json | evenhand show --verify -",
    }


def _rendered(card: Scorecard, submission: Submission) -> Markup | None:
    """The output laid out; its file's name says what it is, unless that is the file of a transcript."""
    file_name = "" if submission.events else submission.source or card.output or ""
    return rendered_text(answer_text(submission.output), file_name)


_KINDS: dict[str, Kind] = {"missed": "fault", "met": "bonus"}
"""How the quotes of a criterion are marked in the text."""


def _dimension(card: Scorecard, row: DimensionRow, shown: Iterator[Quote]) -> QuotedRow:
    quotes = _take(shown, row.evidence)
    criteria = [QuotedRow(one, _take(shown, one.evidence)) for one in (row.criteria.rows if row.criteria else ())]
    return QuotedRow(row, quotes, score_bar(card, row.name), tuple(criteria), judge_reasons(card, row.name))


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


def _advice(report: CardReport, quotes: Sequence[Quoted], text: JudgedText | None) -> list[QuotedRow]:
    """The recommendations, with the numbers that their quotes have at the dimensions and claims below."""
    found = dict[int, int]() if text is None else text.numbers
    numbers = {shortened_quote(quotes[index].evidence): number for index, number in reversed(found.items())}
    return [
        QuotedRow(
            row, tuple(_quote(one, 0, None)._replace(number=numbers.get(one), again=True) for one in row.evidence)
        )
        for row in report.advice.rows
    ]


def _chart(card: Scorecard, report: CardReport) -> GradeChart | None:
    """The probability of each grade, when several judges or distributions make it more than a guess."""
    if card.agreement is None or not card.agreement.grades or report.panel is None or is_too_sure(card.agreement):
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
