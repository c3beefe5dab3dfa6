"""A workspace: copied from the listing of what a run starts from, and removed with all that a run left in it."""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import stat
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from evenhand.runs.workspaces.start_listing import Listing

_PIECE = 1024 * 1024
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL
_ANY = os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW


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
    mode: int
    owner: tuple[int, int]


_NOTHING: Mapping[str, State] = MappingProxyType({})


def fill(workspace: str | Path, listing: Listing, kept: Mapping[str, State] = _NOTHING) -> dict[str, State]:
    """Copy everything into a workspace; returns the state of each path. Changed when a file is not as it was listed.

    The workspace is empty, or holds some of these paths from an earlier run, which are written again, but for the files
    that are `kept` with the same bytes.
    """
    base = f"{workspace}/"
    folders = {""}
    states = dict(kept)
    for entry in listing:
        parent = entry.target.rpartition("/")[0]
        if parent not in folders:
            os.makedirs(base + parent, exist_ok=True)  # noqa: PTH103 (quicker)
            folders.update(with_parents(parent))
        if entry.kind == "folder":
            with contextlib.suppress(FileExistsError):
                os.mkdir(base + entry.target)  # noqa: PTH102
            folders.add(entry.target)
        elif entry.kind == "link":
            with contextlib.suppress(FileExistsError):
                os.symlink(entry.source, base + entry.target)  # noqa: PTH211
            states[entry.target] = state_of(os.lstat(base + entry.target))
        elif entry.target not in kept:
            try:
                copied, state = _copy(entry.source, base + entry.target, 0o755 if entry.executable else 0o644)
            except FileNotFoundError:
                raise Changed(entry.source) from None
            if copied != entry.sha256:
                raise Changed(entry.source)
            states[entry.target] = state
    # When everything is in them: a folder changes with each path that is put into it.
    return states | {folder: state_of(os.lstat(base + folder)) for folder in folders}


def with_parents(folder: str) -> Iterator[str]:
    """A folder and those that it is in, but for the workspace itself."""
    while folder:
        yield folder
        folder = folder.rpartition("/")[0]


def state_of(status: os.stat_result) -> State:
    """The state of a file."""
    owner = status.st_uid, status.st_gid
    return State(status.st_size, status.st_mtime_ns, status.st_ino, status.st_ctime_ns, status.st_mode, owner)


def bytes_in(folder: str) -> int:
    """The bytes of disk that everything in a folder takes, as far as it can be looked at."""
    total = 0
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            with contextlib.suppress(OSError):
                total += entry.stat(follow_symlinks=False).st_blocks * 512
                total += bytes_in(entry.path) if entry.is_dir(follow_symlinks=False) else 0
    return total


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
        remove_item(item)


def remove_item(item: os.DirEntry[str]) -> None:
    """Remove a file, a link or a folder with all it holds. OSError when that cannot be done."""
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


def write_over(path: str | Path, data: bytes) -> State:
    """Write a file that may be there from an earlier run, and is then a plain file of ours; returns its state."""
    target = os.open(path, _ANY, 0o644)
    try:
        _write(target, data)
        return _ended_at(target, len(data))
    finally:
        os.close(target)


def _write(target: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(target, view) :]


def _copy(source: str, target: str, mode: int) -> tuple[str, State]:
    """Copy a file; returns the SHA-256 of what was copied, and the state of the copy."""
    digest = hashlib.sha256()
    reading = os.open(source, os.O_RDONLY)
    try:
        writing = os.open(target, _ANY, mode)
        try:
            size = 0
            while piece := os.read(reading, _PIECE):
                digest.update(piece)
                _write(writing, piece)
                size += len(piece)
            return digest.hexdigest(), _ended_at(writing, size)
        finally:
            os.close(writing)
    finally:
        os.close(reading)


def _ended_at(target: int, size: int) -> State:
    """Cut off what an earlier run has left after so many bytes; returns the state of the file."""
    state = state_of(os.fstat(target))
    if state.size > size:
        os.ftruncate(target, size)
        state = state_of(os.fstat(target))
    return state
