"""What a run can reach besides its own folders: the system, its own program, and what the suite lists.

Not the suite, in whose files the answers are, nor the project around it, the kept runs or the folders of other runs.
The program of a variant is found by its name: the installations on PATH, the folder of a script that the command names,
the package of a function.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from evenhand.decisions.suite import Command, Function, Suite, Variant
from evenhand.runs.confinement import SYSTEM, Bounds, is_inside, without
from evenhand.runs.workspaces.kept_back import EVALS, NEVER, answer_paths

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
    projects = [_project(os.path.dirname(suite.source))] if suite.source else []  # noqa: PTH120
    histories = [f"{folder}/{name}" for folder in projects for name in NEVER]
    answers = _topmost([*answer_paths(suite), *evals, *map(str, (*results, *stores)), *histories, str(workspaces())])
    return Hidden(answers, _topmost(projects))


def workspaces() -> Path:
    """Where runs work: outside the project, whose own instructions and skills an agent would find above itself."""
    return Path(os.path.realpath(tempfile.gettempdir())) / f"evenhand-{os.getuid()}"


PACKAGE = str(Path(__file__).resolve().parents[1])
"""evenhand's own code, which a command has no need to read."""


def bounds_of(variant: Variant, hidden: Hidden, search: str, own: Sequence[str], shown: Sequence[str] = ()) -> Bounds:
    """What a variant's runs can reach; `search` is their PATH, `own` are the folders of a run, `shown` its files."""
    limits, does = variant.limits, variant.does
    function = does.target if isinstance(does, Function) else ""
    words = does.arguments if isinstance(does, Command) and not does.shell else ()
    program = _program(words, function, hidden, search)
    listed = tuple(os.path.realpath(path) for path in (*(limits.reads or ()), *limits.writes))
    kept_from = (*hidden.answers, *(() if function else (PACKAGE,)))
    inside = [path for path in program if any(is_inside(path, folder) for folder in kept_from)]
    return Bounds(
        writes=(*own, *(os.path.realpath(path) for path in limits.writes)),
        reads=None if limits.reads is None else _topmost((*_system(hidden), *program, *listed)),
        hidden=kept_from,
        shown=(*shown, *inside),
        network=limits.network,
    )


@lru_cache(maxsize=256)
def _program(words: tuple[str, ...], function: str, hidden: Hidden, search: str) -> tuple[str, ...]:
    """Worked out once for all runs of a variant: it takes longer than starting a program."""
    named = _function_paths(function) if function else _command_paths(words, search)
    return tuple(path for path in _named(named, hidden) if os.path.exists(path))  # noqa: PTH110


def unwritable(paths: Iterable[str], hidden: Hidden) -> list[str]:
    """Those listed folders through which a run could change what judges it: the answers, evenhand, and its Python."""
    barred = (*hidden.answers, *(os.path.realpath(path) for path in (sys.prefix, sys.base_prefix, PACKAGE)))
    return [path for path in paths if any(_overlap(os.path.realpath(path), other) for other in barred)]


def unreadable(paths: Iterable[str], hidden: Hidden) -> list[str]:
    """Those listed files and folders in which there is nothing but answers."""
    return [path for path in paths if any(is_inside(os.path.realpath(path), answer) for answer in hidden.answers)]


def _overlap(left: str, right: str) -> bool:
    return is_inside(left, right) or is_inside(right, left)


@lru_cache(maxsize=8)
def _system(hidden: Hidden) -> tuple[str, ...]:
    """The system's folders, without a project that is in one of them."""
    paths = dict.fromkeys(os.path.realpath(path) for path in SYSTEM if os.path.exists(path))  # noqa: PTH110
    return tuple(part for path in paths for part in without(path, hidden.projects))


def _named(names: Iterable[str], hidden: Hidden) -> Iterator[str]:
    """Each path, unless the answers are in it, or it is a folder among the answers."""
    home, temporary = os.path.realpath(Path.home()), os.path.realpath(tempfile.gettempdir())
    barred = (*hidden.answers, *hidden.projects, home, temporary)
    for path in dict.fromkeys(map(os.path.realpath, names)):
        if any(is_inside(path, answer) for answer in hidden.answers):
            if path not in hidden.answers and os.path.isfile(path):  # noqa: PTH113
                yield path
        elif not any(is_inside(shut, path) for shut in barred):
            yield path


def _function_paths(target: str) -> Iterator[str]:
    return chain(_python(), _function(target))


def _command_paths(words: tuple[str, ...], search: str) -> Iterator[str]:
    scripts = [word for word in words if word.startswith("/") and "{" not in word and os.path.isfile(word)]  # noqa: PTH113
    beside = [os.path.dirname(script) for script in scripts]  # noqa: PTH120
    return chain(_installations(words[:1], search), scripts, beside)


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
    return tuple(path for path in real if not any(path != parent and is_inside(path, parent) for parent in real))
