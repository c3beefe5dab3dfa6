"""A workspace after a run: what the run has not touched stays for the next one, everything else is removed."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping

from evenhand.runs.workspace import State, remove_item, state_of


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
    """Whether a folder is the one that was made, whatever has come and gone in it, and nobody else may use it."""
    now = state_of(item.stat(follow_symlinks=False))
    return (now.inode, now.mode, now.owner) == (state.inode, state.mode, state.owner) and not os.listxattr(item.path)
