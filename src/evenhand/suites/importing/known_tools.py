"""Suites out of other tools' files: the common part of a promptfoo configuration and of waza's eval.yaml.

What has no counterpart is left out, and listed with its line; nothing is made up for it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from evenhand.errors import InputError, Problem
from evenhand.files.json_values import load_json
from evenhand.files.located import Located
from evenhand.files.text import read_text
from evenhand.files.yaml_values import load_yaml
from evenhand.suites.importing.import_notes import ImportNotes
from evenhand.suites.importing.other_tools import EVALS, tool_of
from evenhand.suites.importing.promptfoo_configuration import from_promptfoo
from evenhand.suites.importing.waza_eval import from_waza
from evenhand.suites.suite_text import suite_text


class Imported(NamedTuple):
    """A suite file made from another tool's."""

    tool: str
    text: str
    cases: int
    variants: int
    notes: tuple[Problem, ...]
    """What was left out or changed, with its file and line."""


def import_suite(path: str, folder: Path) -> Imported:
    """The suite that a file of another tool describes, to be written into `folder`."""
    document = read_document(path)
    if not isinstance(document.value, Mapping):
        raise InputError(Problem("is not a configuration: it must be an object with named fields", path, 1))
    tool, read = _tool(document)
    notes = ImportNotes(document)
    suite = read(document, notes, folder)
    variants = len(suite["variants"].get("versions", suite["variants"]))
    header = f"Imported from {Path(path).name} of {tool}. Check it with: evenhand suite check FILE"
    unique = dict.fromkeys(problem._replace(path=()) for problem in notes.problems)
    problems = tuple(sorted(unique, key=lambda note: (note.source != path, note.source or "", note.line or 0)))
    return Imported(tool, suite_text(suite, header), len(suite["cases"]), variants, problems)


def read_document(path: str) -> Located:
    """A YAML or JSON file."""
    text = read_text(path)
    return load_json(text, path) if path.lower().endswith(".json") else load_yaml(text, path, foreign=True)


Reader = Callable[[Located, ImportNotes, Path], dict[str, Any]]


def _tool(document: Located) -> tuple[str, Reader]:
    tool = tool_of(document.value.keys())
    if tool == "waza":
        return tool, from_waza
    if tool == "promptfoo":
        return tool, from_promptfoo
    if tool == "skill-creator":
        raise InputError(Problem(EVALS, document.source))
    raise InputError(
        Problem("is neither a promptfoo configuration (providers, tests) nor waza's eval.yaml (name, tasks)",
                document.source)
    )  # fmt: skip
