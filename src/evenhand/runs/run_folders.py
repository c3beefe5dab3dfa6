"""The folders of runs that follow one another, emptied after each and used again under a new name.

Making and removing folders is most of what a short run costs the file system. A folder that was emptied is as good as
new, unless the run has replaced it or changed who may use it: then it is removed.
"""

from __future__ import annotations

import os
from collections import deque

from evenhand.runs.scratch import Scratch
from evenhand.runs.workspace import Folders, folders_in, make_folders, remove, remove_inside

Made = tuple[tuple[int, int, int, int], ...]
"""Which folders were made: the inode, the rights and the owner of each."""


class RunFolders:
    """Hands out folders inside a process's scratch folder, and takes them back."""

    def __init__(self, scratch: Scratch) -> None:
        self._scratch = scratch
        self._spare: deque[tuple[Folders, Made]] = deque()
        self._made: dict[Folders, Made] = {}

    def take(self) -> Folders:
        """Empty folders under a path that no run has had."""
        root = self._scratch.new()
        try:
            spare, made = self._spare.pop()
        except IndexError:
            folders = make_folders(root)
            made = _as_they_are(folders)
        else:
            os.rename(spare.root, root)  # noqa: PTH104
            folders = folders_in(root)
        self._made[folders] = made
        return folders

    def give_back(self, folders: Folders) -> None:
        """Remove what the run left; afterwards none of its files are there."""
        made = self._made.pop(folders)
        if _emptied(folders, made):
            self._spare.append((folders, made))
        else:
            remove(folders.root)


def _emptied(folders: Folders, made: Made) -> bool:
    """Remove everything in them; False when they are no longer the folders that were made, and nothing is sure."""
    try:
        # Before anything is removed: a link in the place of a folder leads to files that are not the run's.
        if _as_they_are(folders) != made or any(os.listxattr(folder) for folder in folders):
            return False
        remove_inside(folders.root, keep=[folder.name for folder in folders[1:]])
        for folder in folders[1:]:
            remove_inside(folder)
    except (OSError, AttributeError):  # not every system has listxattr
        return False
    return True


def _as_they_are(folders: Folders) -> Made:
    statuses = [os.lstat(folder) for folder in folders]
    return tuple((status.st_ino, status.st_mode, status.st_uid, status.st_gid) for status in statuses)
