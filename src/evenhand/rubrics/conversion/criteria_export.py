"""A tree of criteria -> the file of another tool, and what has no counterpart there, criterion by criterion. Pure.

What an import kept as notes is written back, so that a file that was read and not changed comes out as it went in.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any, NamedTuple

from evenhand.core.criteria import number
from evenhand.core.rubric import HALF, NO, Criterion, Group, Tree
from evenhand.rubrics.conversion.criteria_formats import (
    DEVAI,
    HARBOR,
    PAPERBENCH,
    PROMPTFOO,
    ROOT_FORMAT,
    SENTENCES,
    SKILL_CREATOR,
    CriteriaFormat,
)


class ExportedCriteria(NamedTuple):
    """A file's text, and what it could not hold: the id of a criterion or group, empty for the whole, and what."""

    text: str
    losses: tuple[tuple[str, str], ...]


def export_criteria(tree: Tree, format: CriteriaFormat, title: str) -> ExportedCriteria:
    """The tree as a file of another tool."""
    root = tree.children[0] if len(tree.children) == 1 and isinstance(tree.children[0], Group) else None
    imported = root is not None and root.notes.get(ROOT_FORMAT) == format.name
    losses = [*_losses(tree, format)]
    if format is PAPERBENCH:
        top = root or Group("root", title, Fraction(1), tree.children)
        return ExportedCriteria(_json(_node(top)), tuple(losses))
    notes = dict(root.notes) if imported and root is not None else {}
    notes.pop(ROOT_FORMAT, None)
    value = _document(tree, format, notes, title)
    return ExportedCriteria(_text(value, format), tuple(losses))


def _node(node: Criterion | Group) -> dict[str, Any]:
    """A node of a tree of requirements."""
    is_group = isinstance(node, Group)
    notes = {key: value for key, value in node.notes.items() if key != ROOT_FORMAT}
    return {
        "id": notes.pop("id", node.id),
        "requirements": node.title if isinstance(node, Group) else node.sentence,
        "weight": number(node.weight if isinstance(node, Group) else node.points),
        "sub_tasks": [_node(child) for child in node.children] if is_group and isinstance(node, Group) else [],
        **notes,
    }


def _document(tree: Tree, format: CriteriaFormat, notes: dict[str, Any], title: str) -> Any:
    others, entry, around = (notes.pop(key, None) for key in ("others", "entry", "file"))
    worth = _worth(tree)
    ids = {criterion.id: place for place, criterion in enumerate(tree.criteria())}
    items = [_item(criterion, format, worth[criterion.id], ids) for criterion in tree.criteria()]
    for place, item in sorted((others or {}).items(), key=lambda pair: int(pair[0])):
        items.insert(int(place), item)
    if not format.items:
        return items
    if format is DEVAI and not notes:
        notes = {"name": title}
    inner = {**notes, format.items: items}
    if not format.entries:
        return inner
    if format is SKILL_CREATOR and not notes:
        inner = {"id": entry or 1, "prompt": title, **inner}
    file = around if isinstance(around, Mapping) else {"skill_name": title} if format is SKILL_CREATOR else {}
    return {**file, format.entries: [inner]}


def _item(criterion: Criterion, format: CriteriaFormat, worth: Fraction, ids: Mapping[str, int]) -> Any:
    notes = dict(criterion.notes)
    key = str(notes.pop("key", format.sentence[0]))
    if format in (SENTENCES, SKILL_CREATOR) and not notes:
        return criterion.sentence
    item: dict[str, Any] = {}
    if format is PROMPTFOO:
        item["type"] = "llm-rubric"
    if format is DEVAI:
        item = {"requirement_id": ids[criterion.id], "prerequisites": [ids[id] for id in criterion.requires]}
    if format is HARBOR and "type" not in notes:
        item["type"] = "binary"
    if format.id and format is not DEVAI:
        item[format.id] = criterion.id
    item[key] = criterion.sentence
    if format.points:
        item[format.points] = number(worth)
    return _restored(item, notes)


def _restored(item: dict[str, Any], notes: dict[str, Any]) -> dict[str, Any]:
    """The item with what the file that was read said beside it; what it left out is left out again."""
    implied = notes.pop("implied", [])
    item = {name: value for name, value in item.items() if name not in implied}
    return {**item, **notes}


def _worth(tree: Tree) -> dict[str, Fraction]:
    """The points of each criterion in one flat list: inside groups, its share of the group's weight."""
    worth: dict[str, Fraction] = {}

    def spread(nodes: tuple[Criterion | Group, ...], factor: Fraction) -> None:
        for node in nodes:
            if isinstance(node, Criterion):
                worth[node.id] = node.points * factor
                continue
            whole = sum((_weight(child) for child in node.children if _weight(child) > 0), Fraction(0))
            flat = len(nodes) == 1
            spread(node.children, factor if flat else factor * node.weight / (whole or 1))

    spread(tree.children, Fraction(1))
    return worth


def _weight(node: Criterion | Group) -> Fraction:
    return node.weight if isinstance(node, Group) else node.points


def _losses(tree: Tree, format: CriteriaFormat) -> Iterator[tuple[str, str]]:
    """Everything of the tree that the format cannot say."""
    if tree.partly != HALF:
        yield "", f"partly counts {tree.partly}, which {format.name} does not know"
    if format is not PAPERBENCH:
        top = (
            tree.children[0].children
            if len(tree.children) == 1 and isinstance(tree.children[0], Group)
            else tree.children
        )
        yield from _nested(top, format)
    for criterion in tree.criteria():
        if criterion.points < 0 and not format.negative:
            yield criterion.id, f"{format.name} has no negative points; {number(criterion.points)} is written as it is"
        if criterion.points != 1 and not format.points:
            yield criterion.id, f"{format.name} has no points; {number(criterion.points)} is left out"
        if criterion.requires and not format.requires:
            yield criterion.id, f"{format.name} has no prerequisites; {', '.join(criterion.requires)} is left out"
        if criterion.unmet != NO:
            yield criterion.id, "that it does not apply when a prerequisite fails is left out"
        if criterion.applies_when:
            yield criterion.id, f'the condition "{criterion.applies_when}" is left out'
        if not criterion.asked:
            yield criterion.id, "that a program decides it is left out"


def _nested(nodes: tuple[Criterion | Group, ...], format: CriteriaFormat) -> Iterator[tuple[str, str]]:
    for node in nodes:
        if isinstance(node, Group):
            yield node.id, f"{format.name} has no groups; its criteria are listed with their share of its weight"
            yield from _nested(node.children, format)


def _json(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def _text(value: Any, format: CriteriaFormat) -> str:
    if format.suffix == ".toml":
        return "\n".join(_toml(value)).strip() + "\n"
    if format.suffix == ".yaml":
        import yaml

        return str(yaml.safe_dump(value, sort_keys=False, allow_unicode=True, width=100))
    return _json(value)


def _toml(value: Mapping[str, Any], name: str = "") -> Iterator[str]:
    """A table as TOML: its own values first, then its tables."""
    tables = {key: part for key, part in value.items() if _is_table(part)}
    yield from (f"{_toml_key(key)} = {_toml_value(part)}" for key, part in value.items() if key not in tables)
    for key, part in tables.items():
        path = f"{name}.{_toml_key(key)}" if name else _toml_key(key)
        for table in part if isinstance(part, list) else [part]:
            yield ""
            yield f"[[{path}]]" if isinstance(part, list) else f"[{path}]"
            yield from _toml(table, path)


def _is_table(value: Any) -> bool:
    return isinstance(value, Mapping) or (
        isinstance(value, list) and bool(value) and all(isinstance(part, Mapping) for part in value)
    )


def _toml_key(key: str) -> str:
    return key if key.replace("-", "").replace("_", "").isalnum() and key.isascii() else json.dumps(key)


def _toml_value(value: Any) -> str:
    """A value in TOML, whose strings, numbers and lists are those of JSON. A rubric holds no control characters."""
    return json.dumps(value, ensure_ascii=False)
