"""A kept run as JSON: `run.json` in its folder beside the files it names, or a line of its own when it left none."""

from __future__ import annotations

import json
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple, get_args

from evenhand.errors import DocumentError, Problem
from evenhand.runs.workspaces.start_listing import Entry
from evenhand.work.agent_run import AgentRun, Outcome, RunId

VERSION = 1
NAME = "run.json"
OUTPUT = "output.txt"
CHANGES = "changes.diff"
FILES = "files"
"""The folder with what the run wrote into its workspace."""

_DAMAGE = (OSError, ValueError, KeyError, TypeError, ArithmeticError)
"""What reading a damaged run raises."""


class Aftermath(NamedTuple):
    """How the workspace differed from its start when the run had ended: enough to make it again."""

    written: tuple[Entry, ...] = ()
    """New and changed paths; the bytes of files are in `files`."""
    gone: tuple[str, ...] = ()
    whole: bool = True
    """False: what the run wrote was too much to keep."""


def run_text(run: AgentRun, aftermath: Aftermath, sizes: Mapping[str, int]) -> str:
    """A run as one line of JSON: ASCII, since a file name may not be valid text.

    Its output is in a file of its own unless it is empty. `sizes` are the bytes of the other files in its folder.
    """
    fields: dict[str, Any] = {
        "version": VERSION,
        "key": run.key,
        **run.id._asdict(),
        "outcome": run.outcome,
        "reason": run.reason,
        "output": OUTPUT if run.output else run.output,
        "exit_code": run.exit_code,
        "seconds": None if run.seconds is None else str(run.seconds),
        "started": run.started,
        "input_tokens": run.input_tokens,
        "output_tokens": run.output_tokens,
        "cost": None if run.cost is None else str(run.cost),
        "transcript": run.transcript,
        "changes": run.changes,
        "notes": list(run.notes),
        "written": [[entry.target, entry.kind, entry.source, entry.executable] for entry in aftermath.written],
        "gone": list(aftermath.gone),
        "whole": aftermath.whole,
        "sizes": dict(sizes),
    }
    return json.dumps(fields) + "\n"


def read_run(folder: Path) -> tuple[AgentRun, Aftermath]:
    """The run in a folder; DocumentError when it is damaged, FileNotFoundError when there is none."""
    path = folder / NAME
    try:
        fields = json.loads(path.read_bytes())
        run = _run(fields, folder)
        for name, size in fields["sizes"].items():
            if (now := (folder / name).stat().st_size) != size:
                raise ValueError(f"{name} changed since it was stored: {now} bytes, expected {size}")
        return run
    except FileNotFoundError as error:
        if error.filename == str(path):
            raise
        raise _damaged(path, f"{Path(error.filename).name} is missing") from None
    except _DAMAGE as error:
        raise _damaged(path, error) from None


def run_of_line(fields: Mapping[str, Any], path: Path) -> tuple[AgentRun, Aftermath]:
    """The run in a line of the file at a path; DocumentError when it is damaged."""
    try:
        return _run(fields, path.parent)
    except _DAMAGE as error:
        raise _damaged(path, error, "the line with its key") from None


def _run(fields: Mapping[str, Any], folder: Path) -> tuple[AgentRun, Aftermath]:
    if fields["version"] != VERSION or fields["outcome"] not in get_args(Outcome):
        raise ValueError("another version of evenhand wrote it")
    run = AgentRun(
        id=RunId(fields["case"], fields["variant"], fields["repeat"]),
        key=fields["key"],
        outcome=fields["outcome"],
        reason=fields["reason"],
        output=_output(folder) if fields["output"] == OUTPUT else fields["output"],
        exit_code=fields["exit_code"],
        seconds=_decimal(fields["seconds"]),
        started=fields["started"],
        input_tokens=fields["input_tokens"],
        output_tokens=fields["output_tokens"],
        cost=_decimal(fields["cost"]),
        transcript=_inside(folder, fields["transcript"]),
        changes=_inside(folder, fields["changes"]),
        notes=tuple(fields["notes"]),
    )
    written = [
        Entry(target, kind, str(folder / FILES / target) if kind == "file" else source, executable=executable)
        for target, kind, source, executable in fields["written"]
    ]
    return run, Aftermath(tuple(written), tuple(fields["gone"]), fields["whole"])


def _damaged(path: Path, why: object, what: str = "its folder") -> DocumentError:
    return DocumentError(Problem(f"the kept run is damaged ({why}); remove {what} to run it again", str(path)))


def _output(folder: Path) -> str:
    with (folder / OUTPUT).open(encoding="utf-8", newline="") as file:
        return file.read()


def _decimal(text: str | None) -> Decimal | None:
    return None if text is None else Decimal(text)


def _inside(folder: Path, name: str | None) -> str | None:
    return None if name is None else str(folder / name)
