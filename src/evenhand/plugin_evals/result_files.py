"""Results where they lie: the file that a path names, one result or a plugin that holds some; kept traces beside it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePath
from typing import Final

from evenhand.decisions.instructions import Instructions
from evenhand.errors import InputError, Problem
from evenhand.files.json_values import load_json
from evenhand.files.text import read_text
from evenhand.plugin_evals.result import Arms, Case, Result, Run, is_result, result_of
from evenhand.plugin_evals.skill_creator import BENCHMARK_FILE, benchmark_result, is_benchmark

RESULT_FILE: Final = "aggregate-result.json"
TRACES: Final = "traces"
"""The folder beside a result in which its traces are kept: the runner removes its own."""
_HEAD: Final = 4096
_TRACE_HEAD: Final = 1_000_000
"""How much of a trace is read for its first record; that one lists every tool and skill."""


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
        return is_known(load_json(read_text(str(path)), str(path)).value)
    with path.open("rb") as file:
        head = file.read(_HEAD)
    if b"schemaVersion" not in head and b"schema_version" not in head:
        return False
    try:
        value = load_json(read_text(str(path)), str(path)).value
    except InputError:
        return b'"claudeVersion"' in head  # a damaged one is still one, and says what is wrong with it
    return any(map(is_known, value)) if isinstance(value, list) else is_known(value)


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


def is_known(value: object) -> bool:
    """Whether a JSON document is a result, of whichever tool."""
    return is_result(value) or is_benchmark(value)


def find_result(path: Path) -> Path | None:
    """The result file that a path names: itself, the one in its folder, or the newest complete one of a plugin.

    None where there is none. Newest is the latest `startedAt`; a partial result stands back behind a complete one.
    """
    if path.is_file():
        return path
    folders = (path, path / "results", evals_of(path) / "results")
    for folder in folders:
        for name in (RESULT_FILE, BENCHMARK_FILE):
            if (folder / name).is_file():
                return folder / name
    found = [file for folder in folders for file in folder.glob(f"*/{RESULT_FILE}")]
    return max(found, key=_standing) if found else None


def evals_of(root: Path) -> Path:
    """The folder of a plugin's cases: `evals`, unless its manifest names another."""
    manifest = root / ".claude-plugin" / "plugin.json"
    try:
        value = load_json(read_text(str(manifest)), str(manifest)).value if manifest.is_file() else None
        named = value["experimental"]["evals"] if value is not None else None
    except (InputError, KeyError, TypeError):
        named = None
    return root / (named if isinstance(named, str) and named else "evals")


def _standing(path: Path) -> tuple[bool, str, str]:
    """How a result file ranks among others: complete, then newest, then by name."""
    try:
        value = load_json(read_text(str(path)), str(path)).value
    except InputError:
        return False, "", str(path)
    if not isinstance(value, Mapping):
        return False, "", str(path)
    return value.get("partial") is not True, str(value.get("startedAt", "")), str(path)


def read_result(path: Path) -> Result:
    """The result in a file, with its traces where some are kept beside it.

    Raises DocumentError with every problem and its line.
    """
    name = str(path)
    document = load_json(read_text(name), name)
    if is_benchmark(document.value):
        return benchmark_result(document)
    result = result_of(document)
    if not (path.parent / TRACES).is_dir():
        return result

    def found(run: Run) -> Run:
        kept = kept_trace(path.parent, run.trace_path)
        return replace(run, trace_path=str(kept)) if run.trace_path and kept.is_file() else run

    def with_traces(case: Case) -> Case:
        without = case.arms.without
        arms = Arms(tuple(map(found, case.arms.with_plugin)), None if without is None else tuple(map(found, without)))
        return replace(case, arms=arms)

    return replace(result, cases=tuple(map(with_traces, result.cases)))


def kept_trace(folder: Path, trace: str) -> Path:
    """Where the trace of a run is kept beside its result, by the folder of its run: `.../RUN/out/trace.jsonl`."""
    parts = PurePath(trace).parts
    return folder / TRACES / f"{parts[-3] if len(parts) > 2 else 'trace'}.jsonl"


def models_of(result: Result) -> frozenset[str]:
    """The models that the runs used; empty where neither a pin nor a trace tells.

    A trace says what really ran, so it goes before the pin. Traces are deleted after a run unless they were kept.
    """
    traced = {
        model
        for case in result.cases
        for run in (*case.arms.with_plugin, *(case.arms.without or ()))
        if run.trace_path and (model := _model_in(Path(run.trace_path)))
    }
    pinned = {case.model or result.suite.model for case in result.cases if case.model or result.suite.model}
    return frozenset(traced or pinned)


def _model_in(path: Path) -> str:
    """The model that the first records of a trace name; empty where it is gone or is something else."""
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            for line in file.read(_TRACE_HEAD).splitlines()[:20]:
                record = json.loads(line)
                if (
                    isinstance(record, dict)
                    and record.get("subtype") == "init"
                    and isinstance(record.get("model"), str)
                ):
                    return str(record["model"])
    except (OSError, ValueError):
        pass
    return ""


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
