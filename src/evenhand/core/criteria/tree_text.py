"""A tree of criteria as the bullets of a rubric file, which read back as the same tree. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterator
from fractions import Fraction

from evenhand.core.basics.numbers import ratio, shown
from evenhand.core.values.criterion import HALF, NO, Criterion, Group, Tree

_MILLION = 10**6


def tree_lines(tree: Tree) -> Iterator[str]:
    """What stands under the heading "Criteria"."""
    if tree.partly != HALF:
        yield f"Partly counts {tree.partly}."
        yield ""
    for child in tree.children:
        yield from _node(child, "")


def _node(node: Criterion | Group, indent: str) -> Iterator[str]:
    inner = f"{indent}  "
    if isinstance(node, Group):
        yield f"{indent}- `{node.id}` (weight {written(node.weight)}): {quoted_text(node.title)}".rstrip()
        yield from _notes(node, inner)
        for child in node.children:
            yield from _node(child, inner)
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
        yield f"{indent}- note `{name}`: {json.dumps(value, ensure_ascii=False)}"


def quoted_text(text: str) -> str:
    """A text as a bullet holds it: as it is, or as a JSON string where a bullet would change it."""
    plain = text == " ".join(text.split()) and not text.startswith('"') and text.isprintable() and text
    return text if plain else json.dumps(text, ensure_ascii=not text.isprintable())


def written(number: Fraction) -> str:
    """A number as a rubric states it: 2, 0.25, 1/3."""
    if number.denominator == 1 or _MILLION % number.denominator:
        return str(number)
    return shown(ratio(int(number * _MILLION), _MILLION))
