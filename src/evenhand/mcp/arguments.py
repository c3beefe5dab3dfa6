"""A tool's arguments checked against its input schema; every problem at once, in plain words, values left out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from evenhand.errors import InputError, Problem, unknown
from evenhand.files.json_values import load_json
from evenhand.mcp.allowed_files import LIMIT, too_large

_KINDS: Final[dict[str, tuple[type, str]]] = {
    "string": (str, "text"),
    "integer": (int, "a whole number"),
    "boolean": (bool, "true or false"),
    "object": (Mapping, "an object"),
    "array": (list, "a list of texts"),
}


def checked(tool: str, arguments: Mapping[str, Any], schema: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments, ready to be passed on; InputError with everything that is wrong with them."""
    properties: Mapping[str, Any] = schema["properties"]
    problems = [unknown("argument", name, properties) for name in arguments if name not in properties]
    problems += [f"{name} is missing" for name in schema.get("required", ()) if arguments.get(name) is None]
    parsed = {}
    for name, value in arguments.items():
        if name in properties and value is not None:  # null is how some hosts leave an argument out
            parsed[name] = _parsed(value, properties[name])
            problems += _wrong(name, parsed[name], properties[name])
    if problems:
        raise InputError([Problem(f"{tool}: {problem}") for problem in problems])
    return parsed


def _parsed(value: Any, shape: Mapping[str, Any]) -> Any:
    """An object or list that a host handed over as JSON text; anything else as it is."""
    if not isinstance(value, str) or shape["type"] not in ("object", "array") or len(value) > LIMIT:
        return value
    try:
        return load_json(value, "").value
    except InputError:
        return value


def _wrong(name: str, value: Any, shape: Mapping[str, Any]) -> list[str]:
    kind, words = _KINDS[shape["type"]]
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        return [f"{name} must be {words}"]
    if isinstance(value, list) and not all(isinstance(item, str) for item in value):
        return [f"{name} must be {words}"]
    if isinstance(value, str) and len(value) > LIMIT // 4 and (size := len(value.encode("utf-8", "replace"))) > LIMIT:
        return [f"{name} is too long: {too_large(size)}; save it as a file and judge it with: evenhand judge FILE"]
    if "enum" in shape and value not in shape["enum"]:
        return [f"{name} must be one of {', '.join(shape['enum'])}"]
    if "minimum" in shape and value < shape["minimum"]:
        return [f"{name} must be {shape['minimum']} or more"]
    return []
