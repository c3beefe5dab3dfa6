"""Secrets that a run was given, taken out of what is kept of it. Found as they are: an encoded one is not."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping
from pathlib import Path

from evenhand.work.agent_run import AgentRun


def redacted(run: AgentRun, folder: Path, secrets: Mapping[str, str]) -> AgentRun:
    """A run, and the files in its folder, with the name of the variable in place of each secret.

    `secrets` are the names by their texts.
    """
    if not secrets:
        return run
    marks = {text: f"[{name}]" for text, name in secrets.items()}
    for path, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(OSError):
                _redact(Path(path, name), marks)
    return run._replace(
        output=None if run.output is None else _without(run.output, marks),
        reason=_without(run.reason, marks),
        notes=tuple(_without(note, marks) for note in run.notes),
    )


def _redact(path: Path, marks: Mapping[str, str]) -> None:
    if path.is_symlink():
        return
    data = found = path.read_bytes()
    for text, mark in marks.items():
        found = found.replace(os.fsencode(text), mark.encode())
    if found != data:
        path.write_bytes(found)


def _without(text: str, marks: Mapping[str, str]) -> str:
    for secret, mark in marks.items():
        text = text.replace(secret, mark)
    return text
