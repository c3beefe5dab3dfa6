"""What a command was given: results of `claude plugin eval`, a plugin that holds some, or neither."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from evenhand.decisions.advice.instructions import Instructions
from evenhand.errors import InputError, Problem
from evenhand.files.json_values import load_json
from evenhand.files.text import read_text
from evenhand.plugin_evals.combined import combined, same_subject
from evenhand.plugin_evals.result import Result
from evenhand.plugin_evals.result_files import RESULT_FILE, evals_of, find_result, is_known, read_result
from evenhand.plugin_evals.skill_creator import BENCHMARK_FILE
from evenhand.plugin_evals.verdict import PluginVerdict, plugin_verdict, versions_verdict

_HEAD = 4096


def are_results(paths: Sequence[str]) -> bool:
    """Whether every path names a result of `claude plugin eval`, or a plugin with cases for it."""
    return bool(paths) and all(os.path.exists(path) and _is_result(Path(path)) for path in paths)  # noqa: PTH110


def _is_result(path: Path) -> bool:
    if path.is_dir():
        found = find_result(path)
        return is_plugin(path) if found is None else _is_result(found)
    if path.suffix != ".json" or not path.is_file():
        return False
    if path.name == RESULT_FILE:
        return True
    if path.name == BENCHMARK_FILE:
        return _is_known(path)
    with path.open("rb") as file:
        head = file.read(_HEAD)
    if b"schemaVersion" not in head and b"schema_version" not in head:
        return False
    try:
        return _is_known(path)
    except InputError:
        return b'"claudeVersion"' in head  # a damaged one is still one, and says what is wrong with it


def _is_known(path: Path) -> bool:
    return is_known(load_json(read_text(str(path)), str(path)).value)


def is_plugin(path: Path) -> bool:
    """Whether a folder is a plugin, or its evals."""
    return (path / ".claude-plugin" / "plugin.json").is_file() or is_evals_folder(evals_of(path))


def results_in(paths: Sequence[str]) -> list[Result]:
    """The results that paths name. Raises InputError for a plugin that has none yet."""
    return [read_result(result_file(path)) for path in paths]


def result_file(path: str) -> Path:
    """The result that a path names. Raises InputError for a plugin that has none yet."""
    file = find_result(Path(path))
    if file is None:
        raise InputError(Problem("has no result yet. Make one with: claude plugin eval .", path))
    return file


def verdict_of(results: Sequence[Result], *, level: float = 0.05) -> PluginVerdict:
    """What results show: those of one version and model add up, and two versions are compared."""
    if len(results) == 1 or same_subject(results):
        return plugin_verdict(combined(results), level=level)
    if len(results) > 2:
        raise InputError(
            "these results are of several versions or models; give two to compare, or those of one version"
        )
    return versions_verdict(*results, level=level)


def instructions_of(paths: Sequence[str], result: Result) -> Instructions | None:
    """The plugin's SKILL.md, where it has one skill and lies where it was given, or where the result says."""
    roots = [Path(path) for path in paths if Path(path).is_dir()] + [
        Path(result.plugin.path or result.suite.root or ".")
    ]
    for root in roots:
        for folder in (root, *root.parents[:3]):
            skills = sorted(folder.glob("skills/*/SKILL.md"))
            if len(skills) == 1:
                return Instructions(read_text(str(skills[0])))
    return None


def is_evals_folder(path: Path) -> bool:
    """Whether a folder holds cases of `claude plugin eval`."""
    return path.is_dir() and next(case_folders(path), None) is not None


def case_folders(evals: Path) -> Iterator[Path]:
    """Every folder with a prompt.md or a case.yaml, nested ones too; results are passed over."""
    for folder, names, files in os.walk(evals):
        names[:] = sorted(name for name in names if name not in ("results", "mocks", "graders") and name[0] != ".")
        if {"prompt.md", "case.yaml"} & set(files):
            names.clear()
            yield Path(folder)
