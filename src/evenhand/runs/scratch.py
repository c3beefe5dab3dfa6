"""Folders that belong to one process and are removed with it, also when it was killed: then by the next one.

Each process has a folder of its own, locked for as long as it lives. A folder whose lock is free was left behind.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Iterator
from itertools import count
from pathlib import Path

from evenhand import clock
from evenhand.runs.workspaces.workspace import remove


class Scratch:
    """A process's own folder inside `base`."""

    def __init__(self, base: Path) -> None:
        """Make it, after removing what killed processes left."""
        base.mkdir(parents=True, exist_ok=True, mode=0o700)
        for folder in base.iterdir():
            _sweep(folder)
        self._numbers = count(1)
        while True:
            self.folder = base / clock.new_id()
            self.folder.mkdir(mode=0o700)
            # Until it is locked, another process may take it for an abandoned one and remove it.
            try:
                self._descriptor = os.open(self.folder, os.O_RDONLY)
            except FileNotFoundError:
                continue
            fcntl.flock(self._descriptor, fcntl.LOCK_EX)
            if self.folder.exists():
                return
            os.close(self._descriptor)

    def new(self) -> Path:
        """A new, unused path in it."""
        return self.folder / str(next(self._numbers))

    def close(self) -> None:
        """Remove the folder."""
        remove(self.folder)
        os.close(self._descriptor)

    def __enter__(self) -> Scratch:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _sweep(folder: Path) -> None:
    """Remove a folder whose process is gone. Its runs have ended with it: their supervisors noticed its end."""
    with _lock_of(folder) as is_free:
        if is_free:
            remove(folder)


@contextlib.contextmanager
def _lock_of(folder: Path) -> Iterator[bool]:
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except OSError:  # removed meanwhile, or not ours
        yield False
        return
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield True
    except BlockingIOError:
        yield False
    finally:
        os.close(descriptor)
