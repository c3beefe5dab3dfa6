"""A run's workspace made again as it was when the run had ended, for expectations about files and commands."""

from __future__ import annotations

import os
import shutil
from collections.abc import Collection
from pathlib import Path

from evenhand.runs.planned import PlannedRun
from evenhand.runs.run_document import Aftermath
from evenhand.runs.workspaces.workspace import fill, remove


def rebuild(planned: PlannedRun, aftermath: Aftermath, folder: Path) -> None:
    """Make the workspace in a new folder, as far as it was kept. Changed when a start file has."""
    folder.mkdir(parents=True)
    fill(folder, planned.listing)
    for target in aftermath.gone:
        _clear(folder / target)
    for entry in aftermath.written:
        path = folder / entry.target
        if entry.kind != "folder" or path.is_symlink() or not path.is_dir():
            _clear(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        if entry.kind == "folder":
            path.mkdir(exist_ok=True)
        elif entry.kind == "link":
            path.symlink_to(entry.source)
        else:
            shutil.copyfile(entry.source, path)
            path.chmod(0o755 if entry.executable else 0o644)


def changed_files(aftermath: Aftermath) -> tuple[str, ...]:
    """What a run wrote or changed, by paths; links and folders are not files."""
    return tuple(entry.target for entry in aftermath.written if entry.kind == "file")


def with_products(planned: PlannedRun, aftermath: Aftermath, products: Collection[str], folder: Path) -> None:
    """The given files as they were given, in a new folder, with some that a run wrote. Changed when one is not."""
    folder.mkdir(parents=True)
    fill(folder, planned.listing)
    for entry in aftermath.written:
        if entry.kind == "file" and entry.target in products:
            path = folder / entry.target
            _clear(path)
            path.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(entry.source, path)
            path.chmod(0o755 if entry.executable else 0o644)


def _clear(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        remove(path)
    elif os.path.lexists(path):
        path.unlink()
