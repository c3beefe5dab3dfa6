"""The folders of runs that follow one another, used again under a new name."""

from __future__ import annotations

import mmap
import os
from collections import deque
from pathlib import Path

from evenhand.runs.scratch import Scratch
from evenhand.runs.workspaces.own_folders import OwnFolders
from evenhand.runs.workspaces.workspace import remove


class FolderPool:
    """Hands out folders inside a process's scratch folder, and takes them back."""

    def __init__(self, scratch: Scratch) -> None:
        self._scratch = scratch
        self.folder = scratch.folder.parent
        self._times_tell = times_tell(scratch.folder)
        self._spare: deque[OwnFolders] = deque()

    def take(self) -> OwnFolders:
        """Folders under a path that no run has had: HOME and `tmp` are empty, the workspace is to be filled."""
        root = str(self._scratch.new())
        try:
            folders = self._spare.pop()
        except IndexError:
            return OwnFolders(root, times_tell=self._times_tell)
        folders.move(root)
        return folders

    def give_back(self, folders: OwnFolders) -> None:
        """Remove what the run left; afterwards nothing is there that it has written."""
        if folders.clean():
            self._spare.append(folders)
        else:
            remove(folders.root)


def times_tell(folder: Path) -> bool:
    """Whether the times of a file in a folder tell that it was written through memory: on a RAM disk they do not."""
    path = folder / "times"
    try:
        path.write_bytes(b"old")
        os.utime(path, ns=(0, 0))
        with path.open("r+b") as file, mmap.mmap(file.fileno(), 0) as memory:
            memory[:] = memory[:].upper()  # read first: Linux notices the first writing if nobody has read
        return path.stat().st_mtime_ns > 0
    except (OSError, ValueError):  # a full disk, or one whose files cannot be mapped
        return False
    finally:
        path.unlink(missing_ok=True)
