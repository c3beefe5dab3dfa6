"""waza's eval.yaml as a suite: its tasks, trials, time limit, model and graders.

waza runs Copilot through its SDK; here the copilot command is run. With the skill's folder found, the variants are
with and without it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from evenhand.core.numbers import exact
from evenhand.errors import InputError, Problem
from evenhand.files.located import Located
from evenhand.files.text import read_text
from evenhand.files.yaml_values import load_yaml
from evenhand.suites.importing.import_notes import ImportNotes
from evenhand.suites.importing.imported_expectations import unique
from evenhand.suites.importing.waza_graders import expected, graders
from evenhand.suites.paths import is_file, is_folder, shown
from evenhand.work.names import slug

_READ = ("name", "description", "skill", "schemaVersion", "version", "config", "graders", "tasks", "baseline")
_CONFIG = ("trials_per_task", "timeout_seconds", "model", "executor", "skill_directories", "parallel", "workers")
_TASK = ("id", "name", "description", "enabled", "tags", "inputs", "expected", "graders", "context_dir")


def from_waza(document: Located, notes: ImportNotes, folder: Path) -> dict[str, Any]:
    """The suite that an eval.yaml and its tasks describe, with paths that start at `folder`."""
    eval_file: Mapping[str, Any] = document.value
    base = Path(document.source).absolute().parent
    notes.rest(eval_file, _READ)
    config = eval_file.get("config")
    config = config if isinstance(config, Mapping) else {}
    notes.rest(config, _CONFIG, "config")
    shared = graders(eval_file.get("graders"), notes, "graders")
    cases = list(_cases(eval_file, base, folder, shared, notes))
    if not cases:
        raise InputError([*notes.problems, Problem("no task could be imported", document.source)])
    suite: dict[str, Any] = {"suite": slug(str(eval_file.get("name")))[:60].strip("-") or "imported"}
    if isinstance(eval_file.get("skill"), str):
        suite["skill"] = eval_file["skill"]
    if (repeats := _number(config, "trials_per_task", notes)) is not None:
        suite["repeats"] = int(repeats)
    if (limit := _number(config, "timeout_seconds", notes)) is not None:
        suite["limits"] = {"seconds": limit}
    return {**suite, "cases": cases, "variants": _variants(eval_file, config, base, folder, notes)}


def _number(config: Mapping[str, Any], key: str, notes: ImportNotes) -> Any:
    if key not in config:
        return None
    try:
        return exact(config[key])
    except ValueError:
        notes.left_out(f"{key}, which is not a number", "config", key)
        return None


def _variants(
    eval_file: Mapping[str, Any], config: Mapping[str, Any], base: Path, folder: Path, notes: ImportNotes
) -> dict[str, Any]:
    model = config.get("model")
    command = ["copilot", "-p", "{prompt}", "-s", "--allow-all-tools", *([f"--model={model}"] if model else [])]
    notes.changed("waza's executor is replaced by the copilot command; put your own agent in its place",
                  "config", "executor")  # fmt: skip
    skill = _skill_folder(str(eval_file.get("skill") or ""), config, base)
    if skill is None:
        if "skill" in eval_file:
            what = "the skill: its folder was not found; add it to a variant, as in skill: skills/mine"
            notes.left_out(what, "skill")
        return {"copilot": {"command": command}}
    path = _relative(skill, folder)
    return {"command": command, "skill": path, "versions": ["none", "now"]}


def _skill_folder(skill: str, config: Mapping[str, Any], base: Path) -> Path | None:
    """Where the skill is: around the evals, beside them, or in a folder of skills."""
    named = config.get("skill_directories")
    folders = [base / item for item in named if isinstance(item, str)] if isinstance(named, list) else []
    places = [base, base.parent, base.parent.parent / "skills" / skill, base / "skills" / skill]
    places += [path for folder in folders for path in (folder, folder / skill)]
    for place in places:
        if skill and place.name == skill and is_file(place / "SKILL.md"):
            return place
    return next((place for place in places[:2] if is_file(place / "SKILL.md")), None)


def _cases(
    eval_file: Mapping[str, Any], base: Path, folder: Path, shared: list[Any], notes: ImportNotes
) -> Iterator[dict[str, Any]]:
    taken: set[str] = set()
    patterns = eval_file.get("tasks")
    for number, pattern in enumerate(patterns if isinstance(patterns, list) else []):
        if not isinstance(pattern, str) or Path(pattern).is_absolute() or not pattern.strip():
            notes.left_out(f"the pattern of tasks {str(pattern)[:60]}", "tasks", number)
            continue
        try:
            paths = sorted(base.glob(pattern))
        except (ValueError, OSError, NotImplementedError, IndexError):
            paths = []
        if not paths:
            notes.left_out(f"tasks {pattern[:60]}: no such files", "tasks", number)
        for path in paths:
            try:
                task = load_yaml(read_text(str(path)), shown(path), foreign=True)
            except InputError as error:
                notes.problems += [
                    problem._replace(message=f"left out: {problem.message}") for problem in error.problems
                ]
                continue
            case = _case(task, base, folder, shared, notes.inside(task), taken)
            if case is not None:
                yield case


def _case(
    task: Located, base: Path, folder: Path, shared: list[Any], notes: ImportNotes, taken: set[str]
) -> dict[str, Any] | None:
    value = task.value
    inputs = value.get("inputs") if isinstance(value, Mapping) else None
    if not isinstance(inputs, Mapping) or value.get("enabled") is False:
        notes.left_out("this task: it is not enabled" if isinstance(inputs, Mapping) else "this task: it has no inputs")
        return None
    notes.rest(value, _TASK)
    notes.rest(inputs, ("prompt", "prompt_file", "files", "context"), "inputs")
    prompt = inputs.get("prompt")
    if "prompt_file" in inputs:
        path = Path(task.source).parent / str(inputs["prompt_file"])
        prompt = read_text(str(path)).strip() if is_file(path) else None
    if not isinstance(prompt, str) or not prompt.strip():
        notes.left_out("this task: it has no prompt that could be read", "inputs")
        return None
    if "{{" in prompt:
        notes.changed("the prompt has template variables, which stay as they are; write them out", "inputs")
    case: dict[str, Any] = {"id": unique(slug(str(value.get("id")))[:80].strip("-") or "task", taken), "prompt": prompt}
    context = base / str(value.get("context_dir") or "fixtures")
    if files := list(_files(inputs, context, base, folder, notes)):
        case["files"] = files
    expect = [*shared, *expected(value.get("expected"), notes, "expected")]
    if expect := [*expect, *graders(value.get("graders"), notes, "graders")]:
        case["expect"] = expect
    tags = value.get("tags")
    if isinstance(tags, list) and (texts := [tag for tag in tags if isinstance(tag, str) and tag.strip()]):
        case["tags"] = texts
    return case


def _files(
    inputs: Mapping[str, Any], context: Path, eval_folder: Path, folder: Path, notes: ImportNotes
) -> Iterator[str | dict[str, str]]:
    listed = inputs.get("files")
    for number, item in enumerate(listed if isinstance(listed, list) else []):
        name = item.get("path") if isinstance(item, Mapping) else None
        if isinstance(name, str) and "content" not in item and is_file(context / name):
            yield {"from": _relative(context / name, folder), "to": Path(name).as_posix()}
        else:
            what = "a file written inline" if isinstance(item, Mapping) and "content" in item else "a file not found"
            notes.left_out(what, "inputs", "files", number)
    metadata = inputs.get("context")
    if isinstance(metadata, Mapping):
        fixture = metadata.get("fixture")
        if isinstance(fixture, str):
            place = next((base / fixture for base in (eval_folder, context) if _exists(base / fixture)), None)
            if place is None:
                notes.left_out(f"the fixture {fixture[:60]}, which was not found", "inputs", "context", "fixture")
            else:
                yield _relative(place, folder)
        notes.rest(metadata, ("fixture",), "inputs", "context")


def _exists(path: Path) -> bool:
    return is_file(path) or is_folder(path)


def _relative(path: Path, folder: Path) -> str:
    return Path(os.path.relpath(path, folder.absolute())).as_posix()
