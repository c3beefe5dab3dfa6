"""The output schemas of the tools, made of the published JSON Schemas.

Identifiers are left out: several tools return the same document, and a client that collects schemas by identifier
would refuse the second one.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

_FOLDER = Path(__file__).parents[1] / "schemas"

Schema = dict[str, Any]


@cache
def published(name: str) -> Schema:
    """The schema of a document, as `evenhand schema NAME` prints it, without its identifiers."""
    schema: Schema = json.loads((_FOLDER / f"{name}.v1.schema.json").read_text(encoding="utf-8"))
    return {key: value for key, value in schema.items() if key not in ("$schema", "$id")}


def one_of(*names: str) -> Schema:
    """Any one of some documents."""
    definitions, shapes = _merged(names)
    return {"type": "object", "anyOf": shapes, "$defs": definitions}


def list_of(key: str, name: str) -> Schema:
    """An object with a list of documents, and the errors of those that could not be made."""
    definitions, (shape,) = _merged([name])
    properties = {
        key: {"type": "array", "items": shape},
        "errors": {"type": "array", "items": {"type": "string"}, "description": "What could not be read, and why."},
    }
    return {"type": "object", "properties": properties, "required": [key, "errors"], "$defs": definitions}


def with_errors(name: str) -> Schema:
    """A document, and the errors of what could not be taken into it."""
    schema = published(name)
    errors = {"type": "array", "items": {"type": "string"}, "description": "What could not be read, and why."}
    return {**schema, "properties": {**schema["properties"], "errors": errors}}


def _merged(names: tuple[str, ...] | list[str]) -> tuple[Schema, list[Schema]]:
    """The definitions of some documents together, and the documents without them."""
    definitions: Schema = {}
    shapes = []
    for name in names:
        schema = published(name)
        definitions |= schema.get("$defs", {})
        shapes.append({key: value for key, value in schema.items() if key != "$defs"})
    return definitions, shapes


def text(description: str) -> Schema:
    """The schema of a text."""
    return {"type": "string", "description": description}


def closed(properties: Schema, required: list[str]) -> Schema:
    """The schema of an object with exactly these keys."""
    return {"type": "object", "properties": properties, "required": required}


TEXT: Schema = {"type": "string"}
YES_OR_NO: Schema = {"type": "boolean"}
NUMBER_OR_NULL: Schema = {"type": ["number", "null"]}
TEXT_OR_NULL: Schema = {"type": ["string", "null"]}
TEXTS: Schema = {"type": "array", "items": {"type": "string"}}

BEGUN = closed(
    {
        "handle": text("What judge_submit needs."),
        "instructions": text("How to judge, the rubric with its bands, the task and the work."),
        "judgement_schema": {"type": "object", "description": "The JSON Schema of a judgement."},
        "expires_in_seconds": {"type": "integer"},
        "condensed": {"type": "boolean", "description": "Whether the work was too long to be shown whole."},
    },
    ["handle", "instructions", "judgement_schema", "expires_in_seconds", "condensed"],
)
EVALUATION_ROW = closed(
    {
        **dict.fromkeys(("id", "skill", "created", "rubric"), TEXT),
        **dict.fromkeys(("red_flags", "bonuses", "disputed", "flags"), TEXTS),
        **dict.fromkeys(("provisional", "drift_alarm"), YES_OR_NO),
        "final": NUMBER_OR_NULL,
        "grade": TEXT_OR_NULL,
        "judge": TEXT_OR_NULL,
        "scores": {"type": "object", "additionalProperties": NUMBER_OR_NULL},
    },
    ["id", "skill", "created", "final", "grade", "scores", "red_flags", "bonuses", "rubric", "judge"],
)
HISTORY = closed(
    {
        "evaluations": {"type": "array", "items": EVALUATION_ROW, "description": "Oldest first."},
        "skills": {
            "type": "array",
            "items": closed(
                {"skill": {"type": "string"}, "evaluations": {"type": "integer"}}, ["skill", "evaluations"]
            ),
            "description": "Every skill in the store, when none was named.",
        },
    },
    ["evaluations", "skills"],
)


def rubrics() -> Schema:
    """The rubrics there are; each complete if it was asked for by name."""
    definitions, (shape,) = _merged(["rubric"])
    row = closed(
        {**dict.fromkeys(("name", "origin", "title", "domain"), TEXT), "rubric": shape},
        ["name", "origin", "title", "domain"],
    )
    listed = {"rubrics": {"type": "array", "items": row}, "errors": TEXTS}
    return {**closed(listed, ["rubrics", "errors"]), "$defs": definitions}
