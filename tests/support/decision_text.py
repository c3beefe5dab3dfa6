"""A suite's decision as the sentences that its report shows."""

from __future__ import annotations

from evenhand.decisions.decision import Decision
from evenhand.decisions.suite_run import SuiteRun
from evenhand.reports.comparison.decision import basis_items, conclusion_lines
from evenhand.reports.tree import Item, Items, Line, text_of


def decision_lines(run: SuiteRun, decision: Decision) -> list[str]:
    """The conclusions, then what they rest on."""
    return [*conclusion_lines(run, decision), *(line for item in basis_items(run, decision) for line in _lines(item))]


def _lines(item: Item) -> list[str]:
    """An entry's sentence, then what is below it, indented."""
    below = []
    for node in item.below:
        below += [text_of(node.words)] if isinstance(node, Line) else []
        below += [line for one in node.items for line in _lines(one)] if isinstance(node, Items) else []
    return [text_of(item.head), *(f"  {line}" for line in below)]
