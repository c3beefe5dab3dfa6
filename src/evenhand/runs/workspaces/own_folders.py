"""The folders of one run: its workspace, a HOME, room for temporary files. Emptied, they serve another run.

Making and removing files is most of what a short run costs the file system. A folder that was emptied is as good as
new, unless the run has replaced it or changed who may use it. Files that the run has not touched stay in the workspace:
the next run that starts from the same paths gets its own bytes in them, and another one does not find them. Most runs
of a case start from many files and change a few.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping

from evenhand import clock
from evenhand.runs.workspaces.start_listing import Entry, Listing
from evenhand.runs.workspaces.workspace import (
    State,
    fill,
    remove_inside,
    remove_item,
    state_of,
    with_parents,
    write_over,
)
from evenhand.runs.workspaces.workspace_changes import Change, changes, is_untouched

PROMPT = "prompt.txt"
"""The file beside the workspace that holds the prompt."""

_INSIDE = ("workspace", "home", "tmp")

_GRAIN = 20_000_000
"""Nanoseconds within which a file system may give two changes the same time."""


class OwnFolders:
    """New folders inside `root`."""

    def __init__(self, root: str, *, times_tell: bool = True) -> None:
        """`times_tell`: a file whose times are as they were holds what it held."""
        self._name(root)
        self._times_tell = times_tell
        for folder in (self.root, self.workspace, self.home, self.temporary):
            os.mkdir(folder, 0o700)  # noqa: PTH102
        statuses = self._statuses()
        self._made = {name: _identity(status) for name, status in statuses.items()}
        self._empty = {name: state_of(statuses[name]) for name in ("home", "tmp")}
        """The states of folders that were empty when the run began."""
        self._listing: Listing = ()
        """What was put into the workspace."""
        self._entries: dict[str, Entry] = {}
        """What was put there by paths, with all folders."""
        self._states = {"": state_of(statuses["workspace"])}
        """The states of what is left of it, and of the workspace itself."""
        self._same: Collection[str] = ()
        """The paths that the run is known not to have touched."""
        self._prompt: State | None = None
        self._settled = 0
        """What has not changed since this time has a state that tells whether it was touched."""

    def _name(self, root: str) -> None:
        self.root, self.workspace, self.home, self.temporary = root, f"{root}/workspace", f"{root}/home", f"{root}/tmp"

    def move(self, root: str) -> None:
        """Get ready for another run, under another path."""
        os.rename(self.root, root)  # noqa: PTH104
        self._name(root)
        self._same = ()

    @property
    def is_untouched(self) -> bool:
        """Whether the workspace is known to be as it was when the run began."""
        return len(self._same) == len(self._states)

    def fill(self, listing: Listing) -> None:
        """Copy everything into the workspace, which holds nothing else then. Changed as `workspace.fill` raises it."""
        self._settled = int(clock.epoch_seconds() * 1e9) - _GRAIN
        if listing == self._listing and len(self._states) == 1 + len(self._entries):
            return
        entries = with_folders(listing)
        left = {path: self._entries[path] for path in self._states if path}
        if any(_shape(entries.get(path)) != _shape(entry) for path, entry in left.items()):
            remove_inside(self.workspace)
            left = {}
        remaining = {
            path: self._states[path]
            for path, entry in left.items()
            if entry.kind == "file" and entry.sha256 == entries[path].sha256
        }
        self._states = fill(self.workspace, listing, remaining)
        self._listing, self._entries = listing, entries

    def write_prompt(self, prompt: bytes) -> str:
        """Write the prompt into its file."""
        path = f"{self.root}/{PROMPT}"
        self._prompt = write_over(path, prompt)
        return path

    def has_empty_home(self) -> bool:
        """Whether the run has left nothing in HOME."""
        state = self._empty["home"]
        if state.status_changed < self._settled and state == state_of(os.lstat(self.home)):
            return True
        return not os.listdir(self.home)  # noqa: PTH208

    def changes(self) -> list[Change]:
        """What the run has changed in its workspace."""
        where = self.workspace, self._entries, self._states
        if is_untouched(*where, self._settled, times_tell=self._times_tell):
            self._same = self._states
            return []
        changed, self._same = changes(*where, self._settled if self._times_tell else 0)
        return changed

    def clean(self) -> bool:
        """Remove all that the run left; False when these are no longer the folders that were made."""
        try:
            statuses = self._statuses()
            # Before anything is removed: a link in the place of a folder leads to files that are not the run's.
            if any(_identity(status) != self._made[name] for name, status in statuses.items()):
                return False
            touched = [name for name, state in self._empty.items() if not self._is_as_it_was(state, statuses[name])]
            if any(os.listxattr(f"{self.root}/{name}") for name in ("", *touched)):
                return False
            for name in touched:
                remove_inside(f"{self.root}/{name}")
                self._empty[name] = state_of(os.lstat(f"{self.root}/{name}"))
            if not self.is_untouched:
                if os.listxattr(self.workspace):
                    return False
                self._states = keep_untouched(self.workspace, self._states, self._same)
            remove_inside(self.root, keep=(*_INSIDE, PROMPT) if self._has_plain_prompt() else _INSIDE)
        except (OSError, AttributeError):  # not every system has listxattr
            return False
        return True

    def _is_as_it_was(self, state: State, status: os.stat_result) -> bool:
        return state.status_changed < self._settled and state == state_of(status)

    def _has_plain_prompt(self) -> bool:
        """Whether the file of the prompt can be written again: it is untouched and not a link."""
        try:
            return self._prompt is not None and self._prompt == state_of(os.lstat(f"{self.root}/{PROMPT}"))
        except OSError:
            return False

    def _statuses(self) -> dict[str, os.stat_result]:
        return {name: os.lstat(f"{self.root}/{name}") for name in ("", *_INSIDE)}


def _identity(status: os.stat_result) -> tuple[int, int, int, int]:
    """Which folder it is, and who may use it."""
    return status.st_ino, status.st_mode, status.st_uid, status.st_gid


def with_folders(listing: Listing) -> dict[str, Entry]:
    """The entries of a listing by path, with the folders that it does not name."""
    folders = {path for entry in listing for path in with_parents(entry.target.rpartition("/")[0])}
    return {path: Entry(path, "folder", "") for path in folders} | {entry.target: entry for entry in listing}


def _shape(entry: Entry | None) -> tuple[object, ...] | None:
    """What can be there of an entry from an earlier run: all but the bytes of a file."""
    return None if entry is None else (entry.kind, entry.executable, entry.kind == "link" and entry.source)


def keep_untouched(workspace: str, states: Mapping[str, State], same: Collection[str]) -> dict[str, State]:
    """Remove all but the paths that are the `same` as at the start, and their folders; returns the states there are.

    `states` are those at the start. OSError when something cannot be removed.
    """
    kept = {}
    folders = [""]
    while folders:
        inside = folders.pop()
        path = f"{workspace}/{inside}"
        with os.scandir(path) as entries:
            items = list(entries)
        for item in items:
            name = inside + item.name
            if item.is_dir(follow_symlinks=False) and name in states and _is_same_folder(item, states[name]):
                folders.append(f"{name}/")
            elif name in same and not item.is_dir(follow_symlinks=False):
                kept[name] = states[name]
            else:
                remove_item(item)
        kept[inside.removesuffix("/")] = state_of(os.lstat(path))
    return kept


def _is_same_folder(item: os.DirEntry[str], state: State) -> bool:
    """Whether a folder is the one that was made, whatever has come and gone in it, and no one else may use it."""
    now = state_of(item.stat(follow_symlinks=False))
    return (now.inode, now.mode, now.owner) == (state.inode, state.mode, state.owner) and not os.listxattr(item.path)
