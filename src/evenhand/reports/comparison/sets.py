"""Sets of scorecards compared: the report of the decision, and what changed case by case. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from evenhand.core.history import changes_words
from evenhand.decisions.changes import CriterionShares
from evenhand.decisions.decision import SetComparison
from evenhand.decisions.what_to_change import Answer
from evenhand.decisions.words import shown
from evenhand.files import codec
from evenhand.in_words import counted
from evenhand.reports.charts import slope_chart
from evenhand.reports.comparison.changes import MOST_CRITERIA, Compare
from evenhand.reports.comparison.decision import Verdict, method_lines, verdict_report
from evenhand.reports.tree import Column, Drawing, Item, Line, Node, Report, Row, Section, Span, Table, Weight

MOST_PAIRS: Final = 500
"""Pairs that the table lists; the chart shows all."""


def sets_report(
    comparison: SetComparison,
    answer: Answer | None = None,
    shares: Sequence[CriterionShares] = (),
    *,
    address: Compare = lambda before, after: "",
    is_brief: bool = False,
) -> Report:
    """Two sets or more. Case by case only two of them are laid side by side; `address` is that of two evaluations."""
    names = comparison.names
    lines = (*method_lines(comparison.decision), *share_lines(shares))
    return verdict_report(
        Verdict(
            decision=comparison.decision,
            says=[contrast.says for contrast in comparison.decision.contrasts],
            name=" and ".join(names),
            answer=answer,
            work=() if is_brief or len(names) != 2 else tuple(_pairs(comparison, address)),
            paired=pairing_lines(comparison),
            basis=[Item(head=line) for line in lines],
        ),
        is_brief=is_brief,
    )


def set_document(
    comparison: SetComparison, answer: Answer | None = None, shares: Sequence[CriterionShares] = ()
) -> dict[str, Any]:
    """A comparison of sets as JSON: the decision, how cases were found, and the criteria met more or less often."""
    criteria = [
        {"id": id, "before": round(float(before), 4), "after": round(float(after), 4), "decided": list(decided)}
        for id, before, after, decided in shares
    ]
    return {
        **codec.document(comparison.decision),
        "paired_by": comparison.paired_by,
        "changes": [codec.document(change) for change in comparison.changes],
        **({} if answer is None else {"answer": codec.document(answer)}),
        **({"criteria": criteria} if criteria else {}),
    }


def pairing_lines(comparison: SetComparison) -> list[str]:
    """By what cases were found, and what else changed between the sets."""
    decision, contrast = comparison.decision, comparison.contrast
    runs = sum(facts.runs for facts in decision.variants)
    once = "; the runs of a case count once, by their mean" if runs > len(decision.variants) * decision.cases else ""
    lines = [f"{counted(contrast.cases, 'case')}, matched by {comparison.paired_by}{once}"]
    if contrast.unit == "cluster":
        lines.append(f"{counted(contrast.units, 'cluster')}; the cases of a cluster count once, by their mean")
    if comparison.changes:
        lines.append(f"between the sets also changed: {changes_words(comparison.changes)}")
    return lines


def share_lines(shares: Sequence[CriterionShares]) -> list[str]:
    """The criteria that are met more or less often in the second set, the largest fall first."""
    lines = []
    for share in shares[:MOST_CRITERIA]:
        sides = [
            f"{float(100 * mean):.0f}% of {decided}"
            for mean, decided in zip((share.before, share.after), share.decided, strict=True)
        ]
        lines.append(f"criterion {share.id}: met in {sides[0]} -> {sides[1]}")
    left = len(shares) - MOST_CRITERIA
    more = f"and {counted(left, 'more criterion', 'more criteria')}: --format json has all"
    return [*lines, more] if left > 0 else lines


def _pairs(comparison: SetComparison, address: Compare) -> Iterator[Node]:
    contrast, measure = comparison.contrast, comparison.decision.measure
    a, b = comparison.names
    rows = []
    for pair in sorted(contrast.differences, key=lambda pair: pair.difference)[:MOST_PAIRS]:
        ids = comparison.ids.get(pair.case, ())
        where = address(*ids) if len(ids) == 2 and all(ids) else ""
        weight: Weight = "good" if pair.low > 0 else "bad" if pair.high < 0 else "plain"
        values = (shown(value, measure, sign=False) for value in (pair.before, pair.after))
        moved = (Span(shown(pair.difference, measure), weight),)
        rows.append(Row(((Span(pair.case, address=where),), *values, moved)))
    if not rows:
        return
    columns = (Column("case"), *(Column(name, right=True) for name in ("A", "B", "difference")))
    caption = f"{measure} of each case; the mean where it was run several times. A is {a}, B is {b}."
    nodes: list[Node] = [Table(columns, tuple(rows), caption)]
    if (left := len(contrast.differences) - len(rows)) > 0:
        nodes.append(Line(f"and {left} more"))
    if measure == "final score":
        chart = slope_chart(contrast.differences, (contrast.reference, contrast.variant))
        nodes.append(Drawing("slope_chart", chart))
    yield Section(title="By case, the largest fall first", nodes=tuple(nodes), id="cases")
