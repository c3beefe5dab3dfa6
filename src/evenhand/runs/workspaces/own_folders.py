"""The folders of one run, new for it and removed after it: its workspace, its HOME, its room for temporary files."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterable
from pathlib import Path

from evenhand.runs.workspaces.workspace import remove, write_new

PROMPT, STDIN = "prompt.txt", "stdin.txt"


class OwnFolders:
    """New folders inside `root`, which must not be there yet."""

    def __init__(self, root: str | Path) -> None:
        self.root = str(root)
        self.workspace, self.home, self.temporary = (f"{self.root}/{name}" for name in ("workspace", "home", "tmp"))
        for folder in (self.root, self.workspace, self.home, self.temporary):
            os.mkdir(folder, 0o700)  # noqa: PTH102

    @property
    def writable(self) -> tuple[str, ...]:
        """Those in which the run may write."""
        return self.workspace, self.home, self.temporary

    def write(self, name: str, text: str) -> str:
        """Write a file beside the workspace; returns its path."""
        path = f"{self.root}/{name}"
        write_new(path, text.encode(errors="surrogateescape"))
        return path

    def give_login(self, files: Iterable[str]) -> None:
        """Copy files of the user's HOME into this one, where they are there."""
        for file in files:
            target = Path(self.home, file)
            with contextlib.suppress(OSError):
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(Path.home() / file, target)

    def remove(self) -> str:
        """Remove everything; returns the path of what could not be removed, if anything."""
        return remove(self.root)
