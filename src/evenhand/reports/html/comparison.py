"""Two scorecards, or two sets of them, side by side as a page: what moved, and what the data do and do not show."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from typing import NamedTuple

from evenhand.core.judgement import Evidence
from evenhand.core.scorecard import Scorecard
from evenhand.decisions.sets.changes import Changes
from evenhand.decisions.sets.set_comparison import SetComparison
from evenhand.decisions.words import claim_text, shown
from evenhand.reports.cases import case_name
from evenhand.reports.charts import Measured, interval_chart, slope_chart
from evenhand.reports.comparison.changes import change_lines, disputed_sides, panel_lines, rest_words, set_lines
from evenhand.reports.comparison.verdict_answer import AnswerReport
from evenhand.reports.html.environment import Page, page, render
from evenhand.reports.html.links import NO_LINKS, Links
from evenhand.reports.html.texts.word_diff import text_changes
from evenhand.reports.judge_reasons import NO_SCORE, JudgeReason, judge_reasons
from evenhand.reports.panel import judge_names
from evenhand.reports.scorecard import grade_words
from evenhand.reports.tree import evidence_note
from evenhand.work.submission import Submission

MOST_PAIRS = 500
"""Pairs that the table behind the chart lists; the chart shows all."""


class ReasonPair(NamedTuple):
    """What one judge says about a dimension, before and after; None where it does not."""

    judge: str
    before: JudgeReason | None
    after: JudgeReason | None


class DimensionPair(NamedTuple):
    """A dimension's scores and reasons on both sides."""

    name: str
    before: str
    after: str
    reasons: tuple[ReasonPair, ...]
    changed: bool


def changes_page(
    before: Scorecard,
    after: Scorecard,
    changes: Changes,
    links: Links = NO_LINKS,
    submissions: tuple[Submission | None, Submission | None] = (None, None),
) -> Page:
    """Two scorecards; `links` leads to the pages of the dashboard, `submissions` are what was judged, where known."""
    texts = [submission.output for submission in submissions if submission is not None]
    headline, *_ = change_lines(before, after, changes)
    body = render(
        "changes.html",
        headline=headline.replace(" -> ", " → "),
        links=links,
        sides=[
            (side, case_name(card), grade_words(card), card) for side, card in (("before", before), ("after", after))
        ],
        moves=[
            {
                "name": move.name,
                "before": _number(move.before),
                "after": _number(move.after),
                "points": "" if move.points is None else f"{move.points:+}",
                "way": ("" if not move.points else "bad" if str(move.points).startswith("-") else "good"),
                "disputed": disputed_sides(move.name, before, after),
            }
            for move in changes.moves
        ],
        rest=f"{changes.rest:+}" if changes.rest else "",
        rest_words=rest_words(before, after),
        final="" if changes.final is None else f"{changes.final:+}",
        new=[_quoted(name, quote) for name, quote in changes.new_evidence],
        gone=[_quoted(name, quote) for name, quote in changes.gone_evidence],
        criteria=changes.criteria,
        findings=changes.findings,
        dimensions=[_dimension_pair(name, before, after) for name in before.dimensions],
        texts=len(texts) == 2,
        same=len(texts) == 2 and texts[0] == texts[1],
        diff=text_changes(*texts) if len(texts) == 2 and texts[0] != texts[1] else None,
        judges=panel_lines(before, after),
        notes=changes.notes,
    )
    return page(f"{case_name(before)} and {case_name(after)}", body)


def _dimension_pair(name: str, before: Scorecard, after: Scorecard) -> DimensionPair:
    """Judges who are on both sides stand side by side, in the first panel's order."""
    sides = [_reasons(card, name) for card in (before, after)]
    judges = dict.fromkeys(reason.judge for side in sides for reason in side)
    pairs = []
    for judge in judges:
        given = [[reason for reason in side if reason.judge == judge] for side in sides]
        pairs += [ReasonPair(judge, left, right) for left, right in zip_longest(*given)]
    was, now = (_number(card.dimensions[name].score) for card in (before, after))
    changed = was != now or any(pair.before != pair.after for pair in pairs)
    return DimensionPair(name, was, now, tuple(pairs), changed)


def _reasons(card: Scorecard, name: str) -> tuple[JudgeReason, ...]:
    """Each judge's reason, or the only one's."""
    reasons = judge_reasons(card, name)
    if reasons:
        return reasons
    line = card.dimensions[name]
    words = line.justification or (line.unscored or "")
    names = judge_names(card)
    score = NO_SCORE if line.score is None else str(line.score)
    return (JudgeReason(", ".join(names) or "no judge named", score, words),) if words else ()


def sets_page(
    facts: SetComparison, more: Sequence[str] = (), answer: AnswerReport | None = None, links: Links = NO_LINKS
) -> Page:
    """Two sets or more. `more` are further lines on what the data show; `links` leads to the pages of the dashboard.

    Case by case only two of them are laid side by side.
    """
    verdict, *lines = set_lines(facts)
    contrast, measure = facts.contrast, facts.decision.measure
    measured = [
        Measured(f"{one.variant} less {one.reference}", one.estimate, one.low, one.high, claim_text(one, measure))
        for one in facts.decision.contrasts
        if one.low is not None and one.high is not None and one.estimate is not None
    ]
    chart = interval_chart(measured, reference=0, caption="The difference with its interval") if measured else None
    none = ((),) * len(facts.names)
    pairs = [(one, facts.ids.get(one.case, none)) for one in contrast.differences] if len(facts.names) == 2 else []
    body = render(
        "sets.html",
        names=facts.names,
        verdict=verdict,
        answer=answer,
        undecided=contrast.verdict == "undecided",
        lines=[*lines, *more],
        chart=chart,
        slopes=slope_chart(contrast.differences, (contrast.reference, contrast.variant))
        if pairs and measure == "final score"
        else None,
        pairs=[
            (
                {
                    "name": pair.case,
                    "before": shown(pair.before, measure, sign=False),
                    "after": shown(pair.after, measure, sign=False),
                },
                shown(pair.difference, measure),
                "good" if pair.low > 0 else "bad" if pair.high < 0 else "",
                links.compare(*both) if all(both) else "",
            )
            for pair, both in sorted(pairs, key=lambda pair: pair[0].difference)[:MOST_PAIRS]
        ],
        more=max(0, len(pairs) - MOST_PAIRS),
    )
    return page(f"{facts.names[0]} and {facts.names[1]}", body)


def _number(value: object) -> str:
    return "-" if value is None else str(value)


def _quoted(name: str, quote: Evidence) -> tuple[str, str, str]:
    return name, quote.quote, evidence_note(quote)
