"""Runs that can read and write in some places only, where the system offers that; and what they seem to have tried.

What works is found out by trying it. The system does not report what it refused, but the program that met it usually
does: a path that was denied to it, and that we could use ourselves, was most likely refused because of this.
"""

from __future__ import annotations

import json
import os
import re
import sys
import tempfile
import threading
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TypeVar

from evenhand.runs import landlock
from evenhand.runs.landlock import Rights

CONFINED = "it could write only in its workspace, its HOME and its folder for temporary files"
UNWATCHED = "writes outside the workspace were not watched"
READS_ANYTHING = "what it could read was not confined"
TRIED = "it seems to have tried to write outside its workspace: "
REFUSED = "it seems to have tried to read outside its workspace: "
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

_Result = TypeVar("_Result")


def confined_to(rights: Rights) -> tuple[str, ...]:
    """The words to put before a command, where that is possible."""
    return (*_LAUNCHER, json.dumps(rights._asdict()), "--")


def with_rights(rights: Rights, action: Callable[[], _Result]) -> _Result:
    """Do something in a thread that has these rights only, such as starting a program: the other threads keep theirs.

    What is done there must load no module: it could not be read.
    """
    results: list[_Result | BaseException] = []

    def act() -> None:
        try:
            landlock.restrict(rights)
            results.append(action())
        except BaseException as error:
            results.append(error)

    thread = threading.Thread(target=act)
    thread.start()
    thread.join()
    (result,) = results
    if isinstance(result, BaseException):
        raise result
    return result


@lru_cache(maxsize=1)
def is_possible() -> bool:
    """Whether reading and writing outside are refused here, and inside they are not."""
    if sys.platform != "linux" or landlock.version() < landlock.LEAST_VERSION:
        return False
    with tempfile.TemporaryDirectory() as base:
        inside, outside = Path(base, "in"), Path(base, "out")
        for folder in (inside, outside):
            folder.mkdir()
            (folder / "old").write_text("old")
        try:
            return with_rights(Rights([str(inside)], [str(inside)]), lambda: _is_confined(inside, outside))
        except OSError:
            return False


def _is_confined(inside: Path, outside: Path) -> bool:
    (inside / "sub").mkdir()
    (inside / "new").write_text((inside / "old").read_text())
    (inside / "new").rename(inside / "sub" / "new")
    for action in (
        (outside / "old").read_text,
        lambda: (outside / "old").open("a").close(),
        lambda: os.listdir(outside),  # noqa: PTH208
    ):
        try:
            action()
        except PermissionError:
            continue
        return False
    return True


def refused_paths(texts: Iterable[bytes], allowed: Sequence[str], right: int = os.W_OK) -> list[str]:
    """The paths outside that a program was refused, as far as what it printed names them.

    `right` is what we can do ourselves with such a path: os.W_OK or os.R_OK.
    """
    inside = [os.path.realpath(folder) for folder in allowed]
    refused: dict[str, None] = {}
    for text in texts:
        for match in _DENIED.finditer(text[:MOST_READ]):
            path = os.path.realpath(os.fsdecode(match[1] or match[2]))
            if _was_refused(path, inside, right):
                refused[path] = None
    return list(refused)


def _was_refused(path: str, inside: Sequence[str], right: int) -> bool:
    """Whether we could do it there ourselves, and it is in none of the folders."""
    if any(path == folder or path.startswith(f"{folder}/") for folder in inside):
        return False
    return os.access(path if os.path.lexists(path) else os.path.dirname(path), right)  # noqa: PTH120


def notes_on_refusals(paths: Sequence[str], beginning: str = TRIED) -> tuple[str, ...]:
    """The notes of a run about what it was refused."""
    unnamed = len(paths) - MOST_NAMED
    named = tuple(beginning + path for path in paths[:MOST_NAMED])
    return (*named, f"{beginning}{unnamed:,} more paths") if unnamed > 0 else named
