"""The variables of promptfoo's tests: inline, in files, and with other variables in them."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from evenhand.core.numbers import plain
from evenhand.errors import InputError
from evenhand.files.json_values import load_json
from evenhand.files.located import Located
from evenhand.files.text import read_text
from evenhand.files.yaml_values import load_yaml
from evenhand.suites.importing.import_notes import ImportNotes
from evenhand.suites.importing.promptfoo_prompt_files import matching_files
from evenhand.suites.importing.promptfoo_templates import rendered, text_of
from evenhand.suites.paths import shown as shown_path

_INSIDE = re.compile(r"\{\{\s*(\w+)\s*\}\}")
_ROOT = re.compile(r"\{\{-?\s*([A-Za-z_]\w*)")
_ROUNDS = 5
"""How many times promptfoo looks for variables inside variables."""

_NO_TEXTS = (".js", ".cjs", ".mjs", ".ts", ".cts", ".mts", ".py", ".pdf", ".jpg", ".jpeg", ".png", ".gif", ".bmp",
             ".webp", ".svg", ".mp4", ".webm", ".ogg", ".mov", ".avi", ".wmv", ".mkv", ".m4v")  # fmt: skip
"""Files that promptfoo runs or converts."""


class Written(NamedTuple):
    """A test as it is written, and where."""

    value: Any
    notes: ImportNotes
    steps: tuple[str | int, ...]
    folder: Path
    """The configuration's: every file that a variable names starts there."""


def variables_of(written: Written) -> dict[str, Any]:
    """A test's variables as they are written; files of variables are merged."""
    value = written.value.get("vars")
    if value is None:
        return {}
    named = [value] if isinstance(value, str) else value
    if isinstance(named, list):
        variables: dict[str, Any] = {}
        for name in named:
            variables |= _in_file(str(name), written)
        return variables
    if not isinstance(named, Mapping):
        written.notes.left_out("variables that are not an object", *written.steps, "vars")
        return {}
    return dict(named)


def choices_of(variables: Mapping[str, Any], folder: Path) -> list[list[Any]]:
    """The values of each variable that promptfoo multiplies: a list that starts with a text, or a pattern of files."""
    choices = []
    for value in variables.values():
        if isinstance(value, list) and value and isinstance(value[0], str):
            choices.append(value)
        elif isinstance(value, str) and value.startswith("file://") and "*" in value:
            paths = matching_files(folder, value.removeprefix("file://"))
            choices.append([f"file://{path.relative_to(folder).as_posix()}" for path in paths] or [value])
        else:
            choices.append([value])
    return choices


def resolved(variables: Mapping[str, Any]) -> dict[str, Any]:
    """Variables with the variables inside them replaced, and without the last line's end, as promptfoo does it."""
    filled = {name: value.removesuffix("\n") if isinstance(value, str) else value for name, value in variables.items()}
    for _ in range(_ROUNDS):
        changed = False
        for name, value in filled.items():
            match = _INSIDE.search(value) if isinstance(value, str) else None
            if match is not None and match[1] in filled:
                filled[name] = value.replace(match[0], text_of(filled[match[1]]), 1)
                changed = True
        if not changed:
            break
    return {name: _rendered(value, filled) if isinstance(value, str) else value for name, value in filled.items()}


def _rendered(text: str, variables: Mapping[str, Any]) -> str:
    """A variable as a template of its own; one with a variable that nobody has stays as it is."""
    return text if set(_ROOT.findall(text)) - variables.keys() else rendered(text, variables)


def read_one(path: Path) -> Located:
    """The value in a YAML or JSON file."""
    name = shown_path(path)
    text = read_text(name)
    return load_json(text, name) if path.suffix.lower() == ".json" else load_yaml(text, name, foreign=True)


def _in_file(name: str, written: Written) -> dict[str, Any]:
    """The variables in one YAML or JSON file."""
    try:
        document = read_one(written.folder / name.removeprefix("file://"))
        if not isinstance(document.value, Mapping):
            raise InputError("it holds no object with variables")
    except InputError as error:
        written.notes.left_out(f"the variables in {name[:60]}: {error}", *written.steps, "vars")
        return {}
    written.notes.inside(document)
    return dict(document.value)


def loaded(variables: Mapping[str, Any], owners: Mapping[str, Written]) -> dict[str, Any]:
    """Variables with the texts in files that they name, without those that cannot be read."""
    texts = {}
    for name, value in variables.items():
        try:
            texts[name] = _text_in(value, owners[name].folder)
        except InputError as error:
            owner = owners[name]
            owner.notes.left_out(f"the variable {name}: {error}", *owner.steps, "vars", name)
    return texts


def _text_in(value: Any, folder: Path) -> Any:
    if not isinstance(value, str) or not value.startswith("file://"):
        return value
    path = folder / value.removeprefix("file://")
    if path.suffix.lower() in _NO_TEXTS:
        raise InputError("only texts are loaded")
    if path.suffix in (".yaml", ".yml"):
        return json.dumps(read_one(path).value, ensure_ascii=False, separators=(",", ":"), default=plain)
    return read_text(str(path)).strip()
