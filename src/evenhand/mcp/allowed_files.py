"""Which files a client may name: those in the folders given at start-up, links followed, up to a size."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from evenhand.errors import NUL, InputError, Problem
from evenhand.files.text import DOCUMENT_LIMIT, STDIN, kind_of, readable
from evenhand.judging.named_files import is_inside
from evenhand.rubrics.library import find, is_path, weights_path

LIMIT: Final = DOCUMENT_LIMIT
"""Bytes of the largest file, and of the longest text, that a client may hand in."""


class Confinement:
    """The folders that a client's file arguments are confined to."""

    def __init__(self, folders: Sequence[str]) -> None:
        self.folders = tuple(_folder(name) for name in folders)

    def file(self, name: str) -> str:
        """The file a client names, ready to be opened; InputError when it is elsewhere, missing or too large."""
        path = self.find(name)
        if path is None:
            raise InputError(Problem("no such file", name))
        return path

    def find(self, name: str) -> str | None:
        """The file a client names; None when there is none inside. InputError when it lies outside or is too large."""
        if not name.strip():
            raise InputError("the file's name is empty; give a path")
        if "\0" in name:
            raise InputError(f"the file's name {NUL}")
        # Outside first: the answer must not tell whether a file exists there.
        inside = [path for folder in self.folders if is_inside(str(path := folder / name), self.folders)]
        if not inside:
            raise InputError(
                Problem(
                    f"lies outside the folders this server may read ({self}); start it with: evenhand mcp FOLDER", name
                )
            )
        existing = [path for path in inside if os.path.exists(path)]  # noqa: PTH110 (the name may be too long for one)
        if not existing:
            return None
        path = existing[0]
        with readable(name):
            facts = path.stat()
        if (kind := kind_of(facts.st_mode)) != "file":
            raise InputError(Problem(f"is a {kind}; name a file", name))
        if facts.st_size > LIMIT:
            raise InputError(Problem(f"{too_large(facts.st_size)}; judge it with: evenhand judge FILE", name))
        return _short(path.resolve())

    def rubric(self, name: str | None) -> str | None:
        """A rubric's name as it is, or the file that a client names instead; weights beside it must be inside too."""
        if name is None:
            return None
        if is_path(name):
            path = self.file(name)
            self._weights(Path(path), self.folders)
            return path
        place = find(name)
        if place is not None and place.origin == "project":
            self._weights(place.path, (*self.folders, place.path.parent.resolve()))
        return name

    def _weights(self, rubric: Path, folders: Sequence[Path]) -> None:
        beside = weights_path(rubric)
        if not is_inside(str(beside), folders):
            raise InputError(
                Problem(f"is a link out of the folders this server may read ({self}); put the file there", str(beside))
            )

    def __str__(self) -> str:
        return ", ".join(map(str, self.folders))


def too_large(size: int) -> str:
    """Why something is refused for its size."""
    return f"{size / 1024 / 1024:.1f} MiB are more than {LIMIT // 1024 // 1024} MiB, the most this server reads"


def _folder(name: str) -> Path:
    with readable(name):
        folder = Path(name).resolve()
        if not folder.is_dir():
            raise InputError(Problem("is not a folder; name folders whose files may be read", name))
    return folder


def _short(path: Path) -> str:
    """A path relative to the current folder where possible, as people and scorecards name it."""
    current = Path.cwd().resolve()
    name = str(path.relative_to(current) if path.is_relative_to(current) else path)
    return str(path) if name == STDIN else name  # a file may have the name that means standard input
