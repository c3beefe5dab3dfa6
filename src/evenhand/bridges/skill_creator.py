"""skill-creator: `benchmark.json` from the gradings of an iteration, with the graders' evidence looked up.

    python -m evenhand.bridges.skill_creator WORKSPACE/iteration-1 --skill-name pdf

Reads `eval-N/CONFIGURATION/run-K/grading.json`, also without `run-K`, or below `runs/`. A passed expectation counts
only if what it quotes is in the run's outputs or transcript. What cannot be decided counts neither as passed nor as
failed, and is listed in the notes. The field names are those that skill-creator's viewer reads.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from evenhand.clock import now
from evenhand.errors import InputError, Problem, Unavailable
from evenhand.files.json_values import load_json
from evenhand.files.output_files import OutputFile
from evenhand.files.text import read_text
from evenhand.findings.expectations.skill_creator import decide_graded, expectations_in
from evenhand.reports.exchange.skill_creator import run_summary
from evenhand.work.submission import Submission

MOST_TEXT: Final = 16 * 1024 * 1024
"""Bytes of a run's outputs and transcript in which quotes are looked up."""


class GradedOutput(NamedTuple):
    """A folder with a grading."""

    eval_id: int | str
    eval_name: str
    configuration: str
    number: int
    folder: Path


def benchmark(folder: Path, *, skill_name: str = "", skill_path: str = "", model: str = "") -> dict[str, Any]:
    """The benchmark of an iteration's folder. InputError when it holds no grading, or a broken one."""
    graded = list(_runs(folder))
    if not graded:
        raise InputError(Problem("holds no eval-*/CONFIGURATION/run-*/grading.json", str(folder)))
    notes: list[str] = []
    rows = [row for run in graded if (row := _row(run, notes)) is not None]
    evals = list(dict.fromkeys(run.eval_id for run in graded))
    counts = [sum(peer[:3] == run[:3] for peer in graded) for run in graded]
    return {
        "metadata": {
            "skill_name": skill_name,
            "skill_path": skill_path,
            "executor_model": model,
            "analyzer_model": "",
            "timestamp": now(),
            "evals_run": evals,
            "runs_per_configuration": max(counts),
        },
        "runs": rows,
        "run_summary": run_summary(rows),
        "notes": notes,
    }


def _runs(folder: Path) -> Iterator[GradedOutput]:
    base = folder / "runs" if (folder / "runs").is_dir() else folder
    for place, eval_folder in enumerate(sorted(base.glob("eval-*"), key=_order)):
        facts = _object(eval_folder / "eval_metadata.json")
        number = re.fullmatch(r"eval-(\d+)", eval_folder.name)
        id = facts.get("eval_id", int(number[1]) if number else place)
        name = str(facts.get("eval_name") or eval_folder.name)
        for configuration in sorted(path for path in eval_folder.iterdir() if path.is_dir()):
            runs = sorted(configuration.glob("run-*"), key=_order) or [configuration]
            for count, run in enumerate(runs, start=1):
                if (run / "grading.json").is_file():
                    yield GradedOutput(id, name, configuration.name, count, run)


def _order(path: Path) -> tuple[int, str]:
    """A sort key that puts run-10 after run-9."""
    number = re.search(r"(\d+)$", path.name)
    return (int(number[1]) if number else 0, path.name)


def _row(run: GradedOutput, notes: list[str]) -> dict[str, Any] | None:
    """A run with what could be decided about it; None, with a note, when nothing could."""
    path = run.folder / "grading.json"
    grading = _object(path, required=True)
    expectations = expectations_in(grading, None)
    if expectations is None:
        raise InputError(Problem('has no list "expectations"', str(path)))
    submission = Submission(output=_text(run.folder))
    where = f"{run.eval_name}, {run.configuration}, run {run.number}"
    decided: list[dict[str, Any]] = []
    undecided: list[str] = []
    for expectation in expectations:
        graded = expectation["graded"] if isinstance(expectation, Mapping) else {"text": str(expectation)}
        verdict = decide_graded({"passed": None, "evidence": "", **graded}, submission)
        if verdict.met is None:
            undecided.append(f"{where}: not counted: {graded['text']}: {verdict.message}")
        else:
            decided.append({"text": graded["text"], "passed": verdict.met, "evidence": str(graded["evidence"])})
    notes += undecided
    if not decided:
        notes.append(f"{where}: left out, as none of its expectations could be decided")
        return None
    passed = sum(row["passed"] for row in decided)
    return {
        "eval_id": run.eval_id,
        "eval_name": run.eval_name,
        "configuration": run.configuration,
        "run_number": run.number,
        "result": {
            "pass_rate": round(passed / len(decided), 4),
            "passed": passed,
            "failed": len(decided) - passed,
            "total": len(decided),
            **_measured(run.folder, grading),
        },
        "expectations": decided,
        "notes": [*_notes(grading), *undecided],
    }


def _measured(folder: Path, grading: Mapping[str, Any]) -> dict[str, Any]:
    """Time, tokens, tool calls and errors as recorded; None where nothing was."""
    timing = {**_object(folder / "timing.json"), **_table(grading, "timing")}
    metrics = {**_object(folder / "outputs" / "metrics.json"), **_table(grading, "execution_metrics")}
    seconds = timing.get("total_duration_seconds")
    if seconds is None and isinstance(timing.get("duration_ms"), int | float):
        seconds = timing["duration_ms"] / 1000
    return {
        "time_seconds": seconds,
        "tokens": timing.get("total_tokens"),
        "tool_calls": metrics.get("total_tool_calls"),
        "errors": metrics.get("errors_encountered"),
    }


def _notes(grading: Mapping[str, Any]) -> list[str]:
    summary = _table(grading, "user_notes_summary")
    lists = (summary.get(key) for key in ("uncertainties", "needs_review", "workarounds"))
    return [str(note) for notes in lists if isinstance(notes, list) for note in notes]


def _text(folder: Path) -> str:
    """Everything the run wrote that is text: its outputs, and its transcript."""
    texts, left = [], MOST_TEXT
    paths = [*sorted((folder / "outputs").rglob("*")), *sorted(folder.glob("transcript*"))]
    for path in paths:
        if path.is_file() and not path.is_symlink() and path.name != "metrics.json":
            data = path.read_bytes()[:left]
            left -= len(data)
            if b"\0" not in data:
                texts.append(data.decode(errors="replace"))
    return "\n\n".join(texts)


def _table(document: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = document.get(key)
    return value if isinstance(value, Mapping) else {}


def _object(path: Path, *, required: bool = False) -> Mapping[str, Any]:
    if not required and not path.is_file():
        return {}
    document = json.loads(json.dumps(load_json(read_text(str(path)), str(path)).value, default=float))
    if not isinstance(document, dict):
        raise InputError(Problem("is not a JSON object", str(path)))
    return document


def main(arguments: Sequence[str] | None = None) -> int:
    """Write FOLDER/benchmark.json; returns the exit code."""
    import argparse
    import sys

    parser = argparse.ArgumentParser(
        prog="python -m evenhand.bridges.skill_creator", description="Write benchmark.json."
    )
    parser.add_argument("folder", type=Path, help="the iteration: the folder with eval-1, eval-2 and so on")
    parser.add_argument("--skill-name", default="")
    parser.add_argument("--skill-path", default="")
    parser.add_argument("--model", default="", help="the model that ran the skill")
    options = parser.parse_args(arguments)
    target = options.folder / "benchmark.json"
    try:
        document = benchmark(
            options.folder, skill_name=options.skill_name, skill_path=options.skill_path, model=options.model
        )
        with OutputFile(target, overwrite=True).open() as file:  # the name is skill-creator's, for this document
            file.write((json.dumps(document, indent=2, ensure_ascii=False) + "\n").encode())
    except InputError as error:
        for problem in error.problems:
            print(f"error: {problem}", file=sys.stderr)
        return 2
    except Unavailable as error:
        print(f"error: {error}", file=sys.stderr)
        return 4
    for note in document["notes"]:
        print(f"note: {note}", file=sys.stderr)
    print(target)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
