"""What a run can read besides its own folders: the system, its own program, and what the suite lists.

Not the suite, in whose files the answers are, nor the project around it, the kept runs or the folders of other runs.
The program of a variant is found by its name: the installations on PATH, the folder of a script that the command names,
the package of a function.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from evenhand.decisions.values.suite import Command, Function, Suite, Variant
from evenhand.runs.workspaces.kept_back import EVALS, NEVER, answer_paths

SYSTEM = (
    "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/usr", "/etc", "/opt", "/nix", "/gnu", "/snap", "/sys",
    "/run", "/var/lib", "/var/cache", "/var/run",
)  # fmt: skip
"""Where systems keep programs, their libraries and their configuration."""

_PROGRAM_FOLDERS = ("bin", ".bin", "sbin", "shims")
"""Folders of programs whose libraries are beside them."""

_MOST_LINKS = 20


class Hidden(NamedTuple):
    """What no run may read."""

    answers: tuple[str, ...] = ()
    """Real paths of what a suite was read from, and of results."""
    projects: tuple[str, ...] = ()
    """Real paths of folders around them, in which a run reads only what belongs to its program or is listed."""


NOTHING_HIDDEN = Hidden()


def hidden_paths(suite: Suite, results: Sequence[str | Path] = ()) -> Hidden:
    """What the runs of a suite may not read; `results` are the folders of kept runs, which are beside the store."""
    evals = [os.path.join(variant.skill.path, EVALS) for variant in suite.variants if variant.skill]  # noqa: PTH118
    stores = [Path(path).parent for path in results if Path(path).parent.name in NEVER]
    answers = _topmost([*answer_paths(suite), *evals, *map(str, (*results, *stores)), str(workspaces())])
    projects = _topmost([_project(os.path.dirname(suite.source))] if suite.source else [])  # noqa: PTH120
    return Hidden(answers, projects)


def workspaces() -> Path:
    """Where runs work: outside the project, whose own instructions and skills an agent would find above itself."""
    return Path(tempfile.gettempdir()) / f"evenhand-{os.getuid()}"


def readable_paths(variant: Variant, hidden: Hidden, search: str) -> tuple[str, ...]:
    """The files and folders outside its own that a variant's runs can read; `search` is their PATH."""
    listed = (*(variant.limits.reads or ()), *(variant.limits.writes or ()))
    does = variant.does
    if isinstance(does, Function):
        return _paths((), does.target, False, listed, hidden, search)
    if not isinstance(does, Command):
        return ()
    return _paths(() if does.shell else does.arguments, "", not does.own_home, listed, hidden, search)


@lru_cache(maxsize=256)
def _paths(
    words: tuple[str, ...], function: str, shares_home: bool, listed: tuple[str, ...], hidden: Hidden, search: str
) -> tuple[str, ...]:
    """Worked out once for all runs of a variant: it takes longer than starting a program."""
    program = _function_paths(function) if function else _command_paths(words, shares_home, search)
    return _topmost(path for path in (*_system(hidden), *_named(program, hidden), *listed) if os.path.exists(path))  # noqa: PTH110


def unreadable(paths: Iterable[str], hidden: Hidden) -> list[str]:
    """Those paths through which the answers could be read."""
    return [path for path in paths if _holds(os.path.realpath(path), hidden.answers)]


@lru_cache(maxsize=8)
def _system(hidden: Hidden) -> tuple[str, ...]:
    paths = dict.fromkeys(os.path.realpath(path) for path in SYSTEM)
    return tuple(part for path in paths for part in _without(path, (*hidden.answers, *hidden.projects)))


def _without(folder: str, hidden: Sequence[str]) -> Iterator[str]:
    """What together is a folder without the hidden paths in it."""
    if any(_is_inside(folder, path) for path in hidden):
        return
    if not any(_is_inside(path, folder) for path in hidden):
        yield folder
        return
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if not entry.is_symlink():
                yield from _without(entry.path, hidden)


def _named(names: Iterable[str], hidden: Hidden) -> Iterator[str]:
    """Each path, unless the answers are in it, or it is a folder among the answers."""
    return (path for path in dict.fromkeys(names) if not _is_barred(os.path.realpath(path), hidden))


def _is_barred(path: str, hidden: Hidden) -> bool:
    if any(_is_inside(path, answer) for answer in hidden.answers):
        return os.path.isdir(path) or path in hidden.answers  # noqa: PTH112
    return _holds(path, _barred(hidden))


def _barred(hidden: Hidden) -> tuple[str, ...]:
    return (*hidden.answers, *hidden.projects, os.path.realpath(Path.home()), os.path.realpath(tempfile.gettempdir()))


def _function_paths(target: str) -> Iterator[str]:
    return chain(_python(), _function(target))


def _command_paths(words: tuple[str, ...], shares_home: bool, search: str) -> Iterator[str]:
    scripts = [word for word in words if word.startswith("/") and "{" not in word and os.path.isfile(word)]  # noqa: PTH113
    beside = [os.path.dirname(script) for script in scripts]  # noqa: PTH120
    return chain(_installations(words[:1], search), scripts, beside, _configuration() if shares_home else ())


def _installations(names: Sequence[str], search: str) -> Iterator[str]:
    """The folders of programs on PATH with their libraries, and those of a program behind links."""
    for folder in search.split(os.pathsep):
        if folder.startswith("/"):
            yield from _installation(folder)
    for name in names:
        if found := shutil.which(name, path=search):
            yield from (place for folder in _link_folders(found) for place in _installation(folder))


def _installation(folder: str) -> Iterator[str]:
    """A folder of programs, and what it is a part of: a tool's folder in HOME, or the folder above `bin`."""
    yield folder
    home = str(Path.home())
    inside = Path(os.path.relpath(folder, home)).parts or (".",)
    if inside[0].startswith(".") and inside[0] not in (".", ".."):
        yield os.path.join(home, inside[0])  # noqa: PTH118
    if os.path.basename(folder) in _PROGRAM_FOLDERS:  # noqa: PTH119
        yield os.path.dirname(folder)  # noqa: PTH120


def _link_folders(path: str) -> Iterator[str]:
    """The folders through which a program's links lead."""
    for _ in range(_MOST_LINKS):
        yield os.path.dirname(path)  # noqa: PTH120
        if not os.path.islink(path):  # noqa: PTH114
            return
        path = os.path.normpath(os.path.join(os.path.dirname(path), os.readlink(path)))  # noqa: PTH115, PTH118, PTH120


def _configuration() -> Iterator[str]:
    """The hidden files and folders of HOME, in which programs keep their configuration and logins."""
    with contextlib.suppress(OSError), os.scandir(Path.home()) as entries:
        yield from (entry.path for entry in entries if entry.name.startswith("."))


def _python() -> Iterator[str]:
    """This Python with its packages and evenhand, which calls functions."""
    yield from (sys.prefix, sys.base_prefix, sys.exec_prefix, str(Path(__file__).parents[1]))
    yield from (entry for entry in sys.path if entry.startswith("/"))
    for folder in _link_folders(sys.executable):
        yield from _installation(folder)


def _function(target: str) -> Iterator[str]:
    """The file of a function with its folder, or its package wherever Python looks for it."""
    where = target.rpartition(":")[0]
    if where.endswith(".py"):
        yield from (where, os.path.dirname(where))  # noqa: PTH120
        return
    package = where.partition(".")[0]
    for entry in (*sys.path, ""):
        folder = entry or str(Path.cwd())
        yield from (f"{folder}/{package}", f"{folder}/{package}.py")


def _project(folder: str) -> str:
    """The repository that a folder is in, else the folder."""
    path = Path(folder)
    return str(next((parent for parent in (path, *path.parents) if (parent / ".git").exists()), path))


def _topmost(paths: Iterable[str]) -> tuple[str, ...]:
    """Real paths without those that are inside another."""
    real = sorted({os.path.realpath(path) for path in paths})
    return tuple(path for path in real if not any(path != parent and _is_inside(path, parent) for parent in real))


def _holds(folder: str, paths: Iterable[str]) -> bool:
    """Whether one of the paths is a folder or in it."""
    return any(_is_inside(path, folder) for path in paths)


def _is_inside(path: str, folder: str) -> bool:
    return path == folder or path.startswith(f"{folder.rstrip('/')}/")
