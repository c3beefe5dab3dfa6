"""Attributes of spans, in their many export formats, as a tree keyed by the parts of their names."""

from __future__ import annotations

from typing import Any

from evenhand.transcripts.json_text import maybe_json, structured

_LEAVES = frozenset(
    "arguments parameters value result metadata json_schema messages tools invocation_parameters".split()
)
"""Attributes whose value is data, not a namespace."""


def parsed_list(value: Any) -> list[Any]:
    """The value as a list, also from JSON text; empty otherwise."""
    value = structured(value)
    return value if isinstance(value, list) else []


def branch(tree: Any, name: str) -> Any:
    """The value at a dotted name."""
    for part in name.split("."):
        if not isinstance(tree, dict):
            return None
        tree = tree.get(part)
    return tree.get("", tree) if isinstance(tree, dict) else tree


def listed(value: Any) -> list[Any]:
    """The value as a list: a list, JSON text of one, or an object with numeric keys."""
    value = structured(value)
    if isinstance(value, dict):
        numbered = sorted((int(key), item) for key, item in value.items() if key.isdecimal() and len(key) < 10)
        return [item for _, item in numbered] if numbered else [value]
    return value if isinstance(value, list) else []


def pairs_of(attributes: Any) -> dict[str, Any]:
    """Attributes as an object, or as OTLP's list of keys and values."""
    if isinstance(attributes, dict):
        return attributes
    pairs = [pair for pair in parsed_list(attributes) if isinstance(pair, dict) and isinstance(pair.get("key"), str)]
    return {pair["key"]: _plain(pair.get("value")) for pair in pairs}


def _plain(value: Any, depth: int = 0) -> Any:
    """The plain value of an OTLP value object."""
    if not isinstance(value, dict) or depth > 100:
        return value
    for key in ("stringValue", "boolValue", "doubleValue", "bytesValue"):
        if key in value:
            return value[key]
    if "intValue" in value:
        return maybe_json(value["intValue"])
    if isinstance(array := value.get("arrayValue"), dict):
        return [_plain(item, depth + 1) for item in parsed_list(array.get("values"))]
    if isinstance(pairs := value.get("kvlistValue"), dict):
        inner = [pair for pair in parsed_list(pairs.get("values")) if isinstance(pair, dict)]
        return {str(pair.get("key")): _plain(pair.get("value"), depth + 1) for pair in inner}
    return value


def grow(tree: dict[str, Any], flat: dict[str, Any]) -> None:
    """Put names such as llm.model_name into a tree, in which llm may be an object already."""
    waiting = [(tree, flat)]
    while waiting:
        node, pairs = waiting.pop()
        for name, value in pairs.items():
            node_at = node
            *parts, last = name.split(".")
            for part in parts:
                node_at = _opened(node_at, part)
            if isinstance(value, dict) and last not in _LEAVES:
                waiting.append((_opened(node_at, last), value))
            elif isinstance(node_at.get(last), dict) and not isinstance(value, dict):
                node_at[last][""] = value
            else:
                node_at[last] = value


def _opened(node: dict[str, Any], name: str) -> dict[str, Any]:
    """The object under a name; a value that was there before is kept under an empty name."""
    inner = node.get(name)
    if not isinstance(inner, dict):
        inner = node[name] = {} if inner is None else {"": inner}
    return inner


def unfolded(value: Any) -> Any:
    """An object whose own keys may be dotted, as a tree."""
    if not isinstance(value, dict):
        return value
    tree: dict[str, Any] = {}
    grow(tree, value)
    return tree
