"""Files put into a workspace, and folders removed whatever a run has made of them."""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import stat
from collections.abc import Iterable
from itertools import count
from pathlib import Path

from evenhand.runs.workspaces.start_listing import Entry, Listing

_PIECE = 1024 * 1024
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL


class Changed(Exception):
    """A file that a run starts from is no longer what it was when the run was planned."""

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.path = path


def fill(workspace: str | Path, listing: Iterable[Entry]) -> None:
    """Copy everything into an empty workspace. Changed when a file is not as it was listed."""
    for entry in listing:
        path = Path(workspace, entry.target)
        path.parent.mkdir(parents=True, exist_ok=True)
        if entry.kind == "folder":
            path.mkdir(exist_ok=True)
        elif entry.kind == "link":
            path.symlink_to(entry.source)
        else:
            try:
                copied = copy_file(entry.source, path, 0o755 if entry.executable else 0o644)
            except FileNotFoundError:
                raise Changed(entry.source) from None
            if copied != entry.sha256:
                raise Changed(entry.source)


def with_folders(listing: Listing) -> dict[str, Entry]:
    """The entries of a listing by path, with the folders that it does not name."""
    folders = {str(parent) for entry in listing for parent in Path(entry.target).parents if str(parent) != "."}
    return {path: Entry(path, "folder", "") for path in folders} | {entry.target: entry for entry in listing}


def copy_file(source: str, target: str | Path, mode: int = 0o644, *, follows: bool = True) -> str:
    """Copy a file into a new one; returns the SHA-256 of what was copied. Nothing waits for a pipe."""
    digest = hashlib.sha256()
    reading = os.open(source, os.O_RDONLY | os.O_NONBLOCK | (0 if follows else os.O_NOFOLLOW))
    try:
        writing = os.open(target, _NEW, mode)
        try:
            while piece := os.read(reading, _PIECE):
                digest.update(piece)
                _write(writing, piece)
            return digest.hexdigest()
        finally:
            os.close(writing)
    finally:
        os.close(reading)


def bytes_in(folder: str) -> int:
    """The bytes of disk that everything in a folder takes, as far as it can be looked at; a file of many names once."""
    total, waiting = 0, [folder]
    linked: set[tuple[int, int]] = set()
    while waiting:
        with contextlib.suppress(OSError), os.scandir(waiting.pop()) as entries:
            for entry in entries:
                with contextlib.suppress(OSError):
                    status = entry.stat(follow_symlinks=False)
                    file = status.st_dev, status.st_ino
                    total += 0 if file in linked else status.st_blocks * 512
                    if status.st_nlink > 1:
                        linked.add(file)
                    waiting += [entry.path] if entry.is_dir(follow_symlinks=False) else []
    return total


def remove(folder: str | Path) -> str:
    """Remove a folder and all it holds, also what a run has made unreadable or nested beyond every length of a path.

    Links are removed, not followed. Returns the path of what could not be removed, which is left where it is; empty
    when all is gone.
    """
    root = str(folder)
    numbers = count()
    if not os.path.isdir(root) or os.path.islink(root):  # noqa: PTH112, PTH114
        with contextlib.suppress(FileNotFoundError):
            os.unlink(root)  # noqa: PTH108
        return ""
    with contextlib.suppress(OSError):
        os.chmod(root, stat.S_IRWXU)  # noqa: PTH101
    stuck = ""
    waiting = [root]
    while waiting:
        current = waiting.pop()
        try:
            with os.scandir(current) as entries:
                items = list(entries)
        except OSError:
            stuck = current
            continue
        for item in items:
            try:
                if not item.is_dir(follow_symlinks=False):
                    os.unlink(item.path)  # noqa: PTH108
                    continue
                with contextlib.suppress(OSError):
                    os.chmod(item.path, stat.S_IRWXU)  # noqa: PTH101
                moved = item.path
                if current != root:  # up to the top, so that no path grows
                    moved = f"{root}/.removed-{next(numbers)}"
                    while os.path.lexists(moved):
                        moved = f"{root}/.removed-{next(numbers)}"
                    os.rename(item.path, moved)  # noqa: PTH104
                waiting.append(moved)
            except OSError:
                stuck = item.path
    return _remove_empty(root) or stuck


def _remove_empty(root: str) -> str:
    """Remove a folder that holds empty folders at most; returns what is in the way."""
    stuck = ""
    with contextlib.suppress(OSError), os.scandir(root) as entries:
        for entry in list(entries):
            try:
                os.rmdir(entry.path)  # noqa: PTH106
            except OSError:
                stuck = entry.path
    try:
        os.rmdir(root)  # noqa: PTH106
    except FileNotFoundError:
        return ""
    except OSError:
        return stuck or root
    return ""


def write_new(path: str | Path, data: bytes) -> None:
    """Write a file that is not there yet."""
    target = os.open(path, _NEW, 0o644)
    try:
        _write(target, data)
    finally:
        os.close(target)


def _write(target: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(target, view) :]


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
