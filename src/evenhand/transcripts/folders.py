"""The files of a folder, sorted, each one once, without following link cycles."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from fnmatch import fnmatch
from pathlib import Path
from typing import Final

from evenhand.errors import InputError, Problem
from evenhand.files.text import kind_of
from evenhand.transcripts.shapes.claude_agents import belongs_to_a_session

_SESSIONS = (".jsonl", ".jsonl.gz", ".jsonl.zst")

LEFT_OUT: Final = (
    *("*.log", "*.yaml", "*.yml", "*.toml", "*.ini", "*.cfg", "*.lock"),
    *("README", "README.*", "README-*.md", "LICENSE", "LICENSE.*", "*.LICENSE", "CHANGELOG.md"),
)
"""Files beside outputs and transcripts: what a folder's files are read for is the work of an agent."""


def chosen_in(
    folder: Path, include: Sequence[str] = (), exclude: Sequence[str] = ()
) -> tuple[list[Path | InputError], list[Path]]:
    """The files beneath a folder that are read, and those that are left out.

    Patterns such as `*.json` or `runs/*` fit a file's name or its path below the folder. With `include`, only what fits
    one of its patterns is read; without it, everything but `LEFT_OUT`.
    """
    chosen: list[Path | InputError] = []
    left: list[Path] = []
    for file in files_in(folder):
        if isinstance(file, InputError):
            chosen.append(file)
            continue
        wanted = _fits(file, folder, include) if include else not _fits(file, folder, LEFT_OUT)
        (chosen if wanted and not _fits(file, folder, exclude) else left).append(file)
    return chosen, left


def _fits(file: Path, folder: Path, patterns: Sequence[str]) -> bool:
    path = file.relative_to(folder).as_posix()
    return any(fnmatch(file.name, pattern) or fnmatch(path, pattern) for pattern in patterns)


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
