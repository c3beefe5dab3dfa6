"""References in a promptfoo configuration: `$ref: '#/assertionTemplates/short'` is what is written there."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from evenhand.errors import InputError
from evenhand.suites.importing.import_notes import ImportNotes
from evenhand.suites.importing.promptfoo_variables import read_one

_MOST = 1000
"""References that are followed; references to references multiply."""


def dereferenced(config: Mapping[str, Any], folder: Path, notes: ImportNotes) -> Mapping[str, Any]:
    """A configuration with what its references name; keys beside a reference replace those in it."""
    followed: list[str] = []

    def walk(value: Any, root: Any, steps: tuple[str | int, ...], within: frozenset[str]) -> Any:
        if isinstance(value, list):
            return [walk(item, root, (*steps, number), within) for number, item in enumerate(value)]
        if not isinstance(value, Mapping):
            return value
        name = value.get("$ref")
        if not isinstance(name, str):
            return {key: walk(item, root, (*steps, key), within) for key, item in value.items()}
        others = {key: walk(item, root, (*steps, key), within) for key, item in value.items() if key != "$ref"}
        followed.append(name)
        try:
            if name in within:
                raise InputError("it leads back to itself")
            if len(followed) > _MOST:
                raise InputError(f"more than {_MOST} references are not followed")
            file, _, pointer = name.partition("#")
            inside = read_one(folder / file.removeprefix("file://")).value if file else root
            target = walk(_at(inside, pointer), inside, steps, within | {name})
        except InputError as error:
            notes.left_out(f"the reference {name[:60]}: {error}", *steps)
            return others
        return {**target, **others} if isinstance(target, Mapping) else target

    resolved: Mapping[str, Any] = walk(config, config, (), frozenset()) if _has_reference(config) else config
    return resolved


def _has_reference(value: Any) -> bool:
    if isinstance(value, Mapping):
        return "$ref" in value or any(map(_has_reference, value.values()))
    return isinstance(value, list) and any(map(_has_reference, value))


def _at(value: Any, pointer: str) -> Any:
    for step in pointer.strip("/").split("/") if pointer.strip("/") else []:
        key = step.replace("~1", "/").replace("~0", "~")
        if isinstance(value, Mapping) and key in value:
            value = value[key]
        elif isinstance(value, list) and key.isdigit() and int(key) < len(value):
            value = value[int(key)]
        else:
            raise InputError(f"there is no {key[:40]}")
    return value
