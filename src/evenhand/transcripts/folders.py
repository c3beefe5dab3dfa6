"""The files of a folder, sorted, each one once, without following link cycles."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from evenhand.errors import InputError, Problem
from evenhand.reading.text import kind_of
from evenhand.transcripts.shapes.claude_agents import belongs_to_a_session

_SESSIONS = (".jsonl", ".jsonl.gz", ".jsonl.zst")


def files_in(folder: Path) -> Iterator[Path | InputError]:
    """Every file beneath a folder. Hidden files are left out, and so are those read with a session next to them."""
    seen: set[tuple[int, int]] = set()
    waiting = [folder]
    while waiting:
        path = waiting.pop()
        try:
            state = path.stat()
        except OSError as error:
            yield InputError(Problem(f"cannot be read: {error.strerror}", str(path)))
            continue
        kind = kind_of(state.st_mode)
        if kind == "file":
            if not belongs_to_a_session(path):
                yield path
        elif kind != "directory":
            yield InputError(Problem(f"is a {kind}; left out", str(path)))
        elif (state.st_dev, state.st_ino) in seen:
            yield InputError(Problem("leads to a folder that was read already; left out", str(path)))
        else:
            seen.add((state.st_dev, state.st_ino))
            try:
                waiting += reversed(_entries(path))
            except OSError as error:
                yield InputError(Problem(f"cannot be read: {error.strerror}", str(path)))


def _entries(folder: Path) -> list[Path]:
    with os.scandir(folder) as entries:
        names = sorted(entry.name for entry in entries if not entry.name.startswith("."))
    sessions = {name.removesuffix(end) for name in names for end in _SESSIONS if name.endswith(end)}
    return [folder / name for name in names if name not in sessions]
