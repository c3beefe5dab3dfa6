"""The folders of runs that follow one another, emptied after each and used again under a new name.

Making and removing files is most of what a short run costs the file system. A folder that was emptied is as good as
new, unless the run has replaced it or changed who may use it: then it is removed. Files that the run has not touched
stay, and are written again when the next run starts from the same paths; otherwise they are removed then.
"""

from __future__ import annotations

import os
import stat
from collections import deque
from dataclasses import dataclass, field

from evenhand.runs.scratch import Scratch
from evenhand.runs.start_listing import Listing
from evenhand.runs.workspace import (
    PROMPT,
    Folders,
    State,
    fill,
    folders_in,
    make_folders,
    remove,
    remove_inside,
    state_of,
)

Made = tuple[tuple[int, int, int, int], ...]
"""Which folders were made: the inode, the rights and the owner of each."""

Shape = tuple[tuple[object, ...], ...]
"""The paths of a listing, without the bytes of its files."""


@dataclass
class _Used:
    """Folders that were handed out, or can be."""

    made: Made
    shape: Shape = ()
    """Of what is in the workspace."""
    states: dict[str, State] = field(default_factory=dict)
    """Of all that was put into the workspace, folders too."""


class RunFolders:
    """Hands out folders inside a process's scratch folder, and takes them back."""

    def __init__(self, scratch: Scratch) -> None:
        self._scratch = scratch
        self._spare: deque[tuple[Folders, _Used]] = deque()
        self._used: dict[Folders, _Used] = {}

    def take(self) -> Folders:
        """Folders under a path that no run has had: HOME and `tmp` are empty, the workspace is to be filled."""
        root = self._scratch.new()
        try:
            spare, used = self._spare.pop()
        except IndexError:
            folders = make_folders(root)
            used = _Used(_as_they_are(folders))
        else:
            os.rename(spare.root, root)  # noqa: PTH104
            folders = folders_in(root)
        self._used[folders] = used
        return folders

    def fill(self, folders: Folders, listing: Listing) -> dict[str, State]:
        """Copy everything into the workspace, which holds nothing else then. Changed as `workspace.fill` raises it."""
        used = self._used[folders]
        shape = tuple(
            (item.target, item.kind, item.executable, item.kind == "link" and item.source) for item in listing
        )
        if used.shape != shape:
            remove_inside(folders.workspace)
        used.shape, used.states = (), {}
        states = fill(folders.workspace, listing)
        base = f"{folders.workspace}/"
        used.states = states | {
            path: state_of(os.lstat(base + path))
            for path in _parents(listing).union(item.target for item in listing if item.kind != "file")
        }
        used.shape = shape
        return states

    def give_back(self, folders: Folders) -> None:
        """Remove what the run left; afterwards nothing is there that it has written."""
        used = self._used.pop(folders)
        if _cleaned(folders, used):
            self._spare.append((folders, used))
        else:
            remove(folders.root)


def _parents(listing: Listing) -> set[str]:
    """The folders that hold something of a listing."""
    parents = set()
    for item in listing:
        path = item.target
        while path := path.rpartition("/")[0]:
            parents.add(path)
    return parents


def _cleaned(folders: Folders, used: _Used) -> bool:
    """Remove everything that is new in them; False when they are no longer the folders that were made."""
    try:
        # Before anything is removed: a link in the place of a folder leads to files that are not the run's.
        if _as_they_are(folders) != used.made or any(os.listxattr(folder) for folder in folders):
            return False
        remove_inside(folders.root, keep=[*(folder.name for folder in folders[1:]), *_plain_prompt(folders)])
        for folder in (folders.home, folders.temporary):
            remove_inside(folder)
        if not used.shape or not _is_untouched(str(folders.workspace), used.states):
            used.shape = ()
            remove_inside(folders.workspace)
    except (OSError, AttributeError):  # not every system has listxattr
        return False
    return True


def _plain_prompt(folders: Folders) -> list[str]:
    """The file of the prompt, if it can be written again: not a link, nobody else's, no other name for it."""
    path = f"{folders.root}/{PROMPT}"
    try:
        status = os.lstat(path)
        is_plain = stat.S_ISREG(status.st_mode) and status.st_nlink == 1 and status.st_uid == os.getuid()
        return [PROMPT] if is_plain and os.access(path, os.W_OK) and not os.listxattr(path) else []
    except OSError:
        return []


def _is_untouched(workspace: str, states: dict[str, State]) -> bool:
    """Whether a workspace holds what was put into it and nothing else, and nobody has changed any of it."""
    count = 0
    folders = [""]
    while folders:
        inside = folders.pop()
        with os.scandir(f"{workspace}/{inside}") as entries:
            for entry in entries:
                path = inside + entry.name
                if states.get(path) != state_of(entry.stat(follow_symlinks=False)):
                    return False
                count += 1
                if entry.is_dir(follow_symlinks=False):
                    folders.append(f"{path}/")
    return count == len(states)


def _as_they_are(folders: Folders) -> Made:
    statuses = [os.lstat(folder) for folder in folders]
    return tuple((status.st_ino, status.st_mode, status.st_uid, status.st_gid) for status in statuses)
