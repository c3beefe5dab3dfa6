"""A JSON Schema with its text beside it, so that a schema sent with every call is written once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


class WrittenSchema(dict[str, Any]):
    """A schema with its JSON beside it."""

    def __init__(self, made: Mapping[str, Any], text: str) -> None:
        super().__init__(made)
        self.text = text


def relaxed(made: Any) -> Any:
    """The same form for servers that refuse its limits: lengths are free, and any score may go with any band."""
    if isinstance(made, Mapping):
        if "anyOf" in made:
            return relaxed(_either(made["anyOf"]))
        return {key: relaxed(value) for key, value in made.items() if key not in ("maxItems", "maxLength")}
    return [relaxed(each) for each in made] if isinstance(made, list) else made


def _either(objects: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Objects with the same keys as one: what may stand in any of them may stand there."""
    keys = dict(objects[0]["properties"])
    for key, value in keys.items():
        if "enum" in value:
            allowed = [each for made in objects for each in made["properties"][key]["enum"]]
            keys[key] = {**value, "enum": sorted(allowed) if value["type"] == "integer" else allowed}
    return closed_object(keys)


def closed_object(keys: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": keys, "required": list(keys), "additionalProperties": False}
