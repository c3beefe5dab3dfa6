"""Where results stand: the file of one, the newest of a plugin, the traces that are kept beside it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path, PurePath
from typing import Final

from evenhand.errors import InputError
from evenhand.files.json_values import load_json
from evenhand.files.text import read_text
from evenhand.plugin_evals.result import Arms, Case, Result, Run, is_result, result_of
from evenhand.plugin_evals.skill_creator import BENCHMARK_FILE, benchmark_result, is_benchmark

RESULT_FILE: Final = "aggregate-result.json"
TRACES: Final = "traces"
"""The folder beside a result in which its traces are kept: the runner removes its own."""


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
