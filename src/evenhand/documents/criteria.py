"""Criteria and verdicts to plain values for JSON, and back. Pure.

A rubric publishes its trees, a scorecard the trees it was scored with and the verdict on each criterion. Fractions are
texts such as "91/100"; points and weights are numbers where a number has all their digits.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from typing import Annotated, Any, Literal, NotRequired, TypedDict

from evenhand.core.criteria import _node, _partly, node_value, tree_from
from evenhand.core.judgement import Evidence, Verdict
from evenhand.core.numbers import ratio, shown
from evenhand.core.receipt import canonical_text
from evenhand.core.rubric import HALF, NO, Answer, Criterion, Group, Tree, answer_from
from evenhand.core.scorecard import ScoredCriteria, Span
from evenhand.documents.fields import malformed
from evenhand.errors import DocumentError
from evenhand.files import codec

_More = Callable[[Criterion | Group], dict[str, Any]]


class SpanDocument(TypedDict):
    """The least and the greatest value, as fractions."""

    low: str
    high: str


class CriterionDocument(TypedDict):
    """A criterion with the verdict on it, or a group of them, which has a title, a weight and criteria."""

    id: str
    sentence: NotRequired[str]
    points: NotRequired[int | float | str]
    requires: NotRequired[list[str]]
    unmet: NotRequired[Literal["no", "does not apply"]]
    applies_when: NotRequired[str]
    verdict: NotRequired[Annotated[Answer, {"noun": "answer"}]]
    reason: NotRequired[str]
    evidence: NotRequired[list[Evidence]]
    by: NotRequired[str]
    votes: NotRequired[dict[str, int]]
    title: NotRequired[str]
    weight: NotRequired[int | float | str]
    value: NotRequired[str | SpanDocument | None]
    criteria: NotRequired[list["CriterionDocument"]]


class CriteriaDocument(TypedDict):
    """The criteria that give a dimension's score, and what they are worth together: a fraction, or its two ends."""

    value: str | SpanDocument | None
    partly: NotRequired[str]
    criteria: list[CriterionDocument]


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
        document["evidence"] = [*map(codec.document, verdict.evidence)]
    if verdict.by:
        document["by"] = verdict.by
    return document | ({"votes": dict(verdict.votes)} if verdict.votes else {})


def _span(value: Span | None) -> Any:
    """A fraction as text, or its two ends."""
    if value is None or value.low == value.high:
        return None if value is None else str(value.low)
    return {"low": str(value.low), "high": str(value.high)}


def scored_criteria_from(value: Any, where: str) -> tuple[Tree, dict[str, Verdict]]:
    """The tree and the verdicts in a scorecard's line; what they are worth is computed again. DocumentError when they
    are not whole."""
    codec.read(CriteriaDocument, value, part_of="scorecard", where=where)
    try:
        tree = tree_from(value)
        ids = [criterion.id for criterion in tree.criteria()]
        if len(set(ids)) != len(ids) or not ids:
            raise ValueError("no id twice")
        return tree, {document["id"]: _verdict_from(document) for document in _leaves(value["criteria"])}
    except (ValueError, TypeError, KeyError, AttributeError, ArithmeticError, DocumentError):
        raise malformed(where, "the criteria of a dimension as they were written, each with its verdict") from None


def _leaves(documents: list[dict[str, Any]]) -> list[dict[str, Any]]:
    nested = [_leaves(document["criteria"]) if "criteria" in document else [document] for document in documents]
    return [leaf for leaves in nested for leaf in leaves]


def _verdict_from(document: Mapping[str, Any]) -> Verdict:
    return Verdict(
        answer_from(document["verdict"]),
        document.get("reason", ""),
        codec.read_list(Evidence, document.get("evidence", []), "scorecard", "evidence"),
        document.get("by", ""),
        {str(answer_from(answer)): int(count) for answer, count in document.get("votes", {}).items()},
    )


_MILLION = 10**6


def tree_lines(tree: Tree) -> Iterator[str]:
    """What stands under the heading "Criteria"."""
    if tree.partly != HALF:
        yield f"Partly counts {tree.partly}."
        yield ""
    for child in tree.children:
        yield from _node_lines(child, "")


def _node_lines(node: Criterion | Group, indent: str) -> Iterator[str]:
    inner = f"{indent}  "
    if isinstance(node, Group):
        yield f"{indent}- `{node.id}` (weight {written(node.weight)}): {quoted_text(node.title)}".rstrip()
        yield from _notes(node, inner)
        for child in node.children:
            yield from _node_lines(child, inner)
        return
    unit = "point" if abs(node.points) == 1 else "points"
    yield f"{indent}- `{node.id}` ({written(node.points)} {unit}): {quoted_text(node.sentence)}"
    if node.requires:
        yield f"{inner}- requires: {', '.join(node.requires)}"
    if node.unmet != NO:
        yield f"{inner}- otherwise: {node.unmet}"
    if node.applies_when:
        yield f"{inner}- applies when: {quoted_text(node.applies_when)}"
    if node.check:
        yield f"{inner}- decided by: check {node.check}"
    if node.expect is not None:
        yield f"{inner}- decided by: expect {json.dumps(node.expect, ensure_ascii=False)}"
    yield from _notes(node, inner)


def _notes(node: Criterion | Group, indent: str) -> Iterator[str]:
    for name, value in node.notes.items():
        named = f"note `{name}`" if name else "note"
        yield f"{indent}- {named}: {json.dumps(value, ensure_ascii=False)}"


def quoted_text(text: str) -> str:
    """A text as a bullet holds it: as it is, or as a JSON string where a bullet would change it."""
    plain = text == " ".join(text.split()) and not text.startswith('"') and text.isprintable() and text
    return text if plain else json.dumps(text, ensure_ascii=not text.isprintable())


def written(number: Fraction) -> str:
    """A number as a rubric states it: 2, 0.25, 1/3."""
    if number.denominator == 1 or _MILLION % number.denominator:
        return str(number)
    return shown(ratio(int(number * _MILLION), _MILLION))
