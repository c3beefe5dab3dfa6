"""A JSON Schema with its serialised text, so that a schema sent with every call is serialised once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


class WrittenSchema(dict[str, Any]):
    """A schema with its JSON text."""

    def __init__(self, schema: Mapping[str, Any], text: str) -> None:
        super().__init__(schema)
        self.text = text


def relaxed(schema: Any) -> Any:
    """A schema for servers that reject limits: any length, and any score with any band."""
    if isinstance(schema, Mapping):
        if "anyOf" in schema:
            return relaxed(_either(schema["anyOf"]))
        return {key: relaxed(value) for key, value in schema.items() if key not in ("maxItems", "maxLength")}
    return [relaxed(item) for item in schema] if isinstance(schema, list) else schema


def _either(objects: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Merge object schemas with the same keys: each key accepts what any of them accepts."""
    keys = dict(objects[0]["properties"])
    for key, value in keys.items():
        if "enum" in value:
            allowed = [option for schema in objects for option in schema["properties"][key]["enum"]]
            keys[key] = {**value, "enum": sorted(allowed) if value["type"] == "integer" else allowed}
    return closed_object(keys)


def closed_object(keys: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": keys, "required": list(keys), "additionalProperties": False}
