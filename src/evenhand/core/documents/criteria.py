"""Criteria and verdicts to plain values for JSON, and back. Pure.

A rubric publishes its trees, a scorecard the trees it was scored with and the verdict on each criterion. Fractions are
texts such as "91/100"; points and weights are numbers where a number has all their digits.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any

from evenhand.core.basics.canonical import canonical_text
from evenhand.core.basics.numbers import exact, plain
from evenhand.core.criteria.value import node_value
from evenhand.core.documents.kinds import malformed
from evenhand.core.documents.quotes import evidence_document, evidence_from
from evenhand.core.values.criterion import HALF, NO, Criterion, Group, ScoredCriteria, Span, Tree, answer_from
from evenhand.core.values.opinion import Verdict

_More = Callable[[Criterion | Group], dict[str, Any]]
DEEPEST = 100
"""How deep groups may be nested."""
LARGEST = 10**9
"""Points and weights are below this."""


def tree_document(tree: Tree) -> dict[str, Any]:
    """The criteria of a dimension as a rubric publishes them."""
    return {**_partly(tree), "criteria": [_node(child, _for_rubric) for child in tree.children]}


def scored_criteria_json(scored: ScoredCriteria) -> str:
    """The criteria of a dimension as a scorecard publishes them: with verdicts, and with what each node is worth."""
    tree, verdicts, value = scored
    counted = {id: verdict.answer for id, verdict in verdicts.items()}

    def more(node: Criterion | Group) -> dict[str, Any]:
        if isinstance(node, Criterion):
            return verdict_document(verdicts[node.id], key="verdict")
        return {} if value is None else {"value": _span(node_value(node, counted, tree.partly))}

    document = {"value": _span(value), **_partly(tree), "criteria": [_node(child, more) for child in tree.children]}
    return canonical_text(document)


def verdict_document(verdict: Verdict, key: str = "answer") -> dict[str, Any]:
    """A verdict, with what there is beside the answer."""
    document: dict[str, Any] = {key: verdict.answer}
    if verdict.reason:
        document["reason"] = verdict.reason
    if verdict.evidence:
        document["evidence"] = [evidence_document(quote) for quote in verdict.evidence]
    if verdict.by:
        document["by"] = verdict.by
    return document | ({"votes": dict(verdict.votes)} if verdict.votes else {})


def _partly(tree: Tree) -> dict[str, Any]:
    return {} if tree.partly == HALF else {"partly": str(tree.partly)}


def _span(value: Span | None) -> Any:
    """A fraction as text, or its two ends."""
    if value is None or value.low == value.high:
        return None if value is None else str(value.low)
    return {"low": str(value.low), "high": str(value.high)}


def _node(node: Criterion | Group, more: _More) -> dict[str, Any]:
    if isinstance(node, Group):
        return {
            "id": node.id,
            "title": node.title,
            "weight": number(node.weight),
            **more(node),
            "criteria": [_node(child, more) for child in node.children],
        }
    document: dict[str, Any] = {"id": node.id, "sentence": node.sentence, "points": number(node.points)}
    if node.requires:
        document["requires"] = list(node.requires)
    if node.unmet != NO:
        document["unmet"] = node.unmet
    if node.applies_when:
        document["applies_when"] = node.applies_when
    return document | more(node)


def _for_rubric(node: Criterion | Group) -> dict[str, Any]:
    document: dict[str, Any] = {}
    if isinstance(node, Criterion) and node.check:
        document["check"] = node.check
    if isinstance(node, Criterion) and node.expect is not None:
        document["expect"] = dict(node.expect)
    return document | ({"notes": dict(node.notes)} if node.notes else {})


def number(value: Fraction) -> int | float | str:
    """A number where a JSON number has all of its digits, else a fraction as text."""
    if value.denominator == 1:
        return value.numerator
    shown = float(value)
    return shown if Fraction(repr(shown)) == value else str(value)


def fraction(value: Any) -> Fraction:
    """The number in a document, exactly. ValueError when it is not one."""
    if isinstance(value, str) and "/" in value:
        try:
            return Fraction(value)
        except ZeroDivisionError:
            raise ValueError(f"{value} divides by zero") from None
    return Fraction(exact(value))


def tree_from(document: Mapping[str, Any]) -> Tree:
    """The criteria of a dimension from their published form, which was checked when it was written."""
    children = tuple(_node_from(child, 1) for child in document["criteria"])
    return Tree(children, fraction(document.get("partly", HALF_TEXT)))


HALF_TEXT = str(HALF)


def _node_from(document: Mapping[str, Any], depth: int) -> Criterion | Group:
    if depth > DEEPEST:
        raise ValueError(f"groups nested at most {DEEPEST} deep")
    if "criteria" in document:
        children = tuple(_node_from(child, depth + 1) for child in document["criteria"])
        notes = document.get("notes", {})
        return Group(document["id"], document["title"], _amount(document["weight"]), children, notes)
    return Criterion(
        document["id"],
        document["sentence"],
        _amount(document["points"]),
        tuple(document.get("requires", ())),
        document.get("unmet", NO),
        document.get("applies_when", ""),
        document.get("check", ""),
        document.get("expect"),
        document.get("notes", {}),
    )


def _amount(value: Any) -> Fraction:
    """Points or a weight, below the billion that no rubric reaches: a larger one could not be shown."""
    amount = fraction(value)
    if abs(amount) >= LARGEST:
        raise ValueError(f"below {LARGEST}")
    return amount


def scored_criteria_from(value: Any, where: str) -> tuple[Tree, dict[str, Verdict]]:
    """The tree and the verdicts in a scorecard's line; what they are worth is computed again. DocumentError when they
    are not whole."""
    try:
        tree = tree_from(value)
        ids = [criterion.id for criterion in tree.criteria()]
        if len(set(ids)) != len(ids) or not ids:
            raise ValueError("no id twice")
        return tree, {document["id"]: _verdict_from(document) for document in _leaves(value["criteria"])}
    except (ValueError, TypeError, KeyError, AttributeError, ArithmeticError):
        raise malformed(where, "the criteria of a dimension as they were written, each with its verdict") from None


def _leaves(documents: list[dict[str, Any]]) -> list[dict[str, Any]]:
    nested = [_leaves(document["criteria"]) if "criteria" in document else [document] for document in documents]
    return [leaf for leaves in nested for leaf in leaves]


def _verdict_from(document: Mapping[str, Any]) -> Verdict:
    return Verdict(
        answer_from(document["verdict"]),
        document.get("reason", ""),
        tuple(map(evidence_from, document.get("evidence", ()))),
        document.get("by", ""),
        {str(answer_from(answer)): int(count) for answer, count in document.get("votes", {}).items()},
    )


def interval_json(interval: tuple[Decimal, Decimal]) -> str:
    """Where a dimension's score lies."""
    return canonical_text({"low": plain(interval[0]), "high": plain(interval[1])})


def interval_from(value: Any, where: str) -> tuple[Decimal, Decimal]:
    """Where a dimension's score lies, from its published form."""
    from evenhand.core.basics.numbers import score

    try:
        low, high = score(value["low"]), score(value["high"])
        if low < high:
            return low, high
    except (ValueError, TypeError, KeyError):
        pass
    raise malformed(where, "two different scores, the lower one first")
