"""Whether a scorecard checks out, and what was compared. Pure."""

from __future__ import annotations

from evenhand.documents.verification import Verification
from evenhand.reports.tree import Facts, Item, Items, Node, Report, Span


def verification_report(result: Verification) -> Report:
    """The verdict, every field that differs, and what could not be checked."""
    says = "holds" if result.ok else "does not hold"
    verdict = Item(head=f"{result.name} {says}", mark="good" if result.ok else "bad")
    nodes: list[Node] = [Items((verdict,))]
    if result.differences:
        heads = [(Span(difference.field, "strong"), f": {difference.problem}") for difference in result.differences]
        nodes.append(Items(tuple(Item(head=head) for head in heads)))
    facts = Facts(
        (
            *(("checked", line, "quiet") for line in result.checked),
            *(("not checked", line, "unusual") for line in result.unchecked),
        )
    )
    if facts.rows:
        nodes.append(facts)
    return Report(f"{result.name} {says}", tuple(nodes))
