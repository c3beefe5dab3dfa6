"""The variables of promptfoo's tests: inline, in files, and with other variables in them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from evenhand.core.basics.numbers import plain
from evenhand.errors import InputError
from evenhand.reading.documents import open_documents
from evenhand.reading.located import Located
from evenhand.reading.text import read_text
from evenhand.suites.import_notes import ImportNotes
from evenhand.suites.paths import shown as shown_path
from evenhand.suites.promptfoo_prompts import filled, shown

_INSIDE = re.compile(r"\{\{\s*(\w+)\s*\}\}")
_ROUNDS = 5
"""How often promptfoo looks for variables inside variables."""

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
    """A test's variables. Files of variables are merged, and texts in files are loaded."""
    value = written.value.get("vars")
    if value is None:
        return {}
    named = [value] if isinstance(value, str) else value
    if isinstance(named, list):
        made: dict[str, Any] = {}
        for name in named:
            made |= _in_file(str(name), written)
        return made
    if not isinstance(named, Mapping):
        written.notes.left_out("variables that are no object", *written.steps, "vars")
        return {}
    return dict(_loaded(named, written))


def resolved(variables: Mapping[str, Any]) -> dict[str, Any]:
    """Variables with the variables inside them replaced, and without the last line's end, as promptfoo does it."""
    made = {name: value.removesuffix("\n") if isinstance(value, str) else value for name, value in variables.items()}
    for _ in range(_ROUNDS):
        changed = False
        for name, value in made.items():
            match = _INSIDE.search(value) if isinstance(value, str) else None
            if match is not None and match[1] in made:
                made[name] = value.replace(match[0], shown(made[match[1]]), 1)
                changed = True
        if not changed:
            break
    # promptfoo renders the finished prompt once more, and a variable that nobody has is empty then.
    return {name: filled(value, made) if isinstance(value, str) else value for name, value in made.items()}


def read_one(path: Path) -> Located:
    """The only document in a YAML or JSON file."""
    documents = list(open_documents(shown_path(path)).documents)
    if len(documents) != 1:
        raise InputError(f"it holds {len(documents)} documents, not one")
    if isinstance(documents[0], InputError):
        raise documents[0]
    return documents[0]


def _in_file(name: str, written: Written) -> dict[str, Any]:
    """The variables in one YAML or JSON file."""
    try:
        document = read_one(written.folder / name.removeprefix("file://"))
        if not isinstance(document.value, Mapping):
            raise InputError("it holds no object with variables")
    except InputError as error:
        written.notes.left_out(f"the variables in {name[:60]}: {error}", *written.steps, "vars")
        return {}
    return dict(_loaded(document.value, written._replace(notes=written.notes.inside(document), steps=())))


def _loaded(variables: Mapping[str, Any], written: Written) -> Iterator[tuple[str, Any]]:
    for name, value in variables.items():
        if not isinstance(value, str) or not value.startswith("file://"):
            yield name, value
            continue
        path = written.folder / value.removeprefix("file://")
        try:
            if path.suffix.lower() in _NO_TEXTS:
                raise InputError("only texts are loaded")
            if path.suffix in (".yaml", ".yml"):
                yield name, json.dumps(read_one(path).value, ensure_ascii=False, separators=(",", ":"), default=plain)
            else:
                yield name, read_text(str(path)).strip()
        except InputError as error:
            steps = (*written.steps, "vars", name) if written.steps else (name,)
            written.notes.left_out(f"the variable {name}: {error}", *steps)
