"""A run's own folders: a fresh workspace copied from its listing, a HOME, room for temporary files."""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import stat
from collections.abc import Collection
from pathlib import Path
from typing import NamedTuple

from evenhand.runs.start_listing import Listing

PROMPT = "prompt.txt"
"""The file beside the workspace that holds the prompt."""

_PIECE = 1024 * 1024
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
_ANY = os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC


class Changed(Exception):
    """A file that a run starts from is no longer what it was when the run was planned."""

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.path = path


class State(NamedTuple):
    """What tells whether a file was touched: a program can set the time of change, but not the last one."""

    size: int
    changed: int
    inode: int
    status_changed: int


class Folders(NamedTuple):
    """The folders of one run, all inside `root`."""

    root: Path
    workspace: Path
    home: Path
    temporary: Path


def folders_in(root: Path) -> Folders:
    """Where a run's folders are inside its root."""
    return Folders(root, root / "workspace", root / "home", root / "tmp")


def make_folders(root: Path) -> Folders:
    """New, empty folders."""
    folders = folders_in(root)
    for folder in folders:
        os.mkdir(folder, 0o700)  # noqa: PTH102
    return folders


def fill(workspace: Path, listing: Listing) -> dict[str, State]:
    """Copy everything into a workspace; returns the state of each file. Changed when a file is not as it was listed.

    The workspace is empty, or holds the same paths from an earlier run, which are written again.
    """
    base = f"{workspace}/"
    folders = {""}
    states = {}
    for entry in listing:
        parent = entry.target.rpartition("/")[0]
        if parent not in folders:
            os.makedirs(base + parent, exist_ok=True)  # noqa: PTH103 (quicker)
            folders.add(parent)
        if entry.kind == "folder":
            os.makedirs(base + entry.target, exist_ok=True)  # noqa: PTH103
            folders.add(entry.target)
        elif entry.kind == "link":
            with contextlib.suppress(FileExistsError):
                os.symlink(entry.source, base + entry.target)  # noqa: PTH211
        else:
            try:
                copied, state = _copy(entry.source, base + entry.target, 0o755 if entry.executable else 0o644)
            except FileNotFoundError:
                raise Changed(entry.source) from None
            if copied != entry.sha256:
                raise Changed(entry.source)
            states[entry.target] = state
    return states


def state_of(status: os.stat_result) -> State:
    """The state of a file."""
    return State(status.st_size, status.st_mtime_ns, status.st_ino, status.st_ctime_ns)


def remove(folder: str | Path) -> None:
    """Remove a folder and all it holds, also what a run has made unreadable. Links are removed, not followed."""
    try:
        remove_inside(folder)
        os.rmdir(folder)  # noqa: PTH106
    except FileNotFoundError:
        return
    except OSError:
        for path, folders, _ in os.walk(folder):
            for name in folders:
                inner = os.path.join(path, name)  # noqa: PTH118
                if not os.path.islink(inner):  # noqa: PTH114
                    os.chmod(inner, stat.S_IRWXU)  # noqa: PTH101
        shutil.rmtree(folder, ignore_errors=True)


def remove_inside(folder: str | Path, *, keep: Collection[str] = ()) -> None:
    """Remove what a folder holds, but for some names. OSError when something cannot be removed."""
    with os.scandir(folder) as entries:
        items = [item for item in entries if item.name not in keep]
    for item in items:
        if item.is_dir(follow_symlinks=False):
            remove_inside(item.path)
            os.rmdir(item.path)  # noqa: PTH106
        else:
            os.unlink(item.path)  # noqa: PTH108


def write_new(path: str | Path, data: bytes) -> None:
    """Write a file that is not there yet, with as few calls of the system as there can be."""
    target = os.open(path, _NEW, 0o644)
    try:
        _write(target, data)
    finally:
        os.close(target)


def write_over(path: str | Path, data: bytes) -> None:
    """Write a file that may be there from an earlier run, and is then a plain file of ours."""
    target = os.open(path, _ANY, 0o644)
    try:
        _write(target, data)
        if os.fstat(target).st_size > len(data):
            os.ftruncate(target, len(data))
    finally:
        os.close(target)


def _write(target: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(target, view) :]


def _copy(source: str, target: str, mode: int) -> tuple[str, State]:
    """Copy a file; returns the SHA-256 of what was copied, and the state of the copy."""
    digest = hashlib.sha256()
    reading = os.open(source, os.O_RDONLY | os.O_CLOEXEC)
    try:
        writing = os.open(target, _ANY, mode)
        try:
            size = 0
            while piece := os.read(reading, _PIECE):
                digest.update(piece)
                _write(writing, piece)
                size += len(piece)
            state = state_of(os.fstat(writing))
            if state.size > size:
                os.ftruncate(writing, size)
                state = state_of(os.fstat(writing))
            return digest.hexdigest(), state
        finally:
            os.close(writing)
    finally:
        os.close(reading)
