"""Runs that can write in their own folders only, where the system offers that; and where they tried to write elsewhere.

What works is found out by trying it. The system does not report a refused write, but the program that met it usually
does: a path that was denied to it, and to which we could write ourselves, was most likely refused because of this.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path

from evenhand.runs import landlock

CONFINED = "it could write only in its workspace, its HOME and its folder for temporary files"
UNWATCHED = "writes outside the workspace were not watched"
TRIED = "it seems to have tried to write outside its workspace: "
MOST_NAMED = 5
"""Paths that a run's notes name."""

MOST_READ = 10_000_000
"""Bytes of a text that are looked through."""

_PATH = rb"(?<![\w.~-])(/[\w.@+~/-]{1,1000}+)"
_DENIED = re.compile(
    _PATH + rb"\W{0,3}: [Pp]ermission denied"  # shells and their tools
    rb"|[Pp]ermission denied[^\n/]{0,40}" + _PATH  # Python, JavaScript
)


_LAUNCHER = (sys.executable, "-I", "-S", str(Path(landlock.__file__)))


def confined_to(folders: Sequence[str]) -> tuple[str, ...]:
    """The words to put before a command, where that is possible."""
    return (*_LAUNCHER, *folders, "--")


@lru_cache(maxsize=1)
def is_possible() -> bool:
    """Whether a write outside is refused here, and one inside is not."""
    if sys.platform != "linux":
        return False
    script = 'echo x > "$1/in/a" && mkdir "$1/in/b" && mv "$1/in/a" "$1/in/b/c" && ! (echo x > "$1/out/a") 2> /dev/null'
    with tempfile.TemporaryDirectory() as base:
        for name in ("in", "out"):
            (Path(base) / name).mkdir()
        try:
            tried = subprocess.run(
                [*_LAUNCHER, f"{base}/in", "--", "sh", "-c", script, "sh", base],
                capture_output=True,
                timeout=20,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired):
            return False
        return tried.returncode == 0 and not (Path(base) / "out" / "a").exists()


def refused_writes(texts: Iterable[bytes], allowed: Sequence[str]) -> list[str]:
    """The paths outside that a program was refused, as far as what it printed names them."""
    inside = [os.path.realpath(folder) for folder in allowed]
    refused: dict[str, None] = {}
    for text in texts:
        for match in _DENIED.finditer(text[:MOST_READ]):
            path = os.path.realpath(os.fsdecode(match[1] or match[2]))
            if _was_refused(path, inside):
                refused[path] = None
    return list(refused)


def _was_refused(path: str, inside: Sequence[str]) -> bool:
    """Whether we could write there ourselves, and it is in none of the folders."""
    if any(path == folder or path.startswith(f"{folder}/") for folder in inside):
        return False
    return os.access(path if os.path.lexists(path) else os.path.dirname(path), os.W_OK)  # noqa: PTH120


def notes_on_refusals(paths: Sequence[str]) -> tuple[str, ...]:
    """What a run's notes say about them."""
    unnamed = len(paths) - MOST_NAMED
    named = tuple(TRIED + path for path in paths[:MOST_NAMED])
    return (*named, f"{TRIED}{unnamed:,} more paths") if unnamed > 0 else named
