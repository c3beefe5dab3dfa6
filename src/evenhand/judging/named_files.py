"""Files that a judgement names. It may come from anyone, and what it names is read, shown and stored: so only files in
folders that may be read are opened.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

from evenhand.errors import InputError, JudgementError, Problem
from evenhand.files.text import OUTPUT_LIMIT, read_text, readable
from evenhand.options.settings import allowed_outputs


def read_output(named: str, base: Path, allowed: tuple[Path, ...]) -> str:
    """The output that a judgement in the folder `base` names: beside it, or in one of the folders that are allowed."""
    path = str(base / named)
    try:
        if not is_inside(path, (base, *allowed, *allowed_outputs())):
            message = (
                "lies outside the judgement's folder; allow it with the setting score.allow_outputs, or move it there"
            )
            raise InputError(Problem(message, path))
        changed = Path(path).stat().st_mtime_ns if Path(path).exists() else 0
        return _read(path, changed)
    except InputError as error:
        first = error.problems[0]
        raise JudgementError(Problem(f"the output {path}: {first.message}", path=("output",))) from None


@lru_cache(maxsize=8)
def _read(path: str, changed: int) -> str:
    """Cached, since many judgements may be about one output; `changed` makes a new version of the file a new key."""
    return read_text(path, limit=OUTPUT_LIMIT)


def is_inside(path: str, folders: Iterable[Path]) -> bool:
    """Whether a path leads into one of some folders, or to one of them, once links are followed."""
    with readable(path):
        # Unlike Path.resolve, realpath takes a loop of links for a file that does not exist.
        real = Path(os.path.realpath(path))
        return any(real.is_relative_to(folder.resolve()) for folder in folders)
