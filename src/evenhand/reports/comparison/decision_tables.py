"""A decision as tables for papers: for each judge the variants, then what is compared. Pure.

Every format says what the decision says: a variant's mean is described, the comparisons are claimed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from evenhand.decisions.decision import Contrast, Decision, VariantFacts
from evenhand.decisions.table import MeasureName
from evenhand.decisions.words import interval_text, shown
from evenhand.files.codec import document
from evenhand.reports.tree import Column, Head, Item, Items, Line, Node, Report, Row, Section, Table

Tables = Sequence[tuple[str, Decision]]
"""By judge."""

HEAD = ("variant", "mean", "cases", "runs", "lost", "unscored")
CONTRAST_HEAD = ("compared", "verdict", "claim", "estimate", "interval", "p", "better", "worse", "equal", "open", "of")
_WORDS = ("variant", "compared", "verdict", "claim", "interval")


def tables_report(suite: str, tables: Tables) -> Report:
    """Two tables for each judge, and the sentences of the comparisons."""
    nodes: list[Node] = [Head(title=f"Compared: {suite}")]
    for judge, decision in tables:
        parts: list[Node] = [
            _table(HEAD, [variant_row(facts, decision.measure) for facts in decision.variants], "Variants")
        ]
        if decision.contrasts:
            rows = [contrast_row(contrast, decision.measure) for contrast in decision.contrasts]
            parts.append(_table(CONTRAST_HEAD, rows, "Compared"))
            parts.append(Items(tuple(Item(head=contrast.says) for contrast in decision.contrasts)))
        nodes.append(Section(title=f"Judged by {judge}: {decision.measure}", nodes=tuple(parts)))
    return Report(f"Compared: {suite}", (*nodes, Line(note(tables[0][1]), "quiet")))


def _table(head: Sequence[str], rows: Sequence[tuple[str, ...]], caption: str) -> Table:
    return Table(tuple(Column(name, right=name not in _WORDS) for name in head), tuple(map(Row, rows)), caption)


def tables_document(tables: Tables) -> list[dict[str, Any]]:
    """Everything as JSON, with unrounded numbers."""
    return [{"judge": judge, **document(decision)} for judge, decision in tables]


def note(decision: Decision) -> str:
    """How to read the tables."""
    m = len(decision.contrasts)
    level = f"{100 * (1 - decision.level / max(1, m)):.4g}%"
    together = f" (0.05 / {m} for each of {m} comparisons)" if m > 1 else ""
    return (
        f"Intervals at {level}{together}; better or worse exactly where the interval excludes zero. Typical: the "
        "median of the cases that differ, by an exact sign test; mean: Student's t, from 30 cases on with little skew. "
        "Cases are the units, their runs counting once; lost runs count as the worst, missing scores are carried at "
        "both ends. Means of variants are described, not claimed."
    )


def variant_row(facts: VariantFacts, measure: MeasureName) -> tuple[str, ...]:
    """A variant as the cells of a table."""
    mean = "-" if facts.mean is None else shown(facts.mean, measure, sign=False)
    return (facts.name, mean, *map(str, (facts.cases, facts.runs, facts.lost, facts.unscored)))


def contrast_row(contrast: Contrast, measure: MeasureName) -> tuple[str, ...]:
    """A comparison as the cells of a table."""
    return (
        f"{contrast.variant} - {contrast.reference}",
        contrast.verdict,
        contrast.claim or "-",
        "-" if contrast.estimate is None else shown(contrast.estimate, measure),
        interval_text(contrast, measure).strip(" ()") or "-",
        _p(contrast.p_value),
        *map(str, (contrast.better, contrast.worse, contrast.equal, contrast.open)),
        f"{contrast.units}" if contrast.unit == "case" else f"{contrast.units} clusters",
    )


def _p(value: float | None) -> str:
    return "-" if value is None else "<0.001" if value < 0.0005 else f"{value:.3f}"
