"""What of an agent's work a command of an expectation is run on: the files that the case asks for, and no others. Pure.

A case says so under `products`. Without that, they are the files that its task names: new ones, and given ones that do
not test anything. So an edited test does not count, nor a file that a runner loads without being told.
"""

from __future__ import annotations

import fnmatch
import re
import shlex
from collections.abc import Collection, Iterable, Mapping
from pathlib import PurePosixPath
from typing import Any, Final

RUNNERS: Final[Mapping[str, str]] = {
    "make": r"(?:.*/)?(?:GNU)?[Mm]akefile",
    "gmake": r"(?:.*/)?(?:GNU)?[Mm]akefile",
    "pytest": r"(?:.*/)?(?:test_[^/]*|[^/]*_test|conftest)\.py",
    "unittest": r"(?:.*/)?test[^/]*\.py",
    "npm": r"package\.json",
    "yarn": r"package\.json",
    "pnpm": r"package\.json",
}
"""The files that a runner reads without being told."""

_TESTS: Final = r"(?i)(?:^|[/_.-])(?:tests?|specs?|checks?|verify|verifier|assert|validate|golden|expected)(?:[/_.-]|$)"


def command_words(command: Any) -> list[str]:
    """The words of a command, those that a shell reads among them."""
    if not isinstance(command, str):
        words = [str(word) for word in command]
        if len(words) > 2 and words[0] in ("sh", "bash") and words[1] in ("-c", "-lc"):
            return command_words(words[2])
        return words
    try:
        return [word for word in shlex.split(command, comments=True) if word not in ("&&", "||", ";", "|")]
    except ValueError:
        return command.split()


def matching(patterns: Iterable[str], written: Iterable[str]) -> tuple[str, ...]:
    """The paths that are named, are in a named folder or match a pattern such as `src/*.py`."""
    wanted = [pattern.removeprefix("./").rstrip("/") for pattern in patterns]
    return tuple(
        path
        for path in written
        if any(path == name or path.startswith(f"{name}/") or fnmatch.fnmatchcase(path, name) for name in wanted)
    )


def asked_for(task: str, command: Any, folder: str, written: Iterable[str], given: Collection[str]) -> tuple[str, ...]:
    """The files an agent wrote that the task names, without given tests."""
    return tuple(path for path in without_tests(command, folder, written, given) if _is_named(path, task))


def without_tests(command: Any, folder: str, written: Iterable[str], given: Collection[str]) -> tuple[str, ...]:
    """What an agent wrote but for given files that test something: those count as they were given."""
    words = command_words(command)
    named = {_inside(folder, word.partition("::")[0].rstrip("/")) for word in words}
    runners = [RUNNERS[name] for word in words if (name := PurePosixPath(word).name) in RUNNERS]

    def tests(path: str) -> bool:
        in_command = any(path == name or path.startswith(f"{name}/") for name in named if name)
        is_read = any(re.fullmatch(pattern, path) for pattern in runners)
        return in_command or is_read or re.search(_TESTS, path) is not None

    return tuple(path for path in written if not (path in given and tests(path)))


def _is_named(path: str, task: str) -> bool:
    return any(
        re.search(rf"(?<![\w/.-])(?:\./)?{re.escape(name)}(?![\w/-])", task)
        for name in {path, PurePosixPath(path).name}
    )


def _inside(folder: str, word: str) -> str:
    return str(PurePosixPath(folder) / word).removeprefix("./") if word else ""
